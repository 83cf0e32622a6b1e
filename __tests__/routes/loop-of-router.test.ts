import type { RequestHandler } from 'express'
import {
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import Router from 'router'
import { serve } from '../support/serve'

// A table goes on as `router` does, whatever the walk that decided has found already.

const tell: RequestHandler = (req, res) => void res.json([req.version, req.url, req.params])
const settings = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' }

const schemes: [name: string, scheme: BaseVersioning, prefix: string][] = [
  ['path', new URLPathVersioning(settings), '/:version'],
  ['namespace', new NamespaceVersioning(settings), '/v1'],
  ['header', new HeaderVersioning(settings), '/v1'],
  [
    'combination',
    new CombinedVersioning({ schemes: [new HeaderVersioning(), new NamespaceVersioning()], ...settings }),
    '/v1',
  ],
]

describe.each(schemes)('behind the %s scheme', (_name, scheme, prefix) => {
  const serving = (move: RequestHandler) => {
    const items = namedRoutes({ old: '/old/:id', item: '/items/:id', last: '/last' })
    items.route('old').get(move)
    items.route('item').get(tell)
    items.use('/failed', ((error: Error, _req: never, res: { json(body: unknown): void }, _next: never) => {
      res.json(error.message)
    }) as never)
    items.route('last').get(tell)
    const table = namedRoutes({}).include(prefix, items, { namespace: 'v1' })
    const look: RequestHandler = (req, _res, next) => next(req.resolverMatch === null ? new Error('none') : undefined)
    const end: RequestHandler = (_req, res) => void res.json('behind the table')
    return serve((app) => app.use(versioning({ scheme, routes: table }), look, table, end))
  }
  const params = prefix === '/v1' ? {} : { version: 'v1' }

  test.each<[what: string, to: string | undefined, signal: unknown, json: unknown]>([
    ['moves it on', '/items/7', undefined, ['v1', '/items/7', { ...params, id: '7' }]],
    ['moves it by a signal', '/last', 'route', ['v1', '/last', params]],
    ['moves it with an error', '/failed', new Error('late'), 'late'],
    ['moves it and leaves the table', '/last', 'router', 'behind the table'],
    ['moves it to what came before', '/old/8', undefined, 'behind the table'],
    ['passes it on', undefined, undefined, 'behind the table'],
  ])('a route of an included table that %s', async (_what, to, signal, json) => {
    for (const later of [false, true]) {
      const { get } = await serving((req, _res, next) => {
        req.url = to ?? req.url
        const go = next as (signal?: unknown) => void
        if (later) setImmediate(go, signal)
        else go(signal)
      })
      expect((await get('/v1/old/7')).json).toEqual(json)
    }
  })
})

test('a table called without a method finds what `router` finds', async () => {
  const outcome = (one: (path: string) => { get(h: unknown): unknown; all(h: unknown): unknown }, table: unknown) => {
    const seen: unknown[] = []
    const handler = (req: { params: object }, _res: unknown, next: () => void) => {
      seen.push({ ...req.params })
      next()
    }
    one('/a/:id').get(handler)
    one('/:any/7').all(handler)
    ;(table as (...args: unknown[]) => void)({ url: '/a/7' }, {}, (error: unknown) => seen.push(error ?? 'done'))
    return new Promise((done) => setTimeout(done, 10, seen))
  }
  const named = namedRoutes({} as Record<string, string>)
  const plain = new Router()
  const ofNamed = await outcome(
    (path) => named.add(String(path.length), path).route(String(path.length)) as never,
    named,
  )
  expect(ofNamed).toEqual([{ any: 'a' }, 'done'])
  expect(await outcome((path) => plain.route(path) as never, plain)).toEqual(ofNamed)
})

test('a handler that calls next() twice, in front of one that throws', async () => {
  const twice: RequestHandler = (_req, _res, next) => {
    next()
    next()
  }
  const fail: RequestHandler = () => {
    throw new Error('thrown')
  }
  const table = namedRoutes({ x: '/x' }).use(twice)
  table.route('x').get(fail)
  const plain = new Router()
  plain.use(twice as never)
  plain.get('/x', fail as never)
  const status = async (handler: unknown) => (await (await serve((app) => app.use(handler as never))).get('/x')).status
  expect([await status(table), await status(plain)]).toEqual([500, 500])
})

test('of many malformed escapes in a wildcard only one is tried in each reading', async () => {
  const files = namedRoutes({ file: '/*path' })
  files.route('file').get(tell)
  const table = namedRoutes({}).include('/:version', files)
  const scheme = new URLPathVersioning(settings)
  const { get } = await serve((app) => app.use(versioning({ scheme, routes: table }), table))
  const decode = jest.spyOn(globalThis, 'decodeURIComponent')
  const answer = await get(`/v1${'/%zz'.repeat(3000)}`)
  const calls = decode.mock.calls.length
  decode.mockRestore()
  expect([answer.status, calls < 10]).toEqual([400, true])
  expect(table.resolve('/v1/a%20b/%zz')?.params).toEqual({ version: 'v1', path: ['a%20b', '%zz'] })
})
