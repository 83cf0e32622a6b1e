import fc from 'fast-check'
import Router from 'router'
import { type NamedRoutes, namedRoutes } from '../../src/routes/named-routes'

/**
 * The action of a handler. `rewrite` changes the path of the request and goes on, `method` changes its method, `no url` removes
 * the URL, `replace` changes a parameter, and `new` replaces all of them, perhaps with another path.
 */
export type Action = string
type Method = 'get' | 'post' | 'head' | 'options' | 'all'

export type Item =
  | { kind: 'route'; path: string; handlers: { method: Method; actions: Action[] }[] }
  | { kind: 'use'; path: string | RegExp | string[] | undefined; actions: Action[]; onError: boolean }
  | { kind: 'param'; name: string; action: Action }
  | { kind: 'handler'; prefix: string; action: Action; onError: boolean }
  | { kind: 'include'; prefix: string; table: Spec }

/** A table as data, so that it can be built with `namedRoutes` and with `router` alike. */
export interface Spec {
  caseSensitive: boolean
  strict: boolean
  items: Item[]
}

const segments = ['a', 'b', 'A', 'a%20b', '%C3%A9', ':', ':', 'a-:', ':.:', ':-b']
const routeSegments = [...segments, '*', '*/b', 'a*', '']
const tails = ['', '', '', '/', '{/:}', '{.:}', '{/a}', '{/:{/b}}', '{/:/:}']

const joined = (pool: string[], min: number, ends = tails) =>
  fc
    .tuple(fc.array(fc.constantFrom(...pool), { minLength: min, maxLength: 3 }), fc.constantFrom(...ends))
    .map(([parts, tail]) => parts.map((part) => `/${part}`).join('') + tail || '/')
const routePath = joined(routeSegments, 0)
// A prefix with optional parts is read in every way here, and in the longest alone by `router`.
const prefixPath = joined(
  segments,
  0,
  tails.filter((tail) => !tail.includes('{')),
)

/** One of several arbitraries, each with its weight. */
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const PARTS = 'a|a|b|b|A|B|a%20b|%C3%A9|%c3%a9|7|x.json|a-1|1-b||%zz|%E0%A4%A|__proto__'.split('|')
const ODD = [
  ...['*', '', 'http://h/a/b', 'http://h', 'http://h/a\\b', 'http://h:99999/a', 'http://h?/a', 'a/b', '?q=/a'],
  ...['/a/../b', '//a/b', '/#', '/a#/b', '/a\\b#', '/a/b#', '/"a"/b#', '/a b', '/a/b c'],
]
const ordinary = fc
  .tuple(fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }), fc.constantFrom('', '', '/', '//', '?q=1', '/?q=/b'))
  .map(([parts, tail]) => parts.map((part) => `/${part}`).join('') + tail || '/')
export const requestPath = weighted([20, ordinary], [2, fc.constantFrom(...ODD)])

const action: fc.Arbitrary<Action> = weighted(
  [5, fc.constantFrom('next', 'end')],
  [3, fc.constantFrom('route', 'router', 'error', 'throw', 'reject', 'reject nothing')],
  [1, fc.constantFrom('late', 'no url', 'new params', 'method POST', 'method OPTIONS')],
  [1, requestPath.map((path) => `rewrite ${path}`)],
)
const mostly = (...actions: Action[]) => fc.constantFrom(...actions)

/** An item of a kind, from the arbitraries of its parts. */
const item = (kind: Item['kind'], parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ kind: fc.constant(kind), ...parts }) as object as fc.Arbitrary<Item>
const method = fc.constantFrom('get', 'get', 'post', 'head', 'options', 'all')
const several = (one: fc.Arbitrary<Action>) => fc.array(one, { minLength: 1, maxLength: 2 })
const actions = several(action)
const route = item('route', { path: routePath, handlers: fc.array(fc.record({ method, actions }), { maxLength: 3 }) })
const regExps = [/^\/a/, /\/(\w+)$/, /^\/(a)?(b)?(?<tail>\/.)?/, /^(\/a)(\/b)?(\/\w)?/]
const middleware = item('use', {
  path: fc.oneof(
    fc.constant(undefined),
    joined(routeSegments, 0),
    fc.constantFrom<string | RegExp | string[]>(...regExps, ['/a', '/b'], 'a', '/*rest'),
  ),
  actions: several(weighted([4, mostly('next')], [1, action])),
  onError: fc.boolean(),
})
const param = item('param', {
  name: fc.constantFrom('p0', 'p1', 'p2', 'p3'),
  action: weighted([3, mostly('next', 'error', 'route', 'replace p1')], [1, action]),
})
const mounted = item('handler', { prefix: prefixPath, action, onError: fc.boolean() })
const answering = routePath.map(
  (path): Item => ({ kind: 'route', path, handlers: [{ method: 'get', actions: ['end'] }] }),
)

/** Tables of any shape, three deep at the most. `plain`: routes that answer and includes only. */
export function specs({ plain }: { plain: boolean }): fc.Arbitrary<Spec> {
  const leaf = plain ? answering : weighted([6, route], [3, middleware], [1, param], [1, mounted])
  const spec = (depth: number): fc.Arbitrary<Spec> => {
    const include = () => item('include', { prefix: prefixPath, table: spec(depth - 1) })
    const items = depth === 0 ? leaf : weighted([4, leaf], [1, include()])
    return fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean(), items: fc.array(items, { maxLength: 7 }) })
  }
  return spec(2).map((tree) => numbered(tree, { next: 0 }))
}

const ODD_PATHS: Record<string, string[] | RegExp | undefined> = { '-': undefined, LIST: ['/a', '/b'], REGEXP: /^\/a/ }

/**
 * Reads a table, an item a line: a method, `use`, `catch` (error handlers), `param` or `include`; a path, or `-` for none;
 * actions, with commas between. Lines that are indented deeper are in the included table.
 */
export function specOf(lines: string[]): Spec {
  const depth = (line = '') => line.search(/\S/)
  const items = lines.flatMap((line, index): Item[] => {
    if (depth(line) > depth(lines[0])) return []
    const end = lines.findIndex((other, at) => at > index && depth(other) <= depth(line))
    const [kind = '', path = '', ...words] = line.trim().split(' ')
    const actions = words.join(' ').split(', ')
    const action = actions[0] as Action
    if (kind === 'include') {
      return [{ kind, prefix: path, table: specOf(lines.slice(index + 1, end === -1 ? undefined : end)) }]
    }
    if (kind === 'param') return [{ kind, name: path, action }]
    const given = path in ODD_PATHS ? ODD_PATHS[path] : path
    if (kind === 'use' || kind === 'catch') return [{ kind: 'use', path: given, actions, onError: kind === 'catch' }]
    return [{ kind: 'route', path, handlers: action === '' ? [] : [{ method: kind as Method, actions }] }]
  })
  return { caseSensitive: false, strict: false, items }
}

/** Gives every parameter a name of its own: the same one in a prefix and below it is refused. */
function numbered(spec: Spec, counter: { next: number }): Spec {
  const name = (path: string) => path.replace(/[:*]/g, (mark) => `${mark}"p${counter.next++}"`)
  return {
    ...spec,
    items: spec.items.map((item): Item => {
      if (item.kind === 'include') return { ...item, prefix: name(item.prefix), table: numbered(item.table, counter) }
      if (item.kind === 'handler') return { ...item, prefix: name(item.prefix) }
      const moved = 'path' in item && typeof item.path === 'string'
      return moved ? { ...item, path: name((item.path as string).replace('*rest', '*')) } : item
    }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the two routers have the same methods, and other types for them
export type Handle = (...args: any[]) => unknown
type RouteLike = Record<Method, (...handlers: Handle[]) => unknown>
export interface RouterLike {
  (req: object, res: object, next: (error?: unknown) => void): void
  use(...args: unknown[]): unknown
  param(name: string, handler: Handle): unknown
}

/** Makes an empty router of one of the two libraries, and functions that add a route or a mount. */
const makers = {
  table({ items, caseSensitive, strict }: Spec) {
    const paths = items.flatMap((item, index) => (item.kind === 'route' ? [[`r${index}`, item.path]] : []))
    // in the reverse order, because the order of requests is that of route()
    const table = namedRoutes(Object.fromEntries(paths.reverse()), { caseSensitive, strict }) as NamedRoutes
    return {
      router: table as object as RouterLike,
      route: (index: number, _path: string) => table.route(`r${index}`) as object as RouteLike,
      include: (index: number, prefix: string, router: object) =>
        void table.include(prefix, router as typeof table, { namespace: `n${index}` }),
    }
  },
  router({ caseSensitive, strict }: Spec) {
    const router = new Router({ caseSensitive, strict, mergeParams: true })
    return {
      router: router as object as RouterLike,
      route: (_index: number, path: string) => router.route(path) as object as RouteLike,
      include: (_index: number, prefix: string, child: object) =>
        void router.use(prefix, child as Router.RequestHandler),
    }
  },
}

/** Builds a spec, item by item, with `namedRoutes` or with `router`. */
export function build(
  spec: Spec,
  library: 'table' | 'router',
  handler: (place: string, action: Action, onError: boolean) => Handle,
) {
  const make = makers[library]
  const declare = (builder: ReturnType<typeof make>, place: string, item: Item, index: number): void => {
    if (item.kind === 'route') {
      const route = builder.route(index, item.path)
      item.handlers.forEach(({ method, actions }, nth) => {
        const named = (step: number) => `${place}r${index}.${method}${nth}.${step}`
        route[method](...actions.map((action, step) => handler(named(step), action, false)))
      })
    } else if (item.kind === 'use') {
      const handles = item.actions.map((action, step) => handler(`${place}u${index}.${step}`, action, item.onError))
      builder.router.use(...(item.path === undefined ? handles : [item.path, ...handles]))
    } else if (item.kind === 'param') {
      builder.router.param(item.name, handler(`${place}p${index}`, item.action, false))
    } else if (item.kind === 'handler') {
      builder.include(index, item.prefix, handler(`${place}h${index}`, item.action, item.onError))
    } else {
      const child = make(item.table)
      builder.include(index, item.prefix, child.router)
      for (const [nth, inner] of item.table.items.entries()) declare(child, `${place}n${index}:`, inner, nth)
    }
  }
  const root = make(spec)
  let next = 0
  return {
    router: root.router,
    /** Declares the next item of the outermost table. Returns false at the end. */
    step(): boolean {
      const item = spec.items[next]
      if (item === undefined) return false
      declare(root, '', item, next++)
      return true
    },
  }
}
