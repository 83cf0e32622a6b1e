import { byVersion } from 'express-versioning'
import { descriptionOf } from '../../src/middleware/description'

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
