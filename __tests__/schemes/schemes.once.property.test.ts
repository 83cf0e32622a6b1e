import { Agent, type IncomingMessage, request } from 'node:http'
import express, { type RequestHandler } from 'express'
import { type BaseVersioning, namedRoutes, type VersionCarrier, VersioningError, versioning } from 'express-versioning'
import fc from 'fast-check'
import { anyVersion } from '../support/code-points'
import { run } from '../support/dispatch'
import { oracles, type Rules, verdict } from '../support/oracle'
import { property } from '../support/property'
import { accept, combined, header, host, namespace, path, query, vendor } from '../support/schemes'
import { listen, type Served } from '../support/serve'
import { routed } from '../support/tables'

const oneOf = (text: string, ...more: string[]) => fc.constantFrom(...text.split(' '), ...more)
const version = oneOf('v1 v2 v3 v9 V1 1.0 __proto__ toString é api v1:v2 null', '', ' v1')
const rules: fc.Arbitrary<Rules> = fc.record({
  defaultVersion: fc.option(version),
  allowedVersions: fc.array(fc.option(version, { freq: 9 }), { maxLength: 4 }),
})

const latin1 = fc.string({ unit: fc.nat({ max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 20 })
/** Texts of these units, and now and then of anything in latin1. */
const soup = (units: string, ...more: string[]) => {
  const unit = fc.oneof({ weight: 8, arbitrary: oneOf(units, ...more) }, { weight: 1, arbitrary: latin1 })
  return fc.array(unit, { maxLength: 14 }).map((parts) => parts.join(''))
}

const encoded = version.map(encodeURIComponent)
const firsts = fc.oneof(encoded, oneOf('% %E0%A4%A v1%2fitems . .. V2'))
const paths = fc.oneof(
  fc.tuple(firsts, oneOf('/items /items/7', '')).map(([first, rest]) => `/${first}${rest}`),
  fc.tuple(oneOf('/api /API', ''), encoded, oneOf('/ /items //', '')).map(([one, two, end]) => `${one}/${two}${end}`),
  soup('/ v1 v2 items api %2f %76 // .. ;').map((text) => `/${text}`),
)
const queries = fc.oneof(
  fc.constant(''),
  fc.tuple(oneOf('version v%65rsion Version version[]'), encoded).map((pair) => `?${pair.join('=')}`),
  soup('version version= v1 v2 & & = %3D %76 + ? # [] %').map((text) => `?${text}`),
)
const accepts = fc.oneof(
  version.map((text) => `application/json; version=${JSON.stringify(text)}`),
  version.map((text) => `application/json;version=${text}`),
  soup('a/b */* ;version= ;q= v1 v2 " , ; 0 1 \\ =', ' '),
)
const hosts = fc.oneof(
  version.map((text) => `${text}.example.com`),
  soup('v1 v2 . . example com : :80 @ [ ] - /', ' '),
)
const received = {
  ...{ accept: accepts, host: hosts, 'x-forwarded-host': hosts, origin: fc.constant('https://shop.example') },
  'access-control-request-method': fc.constant('GET'),
}
const sent = fc.record({
  method: oneOf('GET GET POST OPTIONS HEAD'),
  // Node's parser rejects control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test needs control characters
  url: fc.tuple(paths, queries).map((parts) => parts.join('').replace(/[\x00-\x20\x7f]/g, '')),
  headers: fc.record(received, { requiredKeys: [] }) as fc.Arbitrary<Record<string, string>>,
})

for (const oracle of oracles) {
  property(
    `${oracle.name}: whatever the bytes, an accepted version that the request names, or a rejection, as SPEC.md reads`,
    fc.property(rules, sent, (given, request) => {
      const { req, served, errors } = run(versioning(oracle.options(given)), request)
      expect(served + errors.length).toBe(1)
      const expected = verdict(oracle, given, request)
      expect(served === 1 ? { version: req.version } : 'rejected').toEqual(expected)
      if (served === 1) return
      expect(req.version).toBeUndefined()
      // A rejection has a constant text, and serializes to nothing that the client sent.
      const [error] = errors as [VersioningError]
      expect(error).toBeInstanceOf(VersioningError)
      expect(error.message).toMatch(/^(?:Invalid version in|Could not satisfy the|Ambiguous host in) [A-Za-z". ]+\.$/)
      const { status, code } = error
      expect({ ...error }).toEqual({ status, statusCode: status, expose: true, code })
      expect(`${status} ${code}`).toMatch(/^40[046] ERR_VERSION_(?:NOT_ACCEPTABLE|NOT_FOUND|MISSING|HOST)$/)
    }),
  )
}

// A request that carries what carry() says.

/** Told, because a version may be anything. */
let decided: unknown
const tell: RequestHandler = (req, res) => {
  decided = req.version
  res.end()
}
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const isLatin1 = (version: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(version)
const encodable = (version: string) => !/\p{Surrogate}/u.test(version)
const plainHeader = (version: string) => isLatin1(version) && !/,|^[ \t]|[ \t]$|^$/.test(version)
const alphanumeric = (version: string) => /^[a-z\d]+$/i.test(version)
const template = ['application/vnd.{version}', 'application/vnd.a.{version}+json']
const mediaTypes = ['text/html', 'application/json']
/** The schemes, each with the versions that its carrier can hold. These rules share no code with `carry`. */
const carrying: [BaseVersioning, (version: string) => boolean][] = [
  [header(), plainHeader],
  [accept(), isLatin1],
  [accept({ mediaTypes, versionParam: 'V' }), isLatin1],
  [vendor(template), (text) => TOKEN.test(text) && !/^a\..*\+json$/i.test(text)],
  [query({ versionParam: 'a&b=ü' }), encodable],
  [path({ versionParam: 'v' }), (text) => encodable(text) && !/^\.{0,2}$|\p{Cc}/u.test(text)],
  [
    namespace({ ignore: ['admin'] }),
    (text) => text !== '' && !text.startsWith('/') && !text.includes(':') && text !== 'admin',
  ],
  [host({ ignore: ['www'] }), (text) => alphanumeric(text) && text.toLowerCase() !== 'www'],
  [combined([host(), header(), query()]), (text) => plainHeader(text) || encodable(text)],
]

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let current: RequestHandler[] = []
let server: Served | undefined
const deciding: RequestHandler = (req, res, next) => {
  const [decide, route] = current as [RequestHandler, RequestHandler]
  decide(req, res, (error?: unknown) => (error === undefined ? route(req, res, next) : next(error)))
}
afterAll(() => agent.destroy())

/** Sends the carrier by Node's client, which rejects invalid headers, and returns the decided version or the status. */
function responseTo({ port }: Served, { in: place, name = '', value }: VersionCarrier): Promise<unknown> {
  decided = undefined
  const text = encodable(value) ? encodeURIComponent(value) : ''
  const prefix = place === 'path' ? `/${text}` : place === 'namespace' ? '/here' : ''
  const target = `${prefix}/items${place === 'query' ? `?${encodeURIComponent(name)}=${text}` : ''}`
  const to = place === 'host' ? `${value}.example.com` : '127.0.0.1'
  const headers = { host: to, ...(place === 'header' ? { [name]: value } : {}) }
  return new Promise((done, fail) => {
    const told = (response: IncomingMessage) =>
      response.resume().on('end', () => done(response.statusCode === 200 ? decided : response.statusCode))
    request({ agent, port, host: '127.0.0.1', path: target, headers }, told).on('error', fail).end()
  })
}

/** Builds the handlers for one scheme. The version `asked` is a namespace if the scheme reads namespaces. */
function handlerFor(scheme: BaseVersioning, asked: string): RequestHandler[] {
  const items = routed({ items: '/items' }, tell)
  const routes = namedRoutes({})
  if (scheme.carriedIn === 'namespace') routes.include('/here', items, { namespace: asked })
  else routes.include(scheme.carriedIn === 'path' ? '/:v' : '/', items)
  return [versioning({ scheme, routes }), routes]
}

property(
  'a request that carries what carry() says is decided as that version, and every version has a carrier that one can hold',
  fc.asyncProperty(fc.constantFrom(...carrying), anyVersion, async ([scheme, canHold], asked) => {
    const carrier = scheme.carry(asked)
    expect(carrier !== undefined).toBe(canHold(asked))
    if (carrier === undefined) return
    current = handlerFor(scheme, asked)
    server ??= await listen(express().use(deciding))
    expect(await responseTo(server, carrier)).toBe(asked)
  }),
)
