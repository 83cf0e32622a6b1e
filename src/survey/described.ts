// The descriptions of operations by version.
import type { OperationDescription, VersionDescription } from '../types'

/** The descriptions of one operation. */
export interface Described {
  /** The description of the newest version, with those for single versions. */
  readonly description: OperationDescription | undefined
  /** Returns the parts that changes replace in a version. Answers have their statuses of the newest version. */
  readonly changedIn: (version: string) => VersionDescription
}

/** Returns the description of an operation for one version. */
export function descriptionIn(operation: Described, version: string): VersionDescription {
  const { versions: _, ...general } = operation.description ?? {}
  return { ...general, ...operation.changedIn(version), ...ownDescription(operation, version) }
}

/** Returns the description for one version alone, which names the statuses of that version. */
export function ownDescription({ description }: Pick<Described, 'description'>, version: string): VersionDescription {
  const versions: Readonly<Record<string, VersionDescription | undefined>> = description?.versions ?? {}
  const own = Object.hasOwn(versions, version) ? versions[version] : undefined
  return Object.fromEntries(Object.entries(own ?? {}).filter(([, value]) => value !== undefined))
}
