// Apps as they are on the day before they adopt. What `init` prints is pasted where the comment is.

/** An app before the adoption. */
export interface OldApp {
  /** Its files. `package.json` has the names of its packages alone. */
  readonly files: Readonly<Record<string, string | object>>
  /** The file that gets the lines. */
  readonly main: string
  /** `true` for an app of TypeScript, which is compiled from `src` to `dist`. */
  readonly isTyped?: boolean
  /** A command of its build, which runs first. */
  readonly build?: readonly string[]
  /** The header fields that clients send. */
  readonly headers?: Readonly<Record<string, string>>
  /** The paths that clients ask. */
  readonly paths?: readonly string[]
  /** The schemes that are tried. Default: all. */
  readonly schemes?: readonly string[]
}

const uses = (names: string, more: object = {}) => ({
  dependencies: Object.fromEntries(['express-versioning', ...names.split(' ')].map((name) => [name, '*'])),
  ...more,
})
const MODULE = { type: 'module' }
const object = (properties: object) => ({ type: 'object', properties })
const text = { type: 'string' }
const json = (schema: object) => ({ description: 'It.', content: { 'application/json': { schema } } })
const seed = { $ref: '#/components/schemas/Seed' }
const id = { name: 'id', in: 'path', required: true, schema: text }
const version = { name: 'version', in: 'query', schema: text }

/** The document of all apps. */
const paths = {
  '/seeds': {
    get: { parameters: [version], responses: { 200: json({ type: 'array', items: seed }) } },
    post: { requestBody: { content: json(seed).content }, responses: { 201: json(seed) } },
  },
  '/seeds/{id}': { get: { parameters: [id], responses: { 200: json(seed) } } },
}
const components = { schemas: { Seed: object({ id: text, label: text }) } }
const documentAt = (url?: string) => ({
  openapi: '3.0.3',
  info: { title: 'Seeds', version: '1.2.0' },
  ...(url === undefined ? {} : { servers: [{ url }] }),
  ...{ paths, components },
})

const LISTEN = `const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())`
const ROUTES = `router.get('/seeds', (req, res) => res.json([{ id: '1', label: req.query.version ?? 'Kale' }]))
router.post('/seeds', (req, res) => res.status(201).location('/seeds/2').json({ ...req.body, id: '2' }))
router.get('/seeds/:id', (req, res) => res.json({ id: req.params.id, label: 'Kale' }))`
const PAGES = `app.get('/health', (req, res) => res.send('fine'))
app.use('/docs', express.static('pages'))`

/** The lines of an app between its imports and `listen()`. */
const appAt = (mount: string, more = '') => `const app = express()
// PASTE
${more}${PAGES}
app.use(express.json())
app.use('${mount || '/'}', seeds)
app.get('/late', (req, res) => res.json({ late: true }))
${LISTEN}
`
const requires = (body: string, more = '') =>
  `'use strict'\nconst express = require('express')\n${more}const seeds = require('./routes/seeds')\n${body}`
const imports = (body: string, more = '') =>
  `import express from 'express'\n${more}import { seeds } from './routes/seeds.js'\n${body}`
const routesCommon = `const router = require('express').Router()\n${ROUTES}\nmodule.exports = router\n`
const routesModule = `import express from 'express'\nexport const seeds = express.Router(), router = seeds\n${ROUTES}\n`
const typed = (source: string) =>
  source
    .replaceAll('process.send(', '(process.send as (told: object) => void)(')
    .replaceAll('server.address().port', 'Object(server.address()).port')
const routesTyped = `import express from 'express'\nexport const seeds = express.Router()\nconst router = seeds\n${ROUTES}\n`
const COMMENTS = `/**
 * @openapi
 * /seeds:
 *   get:
 *     responses: { 200: { description: All, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Seed' } } } } } }
 *   post:
 *     requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Seed' } } } }
 *     responses: { 201: { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Seed' } } } } }
 * /seeds/{id}:
 *   get:
 *     parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
 *     responses: { 200: { description: One, content: { application/json: { schema: { $ref: '#/components/schemas/Seed' } } } } }
 */
`
const definition = (file: string) => `{
  definition: {
    openapi: '3.0.0',
    info: { title: 'Seeds', version: '2.1' },
    servers: [{ url: 'http://localhost:3000/api' }],
    components: ${JSON.stringify(components)},
  },
  apis: ['${file}'],
}`
const page = { 'pages/index.html': '<p>Pages</p>' }
const FEW = ['header', 'path']

const CONTROLLERS = `import { Body, Controller, Get, Header, Param, Post, Query, VERSION_NEUTRAL } from '@nestjs/common'
import { ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiProperty } from '@nestjs/swagger'
class Seed {
  @ApiProperty() id!: string
  @ApiProperty() label!: string
}
@Controller({ path: 'seeds'/* version */ })
export class Seeds {
  @Get() @ApiOkResponse({ type: [Seed] }) list(@Query('version') version?: string): Seed[] { return [{ id: '1', label: version ?? 'Kale' }] }
  @Get('hidden') @ApiExcludeEndpoint() hidden() { return { hidden: true } }
  @Get(':id') @ApiOkResponse({ type: Seed }) one(@Param('id') id: string): Seed { return { id, label: 'Kale' } }
  @Post() @Header('Location', '/seeds/2') @ApiCreatedResponse({ type: Seed }) add(@Body() body: Seed): Seed { return { ...body, id: '2' } }
}
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class Health {
  @Get() @ApiOkResponse({ type: String }) show() { return 'fine' }
}
`

/** An app of Nest. */
const nestApp = (settings: string, version = '', schemes: readonly string[] = ['header', 'path']): OldApp => ({
  main: 'src/main.ts',
  isTyped: true,
  schemes,
  files: {
    'package.json': uses(
      '@nestjs/common @nestjs/core @nestjs/platform-express @nestjs/swagger reflect-metadata rxjs typescript',
    ),
    ...page,
    'src/seeds.controller.ts': CONTROLLERS.replace('/* version */', version),
    'src/main.ts': `import 'reflect-metadata'
import { Module, VersioningType } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { NestExpressApplication } from '@nestjs/platform-express'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { Health, Seeds } from './seeds.controller'

@Module({ controllers: [Seeds, Health] })
class Root {}
const TYPE = VersioningType

async function bootstrap() {
  const app = await NestFactory.create<NestExpressApplication>(Root, { logger: ['error'] })
  ${settings}
  app.useStaticAssets('pages', { prefix: '/docs' })
  const config = new DocumentBuilder().setTitle('Seeds').build()
  const document = SwaggerModule.createDocument(app, config)
  SwaggerModule.setup('swagger', app, document)
  // PASTE
  await app.listen(0, '127.0.0.1')
  ;(process.send as (told: object) => void)({ port: Object(app.getHttpServer().address()).port })
}
void bootstrap()
process.once('disconnect', () => process.exit())
`,
  },
})

/** The apps by their kind. */
export const APPS: Readonly<Record<string, OldApp>> = {
  'CommonJS, JSON': {
    main: 'app.js',
    files: {
      ...page,
      'package.json': uses('express'),
      'openapi.json': documentAt(),
      'app.js': requires(appAt('')),
      'routes/seeds.js': routesCommon,
    },
  },
  'ES modules, YAML, a mount': {
    main: 'server.js',
    files: {
      ...page,
      'package.json': uses('express yaml', MODULE),
      'docs/swagger.yml': JSON.stringify(documentAt('https://api.seeds.example/api')),
      'server.js': imports(appAt('/api')),
      'routes/seeds.js': routesModule,
    },
  },
  'TypeScript, ES modules': {
    main: 'src/server.ts',
    isTyped: true,
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express', MODULE),
      'openapi.json': documentAt('/v1'),
      'src/server.ts': typed(imports(appAt('/v1'))),
      'src/routes/seeds.ts': routesTyped,
    },
  },
  'TypeScript, swagger-jsdoc in a file': {
    main: 'src/app.ts',
    isTyped: true,
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express swagger-jsdoc'),
      'src/swagger.ts': `import swaggerJsdoc from 'swagger-jsdoc'\nexport const spec = swaggerJsdoc(${definition('./src/routes/*.ts')})\n`,
      'src/app.ts': typed(imports(appAt('/api')).replace('.js', '')),
      'src/routes/seeds.ts': COMMENTS + routesTyped,
    },
  },
  'TypeScript, an object': {
    main: 'src/app.ts',
    isTyped: true,
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express'),
      'src/openapi.ts': `const document = ${JSON.stringify(documentAt())}\nexport default document\n`,
      'src/app.ts': typed(imports(appAt('')).replace('.js', '')),
      'src/routes/seeds.ts': routesTyped,
    },
  },
  'swagger-jsdoc, inline': {
    main: 'app.js',
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express swagger-jsdoc'),
      'app.js': requires(
        appAt('/api').replace('// PASTE', `const spec = swaggerJsdoc(${definition('./routes/*.js')})\n// PASTE`),
        "const swaggerJsdoc = require('swagger-jsdoc')\n",
      ),
      'routes/seeds.js': COMMENTS + routesCommon,
    },
  },
  'a module that is the document': {
    main: 'app.js',
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express swagger-jsdoc'),
      'swagger.js': `const swaggerJsdoc = require('swagger-jsdoc')\nmodule.exports = swaggerJsdoc(${definition('./routes/*.js')})\n`,
      'app.js': requires(appAt('/api')),
      'routes/seeds.js': COMMENTS + routesCommon,
    },
  },
  'a module that exports the document': {
    main: 'app.mjs',
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express', MODULE),
      'openapi.js': `export const api = ${JSON.stringify(documentAt())}\n`,
      'app.mjs': imports(appAt('')),
      'routes/seeds.js': routesModule,
    },
  },
  'express-openapi-validator': {
    main: 'app.js',
    schemes: FEW,
    files: {
      ...page,
      'package.json': uses('express express-openapi-validator'),
      'openapi.json': documentAt('/api'),
      'app.js': requires(
        appAt(
          '/api',
          "app.use(express.json(), require('express-openapi-validator').middleware({ apiSpec: './openapi.json', ignorePaths: /docs|health|late/ }))\n",
        ),
      ),
      'routes/seeds.js': routesCommon,
    },
  },
  tsoa: {
    main: 'src/app.ts',
    isTyped: true,
    schemes: ['header'],
    build: ['tsoa', 'spec-and-routes'],
    paths: ['/api/seeds', '/api/seeds/7', '/health', '/nothing'],
    files: {
      ...page,
      'package.json': uses('express tsoa'),
      'tsoa.json': {
        entryFile: 'src/app.ts',
        noImplicitAdditionalProperties: 'silently-remove-extras',
        controllerPathGlobs: ['src/*.controller.ts'],
        spec: { outputDirectory: 'build', specVersion: 3, basePath: '/api' },
        routes: { routesDir: 'src', basePath: '/api' },
      },
      'src/seeds.controller.ts': `import { Controller, Get, Path, Route } from 'tsoa'
export interface Seed { id: string; label: string }
@Route('seeds')
export class SeedsController extends Controller {
  @Get() public list(): Seed[] { return [{ id: '1', label: 'Kale' }] }
  @Get('{id}') public one(@Path() id: string): Seed { return { id, label: 'Kale' } }
}
`,
      'src/app.ts': typed(`import express from 'express'
import { RegisterRoutes } from './routes'
const app = express()
// PASTE
${PAGES}
RegisterRoutes(app)
${LISTEN}
`),
    },
  },
  Nest: nestApp('', '', ['header', 'accept', 'host']),
  'Nest with a prefix': nestApp("app.setGlobalPrefix('api', { exclude: ['health'] })"),
  'Nest with versions in its paths': {
    ...nestApp("app.setGlobalPrefix('api'); app.enableVersioning({ type: TYPE.URI, defaultVersion: '1' })"),
    paths: ['/api/v1/seeds', '/api/v1/seeds/7', '/api/v1/seeds/hidden', '/api/v2/seeds', '/api/health', '/docs/'],
  },
  'Nest with versions in some of its paths': nestApp('app.enableVersioning({ type: TYPE.URI })', ", version: '1'"),
  'Nest with versions in a header': {
    ...nestApp("app.enableVersioning({ type: TYPE.HEADER, header: 'X-API-Version' })", ", version: '1'", ['header']),
    headers: { 'X-API-Version': '1' },
  },
  'a gateway of its own': {
    main: 'gateway.js',
    schemes: ['query', 'path'],
    paths: ['/v1/seeds', '/v1/seeds/7', '/v1/seeds/7?a=b', '/nothing'],
    files: {
      'package.json': uses('express http-proxy-middleware', MODULE),
      'openapi.json': documentAt('/v1'),
      'service.js': imports(`export const service = express().use(express.json()).use('/v1', seeds)`),
      'routes/seeds.js': routesModule,
      'gateway.js': `import express from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { service } from './service.js'
const target = await new Promise((done) => { const one = service.listen(0, '127.0.0.1', () => done('http://127.0.0.1:' + one.address().port)) })
const app = express()
// PASTE
app.use(createProxyMiddleware({ target }))
${LISTEN}
`,
    },
  },
}
