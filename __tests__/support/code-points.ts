import fc from 'fast-check'

const SURROGATES = 0xe000 - 0xd800

/**
 * A unit for `fc.string`: any code point but half a surrogate pair, as its `'binary'`, which lists all 1,112,064 of them when it
 * is first used, and takes a second and 100 MB for that.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - SURROGATES })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + SURROGATES), indexOf)

/** Maps a code point to its index. fast-check shrinks by it, and tries strings such as `__proto__` because of it. */
function indexOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('Not one code point.')
  return code < 0xd800 ? code : code - SURROGATES
}
