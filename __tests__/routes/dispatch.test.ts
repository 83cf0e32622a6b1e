import { tracingChannel } from 'node:diagnostics_channel'
import type { Application, ErrorRequestHandler, Request, RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, URLPathVersioning, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import Router from 'router'
import type { RouteRegistry } from '../../src/types'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
import { include, routed } from '../support/tables'

const log: string[] = []
/** Makes a handler, or a callback of `param()`, which notes what it is called for. */
const act =
  (then: (req: Request, next: (error?: unknown) => void, value: string) => unknown): RequestHandler =>
  (req, _res, next, ...[value, name]: string[]) => {
    if (name !== undefined) log.push(`${name}=${value}`)
    return then(req, next as () => void, String(value))
  }
const put = (change: (req: Request, value: string) => object) =>
  act((req, next, value) => next(void Object.assign(req, change(req, value))))
const note = (text: (req: Request) => string) => act((req, next) => next(void log.push(text(req))))
const tell: RequestHandler = (req, res) =>
  void res.send([req.baseUrl, req.url, req.route?.path, JSON.stringify(req.params)].join(' '))
const caught: ErrorRequestHandler = (error, req, res, _next) => void res.send(`caught ${error.message} at ${req.url}`)
const pass = act((_req, next) => next())
const thrown = () => {
  throw new Error('thrown')
}
const handlers: Record<string, unknown> = {
  tell,
  caught,
  pass,
  later: act((_req, next) => void setImmediate(next)),
  twice: act((_req, next) => next(void next())),
  route: act((_req, next) => next('route')),
  router: act((_req, next) => next('router')),
  fail: act((_req, next) => next(new Error('failed'))),
  throw: act(thrown),
  'reject-nothing': act(() => Promise.reject(undefined)),
  'note-id': note(({ params }) => String(params.id)),
  'old-to-new': put(({ url }) => ({ url: url.replace('/old', '/new') })),
  replace: put(({ params }, value) => ({ params: Object.assign(params, { id: `${value}!` }) })),
  'move-and-replace-all': put(({ url }) => ({ url: url.replace('/a', '/b'), params: { q: 'new' } })),
}
/** Returns the handler of a word: `to:<url>` moves the request, and words of no handler are noted. */
const handlerOf = (word: string) =>
  handlers[word] ?? (word.startsWith('to:') ? put(() => ({ url: word.slice(3) })) : note(() => word))
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
    const given = words.map(handlerOf)
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

/** Expects rows of requests and their answers, and the notes of all of them. */
async function check(fill: (app: Application) => unknown, asked: string[][], notes: string[] = []): Promise<void> {
  log.length = 0
  const { send } = await serve((app) => void fill(app))
  const seen: string[][] = []
  for (const [request = ''] of asked) {
    const [method = '', path = ''] = request.split(' ')
    const { status, text, json, headers } = await send(method, path)
    const told = (json as { error?: string })?.error ?? (text.startsWith('<') ? '' : text)
    seen.push([request, `${status} ${told}${headers.allow === undefined ? '' : ` Allow: ${headers.allow}`}`.trim()])
  }
  expect([seen, log]).toEqual([asked, notes])
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
  param x pass
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
  param id pass
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
  get /end to:/nowhere
> GET /api/old | 200 /api /new /new {}
> GET /api/new | 404
> GET /api/end | 404
== a mounted table that moves the request, or leaves
  use - pass
  include /c/:p
    get /leave to:/y?b router
    get /skip router
    get /route to:/items/8 route
    get /error to:/caught fail
    get /late later to:/items/9
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
> GET /api/c/1/error | 200 caught failed at /
> GET /api/c/1/fail | 500 failed
== next() twice, in front of a handler that throws
  use - twice
  get /x throw
> GET /api/x | 500 thrown
== param() of two of three routes, which replaces the value, and one that rejects with nothing
  param id replace
  param no reject-nothing
  get /:id/:other note-id
  get /:id/x note-id
  get /:other/x tell
  get /no/:no/x tell
> GET /api/7/x | 200 /api /7/x /:other/x {"other":"7"}
> GET /api/no/8/x | 500 Rejected promise
: id=7 7! 7! no=8
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
  const asked = rows(marked('> ').join('\n'))
  const notes = marked(': ').flatMap((line) => line.split(' '))
  const declared = lines.filter((line) => line.startsWith('  '))
  for (const make of [made.router, made.table]) {
    const table = build(make, declared, 2) as unknown as RequestHandler
    const routes = table as never as RouteRegistry
    // Behind a scheme that reads the route, dispatch follows the walk that decided.
    const walked = { scheme: URLPathVersioning, versionParam: 'nobody', routes }
    const fronts: RequestHandler[] = [pass]
    if (make === made.table) fronts.push(versioning(walked), versioning({ scheme: HeaderVersioning, routes }))
    for (const front of fronts) await check((app) => app.use('/api', front, table), asked, notes)
  }
})

test('what a handler of a mounted table declares is found by the same request', async () => {
  const child = namedRoutes({} as Record<string, string>)
  child.use(act((_req, next) => next(void child.add('late', '/late').route('late').get(tell))))
  await check(
    (app) => app.use(namedRoutes({}).include('/c/:p', child)),
    [['GET /c/1/late', '200 /c/1 /late /late {"p":"1"}']],
  )
})

test('a request without Express and without a method finds what router finds', async () => {
  log.length = 0
  const table = build(made.table, ['get /:id note-id', 'all /:id note-id'], 0) as never as (...args: unknown[]) => void
  const error = await new Promise((done) => table({ url: '/7' }, {}, done))
  expect([error, log]).toEqual([undefined, ['7']])
  expect(() => table({}, {})).toThrow(new TypeError('A route table takes (req, res, next); next is missing.'))
  // A table that ran no handler goes on at once.
  const next = jest.fn()
  table({ url: '/' }, {}, next)
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
  await check((app) => app.use(decide, handlerOf('to:/v2/x') as never, routes, tell), [['GET /v1/x', '200  /v2/x  {}']])
})

// Each handler calls `next` at once, and a table ends in the middle of such calls.
test.each([
  [1, 20_000],
  [90, 45],
])(
  'the loop takes %i tables of %i middlewares and routes',
  async (tables, entries) => {
    const fill = (app: Application) => {
      for (let count = 0; count < tables; count++) {
        const table = namedRoutes({} as Record<string, string>)
        for (let nth = 0; nth < entries; nth++) table.use(pass).add(`r${nth}`, '/:id').route(`r${nth}`).get(pass)
        app.use(table)
      }
      app.use(tell)
    }
    await check(fill, [['GET /7', '200  /7 /:id {}']])
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

test('a route that only a later version has is passed by below a prefix', async () => {
  const changes = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added', 'GET late': 'added' }))
  const routes = include('/:version', routed({ me: '/users/me', user: '/users/:id', late: '/late' }, tell))
  const asked = rows(`
    GET /v1/users/me | 200 /v1 /users/me /users/:id {"version":"v1","id":"me"}
    GET /v2/users/me | 200 /v2 /users/me /users/me {"version":"v2"}
    GET /v1/late | 404 No handler for this version.
  `)
  await check((app) => app.use(versioning({ scheme: URLPathVersioning, changes, routes }), routes), asked)
})
