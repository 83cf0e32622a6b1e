// The public face of a history: its versions, and its steps by hand.
import { jsonCopy } from '../http/json-copy'
import type {
  Register,
  RequestChanges,
  RequestContract,
  RouteRegistry,
  ShapeName,
  Version,
  VersionChanges,
} from '../types'
import { type Operation, parseOperation } from '../util/operation'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { isThenable } from '../util/thenable'
import { type Change, CompiledChange } from './change'
import { checkOperations, faultOf } from './checking'
import { Composer, type Plan, type Release } from './composing'
import type { Fitting, NextDemands, SomeDemand } from './fitting'
import { RequestConverter } from './requests'
import { RouteNames } from './route-names'
import { BoundShapes } from './shapes/bound'
import { ShapesByHand } from './shapes/by-hand'
import type { ShapeChange } from './shapes/definitions'
import type { NextShapes, ShapeOf, SomeShape } from './shapes/typing'
import { type BodyStep, Conversion } from './steps'
import type { OperationName } from './typing'

/** A version in the result of `history.list()`. */
export interface ListedVersion<Name extends string = Version> {
  /** The name of the version. */
  version: Name
  /** The changes of the version, oldest first. */
  changes: {
    /** The description of the change, for people. */
    description: string
    /** The given object of operations. */
    operations: object
  }[]
}

/**
 * The versions of an API with their changes, made by {@link versionHistory}. It never changes. Its type contains the demands on
 * the steps of the next version, and with {@link Register} the names of the versions and the types of the shapes in them. The
 * plain type `VersionHistory` demands nothing.
 */
export interface VersionHistory<
  Last extends SomeDemand = never,
  Names extends string = Version,
  Shapes extends SomeShape = SomeShape,
> extends VersionChanges<Names> {
  /** The versions, oldest first. */
  readonly versions: readonly Version[]

  /**
   * Returns a history with one more version, which is the newest then. Steps that do not fit the older ones do not compile: a
   * `response` or `error` returns what the older one takes, and a `request` or `query` takes what the older one returns.
   * Untyped steps fit.
   *
   * @param changes the changes of the version, oldest first. Requests pass them in that order, answers in reverse.
   * @throws {TypeError} for a version or a change that the history already has.
   */
  version<Name extends string, Changes extends readonly Change<object>[]>(
    name: Name,
    ...changes: Changes & NoInfer<Fitting<Last, Changes>>
  ): VersionHistory<NextDemands<Last, Changes>, Names | Name, NextShapes<Shapes, Names, Changes>>

  /**
   * Converts a body of a version to the newest version.
   *
   * @returns the result of the steps on a copy; the body itself if nothing changed.
   * @throws {TypeError} for a version that the history lacks, an operation that its tables lack, and a body that JSON cannot
   *   express.
   * @throws {VersioningError} 400 for a body that does not fit.
   * @example history.request('POST user-list', { name: 'Ada Lovelace' }, '2024-01-01')
   */
  request(operation: OperationName, body: unknown, from: Version): unknown

  /**
   * Converts a body of the newest version to another version, for webhooks, jobs, streams and golden files.
   *
   * @returns the result of the steps on a copy; the body itself if nothing changed.
   * @throws {TypeError} for a version that the history lacks, an operation that its tables lack, and a body that JSON cannot
   *   express.
   * @throws {Error} `ERR_VERSION_CHANGE` if a step fails.
   * @example history.response('GET user-detail', user, subscriber.version)
   */
  response(operation: OperationName, body: unknown, to: Version): unknown

  /**
   * Tells whether a version has a change, for webhooks and jobs. For requests, use {@link Change.appliesTo}.
   *
   * @throws {TypeError} for a change or a version that the history lacks.
   * @example if (history.has(splitName, subscriber.version)) await sendWelcome(user)
   */
  has(change: Change<object>, version: Version): boolean

  /**
   * Converts a shape of the newest version, with its inner shapes, to another version, for webhooks and jobs. It needs no
   * table: the schemas of {@link shape} describe the contents.
   *
   * @returns the result of the steps on a copy; the value itself if nothing changed. Its type is that of the shape's schema for
   *   the version, and `unknown` where the compiler does not know the changes.
   * @throws {TypeError} for a shape or a version that the history lacks, and for a value that JSON cannot express.
   * @throws {Error} `ERR_VERSION_CHANGE` if a step fails.
   * @example history.shape('User', user, subscriber.version)
   */
  shape<Name extends ShapeName, To extends Version>(name: Name, value: unknown, to: To): ShapeOf<Shapes, Name, To>

  /** Lists all versions with their changes, oldest first. */
  list(): ListedVersion<Names>[]
}

/** The meaning of a history in a table. */
interface KnownTable {
  readonly names: RouteNames
  readonly composer: Composer
}

class History implements VersionHistory {
  readonly versions: readonly string[]
  readonly #releases: readonly Release[]
  /** The plans without a table, made on first use: the shorter histories on the way are never asked. */
  #composer: Composer | undefined
  #byHand: ShapesByHand | undefined
  /** The meaning of the history in each table that `versioning()` got with it. */
  readonly #tables = new Map<RouteRegistry, KnownTable>()

  constructor(releases: readonly Release[]) {
    this.#releases = releases
    this.versions = Object.freeze(releases.map(({ version }) => version))
  }

  version(name: string, ...changes: readonly Change<object>[]): VersionHistory {
    const owner = `version(${shown(name)})`
    if (this.versions.includes(checkedVersion('version()', name))) {
      throw new TypeError(`${owner}: the history already has this version.`)
    }
    const known = new Set<object>(this.#releases.flatMap((release) => release.changes))
    for (const change of changes) {
      if (!(change instanceof CompiledChange)) {
        throw new TypeError(`${owner} takes changes made by change(); got ${shown(change)}.`)
      }
      if (known.has(change)) {
        throw new TypeError(`${owner}: the history already has the change "${change.description}".`)
      }
      known.add(change)
    }
    return new History([...this.#releases, { version: name, changes: changes as readonly CompiledChange[] }])
  }

  request(operation: string, body: unknown, from: string): unknown {
    return converted('request()', this.#plan('request()', operation, from).request, body, from)
  }

  response(operation: string, body: unknown, to: string): unknown {
    return converted('response()', this.#plan('response()', operation, to).answers.ofSuccess, body, to)
  }

  shape<Name extends string, To extends string>(name: Name, value: unknown, to: To): ShapeOf<SomeShape, Name, To>
  shape(name: string, value: unknown, to: string): unknown {
    const at = this.#positionOf('shape()', to)
    this.#byHand ??= new ShapesByHand(this.#shapeChanges())
    return converted('shape()', this.#byHand.stepsOf(name, at), value, to)
  }

  #shapeChanges(): ShapeChange[] {
    return this.#releases.flatMap(({ version, changes }, at) =>
      changes.map(({ description, shapes }) => ({ at, version, description, shapes })),
    )
  }

  #plan(owner: string, operation: string, version: string): Plan {
    const asked = parseOperation(owner, operation)
    const at = this.#positionOf(owner, version)
    const table = this.#tableOf(owner, asked)
    if (table === undefined) return this.#composed.planOf(asked.method, asked.viewName, at)
    return table.composer.planOf(asked.method, table.names.routeIn(asked.viewName, version), at)
  }

  #positionOf(owner: string, version: string): number {
    const at = this.versions.indexOf(version)
    if (at !== -1) return at
    throw new TypeError(
      `${owner}: the history has no version ${shown(version)}.${didYouMean(near(String(version), this.versions))}`,
    )
  }

  /** Returns the first table that has an operation; undefined without a table. */
  #tableOf(owner: string, operation: Operation): KnownTable | undefined {
    let fault: string | undefined
    for (const [routes, table] of this.#tables) {
      const found = faultOf(operation, table.names, routes)
      if (found === undefined) return table
      fault ??= found
    }
    if (fault === undefined) return undefined
    throw new TypeError(`${owner}: "${operation.method} ${operation.viewName}" is no operation: ${fault}`)
  }

  get #composed(): Composer {
    this.#composer ??= new Composer(this.#releases)
    return this.#composer
  }

  list(): ListedVersion[] {
    return this.#releases.map(({ version, changes }) => ({
      version,
      changes: changes.map(({ description, operations }) => ({ description, operations })),
    }))
  }

  has(change: Change<object>, version: string): boolean {
    const at = this.#positionOf('has()', version)
    const since = this.#releases.findIndex(({ changes }) => (changes as readonly object[]).includes(change))
    if (since !== -1) return at >= since
    const told = change instanceof CompiledChange ? `the change "${change.description}"` : shown(change)
    throw new TypeError(`has() takes a change of the history; it lacks ${told}.`)
  }

  bind(
    routes: RouteRegistry,
    isNeutral: (viewName: string) => boolean = () => false,
    contractFor?: (changes: RequestChanges) => RequestContract,
  ): RequestConverter {
    const names = new RouteNames(routes.names(), this.versions)
    const keysOf = (viewName: string) => names.keysOf(viewName)
    const plain = new Composer(this.#releases, keysOf)
    checkOperations(this.#releases, plain, names, routes, isNeutral)
    const changes = this.#shapeChanges()
    const shapes = changes.some(({ shapes }) => shapes.size > 0)
      ? new BoundShapes(changes, routes, isNeutral, plain)
      : undefined
    const composer = shapes
      ? new Composer(this.#releases, keysOf, (method, viewName) => shapes.operation(method, viewName))
      : plain
    this.#tables.set(routes, { names, composer })
    return new RequestConverter(this.#releases, composer, names, routes, shapes, contractFor)
  }
}

/**
 * Starts the history of an API with its oldest version.
 *
 * @throws {TypeError} for anything but a non-empty string.
 * @example
 * const history = versionHistory('2024-01-01').version('2024-06-01', splitName, renamed)
 * app.use(versioning({ scheme: HeaderVersioning, defaultVersion: '2024-06-01', changes: history, routes: api }))
 */
// It reads no type of `Register`, because that may be the type of the history which is made here.
export function versionHistory<Oldest extends string>(
  oldest: Oldest,
): 'versions' extends keyof Register ? VersionHistory<never, Oldest, never> : VersionHistory
export function versionHistory(oldest: string): VersionHistory {
  return new History([{ version: checkedVersion('versionHistory()', oldest), changes: [] }])
}

function checkedVersion(owner: string, version: unknown): string {
  if (typeof version === 'string' && version !== '') return version
  throw new TypeError(`${owner} takes a version, a non-empty string; got ${shown(version)}.`)
}

/** Runs the steps on a copy, which they may change. */
function converted(owner: string, steps: readonly BodyStep[], body: unknown, version: string): unknown {
  if (steps.length === 0) return body
  let copy: unknown
  const lost: unknown[] = []
  try {
    copy = jsonCopy(body, lost)
  } catch (cause) {
    throw new TypeError(`${owner} takes a body that JSON can express.`, { cause })
  }
  if (lost.some(isThenable)) throw new TypeError(`${owner} takes a body that JSON can express; it has a promise.`)
  if (copy === undefined) throw new TypeError(`${owner} takes a body that JSON can express; got ${shown(body)}.`)
  return JSON.parse(new Conversion(steps, { version }).runToJson(copy))
}
