// The routes of a table at paths that they had in older versions.

import type { MovableRoutes, MovedRoute, OlderMatch, PathPart } from '../registry'
import type { LinkArgs, LinkFailure, LinkKwargs, RouteParams } from '../types'
import { patternOf } from './declare'
import { pathsOf } from './description'
import { alternativesOf, type Pattern, type RoutePattern, withoutTrailingSlashes } from './pattern'
import {
  addToIndex,
  fullPath,
  type GivenRoute,
  type MountedRoute,
  type NamedPath,
  patternsOf,
  type Table,
} from './table'
import { quoted, readBack, templateOf } from './template'
import { below, candidates, match, matchFrom, Rank, START, type TableWalk, type WalkStep } from './walk'

/** The value of parameters in samples. No literal text of a path is likely to be it. */
const SAMPLE = '~0~'

/** Returns what a history needs to move routes of a table. */
export function movableIn(table: Table): MovableRoutes {
  const placeOf = (viewName: string) => table.places.get(viewName) as MountedRoute
  return {
    at: (viewName, path) => new PlacedRoute(table, placeOf(viewName), path),
    shapesOf: (viewName) => shapesOf(table, placeOf(viewName)),
    olderIn: (path, walk) => olderIn(table, path, (walk as TableWalk).first),
    readings: (path) => [...stepsToOlder(table, path)].map((first) => olderIn(table, path, first) as OlderMatch),
    leadsTo(viewName, path) {
      const place = table.places.get(viewName)
      return place === undefined || readBack(place, path) !== undefined
    },
  }
}

/** A route at an older path. */
class PlacedRoute implements MovedRoute {
  readonly viewName: string
  readonly pattern: string
  readonly paths: readonly (readonly PathPart[])[]
  readonly shapes: readonly string[]
  readonly entry: NamedPath
  /** The place of the older path. */
  readonly #place: MountedRoute

  /**
   * @param today the place of today's path.
   * @throws {TypeError} for an invalid path, and for other parameters than today's.
   */
  constructor(
    table: Table,
    private readonly today: MountedRoute,
    readonly path: string,
  ) {
    this.entry = olderEntry(ownerOf(table, today), today.route, path)
    this.#place = { ...today, route: this.entry, template: undefined }
    this.viewName = today.name
    this.pattern = fullPath(this.#place)
    this.paths = pathsOf(this.#place)
    this.shapes = shapesOf(table, this.#place)
  }

  /** Makes the link. The arguments are in the order of today's path, which handlers know. */
  link(args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
    const template = templateOf(this.#place)
    const open = templateOf(this.today).names.filter((name) => kwargs?.[name] === undefined)
    if (!Array.isArray(args) || args.length > open.length) return template.link(args, kwargs)
    // A missing argument stays missing; an undefined one does not fit.
    const named = args.map((value, index) => [open[index], value ?? null] as const)
    return template.link(undefined, { ...kwargs, ...Object.fromEntries(named) })
  }
}

/** The settings of a table that was made from an OpenAPI document. */
type DocumentSettings = Required<Pick<Table['settings'], 'document'>>

/** Returns the table that a route was declared in. */
function ownerOf(table: Table, { mounts }: MountedRoute): Table {
  return mounts.at(-1)?.table ?? table
}

/**
 * Returns the entry of a route at an older path. It is put into the index of its table once, whoever moves the route.
 *
 * @throws {TypeError} for an invalid path, and for other parameters than today's.
 */
function olderEntry(owner: Table, route: NamedPath, path: string): NamedPath {
  const known = route.older?.get(path)
  if (known !== undefined) return known
  const template = route.given && (owner.settings as DocumentSettings).document.templateOf(path)
  const pattern = patternOf('the path', template?.pattern ?? path, owner.settings)
  checkParameters(pattern, route.pattern)
  const given = template && { ...(route.given as GivenRoute), sortKey: template.sortKey }
  // The route may get its handlers and its place in the order of requests later.
  const own = { pattern, given, layer: undefined, isOlder: true }
  const entry: NamedPath = Object.assign(Object.create(route), own)
  route.older = new Map(route.older).set(path, entry)
  addToIndex(owner, entry, pattern.tokens, true)
  return entry
}

/** @throws {TypeError} for two paths with other parameters, or with other choices of them. */
function checkParameters(older: RoutePattern, today: RoutePattern): void {
  const [taken, wanted] = [older, today].map(choicesOf) as [string[], string[]]
  if (taken.length === wanted.length && taken.every((choice) => wanted.includes(choice))) return
  const told = ({ params }: Pattern) => (params.length === 0 ? 'no parameters' : quoted(params))
  const isOptional = told(older) === told(today) ? ', of which others are optional or wildcards' : ''
  throw new TypeError(
    `that path has ${told(older)}, and today's path, "${today.source}", has ${told(today)}${isOptional}. A moved operation has the same parameters in all versions.`,
  )
}

/** Lists the parameters of a path, for each choice of its optional parts. */
function choicesOf({ tokens }: Pattern): string[] {
  const choices = alternativesOf(tokens).map((alternative) =>
    alternative
      .flatMap((token) => (token.type === 'text' ? [] : `${token.type} ${token.name}`))
      .sort()
      .join('\n'),
  )
  return [...new Set(choices)]
}

/** Returns the paths of a place as requests see them, without the names of parameters. */
function shapesOf(table: Table, place: MountedRoute): string[] {
  const { caseSensitive, strict } = ownerOf(table, place).settings
  const shapes = alternativesOf(patternsOf(place).flatMap(({ tokens }) => tokens)).map((alternative) => {
    const path = alternative.map((token) => (token.type === 'text' ? token.value : `{${token.type}}`)).join('')
    const shape = strict ? path : withoutTrailingSlashes(path)
    return (caseSensitive ? shape : shape.toLowerCase()) || '/'
  })
  return [...new Set(shapes)]
}

/** Lists all ways of a path to older paths. */
function* stepsToOlder(table: Table, path: string): Iterable<WalkStep> {
  const list = candidates(table, path)
  const step = { table, path, list, version: table.version, rank: Rank.route }
  for (const entry of list) {
    if (entry.kind === 'route' && entry.isOlder) {
      const found = match(entry.pattern, path)
      if (found !== false) yield { ...step, entry, found, inner: undefined }
    }
    if (entry.kind !== 'mount' || entry.table === undefined) continue
    for (const reading of entry.prefix.readings) {
      const found = match(reading, path)
      if (found === false) continue
      for (const inner of stepsToOlder(entry.table, below(path, found))) yield { ...step, entry, found, inner }
    }
  }
}

/** Returns the older path to which a step leads. */
function olderIn(table: Table, path: string, first: WalkStep | undefined): OlderMatch | undefined {
  let step = first
  let length = 0
  for (; step?.inner !== undefined; step = step.inner) length += step.found.path.length
  if (first === undefined || step?.entry.kind !== 'route' || !step.entry.isOlder) return undefined
  const { entry } = step
  const found = matchFrom(START, first)
  const place = table.places.get(found.viewName as string) as MountedRoute
  const texts = textsIn(entry.pattern, step.path)
  const prefix = withoutTrailingSlashes(path.slice(0, length))
  const written = (textOf: (name: string) => string) =>
    prefix + filled(place.route.pattern, new Set(texts.keys()), textOf) || '/'
  const today = written((name) => texts.get(name) as string)
  const read = readBack(place, today)
  return {
    entry,
    match: found,
    today: read !== undefined && areSame(read, found.params) ? today : undefined,
    sample: written(() => SAMPLE),
  }
}

/** Returns the texts of the parameters in a path, as they were sent. */
function textsIn({ regexp, keys }: RoutePattern, path: string): ReadonlyMap<string, string> {
  const [, ...texts] = regexp.exec(path) as RegExpExecArray
  return new Map(
    keys.flatMap(({ name }, index): [string, string][] => (texts[index] === undefined ? [] : [[name, texts[index]]])),
  )
}

/** Writes the path of a pattern with these parameters. */
function filled({ tokens }: RoutePattern, names: ReadonlySet<string>, textOf: (name: string) => string): string {
  const isChosen = (alternative: ReturnType<typeof alternativesOf>[number]) => {
    const own = alternative.filter(({ type }) => type !== 'text') as { readonly name: string }[]
    return own.length === names.size && own.every(({ name }) => names.has(name))
  }
  const chosen = alternativesOf(tokens).find(isChosen) as ReturnType<typeof alternativesOf>[number]
  return chosen.map((token) => (token.type === 'text' ? token.value : textOf(token.name))).join('')
}

function areSame(one: RouteParams, other: RouteParams): boolean {
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}
