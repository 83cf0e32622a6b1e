// Patterns by segments, compared with regular expressions.

import { namedRoutes } from 'express-versioning'
import fc from 'fast-check'
import { matchesSegment, PARAMETER, patternsIn, TablePaths } from '../../src/routes/readings'

const literal = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-'), maxLength: 3 })

test('a segment matches as a regular expression does', () => {
  fc.assert(
    fc.property(
      fc.array(literal, { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '.', '-') }),
      (texts, text) => {
        const expected = new RegExp(`^${texts.map((one) => one.replaceAll('.', '\\.')).join('.+')}$`).test(text)
        expect(matchesSegment(texts.join(PARAMETER), text)).toBe(expected)
      },
    ),
    {
      examples: [
        [['a', 'b', 'a'], 'a-b-a'],
        [['', '.', ''], '.a.a'],
        [['', 'b', ''], 'bab'],
      ],
    },
  )
})

test('a long segment takes linear time', () => {
  const started = performance.now()
  matchesSegment(Array(8).fill('-').join(PARAMETER), '-'.repeat(1_000_000).concat('a'))
  expect(performance.now() - started).toBeLessThan(1000)
})

test.each([
  ['/users/:id', [['users', PARAMETER]]],
  ['/users/:id(\\d+)', [['users', PARAMETER]]],
  ['/users/:id?', [['users', PARAMETER], ['users']]],
  ['/users{/:id}', [['users', PARAMETER], ['users']]],
  ['/:from-:to.json', [[`${PARAMETER}-${PARAMETER}.json`]]],
  [
    ['/a', '/b'],
    [['a'], ['b']],
  ],
  ['/caf\u00e9', [['caf%C3%A9']]],
  ['/', [[]]],
  ['*', undefined],
  ['/*rest', undefined],
  ['/a(b|c)', undefined],
  [/a/, undefined],
  [['/a', /a/], undefined],
])('the path %s of a route is read', (path, expected) => {
  expect(patternsIn(path)?.map(({ segments }) => segments)).toStrictEqual(expected)
})

test('the paths of a table are those of its optional parts, without wildcards', () => {
  const paths = new TablePaths(namedRoutes({ user: '/users{/:id}', files: '/files/*path' }))
  expect(paths.of('user')).toStrictEqual({ declared: '/users{/:id}', patterns: [['users', PARAMETER], ['users']] })
  expect(paths.of('files')).toStrictEqual({ declared: '/files/*path', patterns: [] })
})
