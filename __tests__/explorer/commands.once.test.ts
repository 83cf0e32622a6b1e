import express, { type Request, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { z } from 'zod'
import { EXPLORED } from '../support/explored'
import { type Served, serve } from '../support/serve'
import { answersTo, argumentsOf, sentBy } from '../support/shell'

interface Command {
  readonly version: string
  readonly curl: string
  readonly method: string
  readonly path: string
}

/** Serves the explorer in front of an API, and returns all commands of its page. */
async function commandsOf(options: VersioningOptions, mount = '/', ...before: RequestHandler[]) {
  const server = await serve((app) => {
    app.use('/docs', explorer(options, { mount }))
    app.use(mount, versioning(options), ...before, options.routes as never)
  })
  const { json } = await server.get('/docs', { Accept: 'application/json' })
  const { routes } = json as { routes: (Omit<Command, 'version' | 'curl'> & { versions: Command[] })[] }
  const commands = routes.flatMap(({ method, path, versions }) =>
    versions.flatMap(({ version, curl }): Command[] => (curl === undefined ? [] : [{ version, curl, method, path }])),
  )
  expect(commands.filter(({ curl }) => !/^curl [ -~]+$/.test(curl))).toEqual([])
  return { server, commands, lines: commands.map(({ curl }) => curl) }
}

const tell: RequestHandler = (req, res) => {
  res.json({ version: req.version, path: req.originalUrl })
}
const versionsIn = async (lines: readonly string[], server: Served) =>
  (await answersTo(lines, server)).map(({ json }) => (json as { version: unknown }).version)

test.each(EXPLORED)('each command is answered in its version: $name', async ({ options, mount, neutral = [] }) => {
  const { server, commands, lines } = await commandsOf(options, mount)
  const answers = await answersTo(lines, server)
  expect(commands.length).toBeGreaterThan(0)
  const found = answers.map(({ status, headers }, index) => [lines[index], status, headers['x-version']])
  expect(found).toEqual(
    commands.map(({ version, curl, path }) => [curl, 200, neutral.includes(path) ? 'null' : version]),
  )
  const methods = commands.map(({ method }) => (method === 'ALL' ? 'GET' : method))
  expect(sentBy(lines).map(({ method }) => method)).toEqual(methods)
})

test('a command has the body that is described', async () => {
  const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
  const User = z.object({ name: z.string(), note: z.string().optional() })
  const hard = { "it's": '$HOME `id` "é" \\ \n!', list: ['@file'] }
  const echo: RequestHandler = (req, res) => {
    res.json([req.get('Content-Type') ?? null, req.body ?? null])
  }
  routes.route('x').get(echo).post(echo).put(echo).patch(echo)
  routes.route('y').delete(echo).post(echo)
  routes.route('z').all(echo)
  routes.describe('GET x', { body: User })
  routes.describe('POST x', { body: User, versions: { v1: { body: z.object({ full: z.string() }) } } })
  routes.describe('PUT x', { body: { examples: [hard] } })
  routes.describe('PATCH x', { body: z.object({ at: z.date() }) })
  routes.describe('DELETE y', { body: { type: 'array' } })
  routes.describe('POST y', { body: null })
  routes.describe('POST z', { body: User })
  const options = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
  const { server, commands, lines } = await commandsOf(options, '/', express.json())
  const answers = await answersTo(lines, server)
  const none = [null, null]
  const json = (body: unknown) => ['application/json', body]
  const expected: [string, v1: unknown[], v2: unknown[]][] = [
    ['GET /x', none, none],
    ['POST /x', json({ full: 'text' }), json({ name: 'text' })],
    ['PUT /x', json(hard), json(hard)],
    ['PATCH /x', none, none],
    ['DELETE /y', json([]), json([])],
    ['POST /y', none, none],
    ['ALL /z', none, none],
  ]
  expect(answers.map(({ json }, index) => [`${commands[index]?.method} ${commands[index]?.path}`, json])).toEqual(
    expected.flatMap(([name, ...bodies]) => bodies.map((body) => [name, body])),
  )
  expect(lines[2]).toBe(
    `curl -X POST -H 'X-API-Version: v1' -H 'Content-Type: application/json' -d '{"full":"text"}' ${server.origin}/x`,
  )
})

test('a command has the version, whatever its characters are; an empty one, which no header carries, has none', async () => {
  const odd = ["a'b", 'a!b', '$HOME', '`id`', '$(id)', 'a"b', 'a\\b', 'a;id', '*', '~', 'a b', '-x', '%s', '#', 'é']
  const allowedVersions = ['', ...odd, 'a\tb', '\xa0x', "é'$x`"]
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get(tell)
  const { server, lines } = await commandsOf({ scheme: HeaderVersioning, allowedVersions, routes })
  expect(await versionsIn(lines, server)).toEqual(allowedVersions.slice(1))
})

test("a custom scheme's empty version is an empty header, which curl sends for a semicolon", async () => {
  class Own extends HeaderVersioning {
    override carry(value: string) {
      return { in: 'header', name: 'X-API-Version', value } as const
    }
    override readVersion(req: Request) {
      return req.get('X-API-Version')
    }
  }
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get(tell)
  const { server, lines } = await commandsOf({ scheme: Own, allowedVersions: [''], routes })
  expect(argumentsOf(lines)).toEqual([['-H', 'X-API-Version;', `${server.origin}/x`]])
})

test('a command has the path, quoted only where it matters', async () => {
  const rows: [path: string, target: string, flag?: string][] = [
    ['/x.y/a-b_c/:id', '/x.y/a-b_c/1'],
    ["/it's", "/it's"],
    ['/a\\{b\\}', '/a%7Bb%7D'],
    ['/a\\[b\\]', '/a[b]', '-g'],
    ['/a b"c<d>', '/a%20b%22c%3Cd%3E'],
    ['/$x`y', '/$x%60y'],
    ['/a\\(b\\)&c;d', '/a(b)&c;d'],
    ['/a/../b', '/a/../b', '--path-as-is'],
    ['/a/.', '/a/.', '--path-as-is'],
    ['/a/.b/..c', '/a/.b/..c'],
    ['/é', '/%C3%A9'],
    ['/*rest', '/1'],
  ]
  const routes = namedRoutes(Object.fromEntries(rows.map(([path], index) => [`r${index}`, path])))
  for (const index of rows.keys()) routes.route(`r${index}`).get(tell)
  const { server, lines } = await commandsOf({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes })
  expect(lines[0]).toBe(`curl -H 'X-API-Version: v1' ${server.origin}/x.y/a-b_c/1`)
  const header = ['-H', 'X-API-Version: v1']
  expect(argumentsOf(lines)).toEqual(
    rows.map(([, target, ...flags]) => [...flags, ...header, `${server.origin}${target}`]),
  )
  const answers = await answersTo(lines, server)
  expect(answers.map(({ json }) => (json as { path: string }).path)).toEqual(rows.map(([, target]) => target))
})
