// Random programs of Express: routers, mounts, parameters and rewritten URLs in front of the handlers of a described API. Each
// handler says by itself which operation it is, so nothing here asks the package.
import express, {
  type IRouter,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { major } from '../major'
import type { Random } from './grammar'

/** The paths of the API. Literal and parametrized segments stand beside each other wherever they can. */
const PATHS = [
  ...['/songs', '/songs/top', '/songs/{id}', '/songs/{id}/plays', '/songs/top/plays', '/songs/{id}/plays/{day}'],
  ...['/songs/{id}/plays/last', '/bands', '/bands/new', '/bands/{id}', '/bands/{id}/songs', '/bands/{id}/songs/top'],
  ...['/bands/{id}/songs/{song}', '/bands/new/songs', '/files/{name}.json', '/files/{name}', '/top', '/{page}'],
]
const text = { type: 'string' }
const Thing = { type: 'object', required: ['title'], properties: { title: text } }
const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }

/** The document of the API. Its only shape has another field in older versions. */
export const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Songs', version: 'v2' },
  paths: Object.fromEntries(
    PATHS.map((path) => [path, { get: { responses: { 200: { description: 'A', content } } } }]),
  ),
  components: { schemas: { Thing } },
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')
const isParameter = (segment = ''): boolean => segment.includes('{')

/** Returns the operation of a path as OpenAPI tells it: the one with more literal text, from the left. */
export function operationOf(path: string): string | undefined {
  const segments = segmentsOf(path)
  const fits = (own: string, at: number) =>
    own === segments[at] || (isParameter(own) && (own !== '{name}.json' || /.\.json$/.test(segments[at] as string)))
  const found = PATHS.filter((one) => {
    const own = segmentsOf(one)
    return own.length === segments.length && own.every(fits)
  })
  const weight = (one: string) => segmentsOf(one).map((own) => (isParameter(own) ? (own.endsWith('}') ? 2 : 1) : 0))
  return found.sort((one, other) => (weight(one).join() < weight(other).join() ? -1 : 1))[0]
}

/** What became of one request: the operation of the handler that sent the response. */
export interface Outcome {
  operation?: string
}

const OUTCOME = Symbol('outcome')

/** Makes the front of a program, which notes what becomes of each request. */
export function noting(outcomeOf: (req: Request) => Outcome): RequestHandler {
  return (req, _res, next) => next(void Object.assign(req, { [OUTCOME]: outcomeOf(req) }))
}

function respond(random: Random, operationOf: (req: Request) => string): RequestHandler {
  const how = random.below(4)
  return (req, res) => {
    const outcome = (req as { [OUTCOME]?: Outcome })[OUTCOME] as Outcome
    outcome.operation = operationOf(req)
    const send = () => {
      if (how === 3) res.type('json').end('{"title":"Yesterday"}')
      else res.json({ title: 'Yesterday' })
    }
    if (how === 0) setImmediate(send)
    else if (how === 1) Promise.resolve().then(send)
    else send()
  }
}

const VALUES = ['7', 'top', 'new', 'songs', 'plays', 'last', 'a%20b', '%41', 'x.json', 'bands']

/** Returns a path of the API, with random values. */
export function pathFrom(random: Random): string {
  return random.of(PATHS).replace(/\{\w+\}/g, () => random.of(VALUES)) + (random.chance(15) ? '/' : '')
}

const NAMES = ['id', 'id', 'song', 'name', 'kind']
const pass: RequestHandler = (_req, _res, next) => next()

/** Writes segments of a path for Express, with names of its own. */
function written(random: Random, segments: readonly string[]): string {
  const taken = new Set<string>()
  const name = () => {
    const free = [...NAMES, 'a', 'b', 'c'].filter((one) => !taken.has(one))
    const own = random.of(free)
    taken.add(own)
    return `:${own}`
  }
  return `/${segments.map((segment) => segment.replace(/\{\w+\}/, name)).join('/')}`
}

/** Adds the handlers of some operations to an app, and other things in front of them. Returns lines that tell of them. */
export function program(random: Random, app: express.Express): string[] {
  const lines: string[] = []
  for (let count = random.below(3); count > 0; count--) stray(random, app, '', lines)
  const paths = [...PATHS].sort(() => random.below(3) - 1)
  for (const path of paths.slice(0, 4 + random.below(PATHS.length))) {
    operation(random, app, path, segmentsOf(path), '', lines)
    if (random.chance(12)) stray(random, app, '', lines)
    if (random.chance(6)) rewriting(random, app, '', lines)
  }
  if (random.chance(40)) {
    lines.push('use(proxy)')
    // A service behind a proxy is told the path alone, and routes by it.
    const service = respond(random, (req) => operationOf(req.baseUrl + req.path) as string)
    app.use((req, res, next) => (operationOf(req.baseUrl + req.path) === undefined ? next() : service(req, res, next)))
  }
  return lines
}

/** Adds a handler of an operation: in the app, or in routers below a part of its path. */
function operation(
  random: Random,
  parent: IRouter,
  path: string,
  rest: readonly string[],
  indent: string,
  lines: string[],
): void {
  const say = (line: string) => lines.push(indent + line)
  if (rest.length > 0 && indent.length < 6 && random.chance(45)) {
    const count = random.below(rest.length + 1)
    const mount = written(random, rest.slice(0, count))
    const mergeParams = random.chance(40)
    const kind = random.of(['router', 'router', 'app', 'function'] as const)
    say(`use('${mount}', ${kind}${mergeParams ? ', merging' : ''})`)
    const child = kind === 'app' ? express() : Router({ mergeParams })
    if (random.chance(20)) stray(random, child, `${indent}  `, lines)
    if (random.chance(4)) rewriting(random, child, `${indent}  `, lines)
    operation(random, child, path, rest.slice(count), `${indent}  `, lines)
    if (random.chance(10)) child.use((_req: Request, _res: Response, next: NextFunction) => next('router'))
    const calling: RequestHandler = (req, res, next) => void child(req, res, next)
    parent.use(mount, kind === 'function' ? calling : child)
    return
  }
  const own = written(random, rest)
  const handler = respond(random, () => path)
  // It is for whole paths, as routes are.
  const ending: RequestHandler = (req, res, next) => (req.path === '/' ? handler(req, res, next) : next())
  const skipping: RequestHandler = (_req, _res, next) => next('route')
  const kind = random.of(['get', 'get', 'get', 'all', 'route', 'use', 'use', 'skip', 'first'] as const)
  say(`${kind}('${own}') is ${path}`)
  if (kind === 'use') parent.use(own, ending)
  else if (kind === 'all') parent.all(own, pass, handler)
  else if (kind === 'route') parent.route(own).get(handler)
  else if (kind === 'skip') parent.get(own, skipping, handler)
  else if (kind === 'first') parent.get(own, pass, handler)
  else parent.get(own, handler)
}

/** Adds something that passes the request on, with or without parameters. */
function stray(random: Random, parent: IRouter, indent: string, lines: string[]): void {
  const wildcard = (prefix: string) => (major === 4 ? `${prefix}/*` : `${prefix}/*rest`)
  const path = random.of(['/:a', '/:a/:b', '/songs/:id', '/:kind/top', wildcard(''), wildcard('/songs'), '/'])
  const [kind, add] = random.of<[string, () => unknown]>([
    ['use', () => parent.use(path, pass)],
    ['get', () => parent.get(path, pass)],
    ['router', () => parent.use(path, Router({ mergeParams: true }).get('/:x', pass))],
    [
      'error',
      () =>
        parent.use(
          path,
          Router().use((_req: Request, _res: Response, next: NextFunction) => next()),
        ),
    ],
    ['param', () => parent.param('id', (_req: Request, _res: Response, next: NextFunction) => next())],
  ])
  lines.push(`${indent}passing ${kind} ${path}`)
  add()
}

/** Adds middleware that writes another path into `req.url`. */
function rewriting(random: Random, parent: IRouter, indent: string, lines: string[]): void {
  const [from, to] = random.of([
    [/\/songs\b/, '/bands'],
    [/\/bands\b/, '/songs'],
    [/\/top\b/, '/7'],
    [/\/7\b/, '/8'],
    [/\/7\b/, '/top'],
    [/\/new\b/, '/top'],
    [/^\/[^/]*/, ''],
  ] as const)
  lines.push(`${indent}rewriting ${from} to ${to}`)
  parent.use((req: Request, _res: Response, next: NextFunction) => {
    req.url = req.url.replace(from, to) || '/'
    next()
  })
}
