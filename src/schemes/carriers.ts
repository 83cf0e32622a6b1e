// Each kind of carrier: what it puts into a request and into a document. All other parts ask here.
import type { VersionCarrier } from '../types'

/** The parts of a request that name its version, beside the path. */
interface CarriedParts {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly cookies?: Readonly<Record<string, string>>
  /** The first label of the host. */
  readonly label?: string
}

/** One kind of carrier. */
interface CarrierKind {
  /** Returns what it puts into a request; undefined for a part of the path. */
  parts?(name: string, value: string): CarriedParts
  /** The place of its parameter in a document (OpenAPI 3.1.1, section 4.8.12). */
  readonly parameter?: 'header' | 'query' | 'cookie'
  /** Tells a client how to name the version: a verb, and what it writes. */
  says(name: string, value: string): Advice
}

/** An advice to clients, such as `Send` and `X-API-Version: v4`. */
export type Advice = readonly [verb: string, text: string]

const KINDS: Readonly<Record<VersionCarrier['in'], CarrierKind>> = {
  header: {
    parts: (name, value) => ({ headers: { [name]: value } }),
    parameter: 'header',
    says: (name, value) => ['Send', `${name}: ${value}`],
  },
  query: {
    parts: (name, value) => ({ query: { [name]: value } }),
    parameter: 'query',
    says: (name, value) => ['Add', `?${new URLSearchParams({ [name]: value })}`],
  },
  cookie: {
    parts: (name, value) => ({ headers: { Cookie: `${name}=${value}` }, cookies: { [name]: value } }),
    parameter: 'cookie',
    says: (name, value) => ['Send', `Cookie: ${name}=${value}`],
  },
  host: { parts: (_name, label) => ({ label }), says: (_name, label) => ['Begin the host with', `${label}.`] },
  path: { says: inPath },
  namespace: { says: inPath },
}

function inPath(_name: string, value: string): Advice {
  return ['Begin the path with', `/${encodeURIComponent(value)}`]
}

/** Returns the advice to clients of a version. */
export function adviceOf({ in: kind, name = '', value }: VersionCarrier): Advice {
  return KINDS[kind].says(name, value)
}

/** Returns the parts of a request that a carrier puts there, beside the path. */
export function carriedParts(carrier: VersionCarrier | undefined): CarriedParts {
  return (carrier && KINDS[carrier.in].parts?.(carrier.name ?? '', carrier.value)) ?? {}
}

/** Tells whether a carrier is no part of the path, so that it can be added to any request. */
export function isBesidePath(carrier: VersionCarrier): boolean {
  return KINDS[carrier.in].parts !== undefined
}

/** Returns the name and the place of a carrier's parameter in a document; undefined if documents have none for it. */
export function documentParameter({ in: kind, name }: VersionCarrier): Parameter | undefined {
  const { parameter } = KINDS[kind]
  return parameter === undefined || name === undefined ? undefined : { name, in: parameter }
}

/** A parameter of a document. */
type Parameter = { readonly name: string; readonly in: NonNullable<CarrierKind['parameter']> }

/** Returns the name of the first path parameter among carriers. */
export function pathParameterOf(carriers: readonly VersionCarrier[]): string | undefined {
  return carriers.find(isPathParameter)?.name
}

/** Tells whether a carrier is the host. */
export function isHost(carrier: VersionCarrier): boolean {
  return carrier.in === 'host'
}

/** Tells whether a carrier is a parameter of the path. */
export function isPathParameter(carrier: VersionCarrier): boolean {
  return carrier.in === 'path'
}

/** Tells whether a carrier is a namespace of the route. */
export function isNamespace(carrier: VersionCarrier): boolean {
  return carrier.in === 'namespace'
}

/** Returns the first label of the host that names a version, if a carrier is the host. */
export function labelOf(carriers: readonly VersionCarrier[]): string | undefined {
  return carriers.find(isHost)?.value
}
