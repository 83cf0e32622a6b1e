import { Router } from 'express'
import { byVersion, QueryParameterVersioning, versioning } from 'express-versioning'
import { descriptionOf } from '../../src/middleware/description'

// What a handler was made from can be asked of the handler: nobody has to guess it from closures.

test('versioning() leaves its compiled options behind', () => {
  const scheme = new QueryParameterVersioning({ allowedVersions: ['v1', 'v2'] })
  const described = descriptionOf(versioning({ scheme, origin: 'https://api.example.com/' }))
  expect(described).toMatchObject({ scheme, origin: 'https://api.example.com' })
})

describe('byVersion() leaves its versions behind, and what serves the others', () => {
  const handler = () => {}
  test.each<[what: string, made: object, described: object]>([
    ['alone', byVersion({ v2: handler, v1: [handler] }), { versions: ['v2', 'v1'], otherwise: false }],
    [
      "with 'lower'",
      byVersion({ v1: handler, v2: undefined }, { fallback: 'lower' }),
      { versions: ['v1'], fallback: 'lower', otherwise: false },
    ],
    ['with otherwise', byVersion({ v1: handler }, { otherwise: handler }), { versions: ['v1'], otherwise: true }],
  ])('%s', (_what, made, described) => {
    expect(descriptionOf(made)).toEqual(described)
  })
})

test('a description is not enumerable, and other handlers have none', () => {
  expect(Object.keys(byVersion({ v1: () => {} }))).toEqual([])
  expect([descriptionOf(() => {}), descriptionOf(Router())]).toEqual([undefined, undefined])
})
