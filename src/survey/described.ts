// The descriptions of operations by version.
import type { VersionDescription } from '../types'
import type { Operation } from './survey'

/** Returns the description of an operation for one version. */
export function descriptionIn(operation: Operation, version: string): VersionDescription {
  const { versions: _, ...general } = operation.description ?? {}
  return { ...general, ...ownIn(operation, version) }
}

/** Returns the parts that hold for one version alone: those of its description, else the bodies that changes give it. */
export function ownIn({ description, changed }: Operation, version: string): VersionDescription {
  const versions: Readonly<Record<string, VersionDescription | undefined>> = description?.versions ?? {}
  const own = Object.hasOwn(versions, version) ? versions[version] : undefined
  const given = Object.entries(own ?? {}).filter(([, value]) => value !== undefined)
  return { ...changed(version), ...Object.fromEntries(given) }
}
