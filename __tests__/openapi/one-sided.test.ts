// What a document calls `readOnly` is not required in requests, and what it calls `writeOnly` not in responses (OpenAPI 3.0).
import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { openapi, routesOf } from 'express-versioning/openapi'
import { Ajv } from '../support/ajv'
import { ask, historyOf } from '../support/changes'
import { jsonErrors, serve } from '../support/serve'

const text = { type: 'string' }
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const responses = { 200: { description: 'OK', ...json(ref('User')) } }

/** Users whose names and passwords clients write; the server sets the rest. Each of them is required. */
const document = {
  openapi: '3.0.3',
  info: { title: 'Users', version: 'v2' },
  paths: { '/users': { post: { requestBody: { required: true, ...json(ref('User')) }, responses } } },
  components: {
    schemas: {
      Id: { type: 'string', readOnly: true },
      Made: { type: 'object', properties: { made: { ...text, readOnly: true } } },
      User: {
        allOf: [
          ref('Made'),
          {
            type: 'object',
            properties: {
              id: ref('Id'),
              name: text,
              password: { ...text, writeOnly: true },
              home: { type: 'object', properties: { key: { ...text, readOnly: true } }, required: ['key'] },
            },
            required: ['id', 'name', 'password'],
          },
        ],
        required: ['made'],
      },
    },
  },
}
const changes = historyOf([
  change('`name` was `title`; users got an `id`.', { User: fields({ renamed: { title: 'name' }, added: ['id'] }) }),
])
const settings = { scheme: HeaderVersioning, defaultVersion: 'v1', changes }
const judged = () => {
  const ajv = new Ajv()
  return contract({ compile: (schema) => ajv.compile(schema), requests: 'all', responses: 'throw' })
}

test.each(['v1', 'v2'])(
  'a body needs nothing that the server sets, and a response no password, in %s',
  async (version) => {
    const older = version === 'v1'
    const served = await serve((app) => {
      const options = { ...settings, contract: judged(), routes: routesOf(document) }
      app.use(versioning(options), express.json(), convertRequest)
      app.post('/users', ({ body: { name } }, res) => void res.json({ id: '7', made: 'now', name, home: { key: 'k' } }))
      app.use(jsonErrors)
    })
    const name = older ? { title: 'Ada' } : { name: 'Ada' }
    const { status, json } = await ask(served, version, '/users', {
      method: 'POST',
      body: { ...name, password: 'x', home: {} },
    })
    const user = { made: 'now', ...name, home: { key: 'k' } }
    expect({ status, json }).toEqual({ status: 200, json: older ? user : { id: '7', ...user } })
    const missing = await ask(served, version, '/users', { method: 'POST', body: name })
    expect(missing.status).toBe(400)
  },
)

test('documents say what the given one says', () => {
  const options = { ...settings, routes: routesOf(document) }
  const { components } = openapi(options).document('v1') as unknown as typeof document
  expect(components.schemas.User).toMatchObject({
    required: ['made'],
    allOf: [{}, { required: ['title', 'password'] }],
  })
})
