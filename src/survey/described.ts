import type { VersionDescription } from '../types'
import { merged } from './merging'
import type { Operation } from './survey'

/** Returns what was said of an operation for one version. */
export function descriptionIn({ description }: Operation, version: string): VersionDescription {
  const { versions, ...general } = description ?? {}
  const own: VersionDescription =
    (versions !== undefined && Object.hasOwn(versions, version) && versions[version]) || {}
  const kept = Object.entries(own).filter(([, value]) => value !== undefined)
  const operation = merged(general.operation, own.operation) as VersionDescription['operation']
  return { ...general, ...Object.fromEntries(kept), operation }
}
