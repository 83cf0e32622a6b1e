import { jsonCopy } from '../../src/http/json-copy'

/** A value below so many lists. */
function nested(depth: number, value: unknown): unknown {
  return depth === 0 ? value : [nested(depth - 1, value)]
}

test.each<[title: string, value: unknown, copy: unknown]>([
  ['text', 'Ada', 'Ada'],
  ['true', true, true],
  ['null', null, null],
  ['NaN', Number.NaN, null],
  ['what JSON leaves out of an object', { a: undefined, b: () => 1, c: 1 }, { c: 1 }],
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: [1] }), { a: [1] }],
])('%s', (_title, value, copy) => {
  expect(jsonCopy(value)).toStrictEqual(copy)
})

test('a getter is read once, and may throw', () => {
  const read = jest.fn(() => 1)
  expect(jsonCopy(Object.defineProperty({}, 'a', { get: read, enumerable: true }))).toEqual({ a: 1 })
  expect(read).toHaveBeenCalledTimes(1)
  const failure = new Error('not now')
  read.mockImplementation(() => {
    throw failure
  })
  expect(() => jsonCopy([Object.defineProperty({}, 'a', { get: read, enumerable: true })])).toThrow(failure)
})

test('nothing of it is the value, however deep', () => {
  const inmost = { a: 1 }
  for (const depth of [0, 1, 63, 64, 65, 200]) {
    let copy = jsonCopy(nested(depth, inmost))
    for (let level = 0; level < depth; level++) copy = (copy as unknown[])[0]
    expect(copy).toEqual(inmost)
    expect(copy).not.toBe(inmost)
  }
})

test('a bigint is a TypeError, as of JSON', () => {
  expect(() => jsonCopy({ a: [1n] })).toThrow(/BigInt/)
})

test('an own __proto__ stays a name', () => {
  const copy = jsonCopy(JSON.parse('{"a":{"__proto__":{"polluted":true}}}')) as { a: object }
  expect(JSON.stringify(copy)).toBe('{"a":{"__proto__":{"polluted":true}}}')
  expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
})

test('plain data is copied without JSON', () => {
  const stringify = jest.spyOn(JSON, 'stringify')
  jsonCopy({ a: [1, 'b', null, { c: true }], d: undefined })
  expect(stringify).not.toHaveBeenCalled()
  jsonCopy(nested(64, 1))
  expect(stringify).not.toHaveBeenCalled()
  jsonCopy(nested(65, 1))
  expect(stringify).toHaveBeenCalledTimes(1)
  stringify.mockRestore()
})
