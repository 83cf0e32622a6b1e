import express from 'express'
import { type NamedRoutes, namedRoutes, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { CommandError } from '../../src/command-line/command-error'
import { exported } from '../../src/command-line/exports'

const table = namedRoutes({ home: '/' })
const other = namedRoutes({ other: '/other' })
const options = { scheme: URLPathVersioning, routes: table }
/** Not to be found where others are. */
const second = { scheme: new QueryParameterVersioning(), routes: table }
const bare = { scheme: URLPathVersioning }

const find = (module: object, name?: string) => exported(module, './app.js', name)

test.each<[what: string, module: object, name: string | undefined]>([
  ['named options', { options, second }, undefined],
  ['named options before a default', { default: second, options }, undefined],
  ['the default', { default: options, second }, undefined],
  ['module.exports', { default: options, 'module.exports': second }, undefined],
  ['the only ones', { shop: options, table, app: express() }, undefined],
  ['a member of module.exports that Node does not see', { default: { options, second } }, undefined],
  ['a member of a default, beside what is not there', { default: { shop: options, none: undefined } }, undefined],
  ['the default of a compiled module', { default: { default: options, second }, second }, undefined],
  ['the same ones by two names', { shop: options, same: options }, undefined],
  ['those with routes', { shop: options, shared: bare }, undefined],
  ['those with routes, whatever the names', { options: bare, shop: options }, undefined],
  ['those beside a table', { options, table }, undefined],
  ['what was chosen', { options: second, shop: options }, 'shop'],
  ['the default, chosen', { options: second, default: options }, 'default'],
  ['a member, chosen', { default: { shop: options, options: second } }, 'shop'],
])('options: %s', (_what, module, name) => {
  expect(find(module, name)).toEqual({ options })
})

test('options with an instance of a scheme', () => {
  expect(find({ second })).toEqual({ options: second })
})

test('options without routes, for who made them to be told', () => {
  expect(find({ options: bare }).options).toBe(bare)
  expect(find({ shared: bare, table }).options).toBe(bare)
})

test.each<[what: string, module: object, found: NamedRoutes, name: string | undefined]>([
  ['the only one', { api: table, app: express() }, table, undefined],
  ['the default', { default: table, other }, table, undefined],
  ['routes', { default: other, routes: table, other }, table, undefined],
  ['the same one by two names', { api: table, same: table }, table, undefined],
  ['what was chosen', { options, other }, other, 'other'],
])('a table: %s', (_what, module, found, name) => {
  expect(find(module, name).table).toBe(found)
  expect(find(module, name)).not.toHaveProperty('options')
})

const exportThem =
  'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`, or `exports.options = ...`.'
const nothing = 'no options of versioning(), and no namedRoutes() table'
const app = 'an Express app, which does not tell its versions'

test.each<[what: string, module: object, name: string | undefined, message: string]>([
  ['an app', { default: express() }, undefined, `'./app.js' exports ${app}. ${exportThem}`],
  ['an app among others', { app: express(), port: 3000 }, undefined, `'./app.js' exports ${app}. ${exportThem}`],
  ['nothing', {}, undefined, `'./app.js' exports ${nothing}. ${exportThem}`],
  ['null', { default: null }, undefined, `'./app.js' exports ${nothing}. ${exportThem}`],
  ['a router', { default: express.Router() }, undefined, `'./app.js' exports ${nothing}. ${exportThem}`],
  [
    'a table of its own',
    { default: { facts: 1, resolve: 1 } },
    undefined,
    `'./app.js' exports ${nothing}. ${exportThem}`,
  ],
  [
    'no table',
    { a: { scheme: 'https' }, b: { scheme: null }, c: { routes: 1 }, d: 'options' },
    undefined,
    `'./app.js' exports ${nothing}. ${exportThem}`,
  ],
  [
    'a function that makes options',
    { options: () => options },
    undefined,
    `'./app.js' exports ${nothing}. ${exportThem}`,
  ],
  [
    'several',
    { a: options, b: second, c: table },
    undefined,
    "'./app.js' exports several: 'a', 'b'. Choose one of them with --export.",
  ],
  [
    'several tables',
    { a: table, b: other },
    undefined,
    "'./app.js' exports several: 'a', 'b'. Choose one of them with --export.",
  ],
  ['a name that is not there', { options }, 'optoins', "'./app.js' has no export 'optoins'. Did you mean \"options\"?"],
  ['a name that is far', { options }, 'shop', "'./app.js' has no export 'shop'."],
  ['a member of options', { default: options }, 'scheme', "'./app.js' has no export 'scheme'."],
  ['an app by name', { app: express() }, 'app', `'./app.js': 'app' is ${app}. ${exportThem}`],
  ['a number by name', { port: 1, options }, 'port', `'./app.js': 'port' is ${nothing}. ${exportThem}`],
  [
    "Node's own names",
    { 'module.exports': options, __esModule: true },
    undefined,
    `'./app.js' exports ${nothing}. ${exportThem}`,
  ],
])('refused: %s', (_what, module, name, message) => {
  let error: unknown
  try {
    find(module, name)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(CommandError)
  expect(error).toMatchObject({ message })
})
