// Setups that requests and links show to be wrong, and what their warnings and errors say to write.
import { type Application, Router } from 'express'
import {
  HeaderVersioning,
  HostNameVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { type NestVersioningOptions, VersioningModule } from 'express-versioning/nest'
import { routesOf } from 'express-versioning/openapi'
import { FileInterceptor, nestApp } from '../../nest/stand-in'
import { appOf, dispatch } from '../dispatch'
import { documentOf } from '../documents'
import { json, object, ok, ref, text } from '../parts'
import { evaluated, optionsOf, type Remedy } from './obeyed'

const User = object({ name: text })
const history = versionHistory('1').version('2', change('Names.', { User: fields({ renamed: { title: 'name' } }) }))
const usersAt = (...paths: string[]) =>
  documentOf(
    Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: ok(ref('User')) } } }])) as never,
    {
      schemas: { User },
    },
  )
const table = () => {
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').get((_req, res) => void res.json([]))
  return routes
}
/** Sends a request to an app, and throws the error that it ends with. */
async function ask(build: (app: Application) => void, url: string, headers = {}): Promise<void> {
  const { errors } = dispatch(appOf(build), { url, headers })
  await new Promise(setImmediate)
  if (errors[0] !== undefined) throw errors[0]
}
/** Runs pasted lines of an app. */
const lines = (code: string, names: object) => void new Function(...Object.keys(names), code)(...Object.values(names))
const V1 = { 'x-api-version': '1' }

/** Asks an app of URL paths whose mount is below a document's paths, or above them. */
const mounted = (title: string, printed: RegExp, document: object, mount: string, url: string): Remedy => [
  title,
  printed,
  (pasted) => {
    const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes: routesOf(document) }
    const line = pasted || `app.use('${mount}', versioning(options))`
    return ask(
      (app) => lines(`${line}, app.use(convertRequest)`, { app, versioning, options, convertRequest }),
      url,
      V1,
    )
  },
]
const byPath = { scheme: URLPathVersioning, allowedVersions: ['v1', 'v2'] }
const upload = { requestBody: { content: json(ref('User')) }, responses: { 201: ok(ref('User')) } }
/** Sets up an app of Nest with a route. */
const nest = (method: object, operation: object, more: object = {}) => {
  const app = nestApp({
    controllers: [{ path: 'users', methods: { add: { verb: 1, path: '', handle: () => ({}), ...method } } }],
  })
  const document = documentOf({ '/users': { post: operation } } as never, { schemas: { User } })
  const options: NestVersioningOptions = { scheme: HeaderVersioning, defaultVersion: '1', changes: history, ...more }
  VersioningModule.setup(app.nest, document, options)
  return app.listen()
}

/** Sets up an app of Nest whose success has no status in the document, until one is pasted. */
const withoutStatus = (pasted: string) => {
  const errors = pasted.startsWith('errors') ? optionsOf(pasted) : {}
  const statuses = pasted.startsWith('{') ? [201, evaluated(pasted).status] : ['default']
  return nest({}, { responses: Object.fromEntries(statuses.map((status) => [status, ok(ref('User'))])) }, errors)
}

export const SETUPS: readonly Remedy[] = [
  ['errors in Nest: a format', /by the option (errors: \{ \$ref: 'User' \}), or/, withoutStatus],
  [
    'errors in Nest: those of Nest',
    /by the option (errors: \{ type: 'object' \}), or/,
    (pasted) => {
      const responses = { 201: ok(ref('User')), 404: ok({ type: 'array', items: ref('User') }) }
      return nest({}, { responses }, optionsOf(pasted))
    },
  ],
  [
    'errors in Nest: a status of a success',
    /if it is a success, say so: @ApiResponse\((\{ status: 200 \})\)/,
    withoutStatus,
  ],
  ...["app\\.use\\('/:version/users', users\\)", "app\\.use\\('/:version', versioning\\(\\.\\.\\.\\), api\\)"].map(
    (printed): Remedy => [
      `a router without a version: ${printed}`,
      new RegExp(`(${printed})`),
      (pasted) => {
        const users = Router().get('/', (_req, _res, next) => next())
        const api = Router().use('/users', users)
        const middleware = versioning(byPath)
        const line = pasted.replace('...', 'byPath')
        return ask((app) => {
          if (!line.includes('api')) app.use('/:version', middleware)
          lines(line || "app.use('/users', users)", { app, users, api, versioning, byPath })
        }, '/v1/users')
      },
    ],
  ),
  [
    'a route without the parameter of the version: a mount',
    /Mount it below one, (app\.use\('\/:version', versioning\(\.\.\.\)\))/,
    (pasted) =>
      ask(
        (app) => lines(pasted.replace('...', 'byPath') || 'app.use(versioning(byPath))', { app, versioning, byPath }),
        '/v1/users',
      ),
  ],
  [
    'a route without the parameter of the version: a router on the way',
    /needs express\.(Router\(\{ mergeParams: true \}\))/,
    (pasted) => {
      const way = pasted === '' ? Router() : evaluated(pasted, { Router })
      return ask((app) => void app.use('/:version', way.use(versioning(byPath))), '/v1/users')
    },
  ],
  mounted(
    'a document with the prefix of the mount',
    /(app\.use\(versioning\(options\)\))/,
    usersAt('/api/users'),
    '/api',
    '/api/users',
  ),
  mounted(
    'a document without the prefix of the routers',
    /(app\.use\('\/api', versioning\(options\)\))/,
    usersAt('/users'),
    '/',
    '/api/users',
  ),
  [
    'a table at another mount: versioning() with the mount',
    /(app\.use\('\/api', versioning\(\{ \.\.\., routes: api \}\), api\))/,
    (pasted) => {
      const [api, options] = [table(), { scheme: QueryParameterVersioning, allowedVersions: ['1', null] }]
      const given = "app.use(versioning({ ...options, routes: api })), app.use('/api', api)"
      return ask(
        (app) => lines(pasted.replace('...', '...options') || given, { app, versioning, api, options }),
        '/api/users',
      )
    },
  ],
  [
    'a table at another mount: a description of it',
    /describe it: (routes: namedRoutes\(\{\}\)\.include\('\/api', api\)), beside (?:app\.use\('\/api', api\))/,
    (pasted) => {
      const api = table()
      const own = pasted === '' ? { routes: api } : optionsOf(pasted, { namedRoutes, api })
      const options = { scheme: QueryParameterVersioning, allowedVersions: ['1', null], ...own } as never
      return ask((app) => void app.use(versioning(options)).use('/api', api), '/api/users')
    },
  ],
  [
    'a table below a parameter',
    /routers with (mergeParams: true)/,
    (pasted) => {
      const api = namedRoutes({ users: '/users' }).below('/:tenant')
      api.route('users').get((_req, _res, next) => next())
      const way = Router(pasted === '' ? {} : optionsOf(pasted)).use(api)
      return ask((app) => void app.use('/:tenant', way), '/acme/users')
    },
  ],
  [
    'a table at two prefixes of which one is in the other',
    /(include\('\/api\{\/:version\}', table\))/,
    (pasted) => {
      const [all, one] = [namedRoutes({}), table()]
      if (pasted === '') return all.include('/api', one).include('/api/:version', one)
      return evaluated(`all.${pasted}`, { all, table: one })
    },
  ],
  [
    'a table at two prefixes',
    /(include\(prefix, table, \{ namespace \}\))/,
    (pasted) => {
      const [all, users] = [namedRoutes({}), table()]
      if (pasted === '') return all.include('/a', users).include('/b', users)
      return ['a', 'b'].map((name) =>
        evaluated(`all.${pasted}`, { all, table: users, prefix: `/${name}`, namespace: name }),
      )
    },
  ],
  [
    'a link to another host',
    /needs (\{ absolute: true \})/,
    (pasted) => {
      const routes = table()
      const options = {
        scheme: HostNameVersioning,
        allowedVersions: ['v1', 'v2'],
        routes,
        origin: 'http://v1.example.com',
      }
      const { req } = dispatch(
        appOf((app) => void app.use(versioning(options))),
        { url: '/users', headers: { host: 'v1.example.com' } },
      )
      return req.reverse('users', { version: 'v2', ...(pasted === '' ? {} : evaluated(pasted)) })
    },
  ],
  [
    'a link to another origin',
    /such as ('.*?')/,
    (pasted) => {
      const options = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes: table() }
      const { req } = dispatch(
        appOf((app) => void app.use(versioning(options))),
        { url: '/users' },
      )
      return req.reverse('users', { absolute: true, origin: evaluated(pasted) })
    },
  ],
  [
    'a step that returns no event',
    /: (\{ data, event \}), or null/,
    (pasted) => {
      const content = { 'text/event-stream': { itemSchema: object({ data: text }) } }
      const routes = routesOf(
        documentOf({ '/feed': { get: { responses: { 200: { description: '', content } } } } } as never),
      )
      const step = () => (pasted === '' ? {} : evaluated(pasted, { data: { name: 'A' }, event: 'added' }))
      const changes = versionHistory('1').version('2', change('Items.', { 'GET /feed': { item: step } } as never))
      const options = { scheme: HeaderVersioning, defaultVersion: '2', routes, changes }
      return ask(
        (app) => {
          app.use(versioning(options as never), convertRequest)
          app.get('/feed', (_req, res, next) => {
            res.type('text/event-stream').end('data: {"name":"A"}\n\n')
            if (pasted !== '') next()
          })
        },
        '/feed',
        V1,
      )
    },
  ],
  [
    'an upload in Nest whose body changes',
    /(@UseInterceptors\(FileInterceptor\('file'\), ConvertRequest\))/,
    (pasted) => {
      const { ConvertRequest } = require('express-versioning/nest')
      const given = evaluated(pasted.replace('@UseInterceptors(', '[').replace(/\)$/, ']'), {
        FileInterceptor: () => FileInterceptor,
        ConvertRequest,
      })
      return nest({ metadata: { __interceptors__: pasted === '' ? [FileInterceptor] : given } }, upload)
    },
  ],
  [
    'a route of Nest that the document lacks',
    /let it pass: (neutral: \['[^']+'\])/,
    (pasted) => nest({ path: 'hidden' }, upload, optionsOf(pasted)),
  ],
  ...['@ApiResponse\\(\\{ status: 201, type: \\.\\.\\. \\}\\)', '@HttpCode\\(200\\)'].map(
    (printed): Remedy => [
      `a status of Nest that the document does not have: ${printed}`,
      new RegExp(`(${printed})`),
      (pasted) => {
        const responses = { 200: ok(ref('User')) }
        const decorated = /^@ApiResponse\((\{.*\})\)$/.exec(pasted)?.[1]?.replace('...', '0')
        const added = decorated === undefined ? {} : { [evaluated(decorated).status]: ok(ref('User')) }
        const code = /^@HttpCode\((.*)\)$/.exec(pasted)?.[1]
        return nest(code === undefined ? {} : { metadata: { __httpCode__: Number(code) } }, {
          ...upload,
          responses: { ...responses, ...added },
        })
      },
    ],
  ),
]
