// The descriptions of operations by version.
import type { OperationDescription, VersionDescription } from '../types'

/** Returns the description of an operation for one version. */
export function descriptionIn(
  { description }: { readonly description: OperationDescription | undefined },
  version: string,
): VersionDescription {
  const { versions, ...general } = description ?? {}
  const own: VersionDescription =
    (versions !== undefined && Object.hasOwn(versions, version) && versions[version]) || {}
  return { ...general, ...defined(own) }
}

/** Adds to a description the bodies that changes give each version, unless the description has its own. */
export function withVersions(
  description: OperationDescription,
  names: readonly string[],
  changed: (version: string) => VersionDescription,
): OperationDescription {
  const own: Readonly<Record<string, VersionDescription | undefined>> = description.versions ?? {}
  const versions = names.flatMap((name) => {
    const said = { ...changed(name), ...defined(own[name] ?? {}) }
    return Object.keys(said).length === 0 ? [] : [[name, said] as const]
  })
  return { ...description, versions: Object.fromEntries(versions) }
}

function defined(description: VersionDescription): VersionDescription {
  return Object.fromEntries(Object.entries(description).filter(([, value]) => value !== undefined))
}
