import express, { type Request, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { z } from 'zod'
import { EXPLORED } from '../support/explored'
import { rows } from '../support/rows'
import { serve } from '../support/serve'
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

const tell: RequestHandler = (req, res) => void res.json(req.originalUrl)

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
  const User = z.object({ name: z.string(), note: z.string().optional() })
  const hard = { "it's": '$HOME `id` "é" \\ \n!', list: ['@file'] }
  const bodies: Record<string, [said: object | null, v1?: object, v2?: object]> = {
    'GET x': [User],
    'POST x': [User, { full: 'text' }, { name: 'text' }],
    'PUT x': [{ examples: [hard] }, hard, hard],
    'PATCH x': [z.object({ at: z.date() })],
    'DELETE y': [{ type: 'array' }, [], []],
    'POST y': [null],
    'ALL z': [User],
  }
  const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
  const echo: RequestHandler = (req, res) => void res.json([req.get('Content-Type') ?? null, req.body ?? null])
  for (const [key, [body]] of Object.entries(bodies)) {
    const [method = '', name = ''] = key.split(' ')
    const own = key === 'POST x' ? { versions: { v1: { body: z.object({ full: z.string() }) } } } : {}
    routes.describe(`${method === 'ALL' ? 'POST' : method} ${name}` as 'GET x', { body, ...own } as object)
    const route = routes.route(name as 'x') as unknown as Record<string, (handler: RequestHandler) => void>
    route[method.toLowerCase()]?.(echo)
  }
  const options = { scheme: HeaderVersioning, allowedVersions: ['v1', 'v2'], routes }
  const { server, commands, lines } = await commandsOf(options, '/', express.json())
  const answers = await answersTo(lines, server)
  const found = answers.map(({ json }, index) => [`${commands[index]?.method} ${commands[index]?.path}`, json])
  const expected = Object.entries(bodies).flatMap(([key, [, v1, v2]]) =>
    [v1, v2].map((body) => [key.replace(' ', ' /'), body === undefined ? [null, null] : ['application/json', body]]),
  )
  expect(found).toEqual(expected)
  const json = `-H 'Content-Type: application/json' -d '{"full":"text"}'`
  expect(lines).toContain(`curl -X POST -H 'X-API-Version: v1' ${json} ${server.origin}/x`)
})

test('an empty version, which no header carries, has no command, unless a scheme carries it in a header', async () => {
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
  expect((await commandsOf({ scheme: HeaderVersioning, allowedVersions: [''], routes })).lines).toEqual([])
  // curl sends an empty header for a semicolon.
  const { server, lines } = await commandsOf({ scheme: Own, allowedVersions: [''], routes })
  expect(argumentsOf(lines)).toEqual([['-H', 'X-API-Version;', `${server.origin}/x`]])
})

test('a command has the path, quoted only where it matters', async () => {
  const paths = rows(String.raw`
    /x.y/a-b_c/:id | /x.y/a-b_c/1
    /it's          | /it's
    /a\{b\}        | /a%7Bb%7D
    /a\[b\]        | /a[b] | -g
    /a b"c<d>      | /a%20b%22c%3Cd%3E
    /$x${'`'}y     | /$x%60y
    /a\(b\)&c;d    | /a(b)&c;d
    /a/../b        | /a/../b | --path-as-is
    /a/.           | /a/. | --path-as-is
    /a/.b/..c      | /a/.b/..c
    /é             | /%C3%A9
    /*rest         | /1
  `)
  const routes = namedRoutes(Object.fromEntries(paths.map(([path = ''], index) => [`r${index}`, path])))
  for (const index of paths.keys()) routes.route(`r${index}`).get(tell)
  const { server, lines } = await commandsOf({ scheme: HeaderVersioning, allowedVersions: ['v1'], routes })
  expect(lines[0]).toBe(`curl -H 'X-API-Version: v1' ${server.origin}/x.y/a-b_c/1`)
  const header = ['-H', 'X-API-Version: v1']
  const words = paths.map(([, target, ...flags]) => [...flags, ...header, `${server.origin}${target}`])
  expect(argumentsOf(lines)).toEqual(words)
  const answers = await answersTo(lines, server)
  expect(answers.map(({ json }) => json)).toEqual(paths.map(([, target]) => target))
})
