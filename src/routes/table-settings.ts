// The options of `namedRoutes()`.
import type { PlaceMeaning } from '../types'
import { badOption, checkKeys, shown } from '../util/options'
import type { TableSettings } from './table'

/** The meanings of what schemas leave open, by place: a component's name, or `'<component or operation>#<JSON pointer>'`. */
export interface PlacesOption {
  readonly [place: string]: PlaceMeaning
}

/** Options of `namedRoutes()`. All are off by default, as in `express.Router`. */
export interface NamedRoutesOptions {
  /** `true` if `/Users` is not `/users`. */
  caseSensitive?: boolean | undefined
  /** `true` if `/users/` is not `/users`. */
  strict?: boolean | undefined
  /**
   * `'elsewhere'` if handlers may be outside of the table: in plain routers, other frameworks, another service. Described
   * operations then exist without a handler in the table.
   */
  handlers?: 'elsewhere' | undefined
  /**
   * The treatment of requests in older versions for operations that the table does not have, where handlers are elsewhere.
   * `'reject'`: 404 (default). `'pass'`: they go on.
   */
  undocumented?: 'reject' | 'pass' | undefined
  /**
   * The meanings of what schemas leave open. A place is a component's name or `'GET user 200#/properties/labels/items'`
   * (`body`, `query`). The name of a shape: what is there is a copy of it, and changes of the shape hold for the properties
   * that it has. `null`: it is another thing. For `oneOf` and `anyOf`, a function that tells the branch of a value.
   */
  places?: PlacesOption | undefined
}

/** Returns the options of a table with their defaults. */
export function checkedSettings(owner: string, options: NamedRoutesOptions = {}): TableSettings {
  checkKeys(owner, options, ['caseSensitive', 'strict', 'handlers', 'undocumented', 'places'])
  const { caseSensitive = false, strict = false, handlers, undocumented, places } = options
  for (const [key, value] of Object.entries({ caseSensitive, strict })) {
    if (typeof value !== 'boolean') throw badOption(owner, key, 'a boolean', value)
  }
  if (handlers !== undefined && handlers !== 'elsewhere') throw badOption(owner, 'handlers', "'elsewhere'", handlers)
  if (undocumented !== undefined && undocumented !== 'reject' && undocumented !== 'pass')
    throw badOption(owner, 'undocumented', "'reject' or 'pass'", undocumented)
  if (undocumented !== undefined && handlers === undefined)
    throw new TypeError(`${owner}: option "undocumented" needs { handlers: 'elsewhere' }: without it, others pass.`)
  return {
    caseSensitive,
    strict,
    elsewhere: handlers && (undocumented ?? 'reject'),
    places: checkedPlaces(owner, places),
  }
}

function checkedPlaces(owner: string, places: unknown = {}): ReadonlyMap<string, PlaceMeaning> {
  if (typeof places !== 'object' || places === null || Array.isArray(places))
    throw badOption(
      owner,
      'places',
      "an object of meanings by place, such as { 'Issue#/properties/label': 'Label' }",
      places,
    )
  for (const [place, meaning] of Object.entries(places)) {
    if (meaning === null || typeof meaning === 'function' || (typeof meaning === 'string' && meaning !== '')) continue
    throw new TypeError(
      `${owner}: option "places" takes the name of a shape, null or a function at ${shown(place)}; got ${shown(meaning)}.`,
    )
  }
  return new Map(Object.entries(places))
}
