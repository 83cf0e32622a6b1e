import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { z } from 'zod'
import { EXPLORED } from '../support/explored'
import { type Served, serve } from '../support/serve'
import { answerTo, argumentsOf, sentBy } from '../support/shell'

/** All commands of a page, with the version that each is for. */
async function commandsOf(server: Served): Promise<{ version: string; curl: string; method: string; path: string }[]> {
  const { json } = await server.get('/docs', { Accept: 'application/json' })
  const { routes } = json as {
    routes: { method: string; path: string; versions: { version: string; curl?: string }[] }[]
  }
  return routes.flatMap(({ method, path, versions }) =>
    versions.flatMap(({ version, curl }) => (curl === undefined ? [] : [{ version, curl, method, path }])),
  )
}

const tell: RequestHandler = (req, res) => {
  res.set('X-Version', String(req.version)).json({ method: req.method, version: req.version, path: req.originalUrl })
}

describe.each(EXPLORED)('$name', ({ options, mount = '/', neutral = [] }) => {
  test('each command is answered in its version', async () => {
    const routes = options.routes as never
    const server = await serve((app) => {
      app.use('/docs', explorer(options, { mount }))
      app.use(mount, versioning(options), routes)
    })
    const commands = await commandsOf(server)
    expect(commands.length).toBeGreaterThan(0)
    for (const { version, curl, method, path } of commands) {
      const { status, headers } = await answerTo(curl, server)
      const expected = neutral.includes(path) ? 'null' : version
      expect({ curl, status, version: headers['x-version'] }).toEqual({ curl, status: 200, version: expected })
      expect(sentBy(curl).method).toBe(method === 'ALL' ? 'GET' : method)
    }
  })
})

test('the bodies of commands', async () => {
  const routes = namedRoutes({ x: '/x', y: '/y', z: '/z' })
  const User = z.object({ name: z.string(), note: z.string().optional() })
  const hard = { "it's": '$HOME `id` "é" \\ \n!', list: ['@file'] }
  const echo: RequestHandler = (req, res) => {
    res.json({ type: req.get('Content-Type'), body: req.body })
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
  const server = await serve((app) => {
    app.use('/docs', explorer(options))
    app.use(versioning(options), express.json(), routes)
  })
  const commands = await commandsOf(server)
  const echoed = commands.map(async ({ curl, method, path, version }) => {
    const { json } = await answerTo(curl, server)
    const { type, body } = json as { type?: string; body: unknown }
    return `${method} ${path} ${version}: ${type} ${type === undefined ? '-' : JSON.stringify(body)}`
  })
  const json = 'application/json'
  expect(await Promise.all(echoed)).toEqual([
    'GET /x v1: undefined -',
    'GET /x v2: undefined -',
    `POST /x v1: ${json} {"full":"text"}`,
    `POST /x v2: ${json} {"name":"text"}`,
    `PUT /x v1: ${json} ${JSON.stringify(hard)}`,
    `PUT /x v2: ${json} ${JSON.stringify(hard)}`,
    'PATCH /x v1: undefined -',
    'PATCH /x v2: undefined -',
    `DELETE /y v1: ${json} []`,
    `DELETE /y v2: ${json} []`,
    'POST /y v1: undefined -',
    'POST /y v2: undefined -',
    'ALL /z v1: undefined -',
    'ALL /z v2: undefined -',
  ])
  expect(commands[2]?.curl).toBe(
    `curl -X POST -H 'X-API-Version: v1' -H 'Content-Type: application/json' -d '{"full":"text"}' ${server.origin}/x`,
  )
})

describe('the words of a command', () => {
  /** The commands for one route with a header that carries each version. */
  const commands = async (paths: Record<string, string>, more: Partial<VersioningOptions> = {}) => {
    const routes = namedRoutes(paths)
    for (const name of Object.keys(paths)) routes.route(name).get(tell)
    const options = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes, ...more }
    const server = await serve((app) => {
      app.use('/docs', explorer(options))
      app.use(versioning(options), routes)
    })
    return { server, found: await commandsOf(server) }
  }

  test.each([
    "a'b",
    'a!b',
    '$HOME',
    '`id`',
    '$(id)',
    'a"b',
    'a\\b',
    'a;id',
    '*',
    '~',
    'a b',
    '-x',
    '%s',
    '#',
    'é',
    'a\tb',
    '\xa0x',
    "é'$x`",
  ])('hold the version %p', async (version) => {
    const { server, found } = await commands({ x: '/x' }, { allowedVersions: [version] })
    const [{ curl }] = found as [(typeof found)[number]]
    expect(curl).toMatch(/^[ -~]+$/)
    expect(await answerTo(curl, server)).toMatchObject({ status: 200, json: { version } })
  })

  test('no command for an empty version, which a header field cannot carry', async () => {
    const { found } = await commands({ x: '/x' }, { allowedVersions: ['', 'v1'] })
    expect(found.map(({ curl }) => argumentsOf(curl as string).slice(0, 2))).toEqual([['-H', 'X-API-Version: v1']])
  })

  test.each([
    ["/it's", "/it's", []],
    ['/a\\{b\\}', '/a%7Bb%7D', []],
    ['/a\\[b\\]', '/a[b]', ['-g']],
    ['/a b"c<d>', '/a%20b%22c%3Cd%3E', []],
    ['/$x`y', '/$x%60y', []],
    ['/a\\(b\\)&c;d', '/a(b)&c;d', []],
    ['/a/../b', '/a/../b', ['--path-as-is']],
    ['/a/.', '/a/.', ['--path-as-is']],
    ['/a/.b/..c', '/a/.b/..c', []],
    ['/é', '/%C3%A9', []],
    ['/*rest', '/1', []],
  ])('hold the path %s', async (path, target, flags) => {
    const { server, found } = await commands({ x: path })
    const [{ curl }] = found as [(typeof found)[number]]
    const words = argumentsOf(curl)
    expect(words.slice(0, flags.length)).toEqual(flags)
    expect(words.at(-1)).toBe(`${server.origin}${target}`)
    expect(curl).toMatch(/^[ -~]+$/)
    expect(await answerTo(curl, server)).toMatchObject({ status: 200, json: { path: target } })
  })

  test('are quoted only where it matters', async () => {
    const { server, found } = await commands({ x: '/x.y/a-b_c/:id' })
    expect(found[0]?.curl).toBe(`curl -H 'X-API-Version: v1' ${server.origin}/x.y/a-b_c/1`)
  })
})
