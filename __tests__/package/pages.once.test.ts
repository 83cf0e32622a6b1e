import { execFileSync } from 'node:child_process'
import * as channels from 'node:diagnostics_channel'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import express, { type RequestHandler } from 'express'
import * as library from 'express-versioning'
import * as changesLibrary from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { blocks, excerpts, page, pages, prose, readme, snippets, tableUnder } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

// The pages: their parts and links, and what their code, tables and quotations say.

const { AcceptHeaderVersioning, BaseVersioning, byVersion, CombinedVersioning, HeaderVersioning } = library
const { HostNameVersioning, MediaTypeVersioning, NamespaceVersioning, namedRoutes, problemDetails } = library
const { QueryParameterVersioning, URLPathVersioning, versioning } = library
const { change, versionHistory } = changesLibrary
const root = join(__dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    posix.join(folder, file.replaceAll('\\', '/')),
  )

describe('the parts of the pages', () => {
  test('the README is read in five minutes, and the page of each scheme answers the same questions', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(350)
    const asked = ['The version it gets', 'What is refused', 'Links', 'Caches', 'Options', 'When to choose it']
    const schemes = pages.filter(({ file }) => file.startsWith('docs/schemes/'))
    for (const { text } of schemes)
      expect([...prose(text).matchAll(/^## (.*)$/gm)].map(([, line]) => line)).toEqual(asked)
  })

  test('docs/errors.md has a section for every code, for the developers of the client and the API', () => {
    const sources = filesIn('src').filter((file) => file.endsWith('.ts'))
    const codes = new Set(sources.flatMap((file) => textOf(file).match(/\bERR_[A-Z_]+[A-Z]\b/g) ?? []))
    codes.delete('ERR_UNKNOWN_FILE_EXTENSION') // Node's own, which users of the command line meet
    const [, ...sections] = page('docs/errors.md').split(/^## (?=ERR_)/m)
    expect(sections.map((text) => text.split('\n')[0]).sort()).toEqual([...codes].sort())
    for (const text of sections) {
      expect(text).toContain(`<a id="${text.split('\n')[0]}"></a>`)
      expect(text).toMatch(/^\*\*Client:\*\* [\s\S]*^\*\*API:\*\* /m)
    }
  })

  test('the examples are quoted as they are', () => {
    const lost = excerpts.filter(({ example, text }) => !`\n${textOf(example)}`.includes(`\n${text}`))
    expect(lost).toEqual([])
    expect(excerpts.length).toBeGreaterThan(10)
  })

  test('JavaScript outside of the examples is run by a test of its own, or shows where a migration begins', () => {
    const scripts = pages.flatMap(({ file, text }) => blocks('js', text).map(() => file))
    const own = ['README.md', 'docs/client.md', 'docs/command-line.md']
    expect(scripts.filter((file) => !file.startsWith('docs/from-'))).toEqual(own)
  })
})

describe('the links of the pages', () => {
  /** Returns the anchors that GitHub makes of headings, and those that are written. */
  function anchorsOf(text: string): string[] {
    const headings = [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase())
    const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
    return [...headings.map((heading) => heading.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-')), ...named]
  }

  /** Returns the links of a page within this repository: a path from the root, and an anchor. */
  function linksOf({ file, text }: { file: string; text: string }) {
    const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    return links
      .filter((link) => !/^https?:/.test(link))
      .map((link) => {
        const [path = '', hash] = link.split('#')
        return { link: `${file}: ${link}`, target: path === '' ? file : posix.join(dirname(file), path), hash }
      })
  }

  const others = ['CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map((file) => ({ file, text: textOf(file) }))

  test('lead somewhere', () => {
    const all = [...pages, ...others].flatMap(linksOf)
    const isThere = ({ target, hash }: { target: string; hash: string | undefined }) =>
      existsSync(join(root, target)) && (hash === undefined || anchorsOf(textOf(target)).includes(hash))
    expect(all.filter((one) => !isThere(one)).map(({ link }) => link)).toEqual([])
  })

  test.each(['README.md', 'docs/README.md'])('lead from %s to every page', (file) => {
    const listed = new Set(linksOf({ file, text: page(file) }).map(({ target }) => target))
    expect(pages.filter((one) => one.file !== file && !listed.has(one.file))).toEqual([])
  })

  test('lead to files of the tarball, which holds the build, the documents and the examples, and nothing else', () => {
    const words = ['pack', '--dry-run', '--ignore-scripts', '--json']
    const [{ files }] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }))
    const packed: string[] = files.map(({ path }: { path: string }) => path)
    const known =
      /^(dist|docs|examples)\/|^(changes|client|explorer|openapi)\/package\.json$|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/
    expect(packed.filter((path) => !known.test(path))).toEqual([])
    const built = ['js', 'd.ts', 'mjs', 'd.mts'].flatMap((end) => [`dist/index.${end}`, `dist/changes/index.${end}`])
    expect(packed).toEqual(expect.arrayContaining(['CHANGELOG.md', ...pages.map(({ file }) => file), ...built]))
    const examples = filesIn('examples').filter((file) => /\.(ts|md)$|\/(golden|api)\/.*\.json$/.test(file))
    expect(packed.filter((path) => path.startsWith('examples/')).sort()).toEqual(examples.sort())
    const isPacked = (target: string) => packed.some((path) => `${path}/`.startsWith(target.replace(/\/?$/, '/')))
    const links = [...pages, ...others.slice(0, 1)].flatMap(linksOf)
    expect(links.filter(({ target }) => !isPacked(target)).map(({ link }) => link)).toEqual([])
  })
})

const thrownBy = (code: () => unknown): string => {
  try {
    code()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
/** Returns the code in a text. */
const quotedIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

// Tests of their own hold the whole messages; here every run of words between names must be in the sources.
test('the errors that docs/troubleshooting.md and docs/changes.md quote are those of the sources', () => {
  const titles = page('docs/troubleshooting.md').matchAll(/^\*\*`.+?`[^`]*?\*\*/gm)
  const cells = tableUnder('docs/changes.md', 'What is checked at the start').slice(1)
  const quoted = [...titles, ...cells].flatMap(([text = '']) => quotedIn(text))
  expect(quoted.length).toBeGreaterThanOrEqual(20)
  // TypeScript, Node, JavaScript and path-to-regexp say these.
  const others = /Property 'version' must .*|ENOENT.*|.* is not a function|Unexpected/
  const text = filesIn('src')
    .map((file) => (file.endsWith('.ts') ? textOf(file) : ''))
    .join('\n')
  const words = quoted.flatMap((one) => one.replace(others, '').split(/"[^"]*"|'[^']*'|\d+|[^\w ]|the answer|is not/))
  expect(words.filter((one) => !text.includes(one.trim()))).toEqual([])
})

describe('the TypeScript of the pages', () => {
  const folder = join(root, 'dist-examples/pages')
  /** Subscriptions outlive a test file, as channels do. */
  const subscribed: Parameters<typeof channels.subscribe>[] = []
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
    jest.doMock('node:diagnostics_channel', () => ({ ...channels, subscribe }))
  })
  const subscribe: typeof channels.subscribe = (...args) => {
    subscribed.push(args)
    channels.subscribe(...args)
  }
  afterAll(() => {
    for (const args of subscribed) channels.unsubscribe(...args)
    rmSync(folder, { recursive: true })
  })

  let said = 0
  const same = (value: unknown, expected: unknown) => {
    said++
    expect(value).toEqual(expected)
  }
  const throws = (code: () => unknown, name: string, message: string) => {
    said++
    expect(code).toThrow(expect.objectContaining({ name, message }))
  }
  let count = 0
  /** Runs a snippet as a module, and checks the claims in its comments. */
  function run(text: string, scope: Record<string, unknown>, more = ''): object {
    const claims = text
      .replaceAll(/^(.*?) \/\/ => (.*)$/gm, 'same($1, $2)')
      .replaceAll(
        /^(.*?) \/\/ throws (\w+): (.*)$/gm,
        (_, code, name, message) => `throws(() => ${code}, '${name}', ${JSON.stringify(message)})`,
      )
    Object.assign(globalThis, { ...library, express, same, throws, ...scope })
    const file = join(folder, `${count++}.ts`)
    writeFileSync(file, `${claims}\nexport { ${more} }`)
    return require(file)
  }

  test('does what it says', async () => {
    const app = express()
    // The tables that other snippets use are those of docs/named-routes.md.
    const declaring = snippets.find(({ file }) => file === 'docs/named-routes.md')
    const tables = run(declaring?.text ?? '', { app }, 'users, api') as Record<'users', ReturnType<typeof namedRoutes>>
    const handlers = snippets.filter(({ text }) => text.startsWith('// in a handler of GET /api/v1/users/7\n'))
    for (const snippet of snippets) {
      if (snippet !== declaring && !handlers.includes(snippet)) run(snippet.text, { app: express(), ...tables })
    }
    expect(handlers.length).toBeGreaterThanOrEqual(2)
    // These run where the page says, just before the handler.
    tables.users.param('id', (req, _res, next) => {
      for (const { text } of handlers) run(text, { req })
      next()
    })
    const { get } = await serve((outer) => outer.use(app))
    expect(await get('/api/v1/users/7')).toMatchObject({ status: 200, json: { id: '7' } })
    expect(said).toBe(pages.reduce((sum, { text }) => sum + text.split(/\/\/ (?:=>|throws) /).length - 1, 0))
    expect(said).toBeGreaterThanOrEqual(20)
  })
})

describe('the tables of the pages', () => {
  const show: RequestHandler = (req, res) => void res.json({ version: req.version })
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
  const inPath = namedRoutes({}).include('/:version', child).include('/', bare)
  const spaces = namedRoutes({})
  for (const namespace of ['v0', 'v2']) spaces.include(`/${namespace}`, child, { namespace })
  type Asked = [path: string, headers?: Record<string, string> | undefined]
  /** For each carrier of a version its scheme and its table. */
  const places: Record<string, [typeof BaseVersioning, ReturnType<typeof namedRoutes>]> = {
    Accept: [AcceptHeaderVersioning, child],
    path: [URLPathVersioning, inPath],
    namespace: [NamespaceVersioning, spaces.include('/', bare)],
    host: [HostNameVersioning, child],
    query: [QueryParameterVersioning, child],
    header: [HeaderVersioning, child],
    'media-type': [VendorTypes, child],
    combination: [HeaderOrQuery, child],
  }
  /** Returns a request that names a version, below \`mount\`. */
  function naming(carrier: string, version: string, mount = `/${carrier}`): Asked {
    const [scheme, routes] = places[carrier] ?? []
    const options = { unchecked: true as const, mount, host: 'example.com' }
    const { path, headers } = inVersion(version, { scheme, routes } as library.VersioningOptions, options)
    return [path('x' as never), headers]
  }

  test('what req.version is, when', async () => {
    const [header = [], ...table] = tableUnder('docs/options.md', 'What `req.version` is, when')
    const allowedVersions = ['v1', 'v2']
    const columns = {
      "`allowedVersions: ['v1', 'v2']`": { allowedVersions },
      "the same, `defaultVersion: 'v1'`": { allowedVersions, defaultVersion: 'v1' },
      "the same, `defaultVersion: 'v0'`": { allowedVersions, defaultVersion: 'v0' },
      "`allowedVersions: ['v1', 'v2', null]`": { allowedVersions: ['v1', 'v2', null] },
      'no settings': {},
      "`defaultVersion: 'v1'` alone": { defaultVersion: 'v1' },
    }
    expect(header.slice(1)).toEqual(Object.keys(columns))
    const carriers = Object.keys(places)
    const checking = carriers.filter((carrier) => !/namespace|host/.test(carrier))
    const requests: Record<string, [version: string | undefined, carriers: string[]]> = {
      'names `v2`': ['v2', carriers],
      'names `v0`': ['v0', carriers],
      'names the empty string (`?version=`, `version=""`)': ['', ['Accept', 'query']],
      'names none: Accept, path, query, header, media type, combination': [undefined, checking],
      'names none: namespace, host': [undefined, ['namespace', 'host']],
    }
    expect(table.map(([title]) => title)).toEqual(Object.keys(requests))
    const { get } = await serve((app) => {
      for (const [carrier, [scheme, routes]] of Object.entries(places))
        for (const [index, settings] of Object.values(columns).entries())
          app.use(`/${carrier}/${index}`, versioning({ ...settings, scheme, routes }), routes)
    })
    for (const [title = '', ...cells] of table) {
      const [version, carriers = []] = requests[title] ?? []
      for (const carrier of carriers) {
        const found = cells.map(async (_, index) => {
          const mount = `/${carrier}/${index}`
          const asked: Asked = version === undefined ? [`${mount}/x`] : naming(carrier, version, mount)
          const { status, text } = await get(...asked)
          return status === 200 ? `\`${text.slice(11, -1).replaceAll('"', "'")}\`` : 'refused'
        })
        expect([carrier, title, ...(await Promise.all(found))]).toEqual([carrier, title, ...cells])
      }
    }
  })

  test('the errors', async () => {
    const [, ...table] = tableUnder('docs/errors.md', 'What is thrown')
    const sent: Record<string, Asked> = {
      '`AcceptHeaderVersioning`': naming('Accept', 'v9'),
      '`AcceptHeaderVersioning` with `mediaTypes`': ['/types/x', { Accept: 'text/html' }],
      '`URLPathVersioning`': naming('path', 'v9'),
      '`NamespaceVersioning`': naming('namespace', 'v0'),
      '`HostNameVersioning`': naming('host', 'v9'),
      '`HostNameVersioning`, of two hosts': ['http://v1.example.com/host/x', { Host: 'v2.example.com' }],
      '`QueryParameterVersioning`': naming('query', 'v9'),
      '`HeaderVersioning`': naming('header', 'v9'),
      '`MediaTypeVersioning`': naming('media-type', 'v9'),
      '`CombinedVersioning`': ['/both/x?version=v2', { 'X-API-Version': 'v1' }],
      '`byVersion()`': ['/undispatched/x?version=v2'],
      '`changes`, of an absent operation': ['/changed/added?version=v1'],
      '`changes`, of a body or query': ['/changed/converted?version=v1'],
      "`afterSunset: 'gone'`": ['/gone/x?version=v1'],
    }
    const { get } = await serve((app) => {
      const inQuery = { scheme: QueryParameterVersioning }
      const typed = new AcceptHeaderVersioning({ mediaTypes: ['application/json'] })
      app.use('/types', versioning({ scheme: typed }))
      app.use('/undispatched', versioning(inQuery), byVersion({ v1: show }))
      const changed = namedRoutes({ added: '/added', converted: '/converted' })
      for (const name of ['added', 'converted'] as const) changed.route(name).get(show)
      const query = () => {
        throw new Error('does not fit')
      }
      const steps = change('All.', { 'GET added': 'added', 'GET converted': { query } })
      const changes = versionHistory('v1').version('v2', steps)
      app.use('/changed', versioning({ ...inQuery, changes, routes: changed }), changed)
      app.use('/gone', versioning({ ...inQuery, lifecycle: { v1: { sunset: '2024-01-01' } }, afterSunset: 'gone' }))
      app.use('/both', versioning({ scheme: HeaderOrQuery, allowedVersions: ['v1', 'v2'] }))
      for (const [carrier, [scheme, routes]] of Object.entries(places))
        app.use(`/${carrier}`, versioning({ scheme, routes, allowedVersions: ['v2'] }), routes)
    })
    expect(table.map((row) => row[4])).toEqual(Object.keys(sent))
    for (const [name, status, code, error, from = ''] of table) {
      const answer = await get(...(sent[from] as Asked))
      const json = answer.json as Record<string, string>
      const cells = [`\`${json.name}\``, String(answer.status), `\`${json.code}\``, `\`${json.error}\``]
      expect(cells).toEqual([name, status, code, error])
    }
  })

  /** The first column of the first table under a heading. */
  const firstColumn = (file: string, heading: string) =>
    tableUnder(file, heading)
      .slice(1)
      .map(([name = '']) => name.replaceAll('`', ''))
  const wrong = { nonsense: 1 } as never

  test.each<[file: string, heading: string, call: () => unknown]>([
    ['options', 'Options, and what a request gets', () => versioning(wrong)],
    ['by-version', 'Handlers by version', () => byVersion({}, wrong)],
    ['errors', 'Problem details', () => problemDetails(wrong)],
    ['retiring', 'Announce', () => versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: wrong } })],
  ])('the options of docs/%s.md, "%s", are those that the error of another one lists', (file, heading, call) => {
    const options = firstColumn(`docs/${file}.md`, heading)
    expect(thrownBy(call)).toContain(`It takes ${options.map((name) => `"${name}"`).join(', ')}`)
  })

  test('an event', async () => {
    const events: library.VersionEvent[] = []
    const onVersion = (event: library.VersionEvent) => events.push(event)
    const { get } = await serve((app) =>
      app.use(versioning({ scheme: QueryParameterVersioning, onVersion, allowedVersions: ['v1'] })),
    )
    await get('/?version=v9')
    const names = firstColumn('docs/retiring.md', 'Measure who is left').flatMap((cell) => cell.split(', '))
    expect(names).toEqual(['request', 'response', 'version', 'named', 'scheme', 'viewName', 'deprecated', 'error'])
    expect([...Object.keys(events[0] ?? {}), 'viewName', 'deprecated'].sort()).toEqual(names.sort())
  })

  const schemes = Object.keys(library).filter((name) => /.Versioning$/.test(name) && name !== 'BaseVersioning')

  test.each(
    rows(`
      README.md | Schemes
      docs/options.md | What counts as naming none
      docs/named-routes.md | Links
      docs/security.md | Caches
    `),
  )('the schemes in %s, "%s"', (file = '', heading = '') => {
    const named = firstColumn(file, heading).flatMap((cell) => cell.split(', '))
    expect(named.sort()).toEqual([...schemes].sort())
  })

  test('the settings of each scheme, on its page and in docs/options.md', () => {
    const own = schemes.flatMap((name) => {
      const { optionNames } = (library as object as Record<string, typeof BaseVersioning>)[name] ?? BaseVersioning
      return optionNames.flatMap((option) => (BaseVersioning.optionNames.includes(option) ? [] : `${name} ${option}`))
    })
    const listed = tableUnder('docs/options.md', 'Settings of schemes').slice(1)
    expect(listed.map(([name, option]) => `${name} ${option}`.replaceAll('`', '')).sort()).toEqual([...own].sort())
    const shown = schemes.flatMap((name) => {
      const file = name
        .replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=L)(?=P)/g, '-')
        .toLowerCase()
        .replace('-versioning', '')
      const options = firstColumn(`docs/schemes/${file}.md`, 'Options').filter((option) => option !== 'versionParam')
      return options.map((option) => `${name} ${option}`)
    })
    expect(shown.sort()).toEqual(own.sort())
  })
})

describe('what clients notice of a migration from copied mounts', () => {
  const tell = (text: string): RequestHandler => {
    return (_req, res) => void res.send(text)
  }
  const [user, me] = [tell('user'), tell('me')]
  const copied = express.Router()
  for (const version of ['v1', 'v2']) {
    const router = express.Router()
    if (version === 'v2') router.get('/users/me', me)
    copied.use(`/${version}`, router.get('/users/:id', user))
  }
  const tableOf = (otherwise?: RequestHandler) => {
    const users = namedRoutes({ me: '/users/me', user: '/users/:id' })
    users.route('me').get(byVersion({ v2: me }, otherwise && { otherwise }))
    users.route('user').get(user)
    return namedRoutes({}).include('/:version', users)
  }
  const open = (app: express.Application) => {
    const usual = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }
    const shared = (path: string, routes = tableOf(), options: object = {}) =>
      app.use(path, versioning({ ...usual, ...options, routes }), routes)
    app.use('/copied', copied)
    shared('/shared')
    shared('/lower', undefined, { parseVersion: (text: string) => text.toLowerCase() })
    shared(
      '/passing',
      tableOf((_req, _res, next) => next('route')),
    )
    app.use((_req, res) => void res.status(404).send('page not found'))
  }

  test.each(
    rows(`
      /copied/V1/users/7 | 200 | user
      /shared/V1/users/7 | 404 | Invalid version in URL path.
      /lower/V1/users/7 | 200 | user
      // Other text in the place of the version
      /copied/favicon.ico | 404 | page not found
      /shared/favicon.ico | 404 | Invalid version in URL path.
      // A route that one version lacks
      /copied/v1/users/me | 200 | user
      /shared/v1/users/me | 404 | No handler for this version.
      /passing/v1/users/me | 200 | user
    `),
  )('%s: %s %s', async (path = '', status, told) => {
    const answer = await (await serve(open)).get(path)
    const { error = answer.text } = (answer.json ?? {}) as { error?: string }
    expect([String(answer.status), error]).toEqual([status, told])
  })
})
