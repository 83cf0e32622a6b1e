import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import express from 'express'
import * as library from 'express-versioning'
import { blocks, excerpts, page, pages, prose, readme, snippets, tableUnder } from '../support/readme'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

// The pages: their parts and links, and what their code, tables and quotations say.

const { AcceptHeaderVersioning, BaseVersioning, byVersion, CombinedVersioning, HeaderVersioning } = library
const { HostNameVersioning, MediaTypeVersioning, NamespaceVersioning, namedRoutes, problemDetails } = library
const { QueryParameterVersioning, URLPathVersioning, versioning } = library
const root = join(__dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)
const sources = filesIn('src').flatMap((file) => (file.endsWith('.ts') ? textOf(file) : []))

describe('the parts of the pages', () => {
  test('the README is read in five minutes, and the page of each scheme answers the same questions', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(350)
    const asked = ['The version it gets', 'What is refused', 'Links', 'Caches', 'Options', 'When to choose it']
    const schemes = pages.filter(({ file }) => file.startsWith('docs/schemes/'))
    for (const { text } of schemes) expect(prose(text).match(/(?<=^## ).*$/gm)).toEqual(asked)
  })

  test('docs/errors.md has a section for every code, for the developers of the client and the API', () => {
    const codes = new Set(sources.flatMap((text) => text.match(/\bERR_[A-Z_]+[A-Z]\b/g) ?? []))
    codes.delete('ERR_UNKNOWN_FILE_EXTENSION') // Node's own, which users of the command line meet
    const [, ...sections] = page('docs/errors.md').split(/^## (?=ERR_)/m)
    expect(sections.map((text) => text.split('\n')[0]).sort()).toEqual([...codes].sort())
    for (const text of sections) {
      expect(text).toContain(`<a id="${text.split('\n')[0]}"></a>`)
      expect(text).toMatch(/^\*\*Client:\*\* [\s\S]*^\*\*API:\*\* /m)
    }
  })

  test('the examples are quoted as they are', () => {
    expect(excerpts.filter(({ example, text }) => !`\n${textOf(example)}`.includes(`\n${text}`))).toEqual([])
    expect(excerpts.length).toBeGreaterThan(10)
    // A test of their own runs the others; those of migrations show where one begins.
    const scripts = pages.filter(({ file, text }) => blocks('js', text).length > 0 && !file.startsWith('docs/from-'))
    expect(scripts.map(({ file }) => file)).toEqual(['README.md', 'docs/client.md', 'docs/command-line.md'])
  })
})

describe('the links of the pages', () => {
  /** Returns the anchors that GitHub makes of headings, and those that are written. */
  function anchorsOf(text: string): string[] {
    const headings = prose(text).match(/(?<=^#+ ).*$/gm) ?? []
    const made = headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    )
    return [...made, ...(text.match(/(?<=<a id=")[^"]+/g) ?? [])]
  }

  /** Returns the links of a page within this repository: a path from the root, and an anchor. */
  function linksOf({ file, text }: { file: string; text: string }) {
    return (prose(text).match(/(?<=\]\()(?!https?:)[^)\s]+(?=\))/g) ?? []).map((link) => {
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
      /^(dist|docs|examples)\/|^((changes|client|explorer|openapi)\/)?package\.json$|^(README|CHANGELOG)\.md$|^LICENSE$/
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

// Tests of their own hold the whole messages. Here every run of words between names must be in the sources.
test('the errors that pages quote are those of the sources', () => {
  const titles = page('docs/troubleshooting.md').matchAll(/^\*\*`.+?`[^`]*?\*\*/gm)
  const [, ...cells] = tableUnder('docs/changes.md', 'What is checked at the start')
  const [, ...thrown] = tableUnder('docs/errors.md', 'What is thrown')
  const texts = [...[...titles, ...cells].map(([text]) => text), ...thrown.map(([, , , message]) => message)]
  const quoted = texts.flatMap((text = '') => text.split('`').filter((_, at) => at % 2 === 1))
  expect(quoted.length).toBeGreaterThanOrEqual(20)
  // TypeScript, Node, JavaScript and path-to-regexp say these.
  const others = /Property 'version' must .*|ENOENT.*|.* is not a function|Unexpected/
  const words = quoted.flatMap((one) => one.replace(others, '').split(/"[^"]*"|'[^']*'|\d+|[^\w ]|the answer|is not/))
  expect(words.filter((one) => !sources.some((text) => text.includes(one.trim())))).toEqual([])
})

test('the TypeScript of the pages does what it says', async () => {
  const folder = join(root, 'dist-examples/pages')
  mkdirSync(folder, { recursive: true })
  // Subscriptions outlive a test file, as channels do.
  const channels = require('node:diagnostics_channel')
  const subscribe = jest.spyOn(channels, 'subscribe')
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
      .replaceAll(/^(.*?) \/\/ throws (\w+): (.*)$/gm, 'throws(() => $1, "$2", `$3`)')
    Object.assign(globalThis, { ...library, express, same, throws, ...scope })
    const file = join(folder, `${count++}.ts`)
    writeFileSync(file, `${claims}\nexport { ${more} }`)
    return require(file)
  }

  const app = express()
  // The tables that other snippets use are those of docs/named-routes.md.
  const declaring = snippets.find(({ file }) => file === 'docs/named-routes.md')
  const tables = run(declaring?.text ?? '', { app }, 'users, api') as Record<'users', library.NamedRoutes>
  const handlers = snippets.filter(({ text }) => text.startsWith('// in a handler of GET /api/v1/users/7\n'))
  for (const snippet of snippets) {
    if (snippet !== declaring && !handlers.includes(snippet)) run(snippet.text, { app: express(), ...tables })
  }
  // These run where the page says, just before the handler.
  tables.users.param('id', (req, _res, next) => {
    for (const { text } of handlers) run(text, { req })
    next()
  })
  const { get } = await serve((outer) => outer.use(app))
  expect(await get('/api/v1/users/7')).toMatchObject({ status: 200, json: { id: '7' } })
  expect(said).toBe(pages.reduce((sum, { text }) => sum + text.split(/\/\/ (?:=>|throws) /).length - 1, 0))
  expect([said > 20, handlers.length > 1]).toEqual([true, true])
  for (const args of subscribe.mock.calls) channels.unsubscribe(...args)
  rmSync(folder, { recursive: true })
})

describe('the tables of the pages', () => {
  const tableOf = (name: string) => {
    const routes = namedRoutes({ [name]: '/x' })
    routes.route(name).get((req, res) => void res.json({ version: req.version }))
    return routes
  }
  const [child, bare] = [tableOf('x'), tableOf('bare')]
  const inPath = namedRoutes({}).include('/:version', child).include('/', bare)
  const spaces = namedRoutes({})
  for (const namespace of ['v0', 'v2']) spaces.include(`/${namespace}`, child, { namespace })
  const template = 'application/vnd.acme.{version}+json'
  const vendor = (own: object) => new MediaTypeVersioning({ ...own, template })
  const both = (own: object) =>
    new CombinedVersioning({ ...own, schemes: [new HeaderVersioning(), new QueryParameterVersioning()] })
  type Asked = [path: string, headers?: Record<string, string>]
  type Scheme = (own: object) => library.BaseVersioning
  type Place = [scheme: Scheme, table: library.NamedRoutes, naming: (version: string) => Asked]
  /** For each place of a version its scheme, its table, and a request that names a version. */
  const places: Record<string, Place> = {
    Accept: [(own) => new AcceptHeaderVersioning(own), child, (v) => ['/x', { Accept: `a/b;version="${v}"` }]],
    path: [(own) => new URLPathVersioning(own), inPath, (v) => [`/${v}/x`]],
    namespace: [(own) => new NamespaceVersioning(own), spaces.include('/', bare), (v) => [`/${v}/x`]],
    host: [(own) => new HostNameVersioning(own), child, (v) => ['/x', { Host: `${v}.example.com` }]],
    query: [(own) => new QueryParameterVersioning(own), child, (v) => [`/x?version=${v}`]],
    header: [(own) => new HeaderVersioning(own), child, (v) => ['/x', { 'X-API-Version': v }]],
    media: [vendor, child, (v) => ['/x', { Accept: template.replace('{version}', v) }]],
    both: [both, child, (v) => [`/x?version=${v}`]],
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
    const all = 'Accept path namespace host query header media both'
    const requests: Record<string, [carriers: string, version?: string]> = {
      'names `v2`': [all, 'v2'],
      'names `v0`': [all, 'v0'],
      'names the empty string (`?version=`, `version=""`)': ['Accept query', ''],
      'names none: Accept, path, query, header, media type, combination': [all.replace('namespace host ', '')],
      'names none: namespace, host': ['namespace host'],
    }
    expect(table.map(([title]) => title)).toEqual(Object.keys(requests))
    const { get } = await serve((app) => {
      for (const [name, [scheme, routes]] of Object.entries(places))
        for (const [index, settings] of Object.values(columns).entries())
          app.use(`/${name}/${index}`, versioning({ scheme: scheme(settings), routes }), routes)
    })
    for (const [title = '', ...cells] of table) {
      const [carriers, version] = requests[title] as [string, string?]
      for (const name of carriers.split(' ')) {
        const [path, headers] = version === undefined ? ['/x'] : (places[name] as Place)[2](version)
        const found = cells.map(async (_, index) => {
          const { status, text } = await get(`/${name}/${index}${path}`, headers)
          return status === 200 ? `\`${text.slice(11, -1).replaceAll('"', "'")}\`` : 'refused'
        })
        expect([name, title, ...(await Promise.all(found))]).toEqual([name, title, ...cells])
      }
    }
  })

  /** The first column of the first table under a heading. */
  const firstColumn = (file: string, heading: string) =>
    tableUnder(file, heading).flatMap(([cell = ''], at) => (at === 0 ? [] : cell.replaceAll('`', '').split(', ')))
  const wrong = { nonsense: 1 } as never

  test.each<[file: string, heading: string, call: () => unknown]>([
    ['options', 'Options, and what a request gets', () => versioning(wrong)],
    ['by-version', 'Handlers by version', () => byVersion({}, wrong)],
    ['errors', 'Problem details', () => problemDetails(wrong)],
    ['retiring', 'Announce', () => versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: wrong } })],
  ])('the options of docs/%s.md, "%s", are those that the error of another one lists', (file, heading, call) => {
    const options = firstColumn(`docs/${file}.md`, heading)
    expect(call).toThrow(`It takes ${options.map((name) => `"${name}"`).join(', ')}`)
  })

  test('an event', async () => {
    const onVersion = jest.fn()
    const options = { scheme: HeaderVersioning, onVersion, allowedVersions: ['v1'] }
    const { get } = await serve((app) => app.use(versioning(options)))
    await get('/', { 'X-API-Version': 'v9' })
    const names = firstColumn('docs/retiring.md', 'Measure who is left')
    expect([...Object.keys(onVersion.mock.calls[0][0]), 'viewName', 'deprecated'].sort()).toEqual(names.sort())
  })

  const named = Object.keys(library).filter((name) => /.Versioning$/.test(name) && name !== 'BaseVersioning')

  test.each(
    rows(`
      README.md | Schemes
      docs/options.md | What counts as naming none
      docs/named-routes.md | Links
      docs/security.md | Caches
    `),
  )('the schemes in %s, "%s"', (file = '', heading = '') => {
    expect(firstColumn(file, heading).sort()).toEqual([...named].sort())
  })

  test('the settings of each scheme, on its page and in docs/options.md', () => {
    const shared = BaseVersioning.optionNames
    const own = named.flatMap((name) => {
      const { optionNames } = (library as object as Record<string, typeof BaseVersioning>)[name] ?? BaseVersioning
      return optionNames.flatMap((option) => (shared.includes(option) ? [] : `${name} ${option}`))
    })
    const listed = tableUnder('docs/options.md', 'Settings of schemes').slice(1)
    expect(listed.map(([name, option]) => `${name} ${option}`.replaceAll('`', '')).sort()).toEqual([...own].sort())
    const files = pages.filter(({ file }) => file.startsWith('docs/schemes/'))
    const shown = files.flatMap(({ file }) => firstColumn(file, 'Options').filter((name) => name !== 'versionParam'))
    expect(shown.sort()).toEqual(own.map((text) => text.replace(/.* /, '')).sort())
  })
})
