// The media types in a `Content-Type`.
import { trimWhitespace } from './fields'

/** Lists the media types of a `Content-Type`, in lower case and without parameters. */
export function mediaTypesIn(value: unknown): string[] {
  // Node sends one line for each element of a list, and proxies join lines by commas.
  return String(value)
    .toLowerCase()
    .split(',')
    .map((one) => trimWhitespace(one).split(/[;\s]/, 1)[0] as string)
}

/** Tells whether a media type is one of others, of which some may be ranges: any type, or `text/*` (RFC 9110, section 12.5.1). */
export function isAmong(type: string, ranges: readonly string[]): boolean {
  const [kind] = type.split('/', 1)
  return [type, `${kind}/*`, '*/*'].some((one) => ranges.includes(one))
}
