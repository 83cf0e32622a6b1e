import fc from 'fast-check'
import { jsonCopy } from '../../src/http/json-copy'
import { property } from '../support/property'

const told = (key: string) => ({ key })
class Point {
  readonly #hidden = 1
  constructor(readonly x: number) {}
  get y(): number {
    return this.#hidden
  }
}

const odd = fc.constantFrom<unknown>(
  ...['{"__proto__":{"polluted":true},"a":1}', '{"__proto__":7}'].map((text) => JSON.parse(text)),
  ...[Number.NaN, Number.POSITIVE_INFINITY, -0, Object(1), new Date(0), new Date(Number.NaN)],
  ...[() => 1, Object.assign(() => 1, { toJSON: told }), Symbol('x'), undefined],
  ...[new Array(3), Object.assign([1], { extra: 2 }), Object.assign([1], { toJSON: told }), new Proxy([1, 2], {})],
  ...[told, 'no function', () => ({ toJSON: told }), () => undefined].map((toJSON) => ({ toJSON })),
  ...[new Point(1), new Map([[1, 2]]), Object('text'), Object(false), Object.create({ inherited: 1 })],
  ...[Object.freeze({ a: Object.freeze([1]) }), { constructor: 1, toString: undefined, hasOwnProperty: () => 1 }],
  ...[{ toString: () => 1, __defineGetter__: undefined, valueOf: new Date(0) }, { [Symbol('x')]: 1 }],
  ...[Object.defineProperty({}, 'hidden', { value: 1 }), new Proxy({ a: 1 }, {})],
)
const anything = fc.anything({
  ...{ withDate: true, withNullPrototype: true, withObjectString: true, withBoxedValues: true, withMap: true },
  ...{ withSet: true, withSparseArray: true, withTypedArray: true, withUnicodeString: true },
})
const keys = fc.oneof(fc.string(), fc.constantFrom('__proto__', '0', 'toJSON'))
const mixed = fc.oneof(
  anything,
  odd,
  fc.array(fc.oneof(odd, anything)),
  fc.dictionary(keys, fc.oneof(odd, anything), { noNullPrototype: true }),
)

/** Returns the value that `make` returns with the order of its keys, or reports that it throws. */
function outcome(make: () => unknown): unknown {
  try {
    const made = make()
    return { made, text: JSON.stringify(made) }
  } catch (error) {
    return (error as Error).constructor.name
  }
}
const viaJson = (value: unknown): unknown => {
  const json = JSON.stringify(value)
  return json === undefined ? undefined : JSON.parse(json)
}

property(
  'a copy is what JSON makes of a value',
  fc.property(mixed, (value) => {
    expect(outcome(() => jsonCopy(value))).toStrictEqual(outcome(() => viaJson(value)))
  }),
)

test('a getter is read once, and may throw; a bigint is a TypeError, as of JSON', () => {
  const read = jest.fn(() => 1)
  const value = Object.defineProperty({}, 'a', { get: read, enumerable: true })
  expect([jsonCopy(value), read.mock.calls.length]).toEqual([{ a: 1 }, 1])
  const failure = new Error('not now')
  read.mockImplementation(() => {
    throw failure
  })
  expect(() => jsonCopy([value])).toThrow(failure)
  expect(() => jsonCopy({ a: [1n] })).toThrow(/BigInt/)
})

/** A value below so many lists. */
const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : [nested(depth - 1, value)])

test('nothing of it is the value, however deep', () => {
  const inmost = { a: 1 }
  for (const depth of [0, 1, 63, 64, 65, 200]) {
    let copy = jsonCopy(nested(depth, inmost))
    for (let level = 0; level < depth; level++) copy = (copy as unknown[])[0]
    expect(copy).toEqual(inmost)
    expect(copy).not.toBe(inmost)
  }
})

test('an own __proto__ stays a name', () => {
  const copy = jsonCopy(JSON.parse('{"a":{"__proto__":{"polluted":true}}}')) as { a: object }
  expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"polluted":true}}}')
  expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
})

test('plain data is copied without JSON, unless it is too deep', () => {
  const stringify = jest.spyOn(JSON, 'stringify')
  jsonCopy({ a: [1, 'b', null, { c: true }], d: undefined })
  jsonCopy(nested(64, 1))
  expect(stringify).not.toHaveBeenCalled()
  jsonCopy(nested(65, 1))
  expect(stringify).toHaveBeenCalledTimes(1)
  stringify.mockRestore()
})
