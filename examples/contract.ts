// A version is its contract: requests are checked in the client's own words, and unknown properties go.
import { Ajv2020 } from 'ajv/dist/2020.js'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { namedRoutes, problemDetails, URLPathVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { start } from './support/start'

const text = { type: 'string' }
const Article = {
  $id: 'Article',
  type: 'object',
  properties: { title: { type: 'string', minLength: 1 }, status: { type: 'string', enum: ['draft', 'public'] } },
  required: ['title', 'status'],
}
const Rejection = { type: 'object', properties: { error: text }, required: ['error'] }

const titled = change('Articles have `title` instead of `name`, and a `status`.', {
  Article: fields({ renamed: { name: 'title' }, added: { status: 'public' } }),
})
const paged = change('Lists page by `cursor` instead of `offset`.', {
  'GET article-list': {
    query: ({ offset, ...query }: { offset?: string }) => (offset === undefined ? query : { ...query, cursor: offset }),
    older: { query: { type: 'object', properties: { offset: { type: 'integer' } } } },
  },
})
const changes = versionHistory('v1').version('v2', titled, paged)

const stored: unknown[] = []
const articles = namedRoutes({ 'article-list': '/articles', 'article-detail': '/articles/:id' })
articles.describe('GET article-list', {
  query: { type: 'object', properties: { cursor: text } },
  response: { type: 'array', items: Article },
})
articles.describe('POST article-list', { body: Article, response: { 201: Article } })
articles.describe('PUT article-detail', { body: Article, response: { 200: Article, 401: Rejection } })
articles
  .route('article-list')
  .get((req, res) => {
    res.json(stored.slice(Number(req.query.cursor ?? 0)))
  })
  .post((req, res) => {
    stored.push(req.body)
    res.status(201).json(req.body)
  })
const required: RequestHandler = (req, res, next) => {
  if (req.headers.authorization === undefined) res.status(401).json({ error: 'Who are you?' })
  else next()
}
articles.route('article-detail').put(required, convertRequest, (req, res) => {
  res.json(req.body)
})
const routes = namedRoutes({}).include('/:version', articles)

// Bodies are as JSON has them. Queries and forms are strings, so their validator reads numbers in them.
const bodies = new Ajv2020({ allErrors: true, strict: false })
const queries = new Ajv2020({ allErrors: true, strict: false, coerceTypes: 'array' })
export const options = {
  scheme: URLPathVersioning,
  changes,
  routes,
  contract: contract({
    compile: (schema, part) => (part === 'query' ? queries : bodies).compile(schema),
    requests: 'all',
    responses: process.env.NODE_ENV === 'production' ? false : 'warn',
  }),
}

const app = express()
app.use(versioning(options), express.json())
app.use(routes)
// The issues are in problem details.
app.use(problemDetails())
const errors: ErrorRequestHandler = (err, _req, res, _next) => {
  res.status(err.status ?? 500).json({ error: err.expose ? err.message : 'Internal Server Error' })
}
app.use(errors)

const rejected = (error: string) =>
  `{"type":"about:blank","title":"Bad Request","status":400,"detail":"The request is not valid in version v1.","code":"ERR_VERSION_CONTRACT","errors":[${error}]} 400`

start(app, [
  { path: '/v1/articles', body: '{"name":"A","status":"draft"}', prints: '{"name":"A"} 201' },
  {
    path: '/v1/articles',
    body: '{"name":7}',
    prints: rejected('{"in":"body","pointer":"#/name","detail":"must be string"}'),
  },
  { path: '/v2/articles', prints: '[{"title":"A","status":"public"}] 200' },
  {
    path: '/v1/articles?offset=x',
    prints: rejected('{"in":"query","pointer":"#/offset","detail":"must be integer"}'),
  },
  { path: '/v1/articles?offset=1', prints: '[] 200' },
  {
    path: '/v9/articles',
    prints:
      '{"type":"about:blank","title":"Not Found","status":404,"detail":"Invalid version in URL path.","code":"ERR_VERSION_NOT_FOUND","supportedVersions":["v1","v2"]} 404',
  },
])
