// A gateway in front of a service that knows no versions.
import express from 'express'
import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { gateway } from 'express-versioning/gateway'
import { routesOf } from 'express-versioning/openapi'

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

/** Makes the app in front of a service. */
export function app(target: string): express.Application {
  const options = { scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes, neutral: ['/photo'] }
  const app = express()
  app.use(gateway({ ...options, routes: routesOf(document) }, { target }))
  return app
}
