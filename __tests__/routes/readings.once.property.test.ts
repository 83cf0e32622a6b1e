// Patterns by segments, compared with regular expressions.

import fc from 'fast-check'
import { matchesSegment, PARAMETER, patternsIn } from '../../src/routes/readings'
import { property } from '../support/property'

const literal = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 3 })

const segment = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-') })

property(
  'a segment matches as a regular expression does',
  fc.property(fc.array(literal, { minLength: 1, maxLength: 4 }), segment, (texts, text) => {
    const expected = new RegExp(`^${texts.map((one) => one.replaceAll('.', '\\.')).join('.+')}$`).test(text)
    expect(matchesSegment(texts.join(PARAMETER), text)).toBe(expected)
  }),
)

test.each([
  [['a', 'b', 'a'], 'a-b-a', true],
  [['', '.', ''], '.a.a', true],
  [['', 'b', ''], 'bab', false],
])('the segment %j matches %s: %s', (texts, text, expected) => {
  expect(matchesSegment(texts.join(PARAMETER), text)).toBe(expected)
})

test('a long segment takes linear time', () => {
  const started = performance.now()
  matchesSegment(Array(8).fill('-').join(PARAMETER), '-'.repeat(1_000_000).concat('a'))
  expect(performance.now() - started).toBeLessThan(1000)
})

// HTTP tests have the others.
test.each([
  ['/:from-:to.json', [[`${PARAMETER}-${PARAMETER}.json`]]],
  ['/caf\u00e9', [['caf%C3%A9']]],
  ['/', [[]]],
  ['/a(b|c)', undefined],
])('the path %s of a route is read', (path, expected) => {
  expect(patternsIn(path)?.map(({ segments }) => segments)).toStrictEqual(expected)
})
