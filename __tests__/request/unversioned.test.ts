import { type LinkOptions, namedRoutes, reverse } from 'express-versioning'
import { serve } from '../support/serve'

const asked: [name: string, options: LinkOptions | undefined, error: string][] = [
  ['user-list', undefined, '"user-list" (/:version/users) needs a version: WHY.'],
  ['user', undefined, '"user" (/:version/users/:id) needs a version and "id": WHY.'],
  ['user', { kwargs: { id: 7 } }, '"user" (/:version/users/:id) needs a version: WHY.'],
  ['user', { kwargs: { version: 'v1' } }, '"user" (/:version/users/:id) needs "id"; got "version".'],
  ['shop', undefined, '"shop" (/shops/:id) needs "id".'],
  [
    'home',
    undefined,
    'No route named "home". Did you mean "v1:home" or "v2:home"? Its namespace is not filled in: WHY.',
  ],
  ['hom', undefined, 'No route named "hom".'],
  ['1:home', undefined, 'No route named "1:home". Did you mean "v1:home" or "v2:home"?'],
  ['ome', undefined, 'No route named "ome".'],
]

function table() {
  const versioned = namedRoutes({ 'user-list': '/users', user: '/users/:id' })
  const home = namedRoutes({ home: '/home' })
  return namedRoutes({ shop: '/shops/:id', links: '/links' })
    .include('/v1', home, { namespace: 'v1' })
    .include('/v2', home, { namespace: 'v2' })
    .include('/:version', versioned)
}

describe('without any versioning()', () => {
  test.each(asked)('req.reverse(%j, %j): %s', async (name, options, error) => {
    const api = table()
    api.route('links').get((req, res) => void res.json(req.reverse(name, options)))
    api.route('shop').get((req, res) => void res.json(reverse(name, { request: req, ...options })))
    const server = await serve((app) => app.use(api))
    const message = error.replace('WHY', 'no versioning() runs in front of the handler that makes the link')
    for (const path of ['/links', '/shops/1']) {
      expect(await server.get(path)).toMatchObject({
        status: 500,
        json: { error: message, code: 'ERR_NO_REVERSE_MATCH' },
      })
    }
  })

  test.each(asked)("the table's own reverse(%j, %j): %s", (name, options, error) => {
    const why =
      "a table's own reverse() knows no request, so name it, or make the link by req.reverse() behind a versioning()"
    const own = table().reverse as (name: string, options?: LinkOptions) => string
    expect(() => own(name, options)).toThrow(
      expect.objectContaining({ name: 'NoReverseMatch', message: error.replace('WHY', why) }),
    )
  })

  test('what needs no version is a link', async () => {
    const api = table()
    api.route('links').get((req, res) => void res.json(req.reverse('shop', { kwargs: { id: 1 } })))
    expect((await (await serve((app) => app.use(api))).get('/links')).json).toBe('/shops/1')
  })
})
