import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from 'express-versioning'
import ts from 'typescript'
import { compile } from '../support/compile'
import { snippets } from '../support/readme'

// Compiles the TypeScript of the pages, and the mistakes that must not compile, as a user's: against the built package. Each
// program costs the compiler seconds, so the files share programs: one with a registered table, one without.
const root = join(__dirname, '../..')
const folder = join(root, 'dist-examples', 'readme')
const names = Object.keys(library)
// The snippets leave out their imports, the app, and the tables that docs/named-routes.md declares.
const globals = `
  import * as library from 'express-versioning'
  import e from 'express'
  const users = library.namedRoutes({
    'user-list': '/users',
    'user-detail': '/users/:id{.:format}',
    'user-files': '/users/:id/files/*path',
  })
  const tables = library.namedRoutes({ home: '/' })
    .include('/v1', users, { namespace: 'v1' })
    .include('/v2', users, { namespace: 'v2' })
  declare global {
    const app: e.Application
    const express: typeof e
    const req: e.Request
    const api: typeof tables
    ${names.map((name) => `const ${name}: typeof library.${name}`).join('\n')}
  }`

function write(name: string, text: string): string {
  const path = join(folder, `${name}.ts`)
  writeFileSync(path, `${text}\nexport {}\n`)
  return path
}

/** Compiles files in one program, beside the globals, and returns the compiler's messages. */
function compiled(files: Readonly<Record<string, string>>, fixtures: readonly string[] = []): string {
  const paths = Object.entries(files).map(([name, text]) => write(name, text))
  return compile([write('globals', globals), ...paths, ...fixtures], join(root, 'tsconfig.json'), {
    rootDir: root,
    noEmit: true,
    noUnusedLocals: false,
  })
}

const fixture = (name: string) => join(root, '__tests__/fixtures', name)
/** Returns the messages about a file, with their further lines. */
const about = (told: string, name: string) =>
  told.match(new RegExp(`^\\S*\\b${name}(?:/app)?\\.ts\\(.*\\n(?: .*\\n)*`, 'gm'))?.join('') ?? ''

const changing = `import { change, versionHistory } from 'express-versioning/changes'\n`

beforeAll(() => {
  if (!existsSync(join(root, 'dist/index.d.ts')))
    throw new Error('The pages are compiled against dist/. First: npm run build')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
})

const registering = snippets.filter(({ text }) => text.includes('interface Register')).map(({ text }) => text)
const others = snippets.filter(({ text }) => !text.includes('interface Register'))

describe('without a registered table', () => {
  const pages = Object.fromEntries(
    others.map(({ file, text }, index) => [`${file.replaceAll(/[/.]/g, '-')}-${index}`, text]),
  )
  const misfits = `${changing}
    const split = change('Split.', {
      'GET user': { response: (user: { given: string }) => ({ name: user.given }) },
      'POST user': { request: (body: { name: string }) => ({ given: body.name }) },
    })
    versionHistory('1').version('2', split)
      .version('3', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))
    versionHistory('1').version('2', split)
      .version('3', change('X', { 'POST user': { request: (body: { nick: string }) => body } }))`
  // Each version has a change. The types of earlier versions must not nest.
  const between = Array.from(
    { length: 200 },
    (_, at) => `.version('b${at}', change('X', {
      'GET b${at % 9}': { response: (user: { at${at + 9}: 1 }) => ({ at${at}: user.at${at + 9} }) },
      'POST b': { ${at % 2 === 0 ? 'request' : 'query'}: (value: object) => value },
    }))`,
  )
  const long = `${changing}
    export const history = versionHistory('1')
      .version('2', change('X', { 'GET user': { response: (user: { given: string }) => user } }))
      ${between.join('\n')}
      // @ts-expect-error gives no given
      .version('last', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))`

  let told: string
  beforeAll(() => {
    told = compiled({ ...pages, misfits, long }, ['fitting/app.ts', 'shapes/app.ts'].map(fixture))
  }, 120_000)

  test('the snippets compile', () => {
    expect(others.length).toBeGreaterThanOrEqual(30)
    expect(told.split('\n').filter((line) => /^\S/.test(line) && !line.includes('misfits.ts('))).toEqual([])
  })

  test.each([
    ['the steps of a history fit together', 'fitting'],
    ['the steps of shapes have the types of their schemas', 'shapes'],
    ['a history of 200 versions in one chain compiles, and its last version is judged by its second', 'long'],
  ])('%s: %s compiles, its expected errors being errors', (_title, name) => {
    expect(about(told, name)).toBe('')
  })

  test('the error of a step that does not fit names the operation and its step, at the version that breaks the chain', () => {
    const found = about(told, 'misfits')
    expect([...new Set(found.match(/(?<=type '").*(?="')/g))]).toEqual([
      "The response of 'GET user' must give what the response of the older change takes.",
      "The request of 'POST user' must take what the request of the older change gives.",
    ])
    expect(found.match(/misfits\.ts\(\d+/g)).toEqual(['misfits.ts(8', 'misfits.ts(10'])
  })
})

describe('with the registered table of the pages', () => {
  const uses = `
    app.get('/', (req) => {
      req.reverse('user-detail', { kwargs: { id: 7 } })
      // @ts-expect-error no such name
      req.reverse('user-lits')
      // @ts-expect-error no such version
      return req.version === 'v3'
    })
    byVersion({ v1: (req, res) => res.json(req.version) })
    // @ts-expect-error no such version
    byVersion({ v3: (req: e.Request, res: e.Response) => res.json(req.version) })`
  const mistyped = `
    const users = library.namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
    app.get('/', (req) => { req.reverse('user-lits') })
    users.route('user-lits')
    library.namedRoutes({ home: '/' }).include('/:version', users).reverse('user-lits')
    deprecated({ since: '2026-01-01', successor: 'user-lits' })`
  const sentences = `import { change } from 'express-versioning/changes'
    change('X', { 'GET user-lst': 'added' })
    change('X', { 'GET user-lst': { response: () => 1 } })
    change('X', { 'get user-list': { response: () => 1 } })
    change('X', { 'GET user-list': { response: async () => 1 } })`

  let told: string
  beforeAll(() => {
    const imports = `import type e from 'express'\nimport * as library from 'express-versioning'\n`
    told = compiled({
      registering: registering.join(),
      uses: imports + uses,
      mistyped: imports + mistyped,
      sentences,
    })
  }, 120_000)

  test('the registered types are in force', () => {
    expect(registering).toHaveLength(1)
    expect(about(told, 'registering') + about(told, 'uses')).toBe('')
  })

  test('the error of a mistyped name shows the names', () => {
    const found = about(told, 'mistyped')
    expect(found).toMatch(/'"user-lits"' is not assignable to type '[^']*"user-list" \| "user-detail"[^']*'/)
    expect(
      found.match(/'"user-lits"' is not assignable to parameter of type '[^']*"user-list" \| "user-detail"'/g),
    ).toHaveLength(3)
  })

  test('a mistyped operation is told in a sentence', () => {
    const found = about(told, 'sentences')
    expect(found.match(/The registered table has no route named 'user-lst'\./g)?.length).toBeGreaterThan(1)
    expect(found).toContain("'get user-list' is not an operation: a method in capitals, a space, and a view name.")
    expect(found).toContain("The response of 'GET user-list' must not be async: steps are synchronous.")
    expect(found).not.toContain("type 'never'")
  })
})

test.each([
  ['its table, versions and shapes', 'register'],
  ['several tables', 'register-several'],
])(
  'an app that registers %s has them typed: fixtures/%s compiles, its expected errors being errors',
  (_title, name) => {
    // Without the paths by which an editor finds the sources there: `npm run check:types` judges those.
    expect(compile([join(fixture(name), 'app.ts')], join(fixture(name), 'tsconfig.json'), { paths: {} })).toBe('')
  },
  60_000,
)

test('a history can be exported by a package that declares its types, and is judged in the next one', () => {
  const config = join(root, 'tsconfig.json')
  const history = write(
    'history',
    `${changing}
    export const history = versionHistory('1').version('2', change('X', {
      'GET user': { response: (user: { given: string }) => ({ name: user.given }) },
    }))`,
  )
  const declared = { rootDir: folder, outDir: join(folder, 'out'), declaration: true }
  expect(compile([history], config, declared)).toBe('')
  const next = write(
    'next',
    `import { change } from 'express-versioning/changes'
    import { history } from './out/history'
    history.version('3', change('X', { 'GET user': { response: (given: string) => ({ given }) } }))
    // @ts-expect-error gives no given
    history.version('3', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))`,
  )
  expect(compile([next], config, { rootDir: folder, noEmit: true })).toBe('')
}, 60_000)

describe('editors offer operations, also in projects that are not strict', () => {
  const head = `import { namedRoutes } from 'express-versioning'
    import { change, versionHistory } from 'express-versioning/changes'
    const users = namedRoutes({ list: '/list' })
    const api = namedRoutes({ home: '/' }).include('/plain', namedRoutes({ other: '/' })).include('/v1', users, { namespace: 'v1' })
    declare module 'express-versioning' { interface Register { routes: typeof api } }
    const history = versionHistory('v1')\n`
  const operations = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
    ['home', 'other', 'v1:list'].map((name) => `${method} ${name}`),
  )
  const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
    ["change('X', { '¦' })", ['GET list', ...operations]],
    ["change('X', { 'GET home': { ¦ } })", ['response', 'request', 'query', 'error']],
    ["api.describe('¦', {})", operations],
    ["history.response('¦', 1, 'v1')", ['GET list', ...operations]],
  ]

  let service: ts.LanguageService
  let text = ''
  const file = join(folder, 'offered.ts')
  beforeAll(() => {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, root, {
      // As those that are not strict see it: there `undefined` is a string.
      strict: false,
      exactOptionalPropertyTypes: false,
    })
    const { fileExists, readFile, readDirectory, directoryExists, getDirectories } = ts.sys
    const shown = (name: string) => (name === file ? head + text.replace('¦', '') : readFile(name))
    service = ts.createLanguageService({
      fileExists: (name) => name === file || fileExists(name),
      readFile: shown,
      readDirectory,
      directoryExists,
      getDirectories,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? text : ''),
      getScriptSnapshot: (name) => {
        const source = shown(name)
        return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source)
      },
      getCurrentDirectory: () => root,
      getCompilationSettings: () => options,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
    })
  })

  test.each(cases)(
    '%s',
    (given, names) => {
      text = given
      const found = service.getCompletionsAtPosition(file, head.length + text.indexOf('¦'), {})
      const offered = (found?.entries ?? []).map(({ name }) => name)
      expect(offered).toEqual(expect.arrayContaining([...names]))
      expect(offered.join()).not.toContain('undefined:')
    },
    60_000,
  )
})
