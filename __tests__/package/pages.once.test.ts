import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import express from 'express'
import * as library from 'express-versioning'
import { blocks, excerpts, page, pages, prose, readme, snippets, tableUnder } from '../support/readme'
import { type Asked, deciding, header, schemes } from '../support/schemes'
import { serve } from '../support/serve'

// The pages: their parts and links, and what their code, tables and quotations say.

const { BaseVersioning, byVersion, problemDetails, QueryParameterVersioning, versioning } = library
const root = join(__dirname, '../..')
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)
const sources = filesIn('src').flatMap((file) => (file.endsWith('.ts') ? page(file) : []))

test('the README is read in five minutes, and each scheme has its request, rejection, links and reasons', () => {
  expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1000)
  const [, ...sections] = page('docs/schemes.md').split(/^## /m)
  const titled = sections.map((text) => [text.slice(0, text.indexOf('\n')), text.match(/^\*\*[A-Z]\w+/gm)])
  const asked = ['**Request', '**Rejection', '**Links']
  expect(titled).toEqual(titled.map(([title]) => [title, asked]))
  const chosen = tableUnder('docs/schemes.md', 'Where should clients name a version?').slice(1)
  expect(chosen.map(([place]) => place?.replace(/.*\(#(.*)\)/, '$1'))).toEqual(
    anchorsOf(`## ${sections.join('## ')}`).filter((one) => one.startsWith('in-')),
  )
  expect(sections).toHaveLength(8)
})

test.each([
  ['express', 'What is not equal for old clients?'],
  ['nest', 'What is not equal for old clients?'],
  ['gateway', 'What is not equal to yesterday?'],
])('docs/%s.md is read in three minutes, and says what is not equal', (name, heading) => {
  expect(page(`docs/${name}.md`).split(/\s+/).length).toBeLessThan(600)
  expect(tableUnder(`docs/${name}.md`, heading).length).toBeGreaterThan(4)
})

test('the README tells what to run on a fresh clone, and docs/errors.md every warning', () => {
  const [, section = ''] = /^## Run it from a clone\n([^#]*)/m.exec(readme) ?? []
  const { scripts } = JSON.parse(page('package.json'))
  const commands = section.match(/(?<=`)npm ci && npm \w+(?=`)/g) ?? []
  expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  expect(commands.map((command) => scripts[command.replace(/.* /, '')])).not.toContain(undefined)
  const codes = new Set(sources.flatMap((text) => text.match(/\bEXPRESS_VERSIONING_[A-Z_]+[A-Z]\b/g) ?? []))
  const [, ...told] = tableUnder('docs/errors.md', 'What does the process warn of?')
  expect(told.map(([code]) => code?.replaceAll('`', '')).sort()).toEqual([...codes].sort())
})

test('docs/errors.md has a section for every code, for the developers of the client and the API', () => {
  const codes = new Set(sources.flatMap((text) => text.match(/\bERR_[A-Z_]+[A-Z]\b/g) ?? []))
  codes.delete('ERR_UNKNOWN_FILE_EXTENSION') // Node's own, which users of the command line meet
  codes.delete('ERR_BUFFER_TOO_LARGE') // Node's own, which no one meets
  const [, ...sections] = page('docs/errors.md').split(/^## (?=ERR_)/m)
  const whole = /^(\w+)\n.*<a id="\1"><\/a>.*\n\*\*Client:\*\* .*\n\*\*API:\*\* /s
  const named = sections.map((text) => whole.exec(text)?.[1])
  expect(named.sort()).toEqual([...codes].sort())
})

test('the examples are quoted as they are', () => {
  expect(excerpts.filter(({ example, text }) => !`\n${page(example)}`.includes(`\n${text}`))).toEqual([])
  expect(excerpts.length).toBeGreaterThan(10)
  // A test of their own runs the others; those of migrations show where one begins.
  const scripts = pages.filter(({ file, text }) => blocks('js', text).length > 0 && !file.startsWith('docs/from-'))
  expect(scripts.map(({ file }) => file)).toEqual(['README.md', 'docs/command-line.md', 'docs/testing.md'])
})

/** Returns the anchors that GitHub makes of headings, and those that are written. */
function anchorsOf(text: string): string[] {
  const headings =
    prose(text)
      .toLowerCase()
      .match(/(?<=^#+ ).*$/gm) ?? []
  const made = headings.map((heading) => heading.replaceAll(' ', '-').replaceAll(/[^\w-]/g, ''))
  return [...made, ...(text.match(/(?<=<a id=")[^"]+/g) ?? [])]
}

/** Returns the links of a page within this repository: a path from the root, and an anchor. */
function linksOf(file: string) {
  return (prose(page(file)).match(/(?<=\]\()(?!https?:)[^)\s]+(?=\))/g) ?? []).map((link) => {
    const [path = '', hash] = link.split('#')
    return { link: `${file}: ${link}`, target: path === '' ? file : posix.join(dirname(file), path), hash }
  })
}

const files = pages.map(({ file }) => file)

test('the links of the pages lead somewhere, and from docs/README.md to every page', () => {
  const all = [...files, 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap(linksOf)
  const isThere = ({ target, hash }: { target: string; hash: string | undefined }) =>
    existsSync(join(root, target)) && (hash === undefined || anchorsOf(page(target)).includes(hash))
  expect(all.filter((one) => !isThere(one)).map(({ link }) => link)).toEqual([])
  const listed = new Set(['docs/README.md', ...linksOf('docs/README.md').map(({ target }) => target)])
  expect(files.filter((one) => !listed.has(one))).toEqual([])
})

test('links lead to files of the tarball, which holds the build, the pages, and the examples that they link to', () => {
  const words = ['pack', '--dry-run', '--ignore-scripts', '--json']
  const [{ files: found }] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }))
  const packed: string[] = found.map(({ path }: { path: string }) => path)
  const known =
    /^(dist|docs|examples)\/|^((changes|client|contract|explorer|gateway|metrics|nest|openapi|testing|usage)\/)?package\.json$|^(README|CHANGELOG|SECURITY)\.md$|^LICENSE$/
  expect(packed.filter((path) => !known.test(path))).toEqual([])
  const built = ['js', 'd.ts', 'mjs', 'd.mts'].flatMap((end) => [`dist/index.${end}`, `dist/changes/index.${end}`])
  expect(packed).toEqual(expect.arrayContaining(['CHANGELOG.md', ...files, ...built]))
  const isPacked = (target: string) => packed.some((path) => `${path}/`.startsWith(target.replace(/\/?$/, '/')))
  const links = [...files, 'CHANGELOG.md'].flatMap(linksOf)
  const { files: named }: { files: string[] } = JSON.parse(page('package.json'))
  const isLinked = (file: string) => links.some(({ target }) => `${target}/`.startsWith(`${file}/`))
  expect(named.filter((file) => file.startsWith('examples/') && !isLinked(file))).toEqual([])
  expect(links.filter(({ target }) => !isPacked(target)).map(({ link }) => link)).toEqual([])
})

// Tests of their own hold the whole messages. Here every run of words between names must be in the sources.
test('the errors that pages quote are those of the sources', () => {
  const titles = page('docs/errors.md').matchAll(/^\*\*`.+?`[^`]*?\*\*/gm)
  const [, ...cells] = tableUnder('docs/errors.md', 'What does `versioning()` say about changes?')
  const thrown = page('docs/errors.md').match(/^4\d\d, `[^:]*?`(?=:)/gm) ?? []
  expect(thrown.length).toBeGreaterThanOrEqual(9)
  const texts = [...[...titles, ...cells].map(([text]) => text), ...thrown]
  const quoted = texts.flatMap((text = '') => text.split('`').filter((_, at) => at % 2 === 1))
  expect(quoted.length).toBeGreaterThanOrEqual(20)
  // TypeScript, Node, JavaScript and path-to-regexp say these.
  const others = /Property 'version' must .*|ENOENT.*|.* is not a function|Unexpected/
  const words = quoted.flatMap((one) => one.replace(others, '').split(/"[^"]*"|'[^']*'|\d+|[^\w ]|the response|is not/))
  expect(words.filter((one) => !sources.some((text) => text.includes(one.trim())))).toEqual([])
})

test('the TypeScript of the pages does what it says', async () => {
  const folder = join(root, 'dist-examples/pages')
  mkdirSync(folder, { recursive: true })
  // Subscriptions would outlive a test file, as channels do.
  jest.spyOn(require('node:diagnostics_channel'), 'subscribe').mockReturnValue(undefined)
  const error = (name: string, message: string) => expect.objectContaining({ name, message })
  let count = 0
  /** Runs a snippet as a module, and checks the claims in its comments. */
  function run(text: string, scope: object, more = ''): object {
    const claims = text
      .replaceAll(/^(.*?) \/\/ => (.*)$/gm, 'expect($1).toEqual($2)')
      .replaceAll(/^(.*?) \/\/ throws (\w+): (.*)$/gm, 'expect(() => $1).toThrow(error("$2", `$3`))')
    Object.assign(globalThis, { ...library, express, error, ...scope })
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
  const { status, json } = await get('/api/v1/users/7')
  const claimed = pages.reduce((sum, { text }) => sum + text.split(/\/\/ (?:=>|throws) /).length - 1, 0)
  expect(expect.getState().assertionCalls).toBe(claimed)
  expect([status, json]).toEqual([200, { id: '7' }])
  expect([claimed > 15, handlers.length > 1]).toEqual([true, true])
  rmSync(folder, { recursive: true })
})

/** For each row of the table the request of a scheme, if the row speaks of it. */
const ROWS: Record<string, (scheme: Harness) => Asked | undefined> = {
  'names `v2`': ({ named }) => named('v2'),
  'names `v0`': ({ named }) => named('v0'),
  'names the empty string (`?version=`, `version=""`)': ({ named, canName }) => (canName('') ? named('') : undefined),
  'names none: Accept, path, query, header, media type, combination': (scheme) =>
    scheme.checksDefault ? scheme.absent : undefined,
  'names none: namespace, host': (scheme) => (scheme.checksDefault ? undefined : scheme.absent),
}
type Harness = (typeof schemes)[number]

test('what req.version is, when', async () => {
  const [head = [], ...body] = tableUnder('docs/options.md', 'What `req.version` is, when')
  const allowedVersions = ['v1', 'v2']
  const columns = {
    "`allowedVersions: ['v1', 'v2']`": { allowedVersions },
    "the same, `defaultVersion: 'v1'`": { allowedVersions, defaultVersion: 'v1' },
    "the same, `defaultVersion: 'v0'`": { allowedVersions, defaultVersion: 'v0' },
    "`allowedVersions: ['v1', 'v2', null]`": { allowedVersions: [...allowedVersions, null] },
    'no settings': {},
    "`defaultVersion: 'v1'` alone": { defaultVersion: 'v1' },
  }
  expect([head.slice(1), body.map(([title]) => title)]).toEqual([Object.keys(columns), Object.keys(ROWS)])
  for (const [title = '', ...cells] of body) {
    for (const scheme of schemes) {
      const asked = ROWS[title]?.(scheme)
      if (asked === undefined) continue
      const found = Object.values(columns).map(async (own) => {
        const options = { scheme: new scheme.Scheme(own), ...scheme.surroundings() }
        const decided = await deciding(options)(asked.path, asked.headers)
        return /^40/.test(String(decided)) ? 'rejected' : `\`${decided === null ? null : `'${decided}'`}\``
      })
      expect([scheme.name, title, ...(await Promise.all(found))]).toEqual([scheme.name, title, ...cells])
    }
  }
})

/** The first column of the first table under a heading. */
const firstColumn = (file: string, heading: string) =>
  tableUnder(file, heading).flatMap(([cell = ''], at) => (at === 0 ? [] : cell.replaceAll('`', '').split(', ')))
const wrong = { nonsense: 1 } as never

test.each<[file: string, heading: string, call: () => unknown]>([
  ['options', 'Which options are there, and what is `req.version`?', () => versioning(wrong)],
  ['by-version', 'How does each version get its own handler?', () => byVersion({}, wrong)],
  ['errors', 'Respond with problem details', () => problemDetails(wrong)],
  ['retiring', 'Announce', () => versioning({ scheme: QueryParameterVersioning, lifecycle: { v1: wrong } })],
])('the options of docs/%s.md, "%s", are those that the error of another one lists', (file, heading, call) => {
  const options = firstColumn(`docs/${file}.md`, heading)
  expect(call).toThrow(`It takes ${options.map((name) => `"${name}"`).join(', ')}.`)
})

test('the properties of an event are those of docs/retiring.md', async () => {
  const onVersion = jest.fn()
  await deciding({ scheme: header({ allowedVersions: ['v1'] }), onVersion })('/', { 'X-API-Version': 'v9' })
  const names = firstColumn('docs/retiring.md', 'Measure who is left')
  expect([...Object.keys(onVersion.mock.calls[0][0]), 'viewName', 'deprecated'].sort()).toEqual(names.sort())
})

const exported: Record<string, unknown> = { ...library }
const names = Object.keys(library).filter((name) => /.Versioning$/.test(name) && name !== 'BaseVersioning')
const classes = names.map((name) => exported[name] as typeof BaseVersioning)

test('the schemes in the README', () => {
  expect(firstColumn('README.md', 'Schemes').sort()).toEqual([...names].sort())
})

test('the settings of each scheme in docs/options.md', () => {
  const own = classes.flatMap(({ name, optionNames }) =>
    optionNames.flatMap((option) => (BaseVersioning.optionNames.includes(option) ? [] : `${name} ${option}`)),
  )
  const listed = tableUnder('docs/options.md', 'Settings of schemes').slice(1)
  expect(listed.map(([name, option]) => `${name} ${option}`.replaceAll('`', '')).sort()).toEqual([...own].sort())
})
