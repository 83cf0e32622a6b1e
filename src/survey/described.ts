import type { VersionDescription } from '../types'
import type { Operation } from './survey'

/** Returns the description of an operation for one version. */
export function descriptionIn({ description }: Operation, version: string): VersionDescription {
  const { versions, ...general } = description ?? {}
  const own: VersionDescription =
    (versions !== undefined && Object.hasOwn(versions, version) && versions[version]) || {}
  const kept = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...general, ...Object.fromEntries(kept) }
}
