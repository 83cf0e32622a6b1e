// Nest as this package sees it: its metadata, without an import of any of its versions. Its own parts read what they wrote.

/** The context of an interceptor, such as Nest's `ExecutionContext`. */
export interface HttpContext {
  /** Returns its kind: `http`, `graphql`, `ws`, `rpc`. */
  getType(): string
  /** Returns the class of the controller. */
  getClass(): object
  /** Returns the method of the controller. */
  getHandler(): object
  /** Returns the parts of HTTP. */
  switchToHttp(): { getRequest(): unknown }
}

/** A Nest app, such as `INestApplication`. */
export interface NestApp {
  /** Adds middleware in front of what the app adds when it starts. */
  use(...handlers: never[]): unknown
  /** Returns the adapter of the HTTP framework. */
  getHttpAdapter(): { getType(): string }
}

/** The part of `SwaggerModule` that serves a document. */
export interface SwaggerSetup {
  /** Serves a document and its page. */
  setup(path: string, app: never, document: never): void
}

/** The class `HttpException` of the Nest that runs an app. */
export type HttpExceptionClass = new (response: object, status: number, options: { cause: unknown }) => Error

/** The parts of an app that its class does not publish; the same in Nest 10, 11 and 12. */
interface AppInside {
  readonly isInitialized: boolean
  readonly container: { getModules(): ReadonlyMap<string, ModuleInside> }
  readonly config: {
    getGlobalPrefix(): string
    getVersioning(): NestVersions | undefined
    getGlobalInterceptors(): object[]
  }
  readonly routesResolver: {
    getModulePathMetadata(metatype: object): string | undefined
    getVersionMetadata(metatype: object): NestVersion | undefined
    readonly routePathFactory: { create(route: object, method: number): string[] }
    readonly routerExplorer: {
      extractRouterPath(metatype: object): string[]
      readonly pathsExplorer: { scanForPaths(instance: object): readonly ScannedRoute[] }
    }
  }
  getHttpAdapter(): {
    applyVersionFilter(handler: object, version: string, options: object): (req: object) => unknown
  }
}

interface ModuleInside {
  readonly metatype: object
  readonly controllers: ReadonlyMap<unknown, { readonly metatype: ControllerClass; readonly instance: object }>
}

interface ControllerClass {
  readonly name: string
  readonly prototype: Readonly<Record<string, object>>
}

interface ScannedRoute {
  readonly path: readonly string[]
  readonly requestMethod: number
  readonly methodName: string
  readonly version: NestVersion | undefined
}

/** The value of `@Version()`: `VERSION_NEUTRAL` is a symbol. */
type NestVersion = string | symbol | readonly (string | symbol)[]

/** The options of `enableVersioning()`. */
interface NestVersions {
  /** 0 for versions in the path. */
  readonly type: number
  readonly prefix?: string | false
}

/** The names of `RequestMethod`. */
const METHODS =
  'GET POST PUT DELETE PATCH ALL OPTIONS HEAD SEARCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK QUERY'.split(' ')

/** A path of a controller's method. */
export interface NestRoute {
  /** The method of HTTP, or `ALL`. */
  readonly method: string
  /** The path in Nest's grammar, as documents have it. */
  readonly path: string
  /** The class and its method. */
  readonly controller: ControllerClass
  readonly methodName: string
  /** The version of `enableVersioning()` that the path is for; undefined for none, or any. */
  readonly version: string | undefined
  /** `true` if it takes any of these versions. */
  readonly isNeutral: boolean
}

/** Reads metadata that a decorator has written. */
export function metadataOf(key: string, target: object, property?: string): unknown {
  const { getMetadata } = Reflect as unknown as { getMetadata(...of: unknown[]): unknown }
  return property === undefined ? getMetadata(key, target) : getMetadata(key, target, property)
}

/** Returns the name of a route for people. */
export function shownRoute({ method, path }: NestRoute): string {
  return `${method} ${templateOf(path)}`
}

/** Writes a path of Nest as documents do: all of its parameters are in braces. */
export function templateOf(path: string): string {
  return path.replace(/\{?(\/?)[:*](\w+)(?:\([^)]*\))?[?*+]?\}?/g, '$1{$2}')
}

/** A Nest app that has not started yet. */
export class NestInside {
  readonly #app: AppInside
  /** The global prefix with a slash in front; empty for none. */
  readonly prefix: string
  /** The text in front of a version in paths; undefined if paths have none. */
  readonly versionPrefix: string | undefined
  readonly exception: HttpExceptionClass

  /** @throws {TypeError} for anything but a Nest app on Express that has not started. */
  constructor(app: NestApp, owner: string) {
    const takes = `${owner} takes a Nest app on Express, before app.init() and app.listen()`
    const inside = Object(app) as AppInside
    if (typeof Object(inside.routesResolver).routePathFactory?.create !== 'function') {
      throw new TypeError(`${takes}: that of NestFactory.create(), of Nest 10, 11 or 12.`)
    }
    const type = app.getHttpAdapter().getType()
    if (type !== 'express') {
      throw new TypeError(`${takes}; got one on ${type}. Use @nestjs/platform-express, or put a gateway in front.`)
    }
    if (inside.isInitialized) {
      throw new TypeError(`${takes}; this one has started: its parsers and routes would be in front. Call it earlier.`)
    }
    this.#app = inside
    const prefix = inside.config
      .getGlobalPrefix()
      .split('/')
      .filter((text) => text !== '')
    this.prefix = prefix.map((text) => `/${text}`).join('')
    const versions = inside.config.getVersioning()
    this.versionPrefix = versions?.type === 0 ? (versions.prefix === false ? '' : (versions.prefix ?? 'v')) : undefined
    this.exception = exceptionOf(inside)
  }

  /** Adds an interceptor of all controllers, in front of those of modules: one that caches may respond without the others. */
  addFirstInterceptor(interceptor: object): void {
    this.#app.config.getGlobalInterceptors().unshift(interceptor)
  }

  /**
   * Lists the paths of controllers.
   *
   * @param prefix the global prefix in them.
   */
  routes(prefix: string): NestRoute[] {
    const { container, routesResolver: resolver, config } = this.#app
    const versioningOptions = config.getVersioning()
    return [...container.getModules().values()].flatMap(({ metatype: module, controllers }) =>
      [...controllers.values()].flatMap(({ metatype, instance }) => {
        const modulePath = resolver.getModulePathMetadata(module)
        const controllerVersion = resolver.getVersionMetadata(metatype)
        const scanned = resolver.routerExplorer.pathsExplorer.scanForPaths(instance)
        return resolver.routerExplorer.extractRouterPath(metatype).flatMap((ctrlPath) =>
          scanned.flatMap(({ path, requestMethod, methodName, version = controllerVersion }) =>
            [version].flat().flatMap((methodVersion) => {
              const parts = { ctrlPath, modulePath, globalPrefix: prefix, methodVersion, versioningOptions }
              const paths = path.flatMap((methodPath) =>
                resolver.routePathFactory.create({ ...parts, methodPath }, requestMethod),
              )
              return paths.map((one) => ({
                method: String(METHODS[requestMethod]),
                path: one,
                controller: metatype,
                methodName,
                version: typeof methodVersion === 'string' ? methodVersion : undefined,
                isNeutral: typeof methodVersion === 'symbol',
              }))
            }),
          ),
        )
      }),
    )
  }
}

/** Returns the class `HttpException` of an app's own Nest: its adapter throws one where nothing is behind a filter of versions. */
function exceptionOf(app: AppInside): HttpExceptionClass {
  let thrown: unknown
  try {
    app.getHttpAdapter().applyVersionFilter(Object, '', { type: 1, header: '-' })({ headers: {} })
  } catch (error) {
    thrown = error
  }
  return Object.getPrototypeOf(Object.getPrototypeOf(thrown)).constructor
}
