import type { Application, Request, RequestHandler, RequestParamHandler, Response } from 'express'

/** The kinds of handlers: of a named or plain route, middleware within a table, or a callback of `param()`. */
export type Kind = 'route' | 'middleware' | 'param'

/** The version of the place a handler stands in, as it knows it itself; `null` where the place has none. */
export type Knows = (req: Request, value?: string) => string | null

/** A handler that a request reached: its place, the version of the place, and the `req.version` there. */
export type Reached = readonly [kind: Kind, place: string, knows: string | null, version: string | null]

/** The header field with the handlers that a request reached. */
export const REACHED = 'X-Reached'

const named = (value: unknown) => (value === undefined ? null : String(value))
/** A place whose version was fixed when its handler was made. */
export const is =
  (version: string): Knows =>
  () =>
    version
/** A place that has no version. */
export const nothing: Knows = () => null
/** Reads the version of a place from Express's parameter `version`. */
export const inPath: Knows = (req) => named(req.params.version)
/** The parameter that a callback of `param('version')` was called for. */
export const asked: Knows = (_req, value) => named(value)

const textOf = (field: unknown): string => (typeof field === 'string' ? field : '')
// Few, so that a rewrite in a circle comes to an end.
const wordsOf = (field: unknown): string[] => textOf(field).split(',').slice(0, 6)
/** The orders of a request: each route handler reads one word of `X-Act`, each middleware one of `X-Mid`. */
const orders = new WeakMap<Request, Record<'act' | 'mid', string[]>>()

/** Takes the next word that handlers of a kind read. */
function nextWord(req: Request, kind: 'act' | 'mid'): string {
  const found = orders.get(req) ?? { act: wordsOf(req.headers['x-act']), mid: wordsOf(req.headers['x-mid']) }
  orders.set(req, found)
  return found[kind].shift() ?? ''
}

function note(req: Request, res: Response, kind: Kind, place: string, knows: string | null): void {
  // `undefined` would be lost in JSON.
  const reached: Reached = [kind, place, knows, req.version ?? null]
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const text = JSON.stringify(reached).replace(/[^ -~]/g, escaped)
  const before = res.getHeader(REACHED)
  res.setHeader(REACHED, before === undefined ? text : `${before},${text}`)
}

/** Makes the handlers of one app. Each notes that it was reached, and then does as the request orders. */
export class Places {
  constructor(
    private readonly app: Application,
    /** True if the tables also have middleware and `param()` callbacks, which take another way through a router. */
    readonly crowded: boolean,
  ) {}

  /** A handler of a route: responses, unless the request orders otherwise. */
  route = (place: string, knows: Knows) => this.handler('route', place, knows, 'act', 'response')

  /** Middleware: passes on, unless the request orders otherwise. */
  middleware = (place: string, knows: Knows) => this.handler('middleware', place, knows, 'mid', 'next')

  /** A callback of a parameter. */
  param(place: string, knows: Knows): RequestParamHandler {
    return (req, res, next, value: string) => next(note(req, res, 'param', place, knows(req, value)))
  }

  /** Middleware that moves a request before anything is decided about it. */
  moved(header: string): RequestHandler {
    return (req, _res, next) => next(void Object.assign(req, { url: textOf(req.headers[header]) || req.url }))
  }

  private handler(kind: Kind, place: string, knows: Knows, field: 'act' | 'mid', usual: 'response' | 'next') {
    const handle: RequestHandler = (req, res, next) => {
      note(req, res, kind, place, knows(req))
      const to = textOf(req.headers['x-to'])
      const move = () => next(void Object.assign(req, to !== '' && { url: to }))
      // A second dispatch must reset the mounts, or the request is still below them.
      const again = () => (to === '' ? next() : this.app(Object.assign(req, { url: to, baseUrl: '' }), res))
      const response = () => res.json(place)
      const [route, router] = [() => next('route'), () => next('router')]
      const words = { next, later: next, response, route, router, move, again }
      const word = nextWord(req, field)
      const ordered = (words as Record<string, () => void>)[word.replace('-later', '')] ?? words[usual]
      if (word.endsWith('later')) setImmediate(ordered)
      else ordered()
    }
    return handle
  }
}
