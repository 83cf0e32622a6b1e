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
