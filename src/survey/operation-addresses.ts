// The addresses of operations: how requests ask for an operation in a version.
import type { CompiledOptions } from '../middleware/versioning-options'
import type { PathPart, RouteFacts } from '../registry'
import { encodeSegment } from '../request/link-text'
import { readsRoute } from '../request/state'
import { isBesidePath, isHost, isNamespace, isPathParameter, pathParameterOf } from '../schemes/carriers'
import type { VersionCarrier } from '../types'
import { type DescribedRequest, type Trials, UNTOLD } from './trial'

/** One way to ask for an operation in a version. */
export interface Address {
  /** The whole path. A version in the path is text. */
  readonly path: readonly PathPart[]
  /** The carrier of the version beside the path; `undefined` if the path or the default suffices. */
  readonly carrier: VersionCarrier | undefined
  /** `true` if the carrier is required: the version is not the default. */
  readonly required: boolean
  /** `true` if the request names the version; `false` if it gets the default, or has no version. */
  readonly named: boolean
  /** The path parameter that has the version; `undefined` if the path has no place for it. */
  readonly parameter: string | undefined
  /** The path without the version's segment. Addresses of one place differ in their carriers. */
  readonly place: string
  /** The position of the carrier, the scheme's first one in front. */
  readonly rank: number
}

/** The parts of a request beside its path. */
type Way = Pick<Address, 'carrier' | 'required' | 'named'>

const PATH_ALONE: Way = { carrier: undefined, required: false, named: true }
const NOTHING: Way = { ...PATH_ALONE, named: false }

/** The value of parameters in examples. */
const SAMPLE = '1'

/** The values to try: another route may have the first one as its text. */
const SAMPLES: readonly string[] = [SAMPLE, 'another-one']

/** Fills in the parameters of a path. */
export function samplePath(parts: readonly PathPart[], sample = SAMPLE): string {
  return parts.map((part) => (typeof part === 'string' ? part : sample)).join('')
}

/** The addresses of the operations of one version. */
export class Addresses {
  readonly #options: CompiledOptions
  readonly #version: string
  /** The carriers in the scheme's order. The host is the last resort, because a document may have no host. */
  readonly #carriers: readonly VersionCarrier[]
  /** The carriers beside the path. */
  readonly #beside: readonly VersionCarrier[]
  /** The path parameter that carries the version, and the version as text of a path. */
  readonly #parameter: string | undefined
  readonly #text: string
  readonly #baseUrl: string
  readonly #mountParams: Readonly<Record<string, string>>
  /** The way to all operations, if the scheme does not read the route; `null` if there is no way. */
  #everywhere: Way | null | undefined
  /** The mount path of `versioning()` and its table. */
  readonly mount: readonly PathPart[]

  constructor(options: CompiledOptions, mount: readonly PathPart[], version: string) {
    this.#options = options
    this.#version = version
    const carriers = options.scheme.carriers(version)
    this.#carriers = carriers.toSorted((a, b) => Number(isHost(a)) - Number(isHost(b)))
    this.#beside = this.#carriers.filter(isBesidePath)
    this.#parameter = pathParameterOf(carriers)
    this.#text = encodeSegment(version) ?? ''
    this.mount = this.#filled(mount)
    this.#baseUrl = samplePath(this.mount)
    const names = mount.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
    this.#mountParams = Object.fromEntries(names.map((name) => [name, name === this.#parameter ? version : SAMPLE]))
  }

  /**
   * Lists the addresses of a route's operation; none if requests of the version do not reach it.
   *
   * @param neutral `true` if the operation has no version, so that requests need none.
   */
  of({ viewName, paths }: Pick<RouteFacts, 'viewName' | 'paths'>, neutral: boolean, trials: Trials): Address[] {
    return paths.flatMap((parts) => {
      const described = this.#reaching(viewName, neutral, parts, trials)
      const way = described === undefined ? null : neutral ? NOTHING : this.#way(described, parts, trials)
      if (way === null) return []
      const isIn = parts.some(this.#isPlace)
      const parameter = isIn ? this.#parameter : undefined
      const path = joinedPath(this.mount, this.#filled(parts))
      return { path, ...way, parameter, place: this.#placeOf(parts), rank: this.#rankOf(way, isIn) }
    })
  }

  /**
   * Returns the position of a way's carrier.
   *
   * @param isIn `true` if the path has the version's place. Neutral routes do without it.
   */
  #rankOf({ carrier, named }: Way, isIn: boolean): number {
    if (!named) return this.#carriers.length + Number(isIn)
    const isPlace = isIn ? isPathParameter : isNamespace
    return this.#carriers.findIndex((other) => (carrier === undefined ? isPlace(other) : other === carrier))
  }

  /** Returns a path without the segment that has the version. */
  #placeOf(parts: readonly PathPart[]): string {
    const text = parts.map((part) => (typeof part === 'string' ? part : this.#isPlace(part) ? '\0' : `{${part.name}}`))
    return text.join('').replace(/\/[^/]*\0[^/]*/, '')
  }

  /** Describes requests for a path of the table, with different values of its parameters. */
  requests(path: readonly PathPart[], trials: Trials): DescribedRequest[] {
    const below = this.#filled(path)
    return SAMPLES.map((sample) =>
      trials.described(this.#version, this.#baseUrl, samplePath(below, sample) || '/', this.#mountParams),
    )
  }

  /** Describes a request that reaches a route; `undefined` if others always come first. */
  #reaching(
    viewName: string,
    neutral: boolean,
    path: readonly PathPart[],
    trials: Trials,
  ): DescribedRequest | undefined {
    // A request without a version skips no route.
    return this.requests(path, trials).find(
      ({ walk, reached }) => (neutral ? walk : reached).match?.viewName === viewName,
    )
  }

  #way(described: DescribedRequest, parts: readonly PathPart[], trials: Trials): Way | null {
    if (readsRoute(this.#options.scheme)) return this.#wayTo(described, this.#names(parts), trials)
    this.#everywhere ??= this.#wayTo(described, false, trials)
    return this.#everywhere
  }

  /**
   * Returns the way to an operation; `null` if no request of the version reaches it.
   *
   * @param named `true` if the path names the version, for a scheme that cannot be asked.
   */
  #wayTo(described: DescribedRequest, named: boolean, trials: Trials): Way | null {
    const bare = trials.bare(described)
    const { defaultVersion } = this.#options.scheme
    const isBare = bare === UNTOLD ? named || defaultVersion === this.#version : bare?.version === this.#version
    if (isBare && (bare === UNTOLD ? named : bare?.named !== false)) return PATH_ALONE
    const carrier = this.#beside.find((candidate) => {
      const verdict = trials.tried(described, candidate)
      return verdict === UNTOLD || verdict?.version === this.#version
    })
    if (carrier !== undefined) return { carrier, required: !isBare, named: true }
    return isBare ? NOTHING : null
  }

  #names(parts: readonly PathPart[]): boolean {
    return (
      this.#parameter !== undefined && (parts.some(this.#isPlace) || Object.hasOwn(this.#mountParams, this.#parameter))
    )
  }

  /** Tells whether a part of a path is the version's place. */
  readonly #isPlace = (part: PathPart): boolean =>
    typeof part !== 'string' && !part.wildcard && part.name === this.#parameter

  #filled(parts: readonly PathPart[]): readonly PathPart[] {
    if (this.#parameter === undefined) return parts
    return parts.map((part) => (this.#isPlace(part) ? this.#text : part))
  }
}

/** Joins a mount and a path. Neighbouring strings become one. */
export function joinedPath(mount: readonly PathPart[], below: readonly PathPart[]): PathPart[] {
  const parts: PathPart[] = []
  for (const part of [...mount, ...below]) {
    const last = parts.at(-1)
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  return parts.join('') === '' ? ['/'] : parts
}
