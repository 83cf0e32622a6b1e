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
const pages: Record<string, string> = {}
for (const [index, { file, text }] of snippets.entries())
  pages[`${index} ${file.replaceAll(/[/.]/g, '-')}`] =
    `${text.replace('Register {', `Registered${index} {`)}\nexport {}`

const changing = `import { change, versionHistory } from 'express-versioning/changes'\n`
const split = `change('X', { 'GET user': { response: (user: { given: string }) => user } })`
const misfit = `change('X', { 'GET user': { response: (user: { nick: string }) => user } })`
// Each version has a change. Types that nest end after a hundred.
const step = (at: number) => `.version('b${at}', change('X', {
    'GET b${at % 9}': { response: (user: { at${at + 9}: 1 }) => ({ at${at}: user.at${at + 9} }) },
    'POST b': { ${at % 2 === 0 ? 'request' : 'query'}: (value: object) => value },
  }))`
const between = Array.from({ length: 120 }, (_, at) => step(at))
const long = `${changing}versionHistory('1').version('2', ${split})${between.join('\n')}
  .version('last', ${misfit}) //! gives no given`
const history = `// declared
  ${changing}export const history = versionHistory('1').version('2', ${split})`
const declared = `export declare const history: import("express-versioning/changes").VersionHistory<import("express-versioning/changes").Demand<"GET user", never, never, {
    given: string;
}, unknown, unknown>, string, import("express-versioning/changes").SomeShape>;
`
const next = `${changing}import { history } from './declared'
  history.version('3', change('X', { 'GET user': { response: (given: string) => ({ given }) } }))
  history.version('3', ${misfit}) //! gives no given`

const offers = `import { namedRoutes } from 'express-versioning'
  import { change, versionHistory } from 'express-versioning/changes'
  const users = namedRoutes({ list: '/list' })
  const api = namedRoutes({ home: '/' }).include('/plain', namedRoutes({ other: '/' })).include('/v1', users, { namespace: 'v1' })
  declare module 'express-versioning' { interface Register { routes: typeof api } }
  api.describe('¦', {})
  versionHistory('v1').response('¦', 1, 'v1')
  change('X', { 'GET home': { ¦ } })
  change('X', { '¦' })`

const folder = join(__dirname, '../fixtures')
const fixtures: Record<string, string> = {}
for (const file of readdirSync(folder)) fixtures[file.replace('.ts', '')] = readFileSync(join(folder, file), 'utf8')
const { register = '', 'register-several': several = '', 'register-history': own = '', ...fitting } = fixtures
const shared = { globals, long, history, 'declared.d': declared, next, ...pages, ...fitting }
const programs: { files: Record<string, string>; more?: object }[] = [
  { files: shared },
  { files: { register } },
  { files: { several } },
  { files: { own } },
  // Where a project is not strict, `undefined` is a string.
  { files: { offers }, more: { strict: false, exactOptionalPropertyTypes: false } },
]
const files = Object.entries({ ...shared, register, several, own, offers })
let found: Record<string, Compiled>
beforeAll(() => {
  const compiler = join(__dirname, '../support/compiler.cjs')
  const output = execFileSync(process.execPath, [compiler], { input: JSON.stringify(programs), encoding: 'utf8' })
  const compiled: Compiled[] = JSON.parse(output).flat()
  found = Object.fromEntries(files.map(([name], at) => [name, compiled[at] as Compiled]))
}, 60_000)

test.each(files.filter(([name]) => name !== 'offers'))('%s: its lines with `//!` do not compile', (name, text) => {
  const lines = text.split('\n')
  const { messages } = found[name] as Compiled
  const missed = lines.filter((line, at) => {
    const [, why] = line.split(' //! ')
    const said = why?.split('says ')[1] ?? ''
    return why !== undefined && !messages.some((text) => text.startsWith(`${at + 1}: `) && text.includes(said))
  })
  const unmarked = messages.filter((message) => !lines[Number.parseInt(message, 10) - 1]?.includes(' //! '))
  expect([unmarked, missed]).toEqual([[], []])
})

test('a history is exported by a package that declares its types', () => {
  expect(found.history?.declared).toBe(declared)
})

test('editors offer operations and steps', () => {
  const operations = ['home', 'other', 'v1:list'].flatMap((name) => [`GET ${name}`, `PATCH ${name}`, `DELETE ${name}`])
  const [described, converted, steps, changed] = found.offers?.offered ?? []
  expect(described).toEqual(expect.arrayContaining(operations))
  for (const offered of [converted, changed])
    expect(offered).toEqual(expect.arrayContaining(['GET list', ...operations]))
  expect(steps).toEqual(expect.arrayContaining(['response', 'request', 'query', 'error']))
  expect(JSON.stringify(found.offers)).not.toContain('undefined:')
})
