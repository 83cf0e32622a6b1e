import fc from 'fast-check'
import Router from 'router'
import { type NamedRoutes, namedRoutes } from '../../src/routes/named-routes'

/**
 * The action of a handler: what it does, or what it changes in the request before it goes on. `param` names a parameter that gets
 * another value.
 */
export type Action = Deed | { url?: string; method?: string; params?: Record<string, string> } | { param: string }
export type Deed =
  | 'next'
  | 'end'
  | 'route'
  | 'router'
  | 'error'
  | 'throw'
  | 'reject'
  | 'reject with nothing'
  | 'late'
  | 'remove the URL'
type Method = 'get' | 'post' | 'head' | 'options' | 'all'

/** A route, middleware, a callback of `param()`, a mounted handler or an included table. */
export interface Item {
  kind: 'route' | 'use' | 'param' | 'handler' | 'include'
  /** The path, the prefix, or the name of a parameter. */
  path: string | RegExp | string[] | undefined
  /** The handlers of a route. */
  handlers: { method: Method; actions: Action[] }[]
  /** The actions of other handlers. */
  actions: Action[]
  onError?: boolean
  table: Spec
}

/** A table as data, so that it can be built with `namedRoutes` and with `router` alike. */
export type Spec = { caseSensitive: boolean; strict: boolean; items: Item[] }

const segments = ['a', 'b', 'A', 'a%20b', '%C3%A9', ':', ':', 'a-:', ':.:', ':-b']
const tails = ['', '', '', '/', '{/:}', '{.:}', '{/a}', '{/:{/b}}', '{/:/:}']
const joined = (pool: string[], ends = tails, maxLength = 3) =>
  fc
    .tuple(fc.array(fc.constantFrom(...pool), { maxLength }), fc.constantFrom(...ends))
    .map(([parts, tail]) => parts.map((part) => `/${part}`).join('') + tail || '/')
/** One of several arbitraries, each with its weight. */
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))

const routePath = weighted([9, joined([...segments, '*', '*/b', 'a*', ''])], [1, fc.constant('')])
// A prefix with optional parts is read in every way here, and in the longest alone by `router`.
const prefixPath = joined(segments, ['', '', '', '/'])

const PARTS = 'a|a|b|b|A|B|a%20b|%C3%A9|%c3%a9|7|x.json|a-1|1-b||%zz|%E0%A4%A|__proto__'.split('|')
const ODD = [
  ...['*', '', 'http://h/a/b', 'http://h', 'http://h/a\\b', 'http://h:99999/a', 'http://h?/a', 'a/b', '?q=/a'],
  ...['/a/../b', '//a/b', '/#', '/a#/b', '/a\\b#', '/a/b#', '/"a"/b#', '/a b', '/a/b c'],
]
const ordinary = joined(PARTS, ['', '', '/', '//', '?q=1', '/?q=/b'], 5)
export const requestPath = weighted([20, ordinary], [2, fc.constantFrom(...ODD)])

const NEW_PARAMS = { params: { fresh: '1' } }
const action: fc.Arbitrary<Action> = weighted<Action>(
  [5, fc.constantFrom('next', 'end')],
  [3, fc.constantFrom('route', 'router', 'error', 'throw', 'reject', 'reject with nothing')],
  [1, fc.constantFrom<Action>('late', 'remove the URL', NEW_PARAMS, { method: 'POST' }, { method: 'OPTIONS' })],
  [1, requestPath.map((url) => ({ url }))],
)
const mostly = (weight: number, ...actions: Action[]) => weighted([weight, fc.constantFrom(...actions)], [1, action])
const one = (action: fc.Arbitrary<Action>) => action.map((action) => [action])
const several = (action: fc.Arbitrary<Action>) => fc.array(action, { minLength: 1, maxLength: 2 })

/** An item of a kind, from the arbitraries of its parts. */
const item = (kind: Item['kind'], parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ kind: fc.constant(kind), ...parts }) as object as fc.Arbitrary<Item>
const method = fc.constantFrom('get', 'get', 'post', 'head', 'options', 'all')
const handlers = fc.array(fc.record({ method, actions: several(action) }), { maxLength: 3 })
const onError = fc.boolean()
const regExps = [/^\/a/, /\/(\w+)$/, /^\/(a)?(b)?(?<tail>\/.)?/, /^(\/a)(\/b)?(\/\w)?/]
const oddPath = fc.constantFrom<string | RegExp | string[]>(...regExps, ['/a', '/b'], 'a', '/*rest')
const path = fc.oneof(fc.constant(undefined), routePath, oddPath)
const name = fc.constantFrom('p0', 'p1', 'p2', 'p3')
const leaves = weighted(
  [6, item('route', { path: routePath, handlers })],
  [3, item('use', { path, actions: several(mostly(4, 'next')), onError })],
  [1, item('param', { path: name, actions: one(mostly(3, 'next', 'error', 'route', { param: 'p1' })) })],
  [1, item('handler', { path: prefixPath, actions: one(action), onError })],
)
const responses = [{ method: 'get', actions: ['end'] }]
const responding = routePath.map((path) => ({ kind: 'route', path, handlers: responses }) as Item)

/** Tables of any shape, three deep at the most. `plain`: routes that response and includes only. */
export function specs({ plain }: { plain: boolean }): fc.Arbitrary<Spec> {
  const leaf = plain ? responding : leaves
  const spec = (depth: number): fc.Arbitrary<Spec> => {
    const include = () => item('include', { path: prefixPath, table: spec(depth - 1) })
    const items = depth === 0 ? leaf : weighted([4, leaf], [1, include()])
    return fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean(), items: fc.array(items, { maxLength: 7 }) })
  }
  return spec(2).map((tree) => numbered(tree, { next: 0 }))
}

// Tables that somebody writes.
const none = { path: undefined, handlers: [], actions: [], table: { caseSensitive: false, strict: false, items: [] } }
export const tableOf = (items: Item[]): Spec => ({ caseSensitive: false, strict: false, items })
export const route = (method: Method, path: string, ...actions: Action[]): Item => ({
  ...none,
  ...{ kind: 'route', path, handlers: [{ method, actions }] },
})
export const use = (path: string | string[] | undefined, ...actions: Action[]): Item => ({
  ...none,
  ...{ kind: 'use', path, actions },
})
export const errorHandler = (path: string | undefined, ...actions: Action[]): Item => ({
  ...use(path, ...actions),
  onError: true,
})
export const param = (path: string, action: Action): Item => ({ ...none, kind: 'param', path, actions: [action] })
export const include = (path: string, items: Item[]): Item => ({
  ...none,
  ...{ kind: 'include', path, table: tableOf(items) },
})

/** Gives every parameter a name of its own: the same one in a prefix and below it is rejected. */
function numbered(spec: Spec, counter: { next: number }): Spec {
  const name = (path: string) => path.replace('*rest', '*').replace(/[:*]/g, (mark) => `${mark}"p${counter.next++}"`)
  const items = spec.items.map((item) => {
    const path = typeof item.path === 'string' ? name(item.path) : item.path
    return { ...item, path, ...(item.kind === 'include' && { table: numbered(item.table, counter) }) }
  })
  return { ...spec, items }
}

// biome-ignore lint/suspicious/noExplicitAny: the two routers have the same methods, and other types for them
type Handle = (...args: any[]) => unknown
export interface RouterLike {
  (req: object, res: object, next: (error?: unknown) => void): void
  use(...args: unknown[]): unknown
  param(name: string, handler: Handle | undefined): unknown
}

/** Makes an empty router of one of the two libraries, and functions that add a route or a mount. */
function make({ items, ...options }: Spec, library: 'table' | 'router') {
  if (library === 'router') {
    const router = new Router({ ...options, mergeParams: true })
    const include = (_index: number, prefix: string, child: unknown) => void router.use(prefix, child as never)
    return {
      router: router as object as RouterLike,
      // The path '' is matched as '/' is.
      route: (_index: number, path: string) => router.route(path || '/'),
      include,
    }
  }
  const paths = items.flatMap(({ kind, path }, index) => (kind === 'route' ? [[`r${index}`, path]] : []))
  // in the reverse order, because the order of requests is that of route()
  const table = namedRoutes(Object.fromEntries(paths.reverse()), options) as NamedRoutes
  const include = (index: number, prefix: string, child: unknown) =>
    void table.include(prefix, child as NamedRoutes, { namespace: `n${index}` })
  return { router: table as object as RouterLike, route: (index: number) => table.route(`r${index}`), include }
}

/** Builds a spec, item by item, with `namedRoutes` or with `router`. */
export function build(
  spec: Spec,
  library: 'table' | 'router',
  handler: (place: string, action: Action, onError: boolean) => Handle,
) {
  type Made = ReturnType<typeof make>
  const declare = ({ router, route, include }: Made, place: string, item: Item, index: number): void => {
    const { kind, handlers, actions = [], onError = false } = item
    const path = item.path as string
    const made = (label: string, actions: Action[]) =>
      actions.map((action, step) => handler(`${place}${label}.${step}`, action, onError))
    const own = made(`${kind.charAt(0)}${index}`, actions)
    if (kind === 'route') {
      const methods = route(index, path) as object as Record<Method, Handle>
      for (const [nth, { method, actions }] of handlers.entries())
        methods[method](...made(`r${index}.${method}${nth}`, actions))
    } else if (kind === 'use') router.use(...(path === undefined ? own : [path, ...own]))
    else if (kind === 'param') router.param(path, own[0])
    else if (kind === 'handler') include(index, path, own[0])
    else {
      const child = make(item.table, library)
      include(index, path, child.router)
      for (const [nth, inner] of item.table.items.entries()) declare(child, `${place}n${index}:`, inner, nth)
    }
  }
  const root = make(spec, library)
  const items = spec.items.entries()
  return {
    router: root.router,
    /** Declares the next item of the outermost table. Returns false at the end. */
    step(): boolean {
      const { done, value } = items.next()
      if (!done) declare(root, '', value[1], value[0])
      return done !== true
    },
  }
}
