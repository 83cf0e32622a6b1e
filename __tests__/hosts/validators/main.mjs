// An app whose older schemas check what older clients sent, in front of the conversion, and whose newest schemas check the rest. The
// argument is the validator.
import 'reflect-metadata'
import { plainToInstance } from 'class-transformer'
import { IsEmail, validate as judge, Length } from 'class-validator'
import express from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { byVersion, HeaderVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import Joi from 'joi'
import { z } from 'zod'

const text = (more = {}) => ({ type: 'string', ...more })
const User = {
  type: 'object',
  properties: { fullName: text({ minLength: 2 }), email: text({ format: 'email' }) },
  required: ['fullName', 'email'],
}
const content = { 'application/json': { schema: { $ref: '#/components/schemas/User' } } }
const post = { requestBody: { required: true, content }, responses: { 201: { description: 'One', content } } }
const document = {
  openapi: '3.0.3',
  info: { title: 'Users', version: 'v2' },
  paths: { '/members': { post } },
  components: { schemas: { User } },
}
const changes = versionHistory('v1').version(
  'v2',
  change('Users have a `fullName` instead of a `name`.', { User: fields({ renamed: { name: 'fullName' } }) }),
  change('Users are members.', { 'POST /members': { path: '/users' } }),
)
const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes: routesOf(document) }
const documents = openapi(options, { info: { title: 'Users' } })

class OldUser {}
Length(2, 40)(OldUser.prototype, 'name')
IsEmail()(OldUser.prototype, 'email')
class NewUser {}
Length(2, 40)(NewUser.prototype, 'fullName')
IsEmail()(NewUser.prototype, 'email')

const failure = (message) => Object.assign(new Error(message), { status: 400 })
const VALIDATORS = {
  joi: (name) => {
    const schema = Joi.object({ [name]: Joi.string().min(2).required(), email: Joi.string().email().required() })
    return (req, _res, next) => {
      const { error } = schema.validate(req.body)
      next(error && failure(error.message))
    }
  },
  zod: (name) => {
    const schema = z.object({ [name]: z.string().min(2, `${name} is too short`), email: z.email() })
    return (req, _res, next) => {
      const { error } = schema.safeParse(req.body)
      next(error && failure(error.issues[0].message))
    }
  },
  'class-validator': (name) => async (req, _res, next) => {
    const [error] = await judge(plainToInstance(name === 'name' ? OldUser : NewUser, req.body))
    next(error && failure(Object.values(error.constraints)[0]))
  },
}

const pass = (_req, _res, next) => next()
const kind = process.argv[2]
const validate = VALIDATORS[kind]
const app = express()
app.use(versioning(options), express.json())
if (validate === undefined) {
  const inVersion = (version) => OpenApiValidator.middleware({ apiSpec: documents.document(version) })
  app.use(byVersion({ v1: inVersion('v1'), v2: inVersion('v2') }))
  app.use(convertRequest)
  app.post(['/members', '/users'], (req, res) => res.status(201).json(req.body))
} else {
  // Moved operations have today's path here.
  app.post('/members', byVersion({ v1: validate('name') }, { otherwise: pass }))
  app.use(convertRequest)
  app.post('/members', validate('fullName'), (req, res) => res.status(201).json(req.body))
}
app.use((error, _req, res, _next) => res.status(error.status ?? 500).json({ message: error.message }))
const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
