import express from 'express'
import { namedRoutes, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { CommandError } from '../../src/command-line/command-error'
import { exported } from '../../src/command-line/exports'

const table = namedRoutes({ home: '/' })
const options = { scheme: URLPathVersioning, routes: table }
/** An export that the command must not find. */
const second = { scheme: new QueryParameterVersioning(), routes: table }

const find = (module: object, name?: string) => exported(module, './app.js', name)

test.each<[what: string, module: object, name: string | undefined]>([
  ['named options', { options, second }, undefined],
  ['named options before a default', { default: second, options }, undefined],
  ['the default', { default: options, second }, undefined],
  ['module.exports', { default: options, 'module.exports': second }, undefined],
  ['the only ones', { shop: options, table, app: express() }, undefined],
  ['a member, chosen', { default: { shop: options, options: second } }, 'shop'],
])('options: %s', (_what, module, name) => {
  expect(find(module, name)).toEqual({ options })
})

test('options with an instance of a scheme', () => {
  expect(find({ second })).toEqual({ options: second })
})

const exportThem =
  'Export the options that versioning() gets: `export const options = { scheme, routes, ... }`, or `exports.options = ...`.'
const nothing = 'no options of versioning(), and no namedRoutes() table'
const app = 'an Express app, which does not tell its versions'

test.each<[what: string, module: object, name: string | undefined, message: string]>([
  ['an app', { default: express() }, undefined, `'./app.js' exports ${app}. ${exportThem}`],
  ['null', { default: null }, undefined, `'./app.js' exports ${nothing}. ${exportThem}`],
  ['a router', { default: express.Router() }, undefined, `'./app.js' exports ${nothing}. ${exportThem}`],
  [
    'no table',
    { a: { scheme: 'https' }, b: { scheme: null }, c: { routes: 1 }, d: 'options' },
    undefined,
    `'./app.js' exports ${nothing}. ${exportThem}`,
  ],
  ['an app by name', { app: express() }, 'app', `'./app.js': 'app' is ${app}. ${exportThem}`],
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
