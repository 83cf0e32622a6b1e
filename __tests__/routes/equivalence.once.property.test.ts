import { URLPathVersioning, versioning } from 'express-versioning'
import fc from 'fast-check'
import type { NamedRoutes } from '../../src/routes/named-routes'
import { codePoint } from '../support/code-points'
import { property, RUNS } from '../support/property'
import { type Action, build, type RouterLike, requestPath, type Spec, specs } from '../support/route-specs'

interface Request {
  method: string
  url: string | undefined
  headers: object
  originalUrl?: string
  baseUrl?: string
  params?: object
  route?: { path: string }
}

/** Puts a `versioning()` that resolves the path and finds no version in front of the table, so the dispatch follows its walk. */
function decided(router: RouterLike): RouterLike {
  const routes = router as object as NamedRoutes
  const middleware = versioning({ scheme: URLPathVersioning, versionParam: 'nobody', routes })
  const run = (req: object, res: object, next: (error?: unknown) => void) =>
    middleware(req as never, res as never, (error?: unknown) => (error ? next(error) : router(req, res, next)))
  return Object.assign(run, { use: router.use, param: router.param })
}

type HandlerFactory = Parameters<typeof build>[2]

/** Everything that a handler could see, and how the request ended. */
type Trace = unknown[]

let trace: Trace = []
let finish: () => void = () => {}

const handler: HandlerFactory = (place, action, onError) => {
  const run = (req: Request, next: (signal?: unknown) => void, extra: unknown): unknown => {
    trace.push([place, { ...req.params }, req.baseUrl, req.url, req.route?.path, said(extra)])
    return act(action, req, next)
  }
  // a param callback is called with five arguments, an error handler is known by having four
  if (onError) return (error: unknown, req: Request, _res: unknown, next: () => void) => run(req, next, error)
  return (req: Request, _res: unknown, next: () => void, ...value) => run(req, next, value)
}

/** Returns the outcome as text, without the name of the missing string method. */
function said(extra: unknown): string {
  return String(extra).replace(/\(reading '\w+'\)/, '')
}

/** The actions of handlers; behind the word, a method or a URL. */
const acts: Record<string, (req: Request, next: (signal?: unknown) => void, behind: string) => unknown> = {
  end: () => finish(),
  next: (_req, next) => next(),
  route: (_req, next) => next('route'),
  router: (_req, next) => next('router'),
  error: (_req, next) => next(new Error('passed')),
  throw: () => {
    throw new Error('thrown')
  },
  reject: () => Promise.reject(new Error('rejected')),
  late: (_req, next) => void setImmediate(next),
  // Below a mount both fail on the way back, where nobody catches the error.
  no: (req, next) =>
    next(void (req.url === req.originalUrl && req.url !== '/' && Object.assign(req, { url: undefined }))),
  new: (req, next) => next(void Object.assign(req, { params: { fresh: '1' } })),
  method: (req, next, method) => next(void Object.assign(req, { method })),
  rewrite: (req, next, url) => next(void Object.assign(req, { url })),
}

function act(action: Action, req: Request, next: (signal?: unknown) => void): unknown {
  const [word = ''] = action.split(' ', 1)
  return acts[word]?.(req, next, action.slice(word.length + 1))
}

function traced(router: RouterLike, method: string, url: string): Promise<Trace> {
  return new Promise((resolve) => {
    const own: Trace = []
    trace = own
    finish = () => resolve(own)
    const req: Request = { method, url, headers: {}, baseUrl: '', params: { outer: '1', 0: 'x', 1: 'y' } }
    const res = {
      setHeader: (name: string, value: unknown) => own.push([name, value]),
      end: (body: string) => {
        own.push(['answered', body])
        resolve(own)
      },
    }
    try {
      router(req, res, (error) => {
        own.push(['fell through', said(error ?? ''), req.baseUrl, req.url, { ...req.params }])
        resolve(own)
      })
    } catch (error) {
      own.push(['thrown out of the table', said(error)])
      resolve(own)
    }
  })
}

/** The two routers for one spec; `undefined` if the table refuses it (the same name or parameter twice, say). */
function pair(spec: Spec) {
  try {
    const refused = build(spec, 'table', handler)
    while (refused.step());
    return { table: build(spec, 'table', handler), plain: build(spec, 'router', handler) }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const some = { minLength: 4, maxLength: 12 }
const requests = fc.array(fc.tuple(fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'OPTIONS'), requestPath), some)

property(
  'a table does with requests what router does with the same declarations',
  fc.asyncProperty(specs({ plain: false }), requests, fc.nat(6), async (spec, requests, early) => {
    const built = pair(spec)
    fc.pre(built !== undefined)
    const { table, plain } = built
    for (const [index, [method, url]] of requests.entries()) {
      // some declarations are made after the first requests
      for (let count = index === 0 ? early : 2; count > 0; count--) expect(table.step()).toBe(plain.step())
      const expected = { method, url, trace: await traced(plain.router, method, url) }
      expect({ method, url, trace: await traced(table.router, method, url) }).toEqual(expected)
      expect({ method, url, trace: await traced(decided(table.router), method, url) }).toEqual(expected)
    }
  }),
)

property(
  'a path resolves to the route that answers it',
  fc.asyncProperty(specs({ plain: true }), fc.array(requestPath, some), async (spec, urls) => {
    const built = pair(spec)
    fc.pre(built !== undefined)
    while (built.table.step()) built.plain.step()
    const table = built.table.router as object as NamedRoutes
    for (const url of urls) {
      const path = url.split('?', 1)[0] as string
      if (!path.startsWith('/') || /[# ]|%zz|%E0%A4%A/.test(path)) continue
      const [first] = (await traced(built.plain.router, 'GET', url)) as [[string, object]]
      const answered = first[0] !== 'fell through'
      const match = table.resolve(path)
      const { outer: _, 0: _0, 1: _1, ...params } = { outer: '', 0: '', 1: '', ...first[1] }
      const view = answered ? first[0].split('.', 1)[0] : null
      expect({ url, view: match?.viewName ?? null }).toEqual({ url, view })
      if (answered) expect({ ...match?.params }).toEqual(params)
    }
  }),
)

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.string({ unit: codePoint, maxLength: 3 }),
  fc.constantFrom(...'|.|..|%2e|a.b|a-b|/|//evil|\\|\u0000|\ud800|b|a b|é|__proto__'.split('|')),
  fc.integer(),
  fc.bigInt(),
  fc.double(),
  fc.boolean(),
)
let links = 0
property(
  'a link is read back as what it was made from, stays on its host and is left alone by browsers',
  fc.property(
    specs({ plain: true }),
    fc.array(fc.oneof(value, fc.array(value, { maxLength: 3 })), { maxLength: 12 }),
    (spec, values) => {
      const built = pair(spec)
      fc.pre(built !== undefined)
      while (built.table.step()) built.plain.step()
      const table = built.table.router as object as NamedRoutes
      for (const { name, params, path } of table.list()) {
        const given = Object.fromEntries(params.slice(0, values.length).map((param, index) => [param, values[index]]))
        const link = table.link(name, undefined, given as Record<string, string>)
        if (typeof link !== 'string') continue
        links++
        expect(new URL(link, 'http://h').href).toBe(`http://h${link}`)
        expect(link).toMatch(/^\/(?!\/)/)
        const match = table.resolve(link)
        // another route may come first, and answer the path
        if (match?.viewName !== name) continue
        const text = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value))
        const expected = Object.fromEntries(Object.entries(given).map(([param, value]) => [param, text(value)]))
        expect({ path, link, params: { ...match.params } }).toEqual({ path, link, params: expected })
      }
    },
  ),
  () => expect(links).toBeGreaterThan(RUNS / 8),
)
