import type { CompiledOptions } from '../middleware/options'
import { encodeSegment } from '../routes/link-values'
import type { PathPart, RouteFacts, RouteRegistry, VersionCarrier } from '../types'
import { type Described, tried } from './trial'

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

/** What parameters are in examples. */
const SAMPLE = '1'

/** A path with values for its parameters. */
export function samplePath(parts: readonly PathPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : SAMPLE)).join('')
}

/** Where a version is said beside the path. */
const BESIDE: ReadonlySet<string> = new Set<VersionCarrier['in']>(['header', 'query', 'host'])

/** How requests of one version ask for operations. */
export class Addresses {
  readonly #options: CompiledOptions
  readonly #routes: RouteRegistry
  readonly #version: string
  /** The carriers beside the path. */
  readonly #beside: readonly VersionCarrier[]
  /** The path parameter that carries the version, and the version as text of a path. */
  readonly #parameter: string | undefined
  readonly #text: string
  readonly #mount: readonly PathPart[]
  readonly #baseUrl: string
  readonly #mountParams: Readonly<Record<string, string>>

  /** @param mount where `versioning()` and the table stand. */
  constructor(options: CompiledOptions, routes: RouteRegistry, mount: readonly PathPart[], version: string) {
    this.#options = options
    this.#routes = routes
    this.#version = version
    const carriers = options.scheme.carriers(version)
    this.#beside = carriers.filter((carrier) => BESIDE.has(carrier.in))
    this.#parameter = carriers.find((carrier) => carrier.in === 'path')?.name
    this.#text = encodeSegment(version) ?? ''
    this.#mount = this.#filled(mount)
    this.#baseUrl = withoutSlash(samplePath(this.#mount))
    const names = mount.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
    this.#mountParams = Object.fromEntries(names.map((name) => [name, name === this.#parameter ? version : SAMPLE]))
  }

  /** The ways to ask for an operation of a route; none, where it is not there for requests of the version. */
  of({ paths }: RouteFacts, method: string): Address[] {
    return paths.flatMap((parts) => {
      const below = this.#filled(parts)
      const path = samplePath(below)
      const walk = this.#routes.walk(path, method)
      const params = { ...this.#mountParams, ...walk.params }
      const described: Described = { method, baseUrl: this.#baseUrl, path, walk, params }
      const whole = (named: boolean, carrier?: VersionCarrier, required = false): Address => ({
        path: joined(this.#mount, below),
        carrier,
        required,
        named,
      })
      const bare = tried(this.#options, described, undefined)
      const isBare = bare?.version === this.#version
      if (isBare && bare.named !== false) return whole(true)
      const carrier = this.#beside.find(
        (candidate) => tried(this.#options, described, candidate)?.version === this.#version,
      )
      if (carrier !== undefined) return whole(true, carrier, !isBare)
      return isBare ? whole(false) : []
    })
  }

  #filled(parts: readonly PathPart[]): readonly PathPart[] {
    if (this.#parameter === undefined) return parts
    return parts.map((part) =>
      typeof part === 'string' || part.wildcard || part.name !== this.#parameter ? part : this.#text,
    )
  }
}

/** The paths of a route without a version. */
export function neutralAddresses({ paths }: RouteFacts, mount: readonly PathPart[]): Address[] {
  return paths.map((path) => ({ path: joined(mount, path), carrier: undefined, required: false, named: false }))
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

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
