// The place of a version in the host of an origin.

/** An origin of two or three labels, of letters and digits. A version is the first of three. */
interface VersionPlace {
  /** `true` if the host has three labels already. */
  readonly isTaken: boolean
  /** The last two labels. */
  readonly domain: string
  /** Returns the origin with a version in its place. */
  filled(version: string): string
}

const ORIGIN = /^(https?:\/\/)([a-z\d]+\.|)([a-z\d]+\.[a-z\d]+)(:\d+|)$/i

/** Finds the place of a version in an origin; `undefined` if it has none. */
export function versionPlace(origin: string): VersionPlace | undefined {
  const found = ORIGIN.exec(origin)
  if (found === null) return undefined
  const [, protocol, label, domain, port] = found as string[] as [string, string, string, string, string]
  return { isTaken: label !== '', domain, filled: (version) => `${protocol}${version}.${domain}${port}` }
}
