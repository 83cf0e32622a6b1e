import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { snippets } from '../support/readme'

// The TypeScript of the pages, the fixtures, and mistakes that must not compile. Files share programs, because each program costs
// the compiler much time; each table that is registered is a program of its own.

/** A file of a program, as the compiler found it. Each message has its line in front. */
type Compiled = { messages: string[]; declared: string; offered: string[][] }

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
    ${Object.keys(require('../../dist'))
      .map((name) => `const ${name}: typeof library.${name}`)
      .join('\n')}
  }`
// A registered table holds for a whole program.
const pages = Object.fromEntries(
  snippets.map(({ file, text }, index) => [
    `${index} ${file.replaceAll(/[/.]/g, '-')}`,
    `${text.replace('interface Register ', 'interface Registered ')}\nexport {}`,
  ]),
)

const changing = `import { change, versionHistory } from 'express-versioning/changes'\n`
const misfits = `${changing}const split = change('Split.', {
    'GET user': { response: (user: { given: string }) => ({ name: user.given }) },
    'POST user': { request: (body: { name: string }) => ({ given: body.name }) },
  })
  versionHistory('1').version('2', split)
    .version('3', change('X', { 'GET user': { response: (user: { nick: string }) => user } }))
  versionHistory('1').version('2', split)
    .version('3', change('X', { 'POST user': { request: (body: { nick: string }) => body } }))`
const split = `change('X', { 'GET user': { response: (user: { given: string }) => user } })`
const misfit = `change('X', { 'GET user': { response: (user: { nick: string }) => user } })`
// Each version has a change. Types that nest end after a hundred.
const between = Array.from(
  { length: 200 },
  (_, at) => `.version('b${at}', change('X', {
    'GET b${at % 9}': { response: (user: { at${at + 9}: 1 }) => ({ at${at}: user.at${at + 9} }) },
    'POST b': { ${at % 2 === 0 ? 'request' : 'query'}: (value: object) => value },
  }))`,
)
const long = `${changing}versionHistory('1').version('2', ${split})${between.join('\n')}
  .version('last', ${misfit}) //! gives no given`
const history = `// declared
  ${changing}export const history = versionHistory('1').version('2', ${split})`
const declared = `export declare const history: import("express-versioning/changes").VersionHistory<import("express-versioning/changes").Demand<"GET user", never, never, {
    given: string;
}, unknown>>;
`
const next = `${changing}import { history } from './declared'
  history.version('3', change('X', { 'GET user': { response: (given: string) => ({ given }) } }))
  history.version('3', ${misfit}) //! gives no given`

const mistyped = `import express from 'express'
  import { deprecated, namedRoutes } from 'express-versioning'
  const users = namedRoutes({ 'user-list': '/users', 'user-detail': '/users/:id' })
  express().get('/', (req) => { req.reverse('user-lits') })
  users.route('user-lits')
  namedRoutes({ home: '/' }).include('/:version', users).reverse('user-lits')
  deprecated({ since: '2026-01-01', successor: 'user-lits' })`
const sentences = `import { change } from 'express-versioning/changes'
  change('X', { 'GET user-lst': 'added' })
  change('X', { 'GET user-lst': { response: () => 1 } })
  change('X', { 'get user-list': { response: () => 1 } })
  change('X', { 'GET user-list': { response: async () => 1 } })`
const offers = `import { namedRoutes } from 'express-versioning'
  import { change, versionHistory } from 'express-versioning/changes'
  const users = namedRoutes({ list: '/list' })
  const api = namedRoutes({ home: '/' }).include('/plain', namedRoutes({ other: '/' })).include('/v1', users, { namespace: 'v1' })
  declare module 'express-versioning' { interface Register { routes: typeof api } }
  api.describe('¦', {})
  versionHistory('v1').response('¦', 1, 'v1')
  change('X', { 'GET home': { ¦ } })
  change('X', { '¦' })`

const fixture = (name: string) => ({ [name]: readFileSync(join(__dirname, `../fixtures/${name}.ts`), 'utf8') })
const others = { globals, misfits, long, history, 'declared.d': declared, next }
const programs: { files: Record<string, string>; more?: object }[] = [
  { files: { ...others, ...pages, ...fixture('fitting'), ...fixture('shapes') } },
  { files: { mistyped, sentences, ...fixture('register') } },
  { files: fixture('register-several') },
  // Where a project is not strict, `undefined` is a string.
  { files: { offers }, more: { strict: false, exactOptionalPropertyTypes: false } },
]
const found = new Map<string, Compiled>()
beforeAll(() => {
  const compiler = join(__dirname, '../support/compiler.cjs')
  const output = execFileSync(process.execPath, [compiler], { input: JSON.stringify(programs), encoding: 'utf8' })
  const answers: Compiled[][] = JSON.parse(output)
  for (const [at, { files }] of programs.entries())
    for (const [index, name] of Object.keys(files).entries()) found.set(name, answers[at]?.[index] as Compiled)
}, 60_000)

const fixtures = readdirSync(join(__dirname, '../fixtures')).map((file) => file.replace('.ts', ''))
const compiled = Object.keys(others).filter((name) => name !== 'misfits')
test.each([...compiled, ...Object.keys(pages), ...fixtures])('%s compiles, and its lines with `//!` do not', (name) => {
  const text = programs.map(({ files }) => files[name] ?? '').join('')
  const wrong = text.split('\n').flatMap((line, at) => (line.includes(' //! ') ? `${at + 1}` : []))
  const messages = found.get(name)?.messages ?? ['not in a program']
  expect(messages.filter((message) => !wrong.includes(message.split(':')[0] as string))).toEqual([])
  expect(wrong.filter((line) => !messages.some((message) => message.startsWith(`${line}:`)))).toEqual([])
})

test('a history is exported by a package that declares its types', () => {
  expect(found.get('history')?.declared).toBe(declared)
})

test('the error of a step that does not fit names the operation and its step, at the version that breaks the chain', () => {
  const messages = found.get('misfits')?.messages ?? []
  expect(messages.map((message) => /^\d+/.exec(message)?.[0])).toEqual(['7', '9'])
  expect(messages.join().match(/(?<=type '")[^"]*(?="')/g)).toEqual(
    expect.arrayContaining([
      "The response of 'GET user' must give what the response of the older change takes.",
      "The request of 'POST user' must take what the request of the older change gives.",
    ]),
  )
})

test('the error of a mistyped name shows the names, and that of a mistyped operation is a sentence', () => {
  const messages = found.get('mistyped')?.messages ?? []
  const shows = /'"user-lits"' is not assignable to [^\n]*"user-list" \| "user-detail"/
  expect(messages).toEqual(Array(4).fill(expect.stringMatching(shows)))
  expect(found.get('sentences')?.messages).toEqual([
    ...Array(2).fill(expect.stringContaining("The registered table has no route named 'user-lst'.")),
    expect.stringContaining("'get user-list' is not an operation: a method in capitals, a space, and a view name."),
    expect.stringContaining("The response of 'GET user-list' must not be async: steps are synchronous."),
  ])
})

test('editors offer operations and steps', () => {
  const operations = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
    ['home', 'other', 'v1:list'].map((name) => `${method} ${name}`),
  )
  const [described, converted, steps, changed] = found.get('offers')?.offered ?? []
  expect(described).toEqual(expect.arrayContaining(operations))
  for (const offered of [converted, changed])
    expect(offered).toEqual(expect.arrayContaining(['GET list', ...operations]))
  expect(steps).toEqual(expect.arrayContaining(['response', 'request', 'query', 'error']))
  expect(JSON.stringify([described, converted, steps, changed])).not.toContain('undefined:')
})
