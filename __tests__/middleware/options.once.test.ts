import express, { type RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { listen } from '../support/serve'

/** Options as a JavaScript user may give them. */
const loosely = (options: unknown) => versioning(options as VersioningOptions)

const ORIGIN = "an http(s) origin such as 'https://api.example.com'"
const HOSTS = "an iterable of hosts, such as ['api.example.com', 'localhost:3000']"

describe('the options object', () => {
  test.each<[unknown, string]>([
    [undefined, 'undefined'],
    [null, 'null'],
    ['URLPathVersioning', "'URLPathVersioning'"],
    [7, '7'],
    [[], '[]'],
    [() => ({}), '[Function (anonymous)]'],
  ])('%p', (options, got) => {
    expect(() => loosely(options)).toThrow(new TypeError(`versioning() takes an object of options; got ${got}.`))
  })

  test.each([[URLPathVersioning], [new URLPathVersioning()]])('a scheme in place of options', (scheme) => {
    expect(() => loosely(scheme)).toThrow(
      new TypeError('versioning() takes an object of options with the scheme in it: versioning({ scheme: ... }).'),
    )
  })

  test('an unknown key with undefined counts as omitted', () => {
    expect(loosely({ scheme: URLPathVersioning, mediaTypes: undefined })).toBeInstanceOf(Function)
  })
})

describe('app.use(versioning), uncalled', () => {
  const FACTORY =
    'versioning is a factory of middleware: app.use(versioning({ scheme: ... })), not app.use(versioning).'

  test('is told to whoever sends a request', async () => {
    const app = express().use(versioning as unknown as RequestHandler)
    app.use(((error, _req, res, _next) => void res.status(500).json(error.message)) as express.ErrorRequestHandler)
    const answer = await (await listen(app)).get('/')
    expect([answer.status, answer.json]).toEqual([500, FACTORY])
  })
})

describe('scheme', () => {
  test.each([
    BaseVersioning,
    AcceptHeaderVersioning,
    HostNameVersioning,
    NamespaceVersioning,
    QueryParameterVersioning,
    URLPathVersioning,
  ])('%p, or an instance of it', (scheme) => {
    expect(versioning({ scheme })).toBeInstanceOf(Function)
    expect(versioning({ scheme: new scheme() })).toBeInstanceOf(Function)
  })

  test.each<[unknown, string]>([
    [['Not A Header'], "[ 'Not A Header' ]"],
    [[''], "[ '' ]"],
    [['Accept', 'X:'], "[ 'Accept', 'X:' ]"],
    [['X\r\nY'], "[ 'X\\r\\nY' ]"],
    [[1], '[ 1 ]'],
    ['Accept', "'Accept'"],
  ])('varyOn %p', (varyOn, got) => {
    class Odd extends URLPathVersioning {
      override varyOn = varyOn as string[]
    }
    expect(() => versioning({ scheme: Odd })).toThrow(
      new TypeError(
        `Odd: option "varyOn" takes a list of header names, such as ['Accept'], or a function of the request that gives one; got ${got}.`,
      ),
    )
  })
})

describe('routes', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    [{}, '{}'],
    [{ link() {} }, '{ link: [Function: link] }'],
    [{ resolve() {} }, '{ resolve: [Function: resolve] }'],
    ['/users', "'/users'"],
    [{ home: '/' }, "{ home: '/' }"],
  ])('%p', (routes, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, routes })).toThrow(
      new TypeError(`versioning(): option "routes" takes a table made by namedRoutes(); got ${got}.`),
    )
  })
})

describe('origin', () => {
  test.each<[unknown, string]>([
    ['api.example.com', "'api.example.com'"],
    ['//api.example.com', "'//api.example.com'"],
    ['https://api.example.com/v1', "'https://api.example.com/v1'"],
    ['https://user:pw@api.example.com', "'https://user:pw@api.example.com'"],
    ['https://api.example.com?', "'https://api.example.com?'"],
    [null, 'null'],
  ])('%p', (origin, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, origin })).toThrow(
      `versioning(): option "origin" takes ${ORIGIN}; got ${got}`,
    )
  })
})

describe('allowedHosts', () => {
  test.each<[unknown, string]>([
    ['https://api.example.com', "'https://api.example.com'"],
    ['api.example.com/', "'api.example.com/'"],
    ['api.example.com/v1', "'api.example.com/v1'"],
    ['user@api.example.com', "'user@api.example.com'"],
    ['', "''"],
    [null, 'null'],
  ])('%p among them', (host, got) => {
    expect(() => loosely({ scheme: URLPathVersioning, allowedHosts: ['ok.example.com', host] })).toThrow(
      new TypeError(`versioning(): option "allowedHosts" takes ${HOSTS}; got ${got} among them.`),
    )
  })
})

test.each<[string, () => unknown]>([
  ['mediaTypes', () => new AcceptHeaderVersioning({ mediatypes: ['application/json'] } as object)],
  ['hostnamePattern', () => new HostNameVersioning({ hostNamePattern: /x/ } as object)],
])('the option %s of one scheme is suggested too', (option, build) => {
  expect(build).toThrow(`Did you mean "${option}"?`)
})
