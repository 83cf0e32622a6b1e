import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as library from 'express-versioning'
import ts from 'typescript'
import { compile } from '../support/compile'
import { snippets } from '../support/readme'

// The TypeScript of the pages, compiled as a user's: against the built package.
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

/** Compiles snippets as files of a project and returns the compiler's messages. */
function compiled(name: string, files: readonly string[], pages: readonly string[] = []): string {
  const here = join(folder, name)
  mkdirSync(here, { recursive: true })
  writeFileSync(join(here, 'globals.ts'), globals)
  const paths = files.map((text, index) => {
    const path = join(here, `${pages[index]?.replaceAll(/[/.]/g, '-') ?? 'snippet'}-${index}.ts`)
    writeFileSync(path, `${text}\nexport {}\n`)
    return path
  })
  return compile([join(here, 'globals.ts'), ...paths], join(root, 'tsconfig.json'), {
    rootDir: here,
    noEmit: true,
    noUnusedLocals: false,
  })
}

beforeAll(() => {
  if (!existsSync(join(root, 'dist/index.d.ts')))
    throw new Error('The pages are compiled against dist/. First: npm run build')
  rmSync(folder, { recursive: true, force: true })
})

const registering = snippets.filter(({ text }) => text.includes('interface Register')).map(({ text }) => text)
const others = snippets.filter(({ text }) => !text.includes('interface Register'))

test('the snippets compile', () => {
  expect(others.length).toBeGreaterThanOrEqual(30)
  const texts = others.map(({ text }) => text)
  const files = others.map(({ file }) => file)
  expect(compiled('snippets', texts, files)).toBe('')
}, 60_000)

test('the registered types are in force', () => {
  expect(registering).toHaveLength(1)
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
  expect(compiled('register', [`${registering[0]}${uses}`])).toBe('')
}, 60_000)

test.each([
  ['an app that registers its table and versions has both typed', 'register'],
  ['an app that registers several tables has them typed', 'register-several'],
  ['the steps of a history fit together', 'fitting'],
  ['the steps of shapes have the types of their schemas', 'shapes'],
])(
  '%s: fixtures/%s compiles, its expected errors being errors',
  (_title, name) => {
    const fixture = join(root, '__tests__/fixtures', name)
    // Without the paths by which an editor finds the sources there: `npm run check:types` judges those.
    expect(compile([join(fixture, 'app.ts')], join(fixture, 'tsconfig.json'), { paths: {} })).toBe('')
  },
  60_000,
)

test('the error of a mistyped name shows the names', () => {
  const uses = `
    app.get('/', (req) => { req.reverse('user-lits') })
    users.route('user-lits')
    api.reverse('user-lits')
    deprecated({ since: '2026-01-01', successor: 'user-lits' })`
  const told = compiled('mistyped', [`${registering[0]}${uses}`])
  expect(told).toMatch(/'"user-lits"' is not assignable to type '[^']*"user-list" \| "user-detail"[^']*'/)
  expect(
    told.match(/'"user-lits"' is not assignable to parameter of type '[^']*"user-list" \| "user-detail"'/g),
  ).toHaveLength(3)
}, 60_000)

/** Returns the completions of an editor at `¦` in a project with a registered table. */
function offered(text: string): string[] {
  const head = `import { namedRoutes } from 'express-versioning'
    import { change, versionHistory } from 'express-versioning/changes'
    const users = namedRoutes({ list: '/list' })
    const api = namedRoutes({ home: '/' }).include('/plain', namedRoutes({ other: '/' })).include('/v1', users, { namespace: 'v1' })
    declare module 'express-versioning' { interface Register { routes: typeof api } }
    const history = versionHistory('v1')\n`
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'offered.ts')
  writeFileSync(file, head + text.replace('¦', ''))
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file] }, ts.sys, root, {
    // As those that are not strict see it: there `undefined` is a string.
    strict: false,
    exactOptionalPropertyTypes: false,
  })
  const host: ts.LanguageServiceHost = {
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '',
    getScriptSnapshot: (name) => {
      const source = ts.sys.readFile(name)
      return source === undefined ? undefined : ts.ScriptSnapshot.fromString(source)
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  }
  const at = head.length + text.indexOf('¦')
  const found = ts.createLanguageService(host).getCompletionsAtPosition(file, at, {})
  return (found?.entries ?? []).map(({ name }) => name)
}

const operations = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
  ['home', 'other', 'v1:list'].map((name) => `${method} ${name}`),
)

test.each([
  ["change('X', { '¦' })", ['GET list', ...operations]],
  ["change('X', { 'GET home': { ¦ } })", ['response', 'request', 'query', 'error']],
  ["api.describe('¦', {})", operations],
  ["history.response('¦', 1, 'v1')", ['GET list', ...operations]],
])(
  'editors offer operations, also in projects that are not strict: %s',
  (text, names) => {
    const found = offered(text)
    expect(found).toEqual(expect.arrayContaining(names))
    expect(found.join()).not.toContain('undefined:')
  },
  60_000,
)

test('a mistyped operation is told in a sentence', () => {
  const uses = `import { change } from 'express-versioning/changes'
    change('X', { 'GET user-lst': 'added' })
    change('X', { 'GET user-lst': { response: () => 1 } })
    change('X', { 'get user-list': { response: () => 1 } })
    change('X', { 'GET user-list': { response: async () => 1 } })`
  const told = compiled('sentences', [`${registering[0]}${uses}`])
  expect(told.match(/The registered table has no route named 'user-lst'\./g)?.length).toBeGreaterThan(1)
  expect(told).toContain("'get user-list' is not an operation: a method in capitals, a space, and a view name.")
  expect(told).toContain("The response of 'GET user-list' must not be async: steps are synchronous.")
  expect(told).not.toContain("type 'never'")
}, 60_000)

const changing = `import { change, versionHistory } from 'express-versioning/changes'\n`

test('the error of a step that does not fit names the operation and its step, at the version that breaks the chain', () => {
  const told = compiled('misfits', [
    `${changing}
    const split = change('Split.', {
      'GET user': { response: (user: { given: string }) => ({ name: user.given }) },
      'POST user': { request: (body: { name: string }) => ({ given: body.name }) },
    })
    versionHistory('1').version('2', split)
      .version('3', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))
    versionHistory('1').version('2', split)
      .version('3', change('X', { 'POST user': { request: (body: { nick: string }) => body } }))`,
  ])
  const sentences = told.match(/(?<=type '").*(?="')/g)
  expect([...new Set(sentences)]).toEqual([
    "The response of 'GET user' must give what the response of the older change takes.",
    "The request of 'POST user' must take what the request of the older change gives.",
  ])
  expect(told.match(/snippet-0\.ts\(\d+/g)).toEqual(['snippet-0.ts(8', 'snippet-0.ts(10'])
}, 60_000)

// Each version has a change. The types of earlier versions must not nest.
test('a history of 200 versions in one chain compiles, and its last version is judged by its second', () => {
  const between = Array.from(
    { length: 200 },
    (_, at) => `.version('b${at}', change('X', {
      'GET b${at % 9}': { response: (user: { at${at + 9}: 1 }) => ({ at${at}: user.at${at + 9} }) },
      'POST b': { ${at % 2 === 0 ? 'request' : 'query'}: (value: object) => value },
    }))`,
  )
  const told = compiled('long', [
    `${changing}
    export const history = versionHistory('1')
      .version('2', change('X', { 'GET user': { response: (user: { given: string }) => user } }))
      ${between.join('\n')}
      // @ts-expect-error gives no given
      .version('last', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))`,
  ])
  expect(told).toBe('')
}, 60_000)

test('a history can be exported by a package that declares its types, and is judged in the next one', () => {
  const here = join(folder, 'declared')
  mkdirSync(here, { recursive: true })
  writeFileSync(
    join(here, 'history.ts'),
    `${changing}
    export const history = versionHistory('1').version('2', change('X', {
      'GET user': { response: (user: { given: string }) => ({ name: user.given }) },
    }))`,
  )
  const settings = { rootDir: here, outDir: join(here, 'out'), declaration: true }
  expect(compile([join(here, 'history.ts')], join(root, 'tsconfig.json'), settings)).toBe('')
  writeFileSync(
    join(here, 'next.ts'),
    `import { change } from 'express-versioning/changes'
    import { history } from './out/history'
    history.version('3', change('X', { 'GET user': { response: (given: string) => ({ given }) } }))
    // @ts-expect-error gives no given
    history.version('3', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))`,
  )
  const next = compile([join(here, 'next.ts')], join(root, 'tsconfig.json'), { rootDir: here, noEmit: true })
  expect(next).toBe('')
}, 60_000)
