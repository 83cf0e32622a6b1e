import { tracingChannel } from 'node:diagnostics_channel'
import type { ErrorRequestHandler, Request, RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { versionHistory } from 'express-versioning/changes'
import Router from 'router'
import { change } from '../../src/changes/change'
import type { RouteRegistry } from '../../src/types'
import { rows } from '../support/rows'
import { type Served, serve } from '../support/serve'

const log: string[] = []
const tell: RequestHandler = (req, res) =>
  void res.send([req.baseUrl, req.url, req.route?.path, JSON.stringify(req.params)].join(' '))
const pass: RequestHandler = (_req, _res, next) => next()
const signal =
  (value?: unknown, url?: string): RequestHandler =>
  (req, _res, next) =>
    next(Object.assign(req, { url: url ?? req.url }) && (value as string))
const note =
  (name: string): RequestHandler =>
  (_req, _res, next) =>
    next(void log.push(name))
const caught: ErrorRequestHandler = (error, req, res, _next) => void res.send(`caught ${error.message} at ${req.url}`)
const thrown = () => {
  throw new Error('thrown')
}
const late = signal(undefined, '/items/9')
/** Notes each call of a callback of `param()`, then does what it is told. */
const asked =
  (then: (req: Request, next: (error?: unknown) => void, value: string) => unknown) =>
  (req: Request, _res: unknown, next: () => void, value: string, name: string) => {
    log.push(`${name}=${value}`)
    return then(req, next, value)
  }

const act =
  (then: (req: Request, next: (error?: unknown) => void) => unknown): RequestHandler =>
  (req, _res, next) =>
    then(req, next)
const handlers: Record<string, unknown> = {
  tell,
  pass,
  caught,
  fail: signal(new Error('failed')),
  router: signal('router'),
  leave: signal('router', '/y?b'),
  'on-by-route': signal('route', '/items/8'),
  'on-by-error': signal(new Error('late'), '/caught'),
  'on-later': (...args: Parameters<RequestHandler>) => void setImmediate(() => late(...args)),
  nowhere: signal(undefined, '/nowhere'),
  'old-to-new': act((req, next) => next(void Object.assign(req, { url: req.url.replace('/old', '/new') }))),
  twice: act((_req, next) => next(void next())),
  throw: thrown,
  'note-id': act(({ params }, next) => next(void log.push(String(params.id)))),
  // Callbacks of param().
  ask: asked((_req, next) => next()),
  'reject-nothing': asked(() => Promise.reject(undefined)),
  replace: asked((req, next, value) => next(void Object.assign(req.params, { id: `${value}!` }))),
  'move-and-replace-all': asked((req, next) => {
    next(void Object.assign(req, { url: req.url.replace('/a', '/b'), params: { q: 'new' } }))
  }),
}
const special: Record<string, unknown> = { LIST: ['/a', '/b'], REGEXP: /^\/a/ }

interface Made {
  use(...args: unknown[]): unknown
  param(name: string, handler: unknown): unknown
  /** Returns the route of a path. */
  at(path: string): Record<string, (...handlers: unknown[]) => unknown>
  include(prefix: string, child: unknown): unknown
}

let names = 0
const made = {
  router(): Made {
    const router = new Router({ mergeParams: true })
    const include = (prefix: string, child: never) => router.use(prefix, child)
    return Object.assign(router as object, { at: (path: string) => router.route(path), include }) as never
  },
  table(): Made {
    const table = namedRoutes({} as Record<string, string>)
    const at = (path: string) => table.add(`r${++names}`, path).route(`r${names}`)
    return Object.assign(table as object, { at }) as never
  },
}

/** Builds a table from its lines: a method, `use`, `param` or `include`; a path; handlers. Deeper lines are in a child. */
function build(make: () => Made, lines: string[], depth: number): Made {
  const table = make()
  lines.forEach((line, index) => {
    const [verb = '', path = '', ...words] = line.trim().split(' ')
    if (line.search(/\S/) !== depth) return
    const given = words.map((word) => handlers[word] ?? note(word))
    const end = lines.findIndex((other, at) => at > index && other.search(/\S/) <= depth)
    const child = lines.slice(index + 1, end === -1 ? undefined : end)
    if (verb === 'include') table.include(path, build(make, child, depth + 2))
    else if (verb === 'param') table.param(path, given[0])
    else if (verb === 'use') table.use(...(path === '-' ? [] : [special[path] ?? path]), ...given)
    else if (verb === 'none') table.at(path)
    else table.at(path)[verb]?.(...given)
  })
  return table
}

async function outcomes(server: Served, requests: readonly string[]): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for (const request of requests) {
    const [method = '', path = ''] = request.split(' ')
    const { status, text, json, headers } = await server.send(method, path)
    const told = (json as { error?: string })?.error ?? (text.startsWith('<') ? '' : text)
    seen[request] = `${status} ${told}${headers.allow === undefined ? '' : ` Allow: ${headers.allow}`}`.trim()
  }
  return seen
}

// Tables, then requests, and the notes of all of them. Each is built with `router` and with a table, and both must answer so.
const CASES = `
== routes and mounts
  include /:tenant/v1
    get /users tell
    get /users/:id{.:format} tell
    all /files/*path tell
  get / tell
  get /any/:x tell
> GET /api/?a | 200 /api /?a / {}
> GET /API/acme/V1/USERS/ | 200 /API/acme/V1 /USERS/ /users {"tenant":"acme"}
> GET /api/a%20b/v1/users/7.x | 200 /api/a%20b/v1 /users/7.x /users/:id{.:format} {"tenant":"a b","id":"7","format":"x"}
> PURGE /api/acme/v1/files/a/b%2Fc | 200 /api/acme/v1 /files/a/b%2Fc /files/*path {"tenant":"acme","path":["a","b/c"]}
> HEAD /api/acme/v1/users | 200
> OPTIONS /api/acme/v1/users | 200 GET, HEAD Allow: GET, HEAD
> GET /api/%zz/v1/users | 400 Failed to decode param '%zz'
== middleware, routes and mounts in the order of their declaration
  use - first
  use /a a a2
  use /b b
  use / root
  use leaf unrooted
  use LIST list
  use REGEXP regexp
  param x ask
  get /:x/leaf early
  include /a
    use - child
    get /leaf leaf
  use /:any/*rest wild
  get /a/leaf late fail
  use /b caught
  use /a caught
> GET /api/a/leaf | 200 caught failed at /leaf
: first a a2 root list regexp x=a early child leaf wild late
== OPTIONS, and HEAD, for which a route is entered whatever it has
  get /x tell
  post /x tell
  none /y
  post /z tell
  param id ask
  post /h/:id tell
> OPTIONS /api/x | 200 GET, HEAD, POST Allow: GET, HEAD, POST
> OPTIONS /api/y | 404
> OPTIONS /api/z | 200 POST Allow: POST
> HEAD /api/h/a | 404
> GET /api/h/b | 404
: id=a
== middleware that moves the request: only later entries are found
  get /new router
  use - old-to-new
  get /old tell
  get /new tell
  get /end nowhere
> GET /api/old | 200 /api /new /new {}
> GET /api/new | 404
> GET /api/end | 404
== a mounted table that moves the request, or leaves
  use - pass
  include /c/:p
    get /leave leave
    get /skip router
    get /route on-by-route
    get /error on-by-error
    get /late on-later
    get /items/:id tell
    use /caught caught
    use /skip tell
    get /fail fail
    get /fail tell
  use /c tell
> GET /api/c/1/leave?a | 200 /api/c /1/y?b /leave {}
> GET /api/c/1/skip | 200 /api/c /1/skip /skip {}
> GET /api/c/1/route | 200 /api/c/1 /items/8 /items/:id {"p":"1","id":"8"}
> GET /api/c/1/late | 200 /api/c/1 /items/9 /items/:id {"p":"1","id":"9"}
> GET /api/c/1/error | 200 caught late at /
> GET /api/c/1/fail | 500 failed
== next() twice, in front of a handler that throws
  use - twice
  get /x throw
> GET /api/x | 500 thrown
== param() of two of three routes
  param id ask
  get /:id/:other pass
  get /:id/x pass
  get /:other/x tell
> GET /api/7/x | 200 /api /7/x /:other/x {"other":"7"}
: id=7
== param() that replaces the value
  param id replace
  get /:id/:other note-id
  get /:id/x note-id
  get /:other/x tell
> GET /api/7/x | 200 /api /7/x /:other/x {"other":"7"}
: id=7 7! 7!
== param() that rejects with nothing
  param id reject-nothing
  get /:id/x tell
> GET /api/7/x | 500 Rejected promise
: id=7
== param() below a mount, which moves the request and replaces all parameters
  param p move-and-replace-all
  include /:p
    get /a tell
    get /b tell
> GET /api/x/a | 200 /api/x /b /b {"q":"new"}
: p=x
`

test.each(
  CASES.split('== ')
    .slice(1)
    .map((text) => text.split('\n')),
)('%s', async (_, ...lines) => {
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2))
  const answers = Object.fromEntries(rows(marked('> ').join('\n')))
  const notes = marked(': ').flatMap((line) => line.split(' '))
  const declared = lines.filter((line) => line.startsWith('  '))
  for (const make of [made.router, made.table]) {
    const table = build(make, declared, 2) as unknown as RequestHandler
    const routes = table as never as RouteRegistry
    // Behind a scheme that reads the route, dispatch follows the walk that decided.
    const walked = { scheme: URLPathVersioning, versionParam: 'nobody', routes }
    const fronts: RequestHandler[] = [pass]
    if (make === made.table) fronts.push(versioning(walked), versioning({ scheme: HeaderVersioning, routes }))
    for (const front of fronts) {
      log.length = 0
      const server = await serve((app) => app.use('/api', front, table))
      expect(await outcomes(server, Object.keys(answers))).toEqual(answers)
      expect(log).toEqual(notes)
    }
  }
})

test('what a handler of a mounted table declares is found by the same request', async () => {
  const child = namedRoutes({} as Record<string, string>).use((_req, _res, next) => {
    child.add('late', '/late').route('late').get(tell)
    next()
  })
  const server = await serve((app) => app.use(namedRoutes({}).include('/c/:p', child)))
  expect(await outcomes(server, ['GET /c/1/late'])).toEqual({ 'GET /c/1/late': '200 /c/1 /late /late {"p":"1"}' })
})

test('a request without Express and without a method finds what router finds', async () => {
  for (const make of [made.router, made.table]) {
    log.length = 0
    const table = build(make, ['get /:id note-id', 'all /:id note-id'], 0) as never as (...args: unknown[]) => void
    const error = await new Promise((done) => table({ url: '/7' }, {}, done))
    expect([error, log]).toEqual([undefined, ['7']])
  }
  const table = namedRoutes({}) as (...args: unknown[]) => void
  expect(() => table({}, {})).toThrow(new TypeError('A route table takes (req, res, next); next is missing.'))
  // A table that ran no handler goes on at once.
  const next = jest.fn()
  table({ url: '/7' }, {}, next)
  expect(next.mock.calls).toEqual([[undefined]])
})

test('only one of many malformed escapes in a wildcard is tried in each reading', async () => {
  const files = namedRoutes({ file: '/*path' })
  files.route('file').get(tell)
  const routes = namedRoutes({}).include('/:version', files)
  const { get } = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes }), routes))
  const decode = jest.spyOn(globalThis, 'decodeURIComponent')
  const { status } = await get(`/v1${'/%zz'.repeat(3000)}`)
  const calls = decode.mock.calls.length
  decode.mockRestore()
  expect([status, calls < 10]).toEqual([400, true])
  expect(routes.resolve('/v1/a%20b/%zz')?.params).toEqual({ version: 'v1', path: ['a%20b', '%zz'] })
})

test('the loop takes any number of tables of another version, which an asynchronous scheme judges', async () => {
  class Slow extends URLPathVersioning {
    override readVersion(...args: Parameters<URLPathVersioning['readVersion']>) {
      return Promise.resolve(super.readVersion(...args)) as never
    }
  }
  const routes = namedRoutes({})
  for (let count = 0; count < 250; count++) routes.include('/:version', namedRoutes({}), { namespace: `n${count}` })
  const decide = versioning({ scheme: Slow, allowedVersions: ['v1', 'v2'], routes })
  const { get } = await serve((app) => app.use(decide, signal(undefined, '/v2/x'), routes, tell))
  expect((await get('/v1/x')).text).toBe(' /v2/x  {}')
})

// Each handler calls `next` at once, and a table ends in the middle of such calls.
test.each([
  [1, 20_000],
  [90, 45],
])(
  'the loop takes %i tables of %i middlewares and routes',
  async (tables, entries) => {
    const { get } = await serve((app) => {
      for (let count = 0; count < tables; count++) {
        const table = namedRoutes({} as Record<string, string>)
        for (let nth = 0; nth < entries; nth++) table.use(pass).add(`r${nth}`, '/:id').route(`r${nth}`).get(pass)
        app.use(table)
      }
      app.use(tell)
    })
    expect((await get('/7')).text).toBe(' /7 /:id {}')
  },
  60_000,
)

test.each(['/api/v1/users/7', '/api/v1/none', '/api/b'])('tracers of %s are told the same by both', async (path) => {
  const told: unknown[][] = []
  for (const make of [made.router, made.table]) {
    const lines = ['use - pass', 'use LIST pass', 'include /:v', '  use - pass', '  get /users/:id pass tell']
    const table = build(make, lines, 0) as never
    const { get } = await serve((app) => app.use('/api', pass, table, pass))
    const seen: unknown[] = []
    const start = ({ handler, route }: { handler: { name: string }; route: unknown }) =>
      void seen.push([handler.name.replace(/^(router|routeTable|handle)$/, 'a router'), route])
    const channel = tracingChannel('express.router.request')
    channel.subscribe({ start } as never)
    await get(path)
    channel.unsubscribe({ start } as never)
    told.push(seen)
  }
  expect(told[0]?.length).toBeGreaterThan(2)
  expect(told[1]).toEqual(told[0])
})

test('operations that only later versions have are skipped, or refused if nothing else serves them', async () => {
  const users = namedRoutes({ me: '/users/me', user: '/users/:id', late: '/late' })
  users.route('me').get((_req, res) => void res.send('me'))
  users.route('user').get(tell).post(tell)
  users.route('late').get(tell).post(tell)
  const operations = { 'GET me': 'added', 'GET late': 'added', 'POST user': 'removed' } as const
  const changes = versionHistory('v1').version('v2', change('Me.', operations))
  const routes = namedRoutes({}).include('/:version', users)
  const server = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, changes, routes }), routes))
  const asked = rows(`
    GET /v1/users/me | 200 /v1 /users/me /users/:id {"version":"v1","id":"me"}
    GET /v2/users/me | 200 me
    GET /v1/late | 404 No handler for this version.
    GET /v2/late | 200 /v2 /late /late {"version":"v2"}
    POST /v2/users/7 | 404 No handler for this version.
    OPTIONS /v1/late | 200 POST Allow: POST
    OPTIONS /v2/users/7 | 200 GET, HEAD Allow: GET, HEAD
  `)
  expect(
    Object.entries(
      await outcomes(
        server,
        asked.map(([request = '']) => request),
      ),
    ),
  ).toEqual(asked)
})
