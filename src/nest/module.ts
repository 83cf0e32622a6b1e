// `VersioningModule.setup()`: versions in a Nest app, by one call.
import type { NextFunction, Request, Response } from 'express'
import { unhandled, VersioningError } from '../errors'
import { retract } from '../lifecycle/written'
import { detailsOf, prepareConversion } from '../middleware/problem-details'
import { decidingMiddleware } from '../middleware/versioning'
import { type CompiledOptions, compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import { type RoutesOfOptions, routesIn } from '../openapi/given/routes-of'
import { documentsOf, type OpenApiDocuments } from '../openapi/openapi'
import { stateOf } from '../request/prepare'
import type { Middleware } from '../types'
import { ConvertRequests } from './interceptors'
import { type HttpContext, type NestApp, NestInside, type SwaggerSetup } from './nest'
import { Paths } from './paths'
import { NestRoutes } from './route-findings'
import { noteTrip } from './trip'

/** Options of `VersioningModule.setup()`: those of `versioning()` without `routes`, and those of `routesOf()`. */
export interface NestVersioningOptions extends Omit<VersioningOptions, 'routes'>, RoutesOfOptions {
  /**
   * The format of errors that the document does not say: a schema, such as `{ $ref: 'Problem' }`, `{ type: 'object' }` for those of Nest,
   * or `null` for errors without JSON. A start asks for it where the format of an error changes. Default: none.
   */
  errors?: object | null | undefined
  /** The path below which `SwaggerModule` serves the document of each version: `'docs'` for `docs/<version>`. Default: none. */
  swagger?: string | undefined
  /** The class `SwaggerModule` of `@nestjs/swagger`, for the option `swagger`. */
  SwaggerModule?: SwaggerSetup | undefined
}

const OWNER = 'VersioningModule.setup()'

/** Versions in a Nest app: controllers, pipes and filters see the newest version only. */
export interface NestVersioning {
  /**
   * Puts versions into an app: the middleware in front, the conversion behind guards and in front of pipes, and the rejections as
   * exceptions of Nest. Call it when the app has its global prefix and its versioning, and has not started.
   *
   * @param document that of `SwaggerModule.createDocument(app, config)`.
   * @returns the documents of all versions.
   * @throws {TypeError} for an app on Fastify or one that has started, for uploads whose bodies change without `ConvertRequest`,
   *   and for all that `versioning()` and `routesOf()` reject.
   * @example
   * VersioningModule.setup(app, document, { scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes })
   * await app.listen(3000)
   */
  setup(app: NestApp, document: object, options: NestVersioningOptions): OpenApiDocuments
}

/** Versions in a Nest app. */
export const VersioningModule: NestVersioning = { setup }

function setup(app: NestApp, document: object, options: NestVersioningOptions): OpenApiDocuments {
  const nest = new NestInside(app, OWNER)
  const { swagger, SwaggerModule, errors, caseSensitive, strict, undocumented, places, removed, ...rest } = options
  if (swagger !== undefined && typeof SwaggerModule?.setup !== 'function') {
    throw new TypeError(`${OWNER}: option "swagger" needs "SwaggerModule" of @nestjs/swagger beside it.`)
  }
  const given = Object.fromEntries(
    Object.entries({ caseSensitive, strict, undocumented, places, removed }).filter(([, one]) => one !== undefined),
  )
  const paths = new Paths(nest, document, rest)
  const table = paths.withVersion(routesIn(paths.document, given, true))
  if (errors !== undefined) table.describe('*', { response: { '4XX': errors, '5XX': errors } as never })
  const all = { ...rest, routes: table }
  const compiled = compileOptions(all, true)
  const versions = compiled.scheme.acceptedVersions.filter((version) => version !== null)
  const routes = new NestRoutes(nest, paths.prefixInDocument, document, versions, compiled.changes)
  routes.checkUploads(OWNER)
  const neutral = [...(rest.neutral ?? []), ...routes.neutral]
  const settings = routes.neutral.length === 0 ? compiled : compileOptions({ ...all, neutral }, true)
  const deciding = decidingMiddleware(settings, paths.shownPaths(routes))
  const versioned = new VersionedApp(nest, deciding, settings, paths, routes, undocumented === 'pass')
  const documents = documentsOf(settings, paths.documentSettings(routes))
  routes.warn(compiled, undocumented === 'pass')
  app.use(versioned.front as never)
  nest.addFirstInterceptor(new ConvertRequests())
  if (swagger !== undefined) {
    for (const version of documents.versions) {
      SwaggerModule?.setup(`${swagger}/${version}`, app as never, documents.document(version) as never)
    }
  }
  return documents
}

/** An app with versions. */
class VersionedApp {
  constructor(
    private readonly nest: NestInside,
    private readonly versioning: Middleware,
    private readonly compiled: CompiledOptions,
    private readonly paths: Paths,
    private readonly routes: NestRoutes,
    private readonly passesUndocumented: boolean,
  ) {}

  /** The middleware in front of all. It leaves requests alone whose paths the document does not have: they may be for nobody's controller. */
  readonly front = (req: Request, res: Response, next: NextFunction): void => {
    const located = this.paths.locate(req, this.compiled, this.routes)
    const trip = { app: this, isDecided: located !== undefined, passes: false }
    noteTrip(req, trip)
    if (located === undefined) {
      next()
      return
    }
    const leave = this.paths.enter(req, located)
    this.versioning(req, res, (error?: unknown) => {
      leave()
      if (error instanceof VersioningError && this.routes.isCopy(error.version)) {
        // Nest has controllers for that version, and nothing converts it.
        retract(res, stateOf(req))
        noteTrip(req, { ...trip, passes: true })
        next()
      } else if (error === undefined) next()
      else next(this.exceptionOf(error, req))
    })
  }

  passes(context: HttpContext): boolean {
    return this.routes.passes(context)
  }

  checkDocumented(context: HttpContext, req: Request): void {
    const { version } = req
    const isOlder = typeof version === 'string' && this.routes.later(version).length > 0
    if (!isOlder || this.passesUndocumented || !this.routes.lacks(context)) return
    throw this.exceptionOf(unhandled(version), req)
  }

  decided(req: Request): Promise<void> {
    const leave = this.paths.enter(req, this.paths.unknown(req))
    return new Promise((resolve, reject) => {
      this.versioning(req, req.res as Response, (error?: unknown) => {
        leave()
        if (error === undefined) resolve()
        else reject(this.exceptionOf(error, req))
      })
    })
  }

  exceptionOf(error: unknown, req: Request): unknown {
    if (!(error instanceof VersioningError) || error.status >= 500) return error
    prepareConversion(req, req.res as Response, true)
    return new this.nest.exception(detailsOf(error, req), error.status, { cause: error })
  }
}
