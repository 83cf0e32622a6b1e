import express, { type Request, type RequestHandler } from 'express'
import type { VersioningOptions } from 'express-versioning'
import { HeaderVersioning, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import fc from 'fast-check'
import { z } from 'zod'
import { overviewOf } from '../../src/explorer/overview'
import { pageOf } from '../../src/explorer/page'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'
import { codePoint } from '../support/code-points'
import { EXPLORED } from '../support/explored'
import { property } from '../support/property'
import { rows } from '../support/rows'
import { type Served, serve } from '../support/serve'
import { argumentsOf, responsesTo, sentBy, sentByKept } from '../support/shell'
import { table } from '../support/tables'

type Page = { routes: { method: string; path: string; versions: { version: string; curl?: string }[] }[] }

function commandsIn(json: unknown) {
  const commands = (json as Page).routes.flatMap(({ method, path, versions }) =>
    versions.flatMap(({ version, curl: lines }) =>
      (lines?.split('\n') ?? []).map((curl) => ({ version, curl, method, path })),
    ),
  )
  for (const { curl } of commands) expect(curl).toMatch(/^curl [ -~]+$/)
  return { commands, lines: commands.map(({ curl }) => curl) }
}

const explored = (options: VersioningOptions, mount = '/', ...before: RequestHandler[]) =>
  serve((app) => {
    app.use('/docs', explorer(options, { mount, addresses: 'all' }))
    app.use(mount, versioning(options), ...before, options.routes as never)
  })

async function commandsOf(...given: Parameters<typeof explored>) {
  const server = await explored(...given)
  return { server, ...commandsIn((await server.get('/docs', { Accept: 'application/json' })).json) }
}

const VERSIONS = ['v1', 'v2']
const tell: RequestHandler = (req, res) => void res.json(req.originalUrl)

test.each(EXPLORED)('each command is responded to in its version: $name', async ({ options, mount, health }) => {
  const { server, commands, lines } = await commandsOf(options, mount)
  const sent = sentBy(lines)
  const responses = await responsesTo(sent, server)
  expect(commands.length).toBeGreaterThan(0)
  const found = responses.map(({ status, headers }, at) => [lines[at], status, headers['x-version'], sent[at]?.method])
  const expected = commands.map(({ version, curl, path, method }) => {
    return [curl, 200, path === health ? 'null' : version, method.replace('ALL', 'GET')]
  })
  expect(found).toEqual(expected)
})

test('a command has the body that is described', async () => {
  const body = z.object({ name: z.string(), note: z.string().optional() })
  const versions = { v1: { body: z.object({ full: z.string() }) } }
  const hard = { "it's": '$HOME `id` "é" \\ \n!', list: ['@file'] }
  const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
  routes.describe('GET x', { body }).describe('POST x', { body, versions }).describe('PATCH x', { body: z.date() })
  routes.describe('PUT x', { body: { examples: [hard] } }).describe('POST y', { body: null })
  const echo: RequestHandler = (req, res) => void res.json([req.get('Content-Type') ?? null, req.body ?? null])
  routes.route('x').get(echo).post(echo).put(echo).patch(echo)
  routes.route('y').post(echo)
  routes.describe('POST z', { body }).route('z').all(echo)
  const options = { scheme: HeaderVersioning, allowedVersions: VERSIONS, routes }
  const { server, lines } = await commandsOf(options, '/', express.json())
  const found = (await responsesTo(sentBy(lines), server)).map(({ json }) => json)
  const none = [null, null]
  const sent = [{ full: 'text' }, { name: 'text' }, hard, hard].map((body) => ['application/json', body])
  expect(found).toEqual([none, none, ...sent, none, none, none, none, none, none])
  const json = `-H 'Content-Type: application/json' -d '{"full":"text"}'`
  expect(lines).toContain(`curl -X POST -H 'X-API-Version: v1' ${json} ${server.origin}/x`)
})

test('a command for a stream shows each item when it comes', async () => {
  const routes = namedRoutes({ feed: '/feed' })
  const content = { 'application/json': true, 'application/jsonl': { itemSchema: true } }
  routes.describe('GET feed', { response: { 200: { content } } })
  routes.route('feed').get((_req, res) => void res.type('application/jsonl').end('1\n'))
  const options = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes }
  const { server, lines } = await commandsOf(options)
  expect(lines).toEqual([`curl -N -H 'X-API-Version: v1' ${server.origin}/feed`])
  expect((await responsesTo(sentBy(lines), server)).map(({ text }) => text)).toEqual(['1\n'])
})

test('an empty version, which no header carries, has no command, unless a scheme carries it in a header', async () => {
  class Own extends HeaderVersioning {
    override carry = (value: string) => ({ in: 'header', name: 'X-API-Version', value }) as const
    override readVersion = (req: Request) => req.get('X-API-Version')
  }
  expect((await commandsOf(options(['']))).lines).toEqual([])
  // curl sends an empty header for a semicolon.
  const { server, lines } = await commandsOf({ ...options(['']), scheme: Own })
  expect(argumentsOf(lines)).toEqual([['-H', 'X-API-Version;', `${server.origin}/x`]])
})

test('a command has the path, quoted only where it matters', async () => {
  const paths = rows(String.raw`
    /x.y/a-b_c/:id | /x.y/a-b_c/1
    /a\[b\]        | /a[b] | -g
    /a b"c<d>      | /a%20b%22c%3Cd%3E
    /$x${'`'}y     | /$x%60y
    /a\(b\)&c;d    | /a(b)&c;d
    /a/../b        | /a/../b | --path-as-is
    /a/.           | /a/. | --path-as-is
    /a/.b/..c      | /a/.b/..c
  `)
  const routes = namedRoutes(Object.fromEntries(paths.map(([path = ''], index) => [`r${index}`, path])))
  for (const index of paths.keys()) routes.route(`r${index}`).get(tell)
  const { server, lines } = await commandsOf({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes })
  expect(lines[0]).toBe(`curl -H 'X-API-Version: v1' ${server.origin}/x.y/a-b_c/1`)
  const header = ['-H', 'X-API-Version: v1']
  const words = paths.map(([, target, ...flags]) => [...flags, ...header, `${server.origin}${target}`])
  expect(argumentsOf(lines)).toEqual(words)
  expect((await responsesTo(sentBy(lines), server)).map(({ json }) => json)).toEqual(paths.map(([, target]) => target))
})

// Names of strangers.

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const wellFormed = (one: string) => Buffer.from(one).toString()
const text = fc.oneof(
  fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'--", '&amp;', ']]>', '</style>'),
  fc.constantFrom('<!--', '\x1b[2J', '\u202Eabc', '\ud800', '\n\n', 'a\r\nb'),
  fc.string({ minLength: 1 }),
  fc.string({ unit: codePoint, minLength: 1 }),
)
const spoken = text.map((one) => one.replaceAll('`', "'"))
/** Valid names of routes: any text without a colon. */
const name = text.map((one) => one.replaceAll(':', ';'))
/** Valid namespaces, which do not begin with a slash. */
const group = name.map((one) => one.replace(/^\//, '|'))
const path = text.map((one) => `/${encodeURIComponent(wellFormed(one)).replaceAll(/[()*!]/g, '\\$&')}`)
/** Valid names of shapes: no spaces, and nothing by which addresses are split. */
const shapeName = text.map((one) => `S${wellFormed(one).replaceAll(/[\s/?#%:\\]/g, '')}`)

const PLAIN = { title: 'a', versions: VERSIONS, name: 'b', group: 'c', path: '/d', said: 'e', url: 'f', shape: 'Sg' }
type Texts = typeof PLAIN

function overview({ title, versions: [first = '', second = ''], name, group, path, said, shape: $id }: Texts) {
  const newer = { $id, type: 'object' }
  const routes = table({ [name]: path }).describe(`GET ${name}`, { response: newer })
  const changed = shape<object, object>({ type: 'object' }, newer, { response: (value) => value })
  const options: VersioningOptions = {
    scheme: QueryParameterVersioning,
    routes: namedRoutes({}).include('/', routes, { namespace: group }),
    changes: versionHistory(first).version(second, change(`x ${said}`, { [$id]: changed })),
  }
  return overviewOf(new Surveyor('test', options), { title })
}

/** Returns the page without its texts, and the lines of the text form. */
function shownOf(texts: Texts) {
  const shown = overview(texts)
  const html = pageOf(shown, { changes: texts.url, swaggerUi: texts.url, document: () => texts.url }, '')
  expect(html.replaceAll('\n', '')).not.toMatch(STEERING)
  const skeleton = html.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>"]*/g, '>')
  return { skeleton, lines: textOf(shown).split('\n') }
}
const plain = shownOf(PLAIN)

const versions = fc.uniqueArray(text.map(wellFormed), { minLength: 2, maxLength: 2 })
const texts = fc.record({ title: text, versions, name, group, path, said: spoken, url: text, shape: shapeName })

property(
  'names of strangers change nothing of a page but its texts, nor of a string but its words: no line, no control',
  fc.property(texts, (one) => {
    const { skeleton, lines } = shownOf(one)
    expect(skeleton).toBe(plain.skeleton)
    expect(lines).toHaveLength(plain.lines.length)
    for (const line of lines) expect(line).not.toMatch(STEERING)
  }),
)

const options = (allowedVersions: string[]): VersioningOptions => {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get((req, res) => void res.json(req.version))
  return { scheme: HeaderVersioning, allowedVersions, routes }
}

const latin1 = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
const special = fc.constantFrom(...`'"\\$\`!%\t \xe9()\xa0-0`)
const version = fc.oneof(fc.string({ unit: latin1 }), fc.string({ unit: special }))
property(
  'a real shell reads the version of a header from a command, whatever the version is',
  fc.asyncProperty(fc.uniqueArray(version, { minLength: 1, maxLength: 3 }), async (versions) => {
    const { commands, lines } = commandsIn(overviewOf(new Surveyor('test', options(versions))).toJSON())
    const carried = (await sentByKept(lines)).map(({ headers }) => headers['X-API-Version'])
    expect(carried).toEqual(commands.map(({ version }) => version))
  }),
)

const host = text.filter((host) => /^[!-~]([ -~]*[!-~])?$/.test(host))
let server: Served
beforeEach(async () => {
  server = await explored(options(['v1']))
})

property(
  'whatever Host is sent, commands lead to a well-formed one',
  fc.asyncProperty(fc.array(host, { minLength: 1, maxLength: 3 }), async (all) => {
    const lines: string[] = []
    for (const Host of all) {
      const { status, json } = await server.get('/docs', { Host, Accept: 'application/json' })
      expect(status).toBe(200)
      lines.push(...commandsIn(json).lines)
    }
    const sent = await sentByKept(lines)
    expect(sent.filter(({ origin }) => !URL.canParse(origin))).toEqual([])
    expect((await responsesTo(sent, server)).map(({ json }) => json)).toEqual(lines.map(() => 'v1'))
  }),
)
