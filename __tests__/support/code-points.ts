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

const latin1 = fc.nat({ max: 255 }).map((code) => String.fromCharCode(code))

/** A version of any text, foremost those that a place in a request can hardly carry. */
export const anyVersion: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...'v1|1.0|| |.|..|%2e|a:b|a.b|A1|www|admin|*|v1+json|a.v1+json|a,b|a, b|a b'.split('|')),
  fc.constantFrom(...'" \\ a"b a\\ \\" a;q=0 a=b&c # ? % %41 / é \xa0 € 日 \ud800'.split(' '), ' a', 'a\t'),
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.string({ unit: latin1 }),
  fc.string({ unit: fc.constantFrom(...'aZ0.-+"\\,;= \t') }),
  // Node reads 16 KB of header fields, and the Accept scheme 1 KB of a range.
  fc.integer({ min: 980, max: 1_030 }).map((length) => 'v'.repeat(length)),
  fc
    .tuple(fc.constantFrom('v', ' ', '"', '\xe9', '\u20ac', 'a,b'), fc.integer({ min: 100, max: 1_500 }))
    .map(([unit, times]) => `v${unit.repeat(times)}v`),
)
