import type { CompiledOptions } from '../middleware/options'
import { readsRoute } from '../request/state'
import { encodeSegment } from '../routes/link-values'
import type { PathPart, RouteFacts, VersionCarrier } from '../types'
import { type Described, type Trials, UNTOLD } from './trial'

/** One way to ask for an operation in a version. */
export interface Address {
  /** The path from the host on; a version that it names is text. */
  readonly path: readonly PathPart[]
  /** What else the request carries; `undefined` where the path says all, or nothing needs saying. */
  readonly carrier: VersionCarrier | undefined
  /** Whether it must: not where the version is the default. */
  readonly required: boolean
  /** Whether it says the version; else it is there for the default alone, or has no version. */
  readonly named: boolean
}

/** What a request carries beside its path. */
type Way = Omit<Address, 'path'>

const PATH_ALONE: Way = { carrier: undefined, required: false, named: true }
const NOTHING: Way = { ...PATH_ALONE, named: false }

/** What parameters are in examples. */
const SAMPLE = '1'

/** What they are where a route of that very text comes first. */
const OTHER_SAMPLE = 'another-one'

/** A path with values for its parameters. */
export function samplePath(parts: readonly PathPart[], sample = SAMPLE): string {
  return parts.map((part) => (typeof part === 'string' ? part : sample)).join('')
}

/** Where a version is said beside the path: a host is the last resort, because a document may have none. */
const BESIDE: readonly VersionCarrier['in'][][] = [['header', 'query'], ['host']]

/** How requests of one version ask for operations. */
export class Addresses {
  readonly #options: CompiledOptions
  readonly #version: string
  /** The carriers beside the path. */
  readonly #beside: readonly VersionCarrier[]
  /** The path parameter that carries the version, and the version as text of a path. */
  readonly #parameter: string | undefined
  readonly #text: string
  readonly #baseUrl: string
  readonly #mountParams: Readonly<Record<string, string>>
  /** Of a scheme that does not read the route, the way to all operations; `null` for none. */
  #everywhere: Way | null | undefined
  /** Where `versioning()` and the table stand. */
  readonly mount: readonly PathPart[]

  constructor(options: CompiledOptions, mount: readonly PathPart[], version: string) {
    this.#options = options
    this.#version = version
    const carriers = options.scheme.carriers(version)
    this.#beside = BESIDE.flatMap((places) => carriers.filter((carrier) => places.includes(carrier.in)))
    this.#parameter = carriers.find((carrier) => carrier.in === 'path')?.name
    this.#text = encodeSegment(version) ?? ''
    this.mount = this.#filled(mount)
    this.#baseUrl = samplePath(this.mount)
    const names = mount.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
    this.#mountParams = Object.fromEntries(names.map((name) => [name, name === this.#parameter ? version : SAMPLE]))
  }

  /** The ways to ask for an operation of a route; none, where it is not there for requests of the version. */
  of({ viewName, paths }: RouteFacts, trials: Trials): Address[] {
    return paths.flatMap((parts) => {
      const below = this.#filled(parts)
      const described = this.#reaching(viewName, below, trials)
      const way = described === undefined ? null : this.#way(described, parts, trials)
      return way === null ? [] : { path: joined(this.mount, below), ...way }
    })
  }

  /** The paths of a route without a version. */
  neutral({ viewName, paths }: RouteFacts, trials: Trials): Address[] {
    return paths.flatMap((parts) => {
      const below = this.#filled(parts)
      if (this.#reaching(viewName, below, trials) === undefined) return []
      return { path: joined(this.mount, below), ...NOTHING }
    })
  }

  /** A request that leads to a route; none, where others always come first. */
  #reaching(viewName: string, below: readonly PathPart[], trials: Trials): Described | undefined {
    for (const sample of [SAMPLE, OTHER_SAMPLE]) {
      const described = trials.described(this.#version, this.#baseUrl, samplePath(below, sample), this.#mountParams)
      if (described.reached.match?.viewName === viewName) return described
    }
    return undefined
  }

  #way(described: Described, parts: readonly PathPart[], trials: Trials): Way | null {
    if (readsRoute(this.#options.scheme)) return this.#wayTo(described, this.#names(parts), trials)
    this.#everywhere ??= this.#wayTo(described, false, trials)
    return this.#everywhere
  }

  /** @param named whether the path names the version, for a scheme that cannot be asked. */
  #wayTo(described: Described, named: boolean, trials: Trials): Way | null {
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

  /** Whether a part of a path is where the version stands. */
  readonly #isPlace = (part: PathPart): boolean =>
    typeof part !== 'string' && !part.wildcard && part.name === this.#parameter

  #filled(parts: readonly PathPart[]): readonly PathPart[] {
    if (this.#parameter === undefined) return parts
    return parts.map((part) => (this.#isPlace(part) ? this.#text : part))
  }
}

/** What is below a mount, from the host on: texts that follow one another as one. */
function joined(mount: readonly PathPart[], below: readonly PathPart[]): PathPart[] {
  const parts: PathPart[] = []
  for (const part of [...mount, ...below]) {
    const last = parts.at(-1)
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  return parts
}
