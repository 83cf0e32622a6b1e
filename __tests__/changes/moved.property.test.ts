// Random tables and moves against a small model: which path serves which operation in which version.
import type { Request } from 'express'
import {
  HeaderVersioning,
  type NamedRoutes,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, type OperationChange } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { historyOf } from '../support/changes'
import { appOf, dispatch } from '../support/dispatch'
import { withPaths } from '../support/documents'
import { property } from '../support/property'

// A path is a list of segments here: literal text, or the number of a parameter.
type Path = readonly (string | number)[]

/** A route: its path today, the paths that the changes of v2 and v3 say, and the version that adds it. */
interface RouteData {
  readonly today: Path
  readonly said: readonly [before2: Path | undefined, before3: Path | undefined]
  readonly since: 0 | 1 | 2
}

const LITERALS = ['a', 'b'] as const

function pathWith(parameters: number): fc.Arbitrary<Path> {
  const most = { minLength: parameters === 0 ? 1 : 0, maxLength: 3 - parameters }
  return fc
    .tuple(fc.array(fc.constantFrom(...LITERALS), most), fc.infiniteStream(fc.nat(2)))
    .map(([literals, places]) => {
      const path: (string | number)[] = [...literals]
      for (let name = 0; name < parameters; name++) path.splice(places.next().value as number, 0, name)
      return path
    })
}

const routeData: fc.Arbitrary<RouteData> = fc.constantFrom(0, 1, 1, 2).chain((parameters) => {
  const path = pathWith(parameters)
  const older = fc.option(path, { nil: undefined, freq: 2 })
  const since = fc.constantFrom(0, 0, 0, 0, 1, 2) as fc.Arbitrary<0 | 1 | 2>
  return fc.record({ today: path, said: fc.tuple(older, older), since })
})

const shapeOf = (path: Path) => path.map((part) => (typeof part === 'number' ? '*' : part)).join('/')

/** The model. It knows versions by their index. */
class Model {
  constructor(readonly routes: readonly RouteData[]) {}

  /** Returns the older path of a route in a version; undefined for today's. */
  movedTo({ said: [before2, before3] }: RouteData, version: number): Path | undefined {
    return [before2 ?? before3, before3, undefined][version]
  }

  pathIn(route: RouteData, version: number): Path {
    return this.movedTo(route, version) ?? route.today
  }

  /** Tells whether `versioning()` rejects the history. */
  get isRejected(): boolean {
    return this.routes.some((route) => {
      const { said, since } = route
      const isSame = said.some(
        (path, at) => path !== undefined && shapeOf(path) === shapeOf(this.pathIn(route, at + 1)),
      )
      // The path of the change of v3 is that of v2, and of v1 too if no other one is said for it.
      const isUnheard = (said[0] !== undefined && since > 0) || (said[1] !== undefined && since > 1)
      const hasRival = [0, 1].some((version) => {
        const moved = this.movedTo(route, version)
        const rivals = this.routes.filter((other) => other !== route && other.since <= version)
        const shape = moved && shapeOf(moved)
        return since <= version && rivals.some((other) => shapeOf(this.pathIn(other, version)) === shape)
      })
      return isSame || isUnheard || hasRival
    })
  }

  /** Returns the index of the route that serves a path in a version; -1 for none. */
  serving(path: readonly string[], version: number): number {
    const isThere = (route: RouteData) => route.since <= version
    const found = this.routes.findIndex((route) => isThere(route) && valuesIn(this.pathIn(route, version), path))
    const route = this.routes[found]
    if (route === undefined || this.movedTo(route, version) === undefined) return found
    // A route in front that takes all of today's paths is in front of the older ones too.
    const sample = filled(route.today, ['other', 'another'])
    const isInFront = (other: RouteData) =>
      isThere(other) && this.movedTo(other, version) === undefined && valuesIn(other.today, sample) !== undefined
    const front = this.routes.slice(0, found).findIndex(isInFront)
    return front === -1 ? found : front
  }
}

/** Returns the values of a path's parameters by their numbers; undefined if the path is another one. */
function valuesIn(pattern: Path, path: readonly string[]): string[] | undefined {
  const values: string[] = []
  const isIt = pattern.every((part, at) => {
    const text = path[at] as string
    if (typeof part === 'number') values[part] = text
    return typeof part === 'number' || part === text
  })
  return isIt && pattern.length === path.length ? values : undefined
}

function filled(pattern: Path, values: readonly string[]): string[] {
  return pattern.map((part) => (typeof part === 'number' ? (values[part] as string) : part))
}

const written = (pattern: Path, parameter: (name: string) => string) =>
  `/${pattern.map((part) => (typeof part === 'number' ? parameter(`p${part}`) : part)).join('/')}`

const byColon = (name: string) => `:${name}`
const inBraces = (name: string) => `{${name}}`

/** All paths that requests have. */
const ASKED = (() => {
  const segments = ['a', 'b', 'x']
  const longer = (paths: readonly string[][]) => paths.flatMap((path) => segments.map((segment) => [...path, segment]))
  const one = longer([[]])
  return [...one, ...longer(one), ...longer(longer(one))]
})()

const VERSIONS = ['v1', 'v2', 'v3']

/** Makes the history. `nameOf` returns the name of a route by its index. */
function historyFrom(
  routes: readonly RouteData[],
  nameOf: (index: number) => string,
  parameter: (name: string) => string,
) {
  const releases = [0, 1].map((at) => {
    const entries = routes.flatMap(({ said, since }, index): [string, OperationChange][] => {
      const path = said[at as 0 | 1]
      const told = {
        ...(path && { path: written(path, parameter) }),
        ...(since === at + 1 && { added: true as const }),
      }
      return Object.keys(told).length === 0 ? [] : [[`GET ${nameOf(index)}`, told]]
    })
    return entries.length === 0 ? [] : [change('Moved.', Object.fromEntries(entries))]
  })
  return historyOf(...releases)
}

type Make = () => NamedRoutes
interface Carrier {
  readonly scheme: VersioningOptions['scheme']
  /** Makes the table at the root. */
  readonly root: (make: Make) => NamedRoutes
  /** Returns what is in front of the paths of a version. */
  readonly prefix: (version: string) => string
}

/** Includes a table in the namespace of each version. */
const spaced = (make: Make) =>
  VERSIONS.reduce(
    (root, version) => root.include(`/${version}`, make(), { namespace: version }) as never,
    namedRoutes({}),
  )
const below = (version: string) => `/${version}`
const CARRIERS: Carrier[] = [
  { scheme: HeaderVersioning, root: (make) => make(), prefix: () => '' },
  { scheme: URLPathVersioning, root: (make) => namedRoutes({}).include('/:version', make()), prefix: below },
  { scheme: NamespaceVersioning, root: spaced, prefix: below },
]

const figures = { cases: 0, rejected: 0, moved: 0 }

property(
  'an operation is served at the path of the version, and links lead there',
  fc.property(
    fc.array(routeData, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...CARRIERS),
    (routes, { scheme, root, prefix }) => {
      const model = new Model(routes)
      let seen: { name: number; values: string[]; links: (string | undefined)[] } | undefined
      const linkTo = (req: Request, { today }: RouteData, index: number) => {
        const named = today.flatMap((part) => (typeof part === 'number' ? [[`p${part}`, 'ax'[part]] as const] : []))
        try {
          return req.reverse(`r${index}`, { kwargs: Object.fromEntries(named) as never })
        } catch {
          return undefined
        }
      }
      const paths = Object.fromEntries(routes.map(({ today }, index) => [`r${index}`, written(today, byColon)]))
      const make = () => {
        const table = namedRoutes(paths) as NamedRoutes
        for (const index of routes.keys()) {
          table.route(`r${index}` as never).get((req: Request, _res, next) => {
            const values = ['p0', 'p1'].flatMap((name) => (req.params[name] ?? []) as string)
            seen ??= { name: index, values, links: routes.map((route, other) => linkTo(req, route, other)) }
            next()
          })
        }
        return table
      }
      const table = root(make)
      const changes = historyFrom(routes, (index) => `r${index}`, byColon)
      const start = () => versioning({ scheme, defaultVersion: 'v3', changes, routes: table })
      figures.cases++
      if (model.isRejected) {
        figures.rejected++
        expect(start).toThrow(TypeError)
        return
      }
      const app = appOf((express) => express.use(start(), table))
      for (const [at, version] of VERSIONS.entries()) {
        const pathOf = (pattern: Path) => `${prefix(version)}/${filled(pattern, ['a', 'x']).join('/')}`
        const links = routes.map((one) => (one.since > at ? undefined : pathOf(model.pathIn(one, at))))
        for (const path of ASKED) {
          seen = undefined
          const url = `${prefix(version)}/${path.join('/')}`
          dispatch(app, { url, headers: { 'x-api-version': version } })
          const index = model.serving(path, at)
          const route = routes[index]
          if (route === undefined) {
            expect({ version, url, seen }).toStrictEqual({ version, url, seen: undefined })
            continue
          }
          if (model.movedTo(route, at) !== undefined) figures.moved++
          // Of a route in front, the parameters are those of today's path.
          const values = valuesIn(model.pathIn(route, at), path) ?? expect.anything()
          expect({ version, url, seen }).toStrictEqual({ version, url, seen: { name: index, values, links } })
        }
      }
    },
  ),
  () => {
    expect(figures.rejected).toBeGreaterThan(figures.cases / 20)
    expect(figures.cases - figures.rejected).toBeGreaterThan(figures.cases / 4)
    expect(figures.moved).toBeGreaterThan(figures.cases)
  },
)

// Requests without an operation are rejected with a warning.
beforeAll(() => void jest.spyOn(process, 'emitWarning').mockReturnValue())
afterAll(() => jest.restoreAllMocks())

/** Compares paths as documents do: more literal text goes first. */
function isMoreLiteral(one: Path, other: Path): boolean {
  const at = one.findIndex((part, index) => (typeof part === 'number') !== (typeof other[index] === 'number'))
  return at !== -1 && typeof one[at] !== 'number'
}

property(
  'handlers elsewhere get the path of today',
  fc.property(fc.array(routeData, { minLength: 1, maxLength: 4 }), (routes) => {
    const model = new Model(routes)
    const shapes = routes.map(({ today }) => shapeOf(today))
    fc.pre(new Set(shapes).size === shapes.length && !model.isRejected)
    const nameOf = (index: number) => written((routes[index] as RouteData).today, inBraces)
    const changes = historyFrom(routes, nameOf, inBraces)
    const table = routesOf(withPaths(Object.fromEntries(routes.map((_, index) => [nameOf(index), 'get']))))
    let seen: { url: string; originalUrl: string; name: string | null | undefined } | undefined
    const app = appOf((express) =>
      express.use(
        versioning({ scheme: HeaderVersioning, defaultVersion: 'v3', changes, routes: table as never }),
        (req, _res, next) => {
          seen = { url: req.url, originalUrl: req.originalUrl, name: req.resolverMatch?.viewName }
          next()
        },
      ),
    )
    const best = (path: readonly string[], pathOf: (route: RouteData) => Path, among = routes) =>
      among
        .filter((route) => valuesIn(pathOf(route), path) !== undefined)
        .reduce<RouteData | undefined>(
          (found, route) => (found === undefined || isMoreLiteral(pathOf(route), pathOf(found)) ? route : found),
          undefined,
        )
    for (const [at, version] of VERSIONS.entries()) {
      for (const path of ASKED) {
        seen = undefined
        const url = `/${path.join('/')}`
        dispatch(app, { url, headers: { 'x-api-version': version } })
        const there = routes.filter(({ since }) => since <= at)
        const route = best(path, (one) => model.pathIn(one, at), there)
        const values = route && valuesIn(model.pathIn(route, at), path)
        const today = route && filled(route.today, values as string[])
        const isRight = route !== undefined && best(today as string[], (one) => one.today) === route
        const expected = isRight
          ? { url: `/${today?.join('/')}`, originalUrl: url, name: nameOf(routes.indexOf(route)) }
          : undefined
        if (isRight || at < 2) expect({ version, url, seen }).toStrictEqual({ version, url, seen: expected })
      }
    }
  }),
)

const BYTES = [
  'a',
  '7',
  '/',
  '//',
  '%',
  '%2f',
  '%2F',
  '%zz',
  '%c3%a9',
  ...'. .. ; \\ # ? @ : { } * \u00e9'.split(' '),
  ' ',
]
const bytes = fc.array(fc.constantFrom(...BYTES), { maxLength: 6 }).map((parts) => parts.join(''))

property(
  "of any bytes, an older path is read as today's",
  fc.property(
    bytes,
    fc.constantFrom('/', '', '//'),
    fc.boolean(),
    fc.constantFrom('', 'http://any:80'),
    (text, end, strict, origin) => {
      const seen: unknown[] = []
      const table = namedRoutes(
        { user: '/users/:id{.:format}', file: '/files/*path' },
        { strict, caseSensitive: strict },
      )
      for (const name of ['user', 'file'] as const) {
        table.route(name).get((req: Request, _res, next) => {
          seen.push([name, req.params, req.resolverMatch?.params])
          next()
        })
      }
      const changes = historyOf([
        change('Moved.', { 'GET user': { path: '/people/:id{.:format}' }, 'GET file': { path: '/data/*path' } }),
      ])
      const app = appOf((express) =>
        express.use(
          '/api',
          versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: table }),
          table,
        ),
      )
      const outcome = (path: string, version: string) => {
        seen.length = 0
        const { served, errors } = dispatch(app, {
          url: `${origin}/api${path}${text}${end}`,
          headers: { 'x-api-version': version },
        })
        const codes = errors.map(({ status, code }) => [status, code])
        return { seen: [...seen], served, codes }
      }
      for (const [older, today] of [
        ['/people/', '/users/'],
        ['/data/', '/files/'],
      ] as const) {
        const [one, two] = [outcome(older, 'v1'), outcome(today, 'v2')]
        // A path that nobody has in the newest version is nobody's in the older one too.
        expect(one).toStrictEqual(two)
        expect(outcome(today, 'v1').seen).toStrictEqual([])
        expect(outcome(older, 'v2').seen).toStrictEqual([])
      }
    },
  ),
)
