// The place of a schema, for errors.
import { escaped } from './pointers'

/** The place of a schema, for errors. */
export interface SchemaLocation {
  /** The name of the whole, such as `"Post"`. */
  readonly root: string
  /** The JSON pointer in it. */
  readonly path: string
}

/** Returns a place as words. */
export function locationText({ root, path }: SchemaLocation): string {
  return path === '' ? `in ${root}` : `at "${path}" of ${root}`
}

/** Returns the place of an inner schema. */
export function within(place: SchemaLocation, ...steps: string[]): SchemaLocation {
  return { ...place, path: [place.path, ...steps.map(escaped)].join('/') }
}

/** Returns a line of the option `places` for a place. */
export function placesLine({ root, path }: SchemaLocation, meaning: string): string {
  // The name of a whole is in quotes.
  const [, items, part = '', name] = /^(?:the (items of the )?(?:response )?(\S+) of )?"(.*)"$/s.exec(
    root,
  ) as RegExpExecArray
  const whole = `${name}${part === '' ? '' : ` ${part}`}${items === undefined ? '' : ' item'}`
  const place = `${whole}${path === '' ? '' : `#${path}`}`
  return `  ${JSON.stringify(place)}: ${meaning},`
}
