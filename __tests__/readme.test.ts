import express from 'express'
import * as library from 'express-versioning'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { blocks, readme, tableUnder } from './support/readme'
import { serve } from './support/serve'

const {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} = library

const snippets = blocks('ts')

// First of all, because requests lack their members only until this package has seen one.
test('the errors that troubleshooting quotes', async () => {
  const titles = [...readme.matchAll(/^\*\*`.+?`[^`]*?\*\*/gm)].map((found) => found[0])
  const quoted = titles.flatMap((title) => [...title.matchAll(/`([^`]+)`/g)].map((found) => found[1] as string))
  const messages: string[] = []
  const caught = (code: () => unknown) => {
    try {
      code()
    } catch (error) {
      messages.push((error as Error).message)
    }
  }
  caught(() => namedRoutes({ user: '/users/:id?' }))
  caught(() => versioning({ scheme: AcceptHeaderVersioning, mediaTypes: ['text/html'] } as never))
  const table = namedRoutes({ x: '/x' })
  const { get } = await serve((app) => {
    const lost: express.RequestHandler = (req, res) => res.send(req.reverse('x'))
    app.get('/unprepared', lost)
    app.get('/lost', versioning({ scheme: QueryParameterVersioning }), lost)
    app.use('/uncalled', versioning as never)
    app.use(versioning({ scheme: QueryParameterVersioning, routes: table }))
    app.use('/api', table)
  })
  for (const path of ['/unprepared', '/lost', '/uncalled', '/api/x']) {
    const { status, json } = await get(path)
    expect(status).toBe(500)
    messages.push((json as { error: string }).error)
  }
  const compilers = ["Property 'version' must be of type ..."]
  expect(quoted).toHaveLength(messages.length + compilers.length)
  for (const text of quoted) {
    if (!compilers.includes(text)) expect(messages).toContainEqual(expect.stringContaining(text))
  }
})

test('the TypeScript of the README does what it says', async () => {
  let said = 0
  const same = (value: unknown, expected: unknown) => {
    said++
    expect(value).toEqual(expected)
  }
  const throws = (code: () => unknown, name: string, message: string) => {
    said++
    expect(code).toThrow(expect.objectContaining({ name, message }))
  }
  /** Runs a snippet; its comments are claims to hold. */
  const run = (text: string, scope: Record<string, unknown>): unknown => {
    const claims = text
      .replaceAll(/^(.*?) \/\/ => (.*)$/gm, 'same($1, $2)')
      .replaceAll(
        /^(.*?) \/\/ throws (\w+): (.*)$/gm,
        (_, code, name, message) => `throws(() => ${code}, '${name}', ${JSON.stringify(message)})`,
      )
    const result = text.includes("app.use('/api'") ? 'return { users, api }' : ''
    const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2023 }
    const { outputText } = transpileModule(claims, { compilerOptions })
    const modules: Record<string, unknown> = { express, 'express-versioning': library }
    const names = { ...library, express, same, throws, ...scope, exports: {}, require: (name: string) => modules[name] }
    return new Function(...Object.keys(names), `{ ${outputText}\n${result} }`)(...Object.values(names))
  }

  const app = express()
  let tables: Record<'users' | 'api', ReturnType<typeof namedRoutes>> | undefined
  const place = '// in a handler of GET /api/v1/users/7\n'
  const handlers: string[] = []
  for (const text of snippets) {
    if (text.startsWith(place)) {
      handlers.push(text)
      continue
    }
    const declared = run(text, { app: text.includes("app.use('/api'") ? app : express(), ...tables })
    tables = (declared as typeof tables) ?? tables
  }
  expect(handlers).toHaveLength(2)
  // runs where the README says, just before the handler
  tables?.users.param('id', (req, _res, next) => {
    for (const text of handlers) run(text, { req })
    next()
  })
  const { get } = await serve((outer) => outer.use(app))
  const { status, json } = await get('/api/v1/users/7')
  expect({ status, json }).toEqual({ status: 200, json: { id: '7' } })
  expect(said).toBe(readme.split(/\/\/ (?:=>|throws) /).length - 1)
  expect(said).toBeGreaterThanOrEqual(15)
})

describe('the tables of the README', () => {
  const show: express.RequestHandler = (req, res) => {
    res.json({ version: req.version })
  }
  const child = namedRoutes({ x: '/x' })
  child.route('x').get(show)
  const bare = namedRoutes({ bare: '/x' })
  bare.route('bare').get(show)
  const places = {
    Accept: { scheme: AcceptHeaderVersioning, routes: child },
    path: { scheme: URLPathVersioning, routes: namedRoutes({}).include('/:version', child).include('/', bare) },
    namespace: {
      scheme: NamespaceVersioning,
      routes: namedRoutes({})
        .include('/v0', child, { namespace: 'v0' })
        .include('/v2', child, { namespace: 'v2' })
        .include('/', bare),
    },
    host: { scheme: HostNameVersioning, routes: child },
    query: { scheme: QueryParameterVersioning, routes: child },
  }
  type Carrier = keyof typeof places

  /** How a request names a version: its path, and headers. */
  function naming(carrier: Carrier, version: string | undefined): [path: string, headers?: Record<string, string>] {
    if (version === undefined) return ['/x']
    if (carrier === 'Accept') return ['/x', { Accept: `text/html; version=${version === '' ? '""' : version}` }]
    if (carrier === 'host') return ['/x', { Host: `${version}.example.com` }]
    return [carrier === 'query' ? `/x?version=${version}` : `/${version}/x`]
  }

  test('what req.version is, when', async () => {
    const [header = [], ...rows] = tableUnder('What `req.version` is, when')
    const value = (code: string | undefined) => new Function(`return ${code}`)()
    let shared = {}
    const columns = header.slice(1).map((title) => {
      if (title === 'no settings') return {}
      const settings = value(`{ ${/`(.*)`/.exec(title)?.[1]} }`.replace(/^/, '(').replace(/$/, ')'))
      if (title.startsWith('`allowedVersions') && Object.keys(shared).length === 0) shared = settings
      return title.startsWith('the same,') ? { ...shared, ...settings } : settings
    })
    expect(columns).toEqual([
      { allowedVersions: ['v1', 'v2'] },
      { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' },
      { allowedVersions: ['v1', 'v2'], defaultVersion: 'v0' },
      { allowedVersions: ['v1', 'v2', null] },
      {},
      { defaultVersion: 'v1' },
    ])

    const { get } = await serve((app) => {
      for (const [carrier, { scheme, routes }] of Object.entries(places)) {
        for (const [index, settings] of columns.entries()) {
          app.use(`/${carrier}/${index}`, versioning({ ...settings, scheme, routes }), routes)
        }
      }
    })

    const carriers = Object.keys(places) as Carrier[]
    const requests: Record<string, [version: string | undefined, carriers: Carrier[]]> = {
      'names `v2`': ['v2', carriers],
      'names `v0`': ['v0', carriers],
      'names the empty string (`?version=`, `version=""`)': ['', ['Accept', 'query']],
      'names none: Accept, path, query': [undefined, ['Accept', 'path', 'query']],
      'names none: namespace, host': [undefined, ['namespace', 'host']],
    }
    expect(rows.map(([title]) => title)).toEqual(Object.keys(requests))
    for (const [title, ...cells] of rows) {
      const [version, carriers] = requests[title as string] as [string | undefined, Carrier[]]
      expect(cells).toHaveLength(columns.length)
      for (const carrier of carriers) {
        for (const [index, cell] of cells.entries()) {
          const [path, headers] = naming(carrier, version)
          const { status, json } = await get(`/${carrier}/${index}${path}`, headers)
          const found = status === 200 ? json : 'refused'
          const expected = cell === 'refused' ? cell : { version: value(cell.replaceAll('`', '')) }
          expect({ carrier, title, column: header[index + 1], found }).toMatchObject({ found: expected })
        }
      }
    }
  })

  test('the errors', async () => {
    const [, ...rows] = tableUnder('Errors')
    const sent: Record<string, [path: string, headers?: Record<string, string>]> = {
      '`AcceptHeaderVersioning`': naming('Accept', 'v9'),
      '`AcceptHeaderVersioning` with `mediaTypes`': ['/types/x', { Accept: 'text/html' }],
      '`URLPathVersioning`': naming('path', 'v9'),
      '`NamespaceVersioning`': naming('namespace', 'v0'),
      '`HostNameVersioning`': naming('host', 'v9'),
      '`QueryParameterVersioning`': naming('query', 'v9'),
    }
    const { get } = await serve((app) => {
      const typed = new AcceptHeaderVersioning({ mediaTypes: ['application/json'] })
      app.use('/types', versioning({ scheme: typed }))
      for (const { scheme, routes } of Object.values(places)) {
        app.use(`/${scheme.name}`, versioning({ scheme, routes, allowedVersions: ['v2'] }), routes)
      }
    })
    expect(rows.map((row) => row[4])).toEqual(Object.keys(sent))
    for (const [name, status, code, error, from = ''] of rows) {
      const [path, headers] = sent[from] as [string, Record<string, string>?]
      const answer = await get(path.startsWith('/types') ? path : `/${from.replaceAll('`', '')}${path}`, headers)
      const { json } = answer as { json: Record<string, string> }
      const cells = [`\`${json.name}\``, String(answer.status), `\`${json.code}\``, `\`${json.error}\``]
      expect(cells).toEqual([name, status, code, error])
    }
  })

  test('the options', () => {
    const options = tableUnder('Options')
      .slice(1)
      .map(([name = '']) => name.replaceAll('`', ''))
    const message = `It takes ${options.map((name) => `"${name}"`).join(', ')}`
    expect(() => versioning({ nonsense: 1 } as never)).toThrow(message)
  })
})
