import { Agent, type IncomingMessage, request } from 'node:http'
import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersionCarrier,
  versioning,
} from 'express-versioning'
import fc from 'fast-check'
import { codePoint } from '../support/code-points'
import { property } from '../support/property'
import { type Served, serve } from '../support/serve'

/** Told, because a version may be anything. */
let decided: unknown
const tell: RequestHandler = (req, res) => {
  decided = req.version
  res.end()
}
const items = () => {
  const table = namedRoutes({ items: '/items' })
  table.route('items').get(tell)
  return table
}

const schemes: Readonly<Record<string, () => BaseVersioning>> = {
  header: () => new HeaderVersioning(),
  accept: () => new AcceptHeaderVersioning(),
  mediaTypes: () => new AcceptHeaderVersioning({ mediaTypes: ['text/html', 'application/json'], versionParam: 'V' }),
  mediaType: () =>
    new MediaTypeVersioning({ template: ['application/vnd.{version}', 'application/vnd.a.{version}+json'] }),
  query: () => new QueryParameterVersioning({ versionParam: 'a&b=ü' }),
  path: () => new URLPathVersioning({ versionParam: 'v' }),
  namespace: () => new NamespaceVersioning({ ignore: ['admin'] }),
  host: () => new HostNameVersioning({ ignore: ['www'] }),
  combined: () =>
    new CombinedVersioning({
      schemes: [new HostNameVersioning(), new HeaderVersioning(), new QueryParameterVersioning()],
    }),
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const latin1 = (version: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(version)
/** Tells whether the media range is short enough to be read. */
const shortRange = (before: string, version: string) => {
  const quoted = TOKEN.test(version) ? version : JSON.stringify(version).replace(/\\t/g, '\t')
  return before.length + quoted.length <= 1024
}
const encodable = (version: string) => !/\p{Surrogate}/u.test(version)
const plainHeader = (version: string) => latin1(version) && !/,|^[ \t]|[ \t]$|^$/.test(version)
const alphanumeric = (version: string) => /^[a-z\d]+$/i.test(version)

/** The versions that each carrier can hold. These rules share no code with `carry`. */
const canHold: Readonly<Record<string, (version: string) => boolean>> = {
  header: plainHeader,
  accept: (version) => latin1(version) && shortRange('application/json; version=', version),
  mediaTypes: (version) => latin1(version) && shortRange('text/html; V=', version),
  mediaType: (version) => TOKEN.test(version) && !/^a\..*\+json$/i.test(version),
  query: encodable,
  path: (version) => encodable(version) && !/^\.{0,2}$|\p{Cc}/u.test(version),
  namespace: (version) => version !== '' && !version.includes(':') && version !== 'admin',
  host: (version) => alphanumeric(version) && version.toLowerCase() !== 'www',
  combined: (version) => alphanumeric(version) || plainHeader(version) || encodable(version),
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** Sends the carrier by Node's client, which refuses invalid headers, and returns the decided version or the status. */
function sent({ port }: Served, { in: place, name = '', value }: VersionCarrier): Promise<unknown> {
  decided = undefined
  const text = encodable(value) ? encodeURIComponent(value) : ''
  const prefix = place === 'path' ? `/${text}` : place === 'namespace' ? '/here' : ''
  const path = `${prefix}/items${place === 'query' ? `?${encodeURIComponent(name)}=${text}` : ''}`
  const host = place === 'host' ? `${value}.example.com` : '127.0.0.1'
  const headers = { host, ...(place === 'header' ? { [name]: value } : {}) }
  return new Promise((done, fail) => {
    const told = (answer: IncomingMessage) =>
      answer.resume().on('end', () => done(answer.statusCode === 200 ? decided : answer.statusCode))
    request({ agent, port, host: '127.0.0.1', path, headers }, told).on('error', fail).end()
  })
}

/** Builds the handlers for one scheme. The version `asked` is a namespace if the scheme reads namespaces. */
function handlerFor(scheme: BaseVersioning, asked: string): RequestHandler[] {
  const routes = namedRoutes({})
  if (scheme instanceof NamespaceVersioning) routes.include('/here', items(), { namespace: asked })
  else routes.include(scheme instanceof URLPathVersioning ? '/:v' : '/', items())
  return [versioning({ scheme, routes }), routes]
}

const version = fc.oneof(
  fc.constantFrom(...'v1|1.0|| |.|..|a:b|a.b|A1|www|admin|*|v1+json|a.v1+json|a,b|a, b'.split('|')),
  fc.constantFrom(...'" \\ a"b a\\ \\" a;q=0 a=b&c # ? % %41 / é \xa0 € 日 \ud800'.split(' '), ' a', 'a\t'),
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '-', '+', '"', '\\', ',', ';', '=', ' ', '\t') }),
  // Node reads 16 KB of header fields.
  fc.integer({ min: 980, max: 1_030 }).map((length) => 'v'.repeat(length)),
  fc
    .tuple(fc.constantFrom('v', ' ', '"', '\xe9', '\u20ac', 'a,b'), fc.integer({ min: 300, max: 1_500 }))
    .map(([unit, times]) => `v${unit.repeat(times)}v`),
)

const names = Object.keys(schemes)
const built = Object.fromEntries(Object.entries(schemes).map(([name, build]) => [name, build()]))
const handlers = Object.fromEntries(Object.entries(built).map(([name, scheme]) => [name, handlerFor(scheme, 'here')]))

property(
  'a request that carries what carry() says is decided as that version, and every version has a carrier that one can hold',
  fc.asyncProperty(fc.constantFrom(...names), version, async (name, asked) => {
    const scheme = built[name] as BaseVersioning
    const carrier = scheme.carry(asked)
    expect(carrier !== undefined).toBe((canHold[name] as (version: string) => boolean)(asked))
    if (carrier === undefined) return
    current = name === 'namespace' ? handlerFor(scheme, asked) : (handlers[name] as RequestHandler[])
    expect(await sent(await shared(), carrier)).toBe(asked)
  }),
)

let current: RequestHandler[] = []
let server: Promise<Served> | undefined
function shared(): Promise<Served> {
  server ??= serve((app) =>
    app.use((req, res, next) => {
      const [decide, route] = current as [RequestHandler, RequestHandler]
      decide(req, res, (error?: unknown) => (error === undefined ? route(req, res, next) : next(error)))
    }),
  )
  return server
}
