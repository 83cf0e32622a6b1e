// A gateway in front of a service that knows no versions.
import { request } from 'node:http'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { jsonErrors } from '../../support/start'
import { sendConverted } from './send-converted'

const integer = { type: 'integer' } as const
const text = { type: 'string' } as const
const reference = { $ref: '#/components/schemas/User' }
const content = (schema: object) => ({ 'application/json': { schema } })

/** The OpenAPI document of the service. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Users', version: '2026-01-01' },
  paths: {
    '/users': {
      get: {
        parameters: [{ name: 'limit', in: 'query', schema: integer }],
        responses: { 200: { description: 'OK', content: content({ type: 'array', items: reference }) } },
      },
      post: {
        requestBody: { required: true, content: content(reference) },
        responses: { 201: { description: 'Created', content: content(reference) } },
      },
    },
  },
  components: {
    schemas: {
      User: {
        type: 'object',
        properties: { id: integer, given: text, family: text },
        required: ['given', 'family'],
      },
    },
  },
}

const changes = versionHistory('2024-01-01').version(
  '2026-01-01',
  change('Users have `given` and `family` instead of `first` and `last`.', {
    User: fields({ renamed: { first: 'given', last: 'family' } }),
  }),
  change('Lists take `limit` instead of `max`.', {
    'GET /users': {
      query: ({ max, ...query }: { max?: string }) => (max === undefined ? query : { ...query, limit: max }),
    },
  }),
)

/** Sends requests on to a port of 127.0.0.1. Use the proxy that you have. */
function proxyTo(port: number): RequestHandler {
  return (req, res, next) => {
    const { method, url: path, headers } = req
    const proxyReq = request({ host: '127.0.0.1', port, method, path, headers }, (proxyRes) => {
      res.writeHead(proxyRes.statusCode ?? 502, proxyRes.headers)
      proxyRes.pipe(res)
    })
    proxyReq.on('error', next)
    sendConverted(proxyReq, req)
    req.pipe(proxyReq)
  }
}

export function gateway(port: number): express.Application {
  const app = express()
  const routes = routesOf(document)
  const options = { scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes, routes, neutral: ['/photo'] }
  app.use(versioning(options), convertRequest.with(express.json()), proxyTo(port))
  app.use(jsonErrors)
  return app
}
