// The routes of a Nest app beside its document: what Nest's metadata knows and the document does not say.

import type { RequestChanges } from '../bound-changes'
import type { CompiledOptions } from '../middleware/versioning-options'
import { convertsItself, interceptorsOf } from './interceptors'
import { type HttpContext, metadataOf, type NestInside, type NestRoute, shownRoute, templateOf } from './nest'

/** An operation of the document. */
interface DocumentedOperation {
  readonly method: string
  /** The path as the document has it. */
  readonly path: string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
}

/** A path of a controller's method, with its operations in the document. */
interface Documented extends NestRoute {
  readonly operations: readonly DocumentedOperation[]
  /** The path without a version. */
  readonly bare: string
  readonly handler: object
}

/** The routes of an app. */
export class NestRoutes {
  readonly routes: readonly Documented[]
  /** The operations without a version that no change is about. */
  readonly neutral: readonly string[]
  readonly #history: readonly string[]
  /** `true` if the history has versions of Nest. */
  readonly #isShared: boolean

  constructor(
    nest: NestInside,
    prefix: string,
    document: object,
    versions: readonly string[],
    private readonly changes: RequestChanges | undefined,
  ) {
    const operations = operationsIn(document)
    this.routes = nest.routes(prefix).map((route) => {
      const { method, path, version, controller, methodName } = route
      const key = keyOf(path)
      const found = operations.filter((one) => keyOf(one.path) === key && ['ALL', one.method].includes(method))
      const text = `/${nest.versionPrefix}${version}`
      return {
        ...route,
        operations: found,
        bare: path.replace(text, ''),
        handler: controller.prototype[methodName] as object,
      }
    })
    this.#history = versions
    this.#isShared = this.routes.some(({ version }) => versions.includes(String(version)))
    this.neutral = this.routes.flatMap(({ isNeutral, operations: own }) => {
      const unchanged = own.filter(({ method, path }) => changes?.changeOf(method, path) === undefined)
      return isNeutral ? unchanged.map(({ method, path }) => `${method} ${path}`) : []
    })
  }

  /** Tells whether a route passes as it is: one for any version that the document lacks, or a copy for versions before the history. */
  passes(context: HttpContext): boolean {
    return this.#ownOf(context).some((one) => this.isAsItIs(one))
  }

  /** Tells whether the document has none of the paths of a method of a controller. */
  lacks(context: HttpContext): boolean {
    return this.#ownOf(context).every(({ operations }) => operations.length === 0)
  }

  #ownOf(context: HttpContext): Documented[] {
    const [controller, handler] = [context.getClass(), context.getHandler()]
    return this.routes.filter((one) => one.controller === controller && one.handler === handler)
  }

  isAsItIs({ version, isNeutral, operations }: Documented): boolean {
    return (isNeutral && operations.length === 0) || (version !== undefined && this.isCopy(version))
  }

  /** Tells whether a version of Nest is one that the history does not have. */
  isCopy(version: unknown): boolean {
    return (
      this.#isShared && !this.#history.includes(String(version)) && this.routes.some((one) => one.version === version)
    )
  }

  /** Tells whether the history has a version. */
  isOfHistory(version: string): boolean {
    return this.#history.includes(version)
  }

  /** Lists the versions behind a version. */
  later(version: string): readonly string[] {
    return this.#history.slice(this.#history.indexOf(version) + 1)
  }

  /** Returns the latest version that has the same handler as an operation at its path. */
  todayOf(method: string, path: string, version: string): string {
    const own = this.routes.find((one) =>
      one.operations.some((other) => other.method === method && other.path === path),
    )
    return this.#latest(own) ?? version
  }

  /** Tells whether an operation is in a version: its handler is, and the path is that of the latest version that has the handler. */
  isIn(path: string, version: string): boolean {
    const own = this.routes.find(({ operations }) => operations.some((one) => one.path === path))
    const latest = this.#latest(own)
    if (own === undefined || latest === undefined) return true
    const inVersion = this.routes.find((one) => isSame(one, own) && one.version === version)
    return own.version === latest && inVersion !== undefined && inVersion.operations.length > 0
  }

  #latest(own: Documented | undefined): string | undefined {
    return this.#history.findLast((version) => this.routes.some((one) => one.version === version && isSame(one, own)))
  }

  /**
   * Checks the uploads.
   *
   * @throws {TypeError} listing those whose bodies change, and that are converted before they are read.
   */
  checkUploads(owner: string): void {
    const early = this.routes.filter(
      ({ controller, handler, operations }) =>
        readsUploads(controller, handler) &&
        !convertsItself(controller, handler) &&
        operations.some(({ method, path }) =>
          this.#history.some((version) => this.changes?.readsRequests(method, path, version)),
        ),
    )
    if (early.length === 0) return
    throw new TypeError(
      `${owner}: the bodies of these uploads change, but their interceptors read them behind the conversion. Convert them there: @UseInterceptors(FileInterceptor('file'), ConvertRequest), with ConvertRequest of express-versioning/nest.\n${early.map((one) => `- ${shownHandler(one)}`).join('\n')}`,
    )
  }

  /** Warns of what older clients would find out. */
  warn({ neutral }: CompiledOptions, passesUndocumented: boolean): void {
    const isTold = (route: Documented) => {
      const sample = templateOf(route.path).replace(/\{[^{}]*\}/g, '1')
      return !this.isAsItIs(route) && neutral?.patternOf(sample, route.method) === undefined
    }
    const lines = this.routes.filter(isTold).flatMap((route) => {
      if (route.operations.length > 0) return [...statusOf(route), ...streamOf(route)]
      if (passesUndocumented) return []
      return `${shownHandler(route)} is not in the document: 404 in older versions. Document it, or let it pass: neutral: ['${route.method === 'ALL' ? '' : `${route.method} `}${route.path}'].`
    })
    if (lines.length === 0) return
    process.emitWarning(
      `The document lacks what these routes of Nest do, so clients of older versions would get errors:\n${[...new Set(lines)].map((line) => `- ${line}`).join('\n')}`,
      { code: 'EXPRESS_VERSIONING_NEST' },
    )
  }
}

/** Tells whether two routes are one in two versions. */
function isSame(one: Documented, other: Documented | undefined): boolean {
  return one.handler === other?.handler && one.controller === other.controller && one.bare === other.bare
}

function shownHandler(route: Documented): string {
  return `${shownRoute(route)} (${route.controller.name}.${route.methodName})`
}

/** Tells of the status of a success that the document does not have. A method that takes the response may send any. */
function statusOf(route: Documented): string[] {
  const { method, controller, methodName, handler, operations } = route
  const taken = Object.keys(Object(metadataOf('__routeArguments__', controller, methodName)))
  if (taken.some((key) => key.startsWith('1:')) || metadataOf('__redirect__', handler) !== undefined) return []
  const status = String(metadataOf('__httpCode__', handler) ?? (method === 'POST' ? 201 : 200))
  const isSaid = ({ responses }: DocumentedOperation) =>
    [status, `${status[0]}XX`, 'default'].some((key) => responses[key] !== undefined)
  if (operations.every(isSaid)) return []
  const said = operations.flatMap(({ responses }) => Object.keys(responses)).find((key) => /^2\d\d$/.test(key))
  const code = said === undefined ? '' : `, or @HttpCode(${said})`
  return [
    `${shownHandler(route)} sends ${status}, which the document does not have: 500 in older versions. Use @ApiResponse({ status: ${status}, type: ... })${code}.`,
  ]
}

/** Tells of a stream whose items nobody described. */
function streamOf(route: Documented): string[] {
  if (metadataOf('__sse__', route.handler) !== true) return []
  const contents = route.operations.flatMap(({ responses }) => Object.values(responses).map(({ content }) => content))
  if (contents.some((content) => Object.values(Object(content)).some((media) => 'itemSchema' in Object(media))))
    return []
  return [`${shownHandler(route)} is a stream without "itemSchema" in the document: 500 in older versions.`]
}

/** Tells whether an interceptor of `@nestjs/platform-express` reads the body of an upload. */
function readsUploads(controller: object, handler: object): boolean {
  return interceptorsOf(controller, handler).some((one) => {
    const takes = typeof one === 'function' ? metadataOf('self:paramtypes', one) : undefined
    return Array.isArray(takes) && takes.some(({ param }) => param === 'MULTER_MODULE_OPTIONS')
  })
}

function operationsIn(document: object): DocumentedOperation[] {
  const { paths } = document as { readonly paths?: Readonly<Record<string, object>> }
  return Object.entries(Object(paths) as Readonly<Record<string, object>>).flatMap(([path, item]) =>
    Object.entries(Object(item) as Readonly<Record<string, object>>).map(([field, operation]) => ({
      method: field.toUpperCase(),
      path,
      responses: Object(Object(operation).responses),
    })),
  )
}

/** Returns a path without the names of its parameters. */
function keyOf(path: string): string {
  return templateOf(path).replace(/\{[^{}]*\}/g, '{}')
}
