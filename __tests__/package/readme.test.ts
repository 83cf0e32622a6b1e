import * as channels from 'node:diagnostics_channel'
import express from 'express'
import * as library from 'express-versioning'
import * as changesLibrary from 'express-versioning/changes'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { z } from 'zod'
import { page, pages, snippets, tableUnder } from '../support/readme'
import { serve } from '../support/serve'

const {
  AcceptHeaderVersioning,
  BaseVersioning,
  byVersion,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} = library
const { change, shape, versionHistory } = changesLibrary

/** The subscriptions of a snippet. They end with its test because channels outlive a test file. */
const subscribed: Parameters<typeof channels.subscribe>[] = []
const subscribe: typeof channels.subscribe = (...args) => {
  subscribed.push(args)
  channels.subscribe(...args)
}
afterEach(() => {
  for (const args of subscribed.splice(0)) channels.unsubscribe(...args)
})

test('the errors that troubleshooting quotes', async () => {
  const titles = [...page('docs/troubleshooting.md').matchAll(/^\*\*`.+?`[^`]*?\*\*/gm)].map((found) => found[0])
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
    app.get('/undecided', byVersion({ v1: lost }))
    app.get('/lost', versioning({ scheme: QueryParameterVersioning }), lost)
    app.use('/uncalled', versioning as never)
    app.use(versioning({ scheme: QueryParameterVersioning, routes: table }))
    app.use('/api', table)
  })
  for (const path of ['/unprepared', '/undecided', '/lost', '/uncalled', '/api/x']) {
    const { status, json } = await get(path)
    expect(status).toBe(500)
    messages.push((json as { error: string }).error)
  }
  const compilers = ["Property 'version' must be of type ...", "ENOENT: no such file or directory, open 'node:util'"]
  expect(quoted).toHaveLength(messages.length + compilers.length)
  for (const text of quoted) {
    if (!compilers.includes(text)) expect(messages).toContainEqual(expect.stringContaining(text))
  }
})

test('the errors of shapes that docs/changes.md quotes', () => {
  const id = { type: 'string' }
  const user = (properties: object = { id }) => ({ $id: 'User', type: 'object', properties })
  const other = user({ id: { type: 'number' } })
  const own = { response: (value: unknown) => value }
  const steps = { ...own, request: own.response }
  const same = { User: shape(user(), user(), steps) }
  const messageOf = (response: library.Schema | undefined, changes: object[], versions: object = {}) => {
    const routes = namedRoutes({ user: '/user', 'user-list': '/users' })
    routes.describe('GET user', { response, versions })
    routes.route('user').get((_req, res) => res.end())
    routes.describe('POST user-list', { body: response && user(), response: response === other ? user() : null })
    routes.route('user-list').post((_req, res) => res.end())
    const history = changes.reduce(
      (before: changesLibrary.VersionHistory, operations, index) =>
        before.version(`v${index + 2}`, change('...', operations as never)),
      versionHistory('v1'),
    )
    let message = ''
    try {
      versioning({ scheme: HeaderVersioning, changes: history, routes })
    } catch (error) {
      message = (error as Error).message
    }
    return message
  }
  const told = [
    messageOf(undefined, [same]),
    messageOf(user(), [{ User: shape(user(), user(), {}) }]),
    messageOf(other, [{ User: shape(user(), other, steps) }, { User: shape(other, user(), steps) }]),
    messageOf(user(), [{ User: shape(user(), other, steps) }]),
    messageOf(user(), [{ ...same, Usr: shape(user(), user(), steps) }]),
    messageOf(user(), [{ User: shape(user(), other, steps) }, same]),
    messageOf(user(), [{ ...same, 'GET user': own }]),
    messageOf(z.object({ at: z.date() }), [same]),
    messageOf({ anyOf: [user(), { type: 'object' }] }, [same]),
    messageOf({ allOf: [user()] }, [same]),
    messageOf(user(), [same], { v1: { response: user() } }),
  ].join('\n')
  const rows = tableUnder('docs/changes.md', 'What is checked at the start').slice(1)
  const quoted = rows.flatMap(([cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map((found) => found[1] as string))
  expect(quoted.filter((text) => !told.includes(text))).toEqual([])
  expect(quoted.length).toBeGreaterThanOrEqual(rows.length)
})

test('the TypeScript of the pages does what it says', async () => {
  let said = 0
  const same = (value: unknown, expected: unknown) => {
    said++
    expect(value).toEqual(expected)
  }
  const throws = (code: () => unknown, name: string, message: string) => {
    said++
    expect(code).toThrow(expect.objectContaining({ name, message }))
  }
  /** Runs a snippet and checks the claims in its comments. */
  const run = (text: string, scope: Record<string, unknown>, result = ''): unknown => {
    const claims = text
      .replaceAll(/^(.*?) \/\/ => (.*)$/gm, 'same($1, $2)')
      .replaceAll(
        /^(.*?) \/\/ throws (\w+): (.*)$/gm,
        (_, code, name, message) => `throws(() => ${code}, '${name}', ${JSON.stringify(message)})`,
      )
    const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2023 }
    const { outputText } = transpileModule(claims, { compilerOptions })
    const required = (name: string) =>
      name === 'node:diagnostics_channel' ? { ...channels, subscribe } : require(name)
    const names = { ...library, express, same, throws, ...scope, exports: {}, require: required }
    return new Function(...Object.keys(names), `{ ${outputText}\n${result} }`)(...Object.values(names))
  }

  const app = express()
  // The tables and the app that other snippets lean on are the first that docs/named-routes.md declares.
  const declaring = snippets.find(({ file }) => file === 'docs/named-routes.md')
  const declared = run(declaring?.text ?? '', { app }, 'return { users, api }')
  const tables = declared as Record<'users' | 'api', ReturnType<typeof namedRoutes>>
  const place = '// in a handler of GET /api/v1/users/7\n'
  const handlers = snippets.filter(({ text }) => text.startsWith(place))
  for (const snippet of snippets) {
    if (snippet === declaring || handlers.includes(snippet)) continue
    const { file, text } = snippet
    try {
      run(text, { app: express(), ...tables })
    } catch (error) {
      throw new Error(`A snippet of ${file} fails:\n${text}`, { cause: error })
    }
  }
  expect(handlers.length).toBeGreaterThanOrEqual(2)
  // runs where the page says, just before the handler
  tables.users.param('id', (req, _res, next) => {
    for (const { text } of handlers) run(text, { req })
    next()
  })
  const { get } = await serve((outer) => outer.use(app))
  const { status, json } = await get('/api/v1/users/7')
  expect({ status, json }).toEqual({ status: 200, json: { id: '7' } })
  expect(said).toBe(pages.reduce((sum, { text }) => sum + text.split(/\/\/ (?:=>|throws) /).length - 1, 0))
  expect(said).toBeGreaterThanOrEqual(20)
})

describe('the tables of the pages', () => {
  const show: express.RequestHandler = (req, res) => {
    res.json({ version: req.version })
  }
  const child = namedRoutes({ x: '/x' })
  child.route('x').get(show)
  const bare = namedRoutes({ bare: '/x' })
  bare.route('bare').get(show)
  // Classes, so that versioning() can give them the settings of each column.
  const template = 'application/vnd.acme.{version}+json'
  class VendorTypes extends MediaTypeVersioning {
    constructor(settings: library.VersioningSettings = {}) {
      super({ ...settings, template })
    }
  }
  class HeaderOrQuery extends CombinedVersioning {
    constructor(settings: library.VersioningSettings = {}) {
      super({ ...settings, schemes: [new HeaderVersioning(), new QueryParameterVersioning()] })
    }
  }
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
    header: { scheme: HeaderVersioning, routes: child },
    'media type': { scheme: VendorTypes, routes: child },
    combination: { scheme: HeaderOrQuery, routes: child },
  }
  type Carrier = keyof typeof places

  /** How a request names a version: its path, and headers. */
  function naming(carrier: Carrier, version: string | undefined): [path: string, headers?: Record<string, string>] {
    if (version === undefined) return ['/x']
    if (carrier === 'Accept') return ['/x', { Accept: `text/html; version=${version === '' ? '""' : version}` }]
    if (carrier === 'header' || carrier === 'combination') return ['/x', { 'X-API-Version': version }]
    if (carrier === 'media type') return ['/x', { Accept: template.replace('{version}', version) }]
    if (carrier === 'host') return ['/x', { Host: `${version}.example.com` }]
    return [carrier === 'query' ? `/x?version=${version}` : `/${version}/x`]
  }

  test('what req.version is, when', async () => {
    const [header = [], ...rows] = tableUnder('docs/options.md', 'What `req.version` is, when')
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
          app.use(`/${carrier.replace(' ', '-')}/${index}`, versioning({ ...settings, scheme, routes }), routes)
        }
      }
    })

    const carriers = Object.keys(places) as Carrier[]
    const checking: Carrier[] = ['Accept', 'path', 'query', 'header', 'media type', 'combination']
    const requests: Record<string, [version: string | undefined, carriers: Carrier[]]> = {
      'names `v2`': ['v2', carriers],
      'names `v0`': ['v0', carriers],
      'names the empty string (`?version=`, `version=""`)': ['', ['Accept', 'query']],
      'names none: Accept, path, query, header, media type, combination': [undefined, checking],
      'names none: namespace, host': [undefined, ['namespace', 'host']],
    }
    expect(rows.map(([title]) => title)).toEqual(Object.keys(requests))
    for (const [title, ...cells] of rows) {
      const [version, carriers] = requests[title as string] as [string | undefined, Carrier[]]
      expect(cells).toHaveLength(columns.length)
      for (const carrier of carriers) {
        for (const [index, cell] of cells.entries()) {
          const [path, headers] = naming(carrier, version)
          const { status, json } = await get(`/${carrier.replace(' ', '-')}/${index}${path}`, headers)
          const found = status === 200 ? json : 'refused'
          const expected = cell === 'refused' ? cell : { version: value(cell.replaceAll('`', '')) }
          expect({ carrier, title, column: header[index + 1], found }).toMatchObject({ found: expected })
        }
      }
    }
  })

  test('the errors', async () => {
    const [, ...rows] = tableUnder('docs/errors.md', 'What is thrown')
    const sent: Record<string, [path: string, headers?: Record<string, string>]> = {
      '`AcceptHeaderVersioning`': naming('Accept', 'v9'),
      '`AcceptHeaderVersioning` with `mediaTypes`': ['/types/x', { Accept: 'text/html' }],
      '`URLPathVersioning`': naming('path', 'v9'),
      '`NamespaceVersioning`': naming('namespace', 'v0'),
      '`HostNameVersioning`': naming('host', 'v9'),
      '`HostNameVersioning`, of two hosts': ['http://v1.example.com/HostNameVersioning/x', { Host: 'v2.example.com' }],
      '`QueryParameterVersioning`': naming('query', 'v9'),
      '`HeaderVersioning`': naming('header', 'v9'),
      '`MediaTypeVersioning`': naming('media type', 'v9'),
      '`CombinedVersioning`': ['/x?version=v2', { 'X-API-Version': 'v1' }],
      '`byVersion()`': ['/undispatched/x?version=v2'],
      '`changes`, of an absent operation': ['/changed/added?version=v1'],
      '`changes`, of a body or query': ['/changed/converted?version=v1'],
      "`afterSunset: 'gone'`": ['/gone/x?version=v1'],
    }
    const { get } = await serve((app) => {
      const typed = new AcceptHeaderVersioning({ mediaTypes: ['application/json'] })
      app.use('/types', versioning({ scheme: typed }))
      app.use('/undispatched', versioning({ scheme: QueryParameterVersioning }), byVersion({ v1: show }))
      const changed = namedRoutes({ added: '/added', converted: '/converted' })
      for (const name of ['added', 'converted'] as const) changed.route(name).get(show)
      const query = () => {
        throw new Error('does not fit')
      }
      const changes = versionHistory('v1').version(
        'v2',
        change('All.', { 'GET added': 'added', 'GET converted': { query } }),
      )
      app.use('/changed', versioning({ scheme: QueryParameterVersioning, changes, routes: changed }), changed)
      const lifecycle = { v1: { sunset: '2024-01-01' } }
      app.use('/gone', versioning({ scheme: QueryParameterVersioning, lifecycle, afterSunset: 'gone' }))
      for (const { scheme, routes } of Object.values(places)) {
        const name = { VendorTypes: 'MediaTypeVersioning', HeaderOrQuery: 'CombinedVersioning' }[scheme.name]
        const allowedVersions = scheme === HeaderOrQuery ? ['v1', 'v2'] : ['v2']
        app.use(`/${name ?? scheme.name}`, versioning({ scheme, routes, allowedVersions }), routes)
      }
    })
    expect(rows.map((row) => row[4])).toEqual(Object.keys(sent))
    const own = /^http:|^\/(types|undispatched|changed|gone)\//
    for (const [name, status, code, error, from = ''] of rows) {
      const [path, headers] = sent[from] as [string, Record<string, string>?]
      const answer = await get(own.test(path) ? path : `/${from.replaceAll('`', '')}${path}`, headers)
      const { json } = answer as { json: Record<string, string> }
      const cells = [`\`${json.name}\``, String(answer.status), `\`${json.code}\``, `\`${json.error}\``]
      expect(cells).toEqual([name, status, code, error])
    }
  })

  /** The first column of the first table under a heading, which an unknown option's error lists as well. */
  const firstColumn = (file: string, heading: string) =>
    tableUnder(file, heading)
      .slice(1)
      .map(([name = '']) => name.replaceAll('`', ''))
  const wrong = { nonsense: 1 } as never

  test.each<[file: string, heading: string, call: () => unknown]>([
    ['docs/options.md', 'Options, and what a request gets', () => versioning(wrong)],
    ['docs/by-version.md', 'Handlers by version', () => byVersion({}, wrong)],
    ['docs/errors.md', 'Problem details', () => problemDetails(wrong)],
    ['docs/retiring.md', 'Announce', () => versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: wrong } })],
  ])('the options of %s, "%s"', (file, heading, call) => {
    const options = firstColumn(file, heading)
    expect(options.length).toBeGreaterThanOrEqual(2)
    expect(call).toThrow(`It takes ${options.map((name) => `"${name}"`).join(', ')}`)
  })

  test('what a scheme takes of its own', () => {
    const rows = tableUnder('docs/options.md', 'Settings of schemes')
      .slice(1)
      .map(([scheme = '', setting = '']) => [scheme.replaceAll('`', ''), setting.replaceAll('`', '')])
    const own = Object.entries(library).flatMap(([name, value]) =>
      typeof value === 'function' && 'optionNames' in value
        ? (value.optionNames as string[])
            .filter((option) => !BaseVersioning.optionNames.includes(option))
            .map((option) => [name, option])
        : [],
    )
    expect(rows.sort()).toEqual(own.sort())
  })

  test('an event', async () => {
    const events: library.VersionEvent[] = []
    const { get } = await serve((app) => {
      const onVersion = (event: library.VersionEvent) => events.push(event)
      app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1'], onVersion }))
    })
    await get('/?version=v9')
    const [event] = events
    const names = firstColumn('docs/retiring.md', 'Measure who is left').flatMap((cell) => cell.split(', '))
    expect(names).toEqual(['request', 'response', 'version', 'named', 'scheme', 'viewName', 'deprecated', 'error'])
    expect([...Object.keys(event as object), 'viewName', 'deprecated'].sort()).toEqual(names.sort())
  })

  test('which schemes there are', () => {
    const all = Object.keys(library).filter((name) => /.Versioning$/.test(name) && name !== 'BaseVersioning')
    expect(firstColumn('README.md', 'Schemes').sort()).toEqual(all.sort())
    expect(firstColumn('docs/options.md', 'What counts as naming none').sort()).toEqual(all.sort())
    for (const [file, heading] of [
      ['docs/named-routes.md', 'Links'],
      ['docs/security.md', 'Caches'],
    ] as const) {
      const named = firstColumn(file, heading).flatMap((cell) => cell.split(', '))
      expect(named.sort()).toEqual(all.sort())
    }
  })

  test.each([
    ['accept-header', new AcceptHeaderVersioning()],
    ['url-path', new URLPathVersioning()],
    ['namespace', new NamespaceVersioning()],
    ['host-name', new HostNameVersioning()],
    ['query-parameter', new QueryParameterVersioning()],
    ['header', new HeaderVersioning()],
    ['media-type', new MediaTypeVersioning({ template })],
    ['combined', new HeaderOrQuery()],
  ])('the options of docs/schemes/%s.md are its own', (name, scheme) => {
    const { optionNames } = scheme.constructor as typeof BaseVersioning
    const own = optionNames.filter((option) => !BaseVersioning.optionNames.includes(option))
    const shown = firstColumn(`docs/schemes/${name}.md`, 'Options').filter((option) => option !== 'versionParam')
    expect(shown.sort()).toEqual(own.sort())
  })
})
