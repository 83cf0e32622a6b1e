// The facts of an app by which `init` writes its first version.
import type { App } from './app'
import type { FoundDocument } from './found-document'

/** A kind of module. */
export type Kind = 'ts' | 'mjs' | 'cjs'

/** The schemes that `--scheme` names, and their classes. */
export const SCHEMES = {
  header: 'HeaderVersioning',
  accept: 'AcceptHeaderVersioning',
  query: 'QueryParameterVersioning',
  path: 'URLPathVersioning',
  host: 'HostNameVersioning',
} as const

/** The name of a scheme. */
export type SchemeName = keyof typeof SCHEMES

/** The facts of an app before its first version is written. */
export interface Adoption {
  readonly app: App
  /** The document; undefined if the app makes it when it starts. */
  readonly found: FoundDocument | undefined
  readonly scheme: SchemeName
  readonly version: string
  /** The mount path of the API, without a version. */
  readonly mount: string
  /** The pages of the app below it that the document does not have. */
  readonly neutral: readonly string[]
  readonly file: string
  readonly kind: Kind
}
