// Options with wrong values: each example that a message gives is taken.

import express from 'express'
import {
  AcceptHeaderVersioning,
  CombinedVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  namedRoutes,
  problemDetails,
  reverse,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, convertRequest, events, shape, versionHistory } from 'express-versioning/changes'
import { inVersion } from 'express-versioning/client'
import { contract } from 'express-versioning/contract'
import { explorer } from 'express-versioning/explorer'
import { gateway } from 'express-versioning/gateway'
import { versionMetrics } from 'express-versioning/metrics'
import { openapi } from 'express-versioning/openapi'
import { prometheusUsage } from 'express-versioning/usage'
import { run } from '../dispatch'
import { text } from '../parts'
import { evaluated, optionsOf, type Remedy } from './obeyed'

const User = { type: 'object', properties: { name: text } }
const history = versionHistory('v1').version(
  'v2',
  change('Names.', { 'GET users': { response: (user: unknown) => user } }),
)
const tableOf = (description?: object) => {
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').get((_req, res) => void res.json([]))
  return description === undefined ? routes : routes.describe('GET users', description)
}
const options = (more: object = {}): VersioningOptions =>
  ({
    scheme: HeaderVersioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    routes: tableOf(),
    ...more,
  }) as never
const started = (more: object) => versioning(options(more))
/** An option of `versioning()`. */
const option = (name: string, printed: RegExp, more: object = {}): Remedy => [
  `versioning(): ${name}`,
  printed,
  (pasted) => started({ ...more, [name]: evaluated(pasted) }),
]
/** An option of a plan of a version. */
const planned = (name: string, printed: RegExp, make: (pasted: string) => unknown): Remedy => [
  `lifecycle: ${name}`,
  printed,
  (pasted) => started({ lifecycle: { v1: { [name]: make(pasted) } } }),
]
const hosts = () => options({ scheme: HostNameVersioning, defaultVersion: undefined })
const instrument = () => ({ addCallback() {} })
const from = '2026-01-01'
const to = '2026-02-01'
const reversed = (pasted: string) => {
  const req = run((one, res, next) => void started({})(one, res, next), { url: '/users', headers: {} }).req
  return pasted === '' ? reverse('users', {} as never) : evaluated(pasted, { reverse, req })
}

export const OPTIONS: readonly Remedy[] = [
  option('origin', /such as ('https.*?')/),
  option('allowedHosts', /such as (\[.*?\])/),
  option('publicPath', /such as ('\/shop')/),
  option('reportChanges', /such as ('.*?')/, { changes: history }),
  option('allowedVersions', /such as (\[.*?\])/),
  [
    'schemes',
    /such as (\[.*?\])/,
    (pasted) => new CombinedVersioning({ schemes: evaluated(pasted, { URLPathVersioning, HeaderVersioning }) }),
  ],
  ['ignore', /such as (\[.*?\])/, (pasted) => new HostNameVersioning({ ignore: evaluated(pasted) })],
  ['template', /such as ('.*?')/, (pasted) => new MediaTypeVersioning({ template: evaluated(pasted) })],
  ['mediaTypes', /such as (\[.*?\])/, (pasted) => new AcceptHeaderVersioning({ mediaTypes: evaluated(pasted) })],
  [
    'varyOn',
    /such as (\[.*?\])/,
    (pasted) =>
      versioning({
        scheme: class extends HeaderVersioning {
          override varyOn = evaluated(pasted)
        },
        allowedVersions: ['v1'],
      }),
  ],
  [
    'an option of the scheme',
    /(scheme: new \w+\(\{ template, \.\.\. \}\))/,
    (pasted) =>
      pasted === ''
        ? started({ scheme: MediaTypeVersioning, template: 'a/{version}' })
        : started({
            ...optionsOf(pasted.replace('...', "allowedVersions: ['v1']"), {
              MediaTypeVersioning,
              template: 'a/{version}',
            }),
            allowedVersions: undefined,
            defaultVersion: undefined,
          }),
  ],
  [
    'versioning as a middleware',
    /: app\.use\((versioning\(.*?\))\), not/,
    (pasted) =>
      pasted === ''
        ? run(versioning as never, { url: '/' })
        : evaluated(pasted.replace('...', 'scheme'), {
            versioning,
            scheme: new HeaderVersioning({ allowedVersions: ['v1'] }),
          }),
  ],
  [
    'a scheme as the options',
    /: (versioning\(.*?\))\.$/,
    (pasted) =>
      pasted === ''
        ? versioning(HeaderVersioning as never)
        : evaluated(pasted.replace('...', 'scheme'), {
            versioning,
            scheme: new HeaderVersioning({ allowedVersions: ['v1'] }),
          }),
  ],
  [
    'an API of one version',
    /writes (versionHistory\('v1'\))\.$/,
    (pasted) =>
      versioning({
        scheme: HeaderVersioning,
        defaultVersion: 'v1',
        routes: tableOf(),
        reportChanges: true,
        changes: pasted === '' ? undefined : evaluated(pasted, { versionHistory }),
      }),
  ],
  planned('deprecated', /such as (\d{4}-\d\d-\d\d)/, (pasted) => pasted || 7),
  planned('info', /such as ('.*?')/, evaluated),
  planned('brownouts', /such as (\[\{ from, to \}\])/, (pasted) => evaluated(pasted, { from, to })),
  planned('brownouts', /or (\[\{ from, to, every, for \}\])/, (pasted) =>
    evaluated(pasted.replace('for', "for: '5m'"), { from, to, every: '1h' }),
  ),
  planned('brownouts', /such as (30s), 5m/, (pasted) => [{ from, to, every: '1d', for: pasted || 7 }]),
  ['the base of problems', /such as ('.*?')/, (pasted) => problemDetails({ base: evaluated(pasted) })],
  ['the origin of documents', /such as ('.*?')/, (pasted) => explorer(options(), { origin: evaluated(pasted) })],
  [
    'the documents of an explorer',
    /such as ('.*?')/,
    (pasted) => explorer(options(), { documents: evaluated(pasted) }),
  ],
  ['the info of documents', /such as (\{.*?\})/, (pasted) => openapi(options(), { info: evaluated(pasted) })],
  ['webhooks', /such as (\{.*\}) ?;/, (pasted) => openapi(options(), { webhooks: evaluated(pasted, { Order: User }) })],
  [
    'the limit of a gateway',
    /such as ('.*?')/,
    (pasted) =>
      gateway(options(), { target: 'http://127.0.0.1:8000', limit: pasted === '' ? 'much' : evaluated(pasted) }),
  ],
  ['the target of a gateway', /such as ('.*?')/, (pasted) => gateway(options(), { target: evaluated(pasted) })],
  [
    'the prefix of metrics',
    /such as ('.*?')/,
    (pasted) =>
      versionMetrics(options(), {
        prefix: evaluated(pasted),
        meter: {
          createObservableCounter: instrument,
          createObservableGauge: instrument,
          addBatchObservableCallback() {},
        } as never,
      }),
  ],
  [
    'the prefix of usage',
    /such as ('.*?')/,
    (pasted) => prometheusUsage({ url: 'http://127.0.0.1:9090', prefix: evaluated(pasted) }),
  ],
  ['the URL of usage', /such as ('.*?')/, (pasted) => prometheusUsage({ url: evaluated(pasted) })],
  [
    'since',
    /such as ('.*?')/,
    (pasted) => prometheusUsage({ url: 'http://127.0.0.1:9090', since: pasted === '' ? 'soon' : evaluated(pasted) }),
  ],
  [
    'the host of a client',
    /such as ('example\.com') or/,
    (pasted) => inVersion('v1', hosts(), { host: evaluated(pasted) }),
  ],
  [
    'the port of a client',
    /or ('example\.test:3000')/,
    (pasted) => inVersion('v1', hosts(), { host: evaluated(pasted) }),
  ],
  [
    'a client without a host',
    /such as ('example\.com') for/,
    (pasted) => inVersion('v1', hosts(), pasted === '' ? {} : { host: evaluated(pasted) }),
  ],
  [
    'the base of a client',
    /such as ('.*?') or/,
    (pasted) => inVersion('v1', options()).url('/users', {}, evaluated(pasted)),
  ],
  [
    'a version that is not allowed',
    /: (\{ unchecked: true \})/,
    (pasted) => inVersion('v7', options(), pasted === '' ? {} : evaluated(pasted)),
  ],
  ['a link without a request', /: (reverse\("users", \{ request: req \}\))/, reversed],
  ['a table of names', /such as (\{.*?\})/, (pasted) => namedRoutes(evaluated(pasted))],
  [
    'undocumented',
    /needs (\{.*?\})/,
    (pasted) => namedRoutes({}, { undocumented: 'pass', ...(pasted === '' ? {} : evaluated(pasted)) }),
  ],
  ['places', /such as (\{.*?\})/, (pasted) => namedRoutes({}, { places: evaluated(pasted) })],
  [
    'a described response',
    /such as (\{ 200: User, 204: null \})/,
    (pasted) => tableOf({ response: evaluated(pasted, { User }) }),
  ],
  [
    'described errors',
    /such as (\{ "4XX": Problem \})/,
    (pasted) => tableOf().describe('*', { response: evaluated(pasted, { Problem: User }) }),
  ],
  [
    'a stream as a response',
    /(\{ content: \{ 'text\/event-stream': \{ itemSchema: \.\.\. \} \} \})/,
    (pasted) =>
      tableOf({ response: pasted === '' ? { itemSchema: User } : evaluated(pasted.replace('...', 'User'), { User }) }),
  ],
  [
    'the schema of a stream',
    /write (\{ itemSchema: \.\.\. \})/,
    (pasted) =>
      tableOf({
        response: {
          content: {
            'text/event-stream': pasted === '' ? { schema: User } : evaluated(pasted.replace('...', 'User'), { User }),
          },
        },
      }),
  ],
  ['events', /such as (\{.*?\})/, (pasted) => events(evaluated(pasted, { Order: User }))],
  ['parsers', /such as (express\.json\(\))/, (pasted) => convertRequest.with(evaluated(pasted, { express }))],
  [
    'the compiler of a contract',
    /such as (\(schema\) => ajv\.compile\(schema\))/,
    (pasted) => contract({ compile: evaluated(pasted) }),
  ],
  [
    'a contract without descriptions',
    /needs descriptions: (routes\.describe\()\.\.\.\)/,
    (pasted) => {
      const routes = tableOf()
      if (pasted !== '') evaluated(`${pasted}'GET users', { response: null })`, { routes })
      return versioning(options({ routes, contract: contract({ compile: () => () => true }), changes: history }))
    },
  ],
  ...(
    [
      ['nullable: true', '(\\{ type: \\[.*?\\] \\})'],
      ['nullable: true', '(\\{ anyOf: .*\\] \\})'],
      [
        'minimum: 1, exclusiveMinimum: true',
        '(\\{ exclusiveMinimum: 0 \\}) instead of \\{ minimum: 0, exclusiveMinimum: true',
      ],
      [
        'maximum: 1, exclusiveMaximum: true',
        '(\\{ exclusiveMaximum: 9 \\}) instead of \\{ maximum: 9, exclusiveMaximum: true',
      ],
    ] as const
  ).map(
    ([old, printed]): Remedy => [
      `words of OpenAPI 3.0: ${old}`,
      new RegExp(printed),
      (pasted) => {
        const schema = evaluated(pasted === '' ? `{ ${old} }` : pasted.replace('...', "type: 'string'"))
        return started({
          routes: tableOf({ response: { type: 'object', properties: { a: schema, u: { ...User, $id: 'User' } } } }),
          changes: versionHistory('v1').version(
            'v2',
            change('U.', {
              User: shape(User, { ...User, $id: 'User' }, { response: (user: object) => user } as never),
            } as never),
          ),
        })
      },
    ],
  ),
]
