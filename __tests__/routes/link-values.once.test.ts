import { NoReverseMatch, namedRoutes } from 'express-versioning'

const plain = namedRoutes({ it: '/x/:value' })
// A dot makes its links doubtful.
const doubtful = namedRoutes({ it: '/x/:value{.:format}' })

/** Texts around one character, short ones and long ones: they are encoded in different ways. */
const AROUND = {
  alone: (character: string) => character,
  'in a short text': (character: string) => `a${character}b`,
  'in twelve characters': (character: string) => `abcde${character}fghijk`,
  'in thirteen characters': (character: string) => `abcde${character}fghijkl`,
  'before a character of another script': (character: string) => `${character}東`,
}

function linked(table: typeof plain | typeof doubtful, value: string): string | undefined {
  try {
    return table.reverse('it', { kwargs: { value } })
  } catch (error) {
    if (error instanceof NoReverseMatch) return undefined
    throw error
  }
}

function isControl(code: number): boolean {
  return code <= 0x1f || (code >= 0x7f && code <= 0x9f)
}

describe('each character up to U+0101 is encoded, or refused where it is a control character', () => {
  test.each(Object.entries(AROUND))('%s', (_, textOf) => {
    for (let code = 0; code <= 0x101; code++) {
      const value = textOf(String.fromCharCode(code))
      const expected = isControl(code) || value === '.' ? undefined : `/x/${encodeURIComponent(value)}`
      expect([value, linked(plain, value)]).toEqual([value, expected])
      // It would be read as a value and a format.
      const ambiguous = /^.+\..+$/s.test(value)
      expect([value, linked(doubtful, value)]).toEqual([value, ambiguous ? undefined : expected])
    }
  })
})

test.each(['', '.', '..', '\ud800', 'a\udfff', `${'a'.repeat(12)}\ud800`])('%j fits no segment', (value) => {
  expect(linked(plain, value)).toBeUndefined()
  expect(linked(doubtful, value)).toBeUndefined()
})

test.each(['...', 'a.', '.a', '~', '!', "*'()", 'ab', 'a'])('%j is its own encoding', (value) => {
  expect(linked(plain, value)).toBe(`/x/${value}`)
})

describe('values that are not in the order of the pattern, or not its own', () => {
  const table = namedRoutes({ two: '/:a/:b', one: '/:a{/:b}' })
  const link = (name: 'two' | 'one', kwargs: object) => () => table.reverse(name, { kwargs } as never)

  test('in another order', () => {
    expect(link('two', { b: 2, a: 1 })()).toBe('/1/2')
    expect(link('one', { b: 2, a: 1 })()).toBe('/1/2')
  })

  test.each(['two', 'one'] as const)('one too many is no link of %s, in any order', (name) => {
    for (const kwargs of [
      { a: 1, b: 2, c: 3 },
      { c: 3, b: 2, a: 1 },
      { b: 2, c: 3, a: 1 },
    ]) {
      expect(link(name, kwargs)).toThrow(NoReverseMatch)
    }
  })

  test('inherited ones are none', () => {
    const half = Object.create({ b: 2 }, { a: { value: 1, enumerable: true } })
    expect(link('two', half)).toThrow('needs "b"; got "a"')
    expect(link('one', half)()).toBe('/1')
    expect(link('two', Object.create({ a: 1, b: 2 }))).toThrow('needs "a" and "b"')
    expect(link('one', Object.create({ a: 1, b: 2 }))).toThrow('needs "a"')
  })
})
