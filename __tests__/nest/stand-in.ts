// A stand-in for a Nest app: the parts of it that the package asks, in front of an app of Express. The real ones are in the system tests.
import express, { type Application, type NextFunction, type Request, type Response } from 'express'
import { listen } from '../support/serve'

const written = new WeakMap<object, Map<string, unknown>>()
const keyOf = (key: string, property = '') => `${key} ${property}`
/** Writes metadata, as decorators do. */
export function write(target: object, key: string, value: unknown, property?: string): void {
  const own = written.get(target) ?? new Map()
  written.set(target, own.set(keyOf(key, property), value))
}
Object.assign(Reflect, {
  getMetadata: (key: string, target: object, property?: string) => written.get(target)?.get(keyOf(key, property)),
})

export class HttpException extends Error {
  constructor(
    readonly response: object,
    readonly status: number,
    readonly options: { cause?: { code?: string } } = {},
  ) {
    super('HttpException')
  }
}
class InternalServerErrorException extends HttpException {}

type Version = string | symbol | readonly (string | symbol)[]
type Intercepting = { intercept(context: object, next: { handle(): unknown }): unknown }

/** A method of a controller. */
export interface MethodSpec {
  /** The number of `RequestMethod`. Default: 0, GET. */
  readonly verb?: number
  readonly path: string
  readonly version?: Version
  readonly metadata?: Readonly<Record<string, unknown>>
  /** The metadata of its parameters: `1:0` is `@Res()`. */
  readonly parameters?: object
  /** Stands for a handler of uploads among the interceptors. */
  readonly reads?: (req: Request) => void
  handle(req: Request): unknown
}

/** A controller. */
export interface ControllerSpec {
  readonly path: string
  readonly version?: Version
  readonly interceptors?: readonly unknown[]
  readonly methods: Readonly<Record<string, MethodSpec>>
}

export interface AppSpec {
  readonly controllers: readonly ControllerSpec[]
  readonly prefix?: string
  readonly excluded?: string
  readonly versioning?: { type: number; prefix?: string | false; defaultVersion?: Version }
  readonly type?: string
  readonly isInitialized?: boolean
}

const VERBS = ['get', 'post', 'put', 'delete', 'patch', 'all'] as const

interface Route {
  readonly ctrlPath?: string
  readonly methodPath?: string
  readonly methodVersion?: Version | undefined
  readonly globalPrefix?: string
}

/** Makes the app. `listen()` registers its routes as Nest does: guards, interceptors, the handler, filters. */
export function nestApp(spec: AppSpec) {
  const { controllers, prefix = '', excluded, versioning, type = 'express', isInitialized = false } = spec
  const app: Application = express()
  const global: Intercepting[] = []
  const classes = controllers.map(({ path, version, interceptors, methods }) => {
    const metatype = class Controller {}
    write(metatype, '__interceptors__', interceptors)
    write(metatype, 'path', path)
    write(metatype, 'version', version)
    for (const [name, { handle, metadata = {}, parameters }] of Object.entries(methods)) {
      const handler = (req: Request) => handle(req)
      Object.defineProperty(metatype.prototype, name, { value: handler })
      for (const [key, value] of Object.entries(metadata)) write(handler, key, value)
      write(metatype, '__routeArguments__', parameters, name)
    }
    return { metatype, instance: new metatype(), methods }
  })
  const create = ({ ctrlPath = '', methodPath = '', methodVersion, globalPrefix = '' }: Route): string[] => {
    const isInPath = versioning?.type === 0 && typeof methodVersion === 'string'
    const version = isInPath ? `/${versioning.prefix === false ? '' : (versioning.prefix ?? 'v')}${methodVersion}` : ''
    const below = [ctrlPath, methodPath].filter((path) => path !== '').map((path) => `/${path}`)
    const path = [version, ...below].join('')
    return [`${ctrlPath === excluded ? '' : globalPrefix}${path}` || '/']
  }
  const resolver = {
    getModulePathMetadata: () => undefined,
    getVersionMetadata: (one: object) =>
      versioning && ((written.get(one)?.get(keyOf('version')) as Version | undefined) ?? versioning.defaultVersion),
    routePathFactory: { create },
    routerExplorer: {
      extractRouterPath: (one: object) => [written.get(one)?.get(keyOf('path')) as string],
      pathsExplorer: {
        scanForPaths: (instance: object) => {
          const { methods } = classes.find((one) => one.instance === instance) as (typeof classes)[number]
          return Object.entries(methods).map(([methodName, { path, verb = 0, version }]) => ({
            path: [path],
            requestMethod: verb,
            methodName,
            version,
          }))
        },
      },
    },
  }
  const adapter = {
    getType: () => type,
    applyVersionFilter: () => () => {
      throw new InternalServerErrorException({}, 500)
    },
  }
  const nest = {
    isInitialized,
    container: {
      getModules: () =>
        new Map([['root', { metatype: class Root {}, controllers: new Map(classes.map((one) => [one, one])) }]]),
    },
    config: { getGlobalPrefix: () => prefix, getVersioning: () => versioning, getGlobalInterceptors: () => global },
    routesResolver: resolver,
    getHttpAdapter: () => adapter,
    use: (...handlers: never[]) => app.use(...handlers),
  }

  function register(): void {
    const globalPrefix = prefix === '' ? '' : `/${prefix}`
    for (const { metatype, instance, methods } of classes) {
      const [ctrlPath = ''] = resolver.routerExplorer.extractRouterPath(metatype)
      for (const [name, { path, verb = 0, version = resolver.getVersionMetadata(metatype), reads }] of Object.entries(
        methods,
      )) {
        const handler = instance[name as never] as (req: Request) => unknown
        for (const methodVersion of [version].flat() as (string | symbol | undefined)[]) {
          const [full = ''] = create({ ctrlPath, methodPath: path, methodVersion, globalPrefix })
          app[VERBS[verb] as 'get'](full, async (req: Request, res: Response, next: NextFunction) => {
            const isOther = versioning?.type === 1 && typeof methodVersion === 'string'
            if (isOther && req.headers['x-api-version'] !== methodVersion) return next()
            const context = contextOf(req, metatype, handler)
            const own = [metatype, handler].flatMap(
              (one) => (written.get(one)?.get(keyOf('__interceptors__')) ?? []) as unknown[],
            )
            const all = [...global, ...own.flatMap((one) => intercepting(one, reads))]
            const run = (at: number): unknown => {
              const one = all[at]
              return one === undefined ? handler(req) : one.intercept(context, { handle: () => run(at + 1) })
            }
            try {
              const value = await run(0)
              res.status(verb === 1 ? 201 : 200).json(value)
            } catch (error) {
              next(error)
            }
          })
        }
      }
    }
    app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
      const isKnown = error instanceof HttpException
      const cause = isKnown ? error.options.cause?.code : undefined
      const body = isKnown ? error.response : { message: 'Internal server error' }
      res.status(isKnown ? error.status : 500).json({ ...body, cause })
    })
  }

  return {
    /** Nest's app, as `setup()` takes it. */
    nest: nest as unknown as Parameters<typeof import('express-versioning/nest').VersioningModule.setup>[0],
    /** The app of Express, for pages of others. */
    express: app,
    global,
    async listen() {
      const json = express.json()
      app.use((req, res, next) => json(req, res, next))
      register()
      return listen(app)
    },
  }
}

export function contextOf(req: object, controller: object, handler: object, type = 'http') {
  return {
    getType: () => type,
    getClass: () => controller,
    getHandler: () => handler,
    switchToHttp: () => ({ getRequest: () => req }),
  }
}

/** Makes an interceptor of what `@UseInterceptors()` was given. */
function intercepting(one: unknown, reads: ((req: Request) => void) | undefined): Intercepting[] {
  if (typeof one !== 'function') return [one as Intercepting]
  if (one !== FileInterceptor) return [new (one as new () => Intercepting)()]
  return [
    {
      intercept(context, next) {
        reads?.((context as ReturnType<typeof contextOf>).switchToHttp().getRequest() as Request)
        return next.handle()
      },
    },
  ]
}

/** Stands for the class that `FileInterceptor('file')` makes. */
export class FileInterceptor {}
write(FileInterceptor, 'self:paramtypes', [{ index: 0, param: 'MULTER_MODULE_OPTIONS' }])
