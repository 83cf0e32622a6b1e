// The settings that all schemes share, the option `ignore`, and the call of `parseVersion`.
import type { ParseVersion, VersioningSettings } from '../types'
import { badOption, listOption, shown } from '../util/options'
import { inspected } from '../util/text'
import { isThenable } from '../util/thenable'

/** The names of the settings that all schemes share. */
export const SETTING_NAMES = ['defaultVersion', 'allowedVersions', 'versionParam', 'parseVersion'] as const

/** The checked settings of a scheme, in the form that requests read. */
export interface CompiledSettings {
  readonly defaultVersion: string | null
  readonly versionParam: string
  /** A map from each accepted version to the listed string; `undefined`: every version is accepted. */
  readonly allowed: ReadonlyMap<string | null, string | null> | undefined
  readonly allowedVersions: readonly (string | null)[]
  /** The accepted versions, oldest first. A default version that is not among the allowed ones is the newest. */
  readonly acceptedVersions: readonly (string | null)[]
  /** The versions that `parseVersion` can choose from: these without `null`. */
  readonly versions: readonly string[]
  readonly parseVersion: ParseVersion | undefined
}

/** The settings with any version strings: class fields are not limited to the versions that an application has registered. */
export type GivenSettings = Pick<VersioningSettings, 'versionParam' | 'parseVersion'> & {
  readonly defaultVersion?: string | null | undefined
  readonly allowedVersions?: Iterable<string | null> | undefined
}

const VERSION = 'a string or null'
const VERSIONS =
  'an iterable of strings and null, such as ["v1", "v2"] (a single string would be taken letter by letter)'
const PARAM = 'a non-empty name other than __proto__, constructor and prototype'
// As keys of an object, these names would reach its prototype.
const UNSAFE_PARAMS = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Checks and compiles the shared settings.
 *
 * @param owner the name in the error, such as `URLPathVersioning`.
 * @throws {TypeError} naming the option, the given value and the accepted ones.
 */
export function compileSettings(owner: string, settings: GivenSettings): CompiledSettings {
  const { defaultVersion = null, versionParam = 'version', parseVersion } = settings
  if (defaultVersion !== null && typeof defaultVersion !== 'string') {
    throw badOption(owner, 'defaultVersion', VERSION, defaultVersion)
  }
  if (typeof versionParam !== 'string' || versionParam === '' || UNSAFE_PARAMS.has(versionParam)) {
    throw badOption(owner, 'versionParam', PARAM, versionParam)
  }
  if (parseVersion !== undefined && typeof parseVersion !== 'function') {
    throw badOption(owner, 'parseVersion', 'a function of a string and the allowed versions', parseVersion)
  }
  const allowedVersions = settings.allowedVersions === undefined ? [] : allowedList(owner, settings.allowedVersions)
  const acceptedVersions = withDefault(allowedVersions, defaultVersion)
  const allowed =
    acceptedVersions.length === 0 ? undefined : new Map(acceptedVersions.map((version) => [version, version]))
  const versions = Object.freeze(acceptedVersions.filter((version) => version !== null))
  return { defaultVersion, versionParam, allowed, allowedVersions, acceptedVersions, versions, parseVersion }
}

function allowedList(owner: string, value: unknown): readonly (string | null)[] {
  const versions = listOption(owner, 'allowedVersions', value, VERSIONS)
  const wrong = versions.find((version) => version !== null && typeof version !== 'string')
  if (wrong !== undefined || versions.includes(undefined)) throw badOption(owner, 'allowedVersions', VERSIONS, value)
  return Object.freeze([...new Set(versions)]) as readonly (string | null)[]
}

function withDefault(allowed: readonly (string | null)[], version: string | null): readonly (string | null)[] {
  if (allowed.length === 0 || version === null || allowed.includes(version)) return allowed
  return Object.freeze([...allowed, version])
}

const IGNORED = "an iterable of strings, such as ['www'] (a single string would be taken letter by letter)"

/**
 * Reads the option `ignore`, or the class field of that name: the names in the version's place that are not versions.
 *
 * @param owner the name in the error.
 * @throws {TypeError} for anything but an iterable of strings.
 */
export function ignoredNames(owner: string, ignore: unknown): readonly string[] {
  if (ignore === undefined) return []
  const names = listOption(owner, 'ignore', ignore, IGNORED)
  if (!names.every((name) => typeof name === 'string')) throw badOption(owner, 'ignore', IGNORED, ignore)
  return names
}

/**
 * Asks `parseVersion` which accepted version a client's text means. If it throws or returns anything but a string, the text
 * means no version, and one process warning reports the mistake. So a mistake never selects another version, and no client can
 * cause a 500 with such a string.
 *
 * @returns `undefined` if the text means no version.
 */
export function parsed(parse: ParseVersion, text: string, versions: readonly string[]): string | undefined {
  let version: unknown
  try {
    version = parse(text, versions)
  } catch (error) {
    warnOnce(parse, inspected(error))
    return undefined
  }
  if (version === undefined || typeof version === 'string') return version
  // Nobody else handles this promise, and an unhandled rejection ends the process.
  if (isThenable(version)) version.then(undefined, () => {})
  warnOnce(parse, `It must return a string or undefined; got ${shown(version)}.`)
  return undefined
}

const warned = new WeakSet<ParseVersion>()

function warnOnce(parse: ParseVersion, detail: string): void {
  if (warned.has(parse)) return
  warned.add(parse)
  process.emitWarning('A parseVersion of express-versioning failed; the request was rejected.', {
    code: 'EXPRESS_VERSIONING_PARSER',
    detail,
  })
}
