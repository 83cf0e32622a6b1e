import fc from 'fast-check'
import { jsonCopy } from '../../src/http/json-copy'
import { property } from '../support/property'

const viaJson = (value: unknown): unknown => {
  const json = JSON.stringify(value)
  return json === undefined ? undefined : JSON.parse(json)
}

const told = (key: string) => ({ key })
class Point {
  readonly #hidden = 1
  constructor(readonly x: number) {}
  get y(): number {
    return this.#hidden
  }
}

const odd = fc.constantFrom<unknown>(
  undefined,
  () => 1,
  Object.assign(() => 1, { toJSON: told }),
  Symbol('x'),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  -0,
  new Date(0),
  new Date(Number.NaN),
  new Point(1),
  new Map([[1, 2]]),
  Object(1),
  Object('text'),
  Object(false),
  Object.create({ inherited: 1 }),
  Object.freeze({ a: Object.freeze([1]) }),
  new Array(3),
  Object.assign([1], { extra: 2 }),
  Object.assign([1], { toJSON: told }),
  { toJSON: told },
  { toJSON: 'no function' },
  { toJSON: () => ({ toJSON: told }) },
  { toJSON: () => undefined },
  JSON.parse('{"__proto__":{"polluted":true},"a":1}'),
  JSON.parse('{"__proto__":7}'),
  { constructor: 1, toString: undefined, hasOwnProperty: () => 1 },
  { toString: () => 1, __defineGetter__: undefined, valueOf: new Date(0) },
  { [Symbol('x')]: 1 },
  Object.defineProperty({}, 'hidden', { value: 1 }),
  new Proxy([1, 2], {}),
  new Proxy({ a: 1 }, {}),
)

const anything = fc.anything({
  withDate: true,
  withNullPrototype: true,
  withObjectString: true,
  withBoxedValues: true,
  withMap: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
})
const mixed = fc.oneof(
  anything,
  odd,
  fc.array(fc.oneof(odd, anything)),
  fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '0', 'toJSON')), fc.oneof(odd, anything), {
    noNullPrototype: true,
  }),
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

property(
  'a copy is what JSON makes of a value',
  fc.property(mixed, (value) => {
    expect(outcome(() => jsonCopy(value))).toStrictEqual(outcome(() => viaJson(value)))
  }),
)
