// The place of a schema, for errors.
import { escaped } from './keywords'

/** The place of a schema, for errors. */
export interface SchemaPlace {
  /** The name of the whole, such as `"Post"`. */
  readonly root: string
  /** The JSON pointer in it. */
  readonly path: string
}

/** Returns a place as words. */
export function at({ root, path }: SchemaPlace): string {
  return path === '' ? `in ${root}` : `at "${path}" of ${root}`
}

/** Returns the place of an inner schema. */
export function within(place: SchemaPlace, ...steps: string[]): SchemaPlace {
  return { ...place, path: [place.path, ...steps.map(escaped)].join('/') }
}
