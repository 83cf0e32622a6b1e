// The place of a schema, for errors.
import { escaped } from './pointers'

/** The place of a schema, for errors. */
export interface SchemaLocation {
  /** The whole in words, such as `"Post"` or `the response 200 of "GET user"`. */
  readonly root: string
  /** The whole as the option `places` names it, such as `Post` or `GET user 200`. */
  readonly place: string
  /** The JSON pointer in it. */
  readonly path: string
}

/** Returns the place of a definition. */
export function locationOf(name: string): SchemaLocation {
  return { root: `"${name}"`, place: name, path: '' }
}

/** Returns a place as words. */
export function locationText({ root, path }: SchemaLocation): string {
  return path === '' ? `in ${root}` : `at "${path}" of ${root}`
}

/** Returns the place of an inner schema. */
export function within(place: SchemaLocation, ...steps: string[]): SchemaLocation {
  return { ...place, path: [place.path, ...steps.map(escaped)].join('/') }
}
