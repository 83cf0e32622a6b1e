import { join } from 'node:path'
import { install, packed, run, temporary, tested } from './support/projects'

// Monitors name the route of a request by the layers of Express that it goes through. Those of included tables are among them.

const temp = temporary()
const project = (major: string) => join(temp, `express-${major}`)

/** The app that they watch. `paths` has the paths of the table's names. */
const APP = `
const { get } = require('node:http')
const express = require('express')
const { namedRoutes, URLPathVersioning, versioning } = require('express-versioning')
const books = namedRoutes({ list: '', book: '/:id' })
books.route('list').get((req, res) => res.json([]))
books.route('book').get((req, res) => res.json(req.params.id))
const api = namedRoutes({})
const within = namedRoutes({}).include('/books', books)
module.exports = async (named, inTable) => {
  if (inTable) api.use((req, res, next) => next(void inTable(req, paths.get(req.resolverMatch?.viewName ?? ''))))
  api.include('/:version', within)
  const paths = new Map(api.list().map(({ name, path }) => [name, '/api' + path]))
  const app = express()
  app.use('/api', versioning({ scheme: URLPathVersioning, allowedVersions: ['v1'], routes: api }), api)
  const server = app.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  for (const path of ['/api/v1/books/7', '/api/v1/books']) {
    await new Promise((done) => get({ port: server.address().port, path }, (res) => res.resume().on('end', done)))
  }
  await new Promise((done) => setTimeout(done, 500))
  console.log(JSON.stringify(await named()))
  process.exit()
}`

/** The monitors. The argument \`recipe\` adds what docs/operating.md says for Express 4. */
const MONITORS = {
  'opentelemetry.cjs': `
const { context } = require('@opentelemetry/api')
const { getRPCMetadata, RPCType } = require('@opentelemetry/core')
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express')
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')
const spans = []
const none = async () => {}
const processor = { onStart() {}, onEnd: (span) => spans.push(span), shutdown: none, forceFlush: none }
new NodeTracerProvider({ spanProcessors: [processor] }).register()
registerInstrumentations({ instrumentations: [new HttpInstrumentation(), new ExpressInstrumentation()] })
const tell = (req, route) => {
  const metadata = getRPCMetadata(context.active())
  if (metadata?.type === RPCType.HTTP) metadata.route = route
}
const named = () => spans.filter(({ kind }) => kind === 1).map(({ attributes }) => 'GET ' + attributes['http.route'])
require('./app.cjs')(named, process.argv[2] && tell)`,
  'sentry.cjs': `
const Sentry = require('@sentry/node')
const names = []
const transport = () => ({ send: async () => ({}), flush: async () => true })
const beforeSendTransaction = ({ transaction }) => (names.push(transaction), null)
const traces = { tracesSampleRate: 1, traceLifecycle: 'static', beforeSendTransaction }
Sentry.init({ dsn: 'https://key@127.0.0.1/1', transport, ...traces })
require('./app.cjs')(async () => (await Sentry.flush(1000), names))`,
  'elastic.cjs': `
const options = { disableSend: true, logLevel: 'off', metricsInterval: '0s', centralConfig: false, cloudProvider: 'none' }
const apm = require('elastic-apm-node').start({ serviceName: 'api', ...options })
const names = []
apm.addTransactionFilter(() => false)
require('node:http').ServerResponse.prototype.emit = (function (emit) {
  return function (event, ...args) {
    const transaction = event === 'finish' ? apm.currentTransaction : undefined
    if (transaction) setImmediate(() => names.push(transaction.name))
    return emit.call(this, event, ...args)
  }
})(require('node:http').ServerResponse.prototype.emit)
require('./app.cjs')(() => names, process.argv[2] && ((req, route) => apm.setTransactionName(req.method + ' ' + route)))`,
}

beforeAll(async () => {
  for (const major of ['4', '5']) {
    const monitors = {
      '@opentelemetry/api': '^1.9.0',
      '@opentelemetry/core': '^2.0.0',
      '@opentelemetry/instrumentation': '*',
      '@opentelemetry/instrumentation-express': '>=0.71.0',
      '@opentelemetry/instrumentation-http': '*',
      '@opentelemetry/sdk-trace-node': '^2.0.0',
      '@sentry/node': '^11.0.0',
      'elastic-apm-node': '^4.18.0',
    }
    const express = tested(major === '4' ? 'express4' : 'express')
    const dependencies = { express, 'express-versioning': packed().specifier, ...monitors }
    await install(project(major), dependencies, { ...MONITORS, 'app.cjs': APP })
  }
}, 600_000)

test.each([
  ['5', 'opentelemetry.cjs', ''],
  ['4', 'opentelemetry.cjs', 'recipe'],
  ['5', 'sentry.cjs', ''],
  ['4', 'sentry.cjs', ''],
  ['5', 'elastic.cjs', ''],
  ['4', 'elastic.cjs', 'recipe'],
])(
  'Express %s: %s names the routes of included tables %s',
  async (major, file, recipe) => {
    const printed = await run(project(major), process.execPath, file, ...(recipe === '' ? [] : [recipe]))
    expect(JSON.parse(printed)).toEqual(['GET /api/:version/books/:id', 'GET /api/:version/books'])
  },
  60_000,
)
