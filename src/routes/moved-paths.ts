// The routes of a table at paths that they had in older versions.

import type { MovableRoutes, MovedMatch, MovedQuestion, MovedRoute, MovedRoutes, PathPart } from '../registry'
import type { LinkArgs, LinkFailure, LinkKwargs, RouteParams } from '../types'
import { patternOf } from './declare'
import { pathsOf } from './description'
import { alternativesOf, type Pattern, type RoutePattern, withoutTrailingSlashes } from './pattern'
import {
  addToIndex,
  type Entry,
  fullPath,
  IndexNode,
  type MountedRoute,
  type NamedPath,
  patternsOf,
  type Table,
} from './table'
import { quoted, readBack, templateOf } from './template'
import {
  below,
  candidates,
  inOrder,
  match,
  matchFrom,
  nameBelow,
  type OlderPaths,
  START,
  search,
  type WalkStep,
} from './walk'

/** The value of parameters in samples. No literal text of a path is likely to be it. */
const SAMPLE = '~0~'

/** Returns what a history needs to move routes of a table. */
export function movableIn(table: Table): MovableRoutes {
  const placeOf = (viewName: string) => table.places.get(viewName) as MountedRoute
  return {
    at: (viewName, path) => new PlacedRoute(table, placeOf(viewName), path),
    shapesOf: (viewName) => shapesOf(table, placeOf(viewName)),
    lookUp: (routes) => new LookUp(table, routes as readonly PlacedRoute[]),
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
  /** The place of the older path. */
  readonly place: MountedRoute

  /**
   * @param today the place of today's path.
   * @throws {TypeError} for an invalid path, and for other parameters than today's.
   */
  constructor(
    table: Table,
    readonly today: MountedRoute,
    readonly path: string,
  ) {
    const { route } = today
    const { settings } = ownerOf(table, today)
    const source = route.given === undefined ? path : (settings.document?.patternOf(path) as string)
    const pattern = patternOf('the path', source, settings)
    checkParameters(pattern, route.pattern)
    this.viewName = today.name
    // The route may get its handlers and its place in the order of requests later.
    const older: NamedPath = Object.create(route, { pattern: { value: pattern } })
    this.place = { name: today.name, mounts: today.mounts, route: older, template: undefined }
    this.pattern = fullPath(this.place)
    this.paths = pathsOf(this.place)
    this.shapes = shapesOf(table, this.place)
  }

  /** Makes the link. The arguments are in the order of today's path, which handlers know. */
  link(args?: LinkArgs, kwargs?: LinkKwargs): string | LinkFailure {
    const template = templateOf(this.place)
    const open = templateOf(this.today).names.filter((name) => kwargs?.[name] === undefined)
    if (!Array.isArray(args) || args.length > open.length) return template.link(args, kwargs)
    // A missing argument stays missing; an undefined one does not fit.
    const named = args.map((value, index) => [open[index], value ?? null] as const)
    return template.link(undefined, { ...kwargs, ...Object.fromEntries(named) })
  }
}

/** Returns the table that a route was declared in. */
function ownerOf(table: Table, { mounts }: MountedRoute): Table {
  return mounts.at(-1)?.table ?? table
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

/** The moved routes that one table has below one namespace. */
interface OwnRoutes extends Pick<Table, 'index' | 'settings' | 'version'> {
  /** Today's entries of these routes. */
  readonly today: Set<Entry>
}

/** The look-up of some routes at their older paths. */
class LookUp implements MovedRoutes {
  /** The routes by table, and by the namespace of that table. */
  readonly #own = new Map<Table, Map<string, OwnRoutes>>()
  readonly #routes = new Map<Entry, PlacedRoute>()

  constructor(
    private readonly table: Table,
    routes: readonly PlacedRoute[],
  ) {
    const precedences = new Map<Table, ReadonlyMap<string, number>>()
    for (const route of routes) {
      const owner = ownerOf(table, route.today)
      const own = this.#ownIn(owner, namespaceOf(route.today))
      const known = precedences.get(owner) ?? precedencesIn(owner, routes)
      precedences.set(owner, known)
      const entry = entryOf(route, known)
      this.#routes.set(entry, route)
      own.today.add(route.today.route)
      addToIndex(own, entry, entry.pattern.tokens, true)
    }
  }

  #ownIn(owner: Table, namespace: string): OwnRoutes {
    const byNamespace = this.#own.get(owner) ?? new Map<string, OwnRoutes>()
    this.#own.set(owner, byNamespace)
    const { settings } = owner
    const own = byNamespace.get(namespace) ?? { index: new IndexNode(), settings, version: 0, today: new Set() }
    byNamespace.set(namespace, own)
    return own
  }

  resolve(path: string, question: MovedQuestion): MovedMatch | undefined {
    const first = search(this.table, path, { ...question, moved: this.#below('') })
    return first && this.#matchOf(path, first)
  }

  /** Returns these routes for the table below a namespace. */
  #below(namespace: string): OlderPaths {
    return {
      among: (table, path, today) => {
        const own = this.#own.get(table)?.get(namespace)
        if (own === undefined) return today
        return inOrder([...today.filter((entry) => !own.today.has(entry)), ...candidates(own, path)])
      },
      within: (inner) => this.#below(joined(namespace, inner)),
    }
  }

  readings(path: string): MovedMatch[] {
    return [...this.#stepsTo(this.table, '', path)].map((first) => this.#matchOf(path, first) as MovedMatch)
  }

  /** Lists all ways of a path to these routes. */
  *#stepsTo(table: Table, namespace: string, path: string): Iterable<WalkStep> {
    const list = candidates(table, path)
    const step = { table, path, list, version: table.version, rank: 0 }
    const own = this.#own.get(table)?.get(namespace)
    for (const entry of own === undefined ? [] : (candidates(own, path) as readonly NamedPath[])) {
      const found = match(entry.pattern, path)
      if (found !== false) yield { ...step, entry, found, inner: undefined }
    }
    for (const entry of list) {
      if (entry.kind !== 'mount' || entry.table === undefined) continue
      const within = joined(namespace, entry.namespace)
      for (const reading of entry.prefix.readings) {
        const found = match(reading, path)
        if (found === false) continue
        for (const inner of this.#stepsTo(entry.table, within, below(path, found))) {
          yield { ...step, entry, found, inner }
        }
      }
    }
  }

  /** Returns the match of a step, if it leads to one of these routes. */
  #matchOf(path: string, first: WalkStep): MovedMatch | undefined {
    let step = first
    let length = 0
    for (; step.inner !== undefined; step = step.inner) length += step.found.path.length
    const route = this.#routes.get(step.entry)
    if (route === undefined) return undefined
    const found = matchFrom(START, first)
    const { pattern } = step.entry as NamedPath
    const texts = textsIn(pattern, step.path)
    const prefix = withoutTrailingSlashes(path.slice(0, length))
    const written = (textOf: (name: string) => string) =>
      prefix + filled(route.today.route.pattern, new Set(texts.keys()), textOf) || '/'
    const today = written((name) => texts.get(name) as string)
    const read = readBack(route.today, today)
    return {
      route,
      match: found,
      today: read !== undefined && areSame(read, found.params) ? today : undefined,
      sample: written(() => SAMPLE),
    }
  }
}

/** Returns the namespace of the table that a place's route was declared in. */
function namespaceOf({ mounts }: MountedRoute): string {
  return mounts.reduce((outer, { namespace }) => joined(outer, namespace), '')
}

function joined(outer: string, inner: string | undefined): string {
  return inner === undefined ? outer : nameBelow({ namespace: outer }, { name: inner })
}

/** Makes the entry of a route at its older path. In tables made from documents, it goes before those with less literal text. */
function entryOf({ place, path }: PlacedRoute, precedences: ReadonlyMap<string, number>): NamedPath {
  const { route } = place
  if (route.given === undefined) return Object.create(route)
  const given = { ...route.given, precedence: precedences.get(path) as number }
  return Object.create(route, { given: { value: given } })
}

/** Returns the places of older paths among those of a document. They are between the whole numbers of today's paths. */
function precedencesIn({ routes, settings: { document } }: Table, moved: readonly PlacedRoute[]) {
  const found = new Map<string, number>()
  if (document === undefined) return found
  const today = new Map([...routes.values()].flatMap(({ name, given }) => (given === undefined ? [] : [[name, given]])))
  const older = new Set(moved.flatMap(({ path, today: { route } }) => (route.given === undefined ? [] : path)))
  let last = -1
  for (const path of [...new Set([...today.keys(), ...older])].sort(document.compare)) {
    if (older.has(path)) found.set(path, last + (found.size + 1) / (older.size + 1))
    last = today.get(path)?.precedence ?? last
  }
  return found
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
