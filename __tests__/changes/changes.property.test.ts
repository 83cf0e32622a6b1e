import express, { type ErrorRequestHandler, type IRoute, type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, type OperationChanges, type VersionHistory, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { ask } from '../support/changes'
import { property } from '../support/property'
import { listen, type Served } from '../support/serve'

// A change is data here. The oracle below reads only this data, so it shares no code with the history that it judges.

const KINDS = ['request', 'query', 'response', 'error'] as const
type Kind = (typeof KINDS)[number]
/** The kinds of steps of an operation, or its mark. No kinds say nothing. */
type Told = Kind[] | 'added' | 'removed'
/** `told` has the steps and marks of each operation, under the name that the change uses; `all` is for the key `*`. */
type ChangeData = { told: Record<string, Told>; all: boolean }
type HistoryData = ChangeData[][]

const PATHS = { a: '/a', 'ns:b': '/ns/b', 'ns:deep:b': '/ns/deep/b' } as const
const NAMES = ['a', 'ns:b', 'ns:deep:b'] as const
const METHODS = ['GET', 'POST'] as const
const KEYS = METHODS.flatMap((method) => ['a', 'deep:b', 'ns:b', 'ns:deep:b'].map((name) => `${method} ${name}`))

const kinds = fc.subarray<Kind>([...KINDS])
const told = fc.oneof(kinds, kinds, kinds, kinds, fc.constantFrom('added' as const, 'removed' as const))
const changeData = fc.record({
  told: fc.dictionary(fc.constantFrom(...KEYS), told, { maxKeys: 3, noNullPrototype: true }),
  all: fc.boolean(),
})
const historyData = fc.array(fc.array(changeData, { maxLength: 3 }), { minLength: 1, maxLength: 4 })

/** Makes a step: it wraps the value and says which step ran. */
const wrap = (passed: string) => (was: unknown) => ({ passed, was })

const historyFrom = (data: HistoryData) =>
  data.reduce<VersionHistory>((history, changes, release) => {
    const made = changes.flatMap((data, index) => changeFrom(data, `${release + 1}.${index}`))
    return history.version(String(release + 1), ...made)
  }, versionHistory('0'))

function changeFrom({ told, all }: ChangeData, where: string) {
  const operations = Object.entries(told).flatMap(([key, data]): [string, OperationChanges[string]][] => {
    if (typeof data === 'string') return [[key, data]]
    const steps = Object.fromEntries(data.map((kind) => [kind, wrap(`${where} ${key} ${kind}`)]))
    return data.length === 0 ? [] : [[key, steps]]
  })
  if (all) operations.push(['*', { error: wrap(`${where} *`) }])
  return operations.length === 0 ? [] : [change(where, Object.fromEntries(operations))]
}

/** Returns the entry of a change whose name fits the operation best: the longest name. */
function own({ told }: ChangeData, method: string, name: string): [string, Told] | undefined {
  const isMeant = (key: string) => key.startsWith(`${method} `) && `:${name}`.endsWith(key.replace(/.* /, ':'))
  return Object.entries(told)
    .filter(([key, { length }]) => length > 0 && isMeant(key))
    .sort(([one], [other]) => other.length - one.length)[0]
}

/** Computes from the data alone how a version has an operation. */
function oracle(data: HistoryData, method: string, name: string, version: number) {
  const passages = data.map((changes, release) =>
    changes.map((one, index) => ({ where: `${release + 1}.${index}`, entry: own(one, method, name), all: one.all })),
  )
  const [before, way] = [passages.slice(0, version).flat(), passages.slice(version).flat()]
  const marks = (of: typeof way) => of.flatMap(({ entry }) => (typeof entry?.[1] === 'string' ? entry[1] : []))
  const [last, first] = [marks(before).at(-1), marks(way)[0]]
  return {
    present: last === undefined ? first !== 'added' : last === 'added',
    take(kind: Kind, value: unknown): unknown {
      const inward = kind === 'request' || kind === 'query'
      return (inward ? way : way.toReversed()).reduce((current, { where, entry, all }) => {
        const [key, data] = entry ?? []
        if (Array.isArray(data) && data.includes(kind)) return wrap(`${where} ${key} ${kind}`)(current)
        return kind === 'error' && all ? wrap(`${where} *`)(current) : current
      }, value)
    },
  }
}

/** Tells whether changes add or remove an operation twice in a row, or give steps to a removed one. */
function isContradictory(data: HistoryData): boolean {
  return METHODS.flatMap((method) => NAMES.map((name) => [method, name] as const)).some((operation) => {
    const told = data.flat().flatMap((one) => own(one, ...operation)?.slice(1) ?? []) as Told[]
    const marks = told.filter((one) => typeof one === 'string')
    const twice = marks.some((mark, index) => mark === marks[index + 1])
    return twice || told.some((one, index) => one === 'removed' && typeof told[index + 1] === 'object')
  })
}

function deeplyFrozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deeplyFrozen)
  return Object.freeze(value)
}

function withGetters(value: object): unknown {
  if (Array.isArray(value)) return value
  const getters = Object.entries(value).map(([key, own]) => [key, { get: () => own, enumerable: true }])
  return Object.create(Object.prototype, Object.fromEntries(getters))
}

/** The values that a response is sent from: each in several ways that mean the same in JSON. */
const DISGUISES: ((value: object) => unknown)[] = [
  (value) => value,
  (value) => ({ toJSON: () => value }),
  (value) => deeplyFrozen(structuredClone(value)),
  withGetters,
]
const WAYS: ((res: Response, value: unknown) => unknown)[] = [
  (res, value) => res.json(value),
  (res, value) => res.send(value),
  (res, value) => res.type('application/vnd.acme+json').send(JSON.stringify(value)),
  (res, value) => res.jsonp(value),
  (res, value) => setImmediate(() => res.json(value)),
]
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
const body = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => Object(value) === value)
  .map(plain)
const asked = fc.record({
  data: historyData,
  name: fc.constantFrom(...NAMES),
  method: fc.constantFrom(...METHODS),
  at: fc.nat(),
  sent: body,
  status: fc.constantFrom(200, 201, 301, 400, 404, 503),
  way: fc.constantFrom(...WAYS),
  response: fc
    .tuple(body, fc.constantFrom(...DISGUISES))
    .map(([value, disguise]) => ({ value, given: disguise(value) })),
})

function routesOf(response: RequestHandler) {
  const deep = namedRoutes({ b: '/b' })
  const ns = namedRoutes({ b: '/b' }).include('/deep', deep, { namespace: 'deep' })
  const routes = namedRoutes({ a: '/a' }).include('/ns', ns, { namespace: 'ns' })
  for (const route of [routes.route('a'), ns.route('b'), deep.route('b')] as IRoute[])
    route.get(response).post(response)
  return routes
}

function appOf(changes: VersionHistory, response: RequestHandler) {
  const routes = routesOf(response)
  const failed: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.set('X-Code', error.code).status(error.status).end()
  return express().use(versioning({ scheme: HeaderVersioning, changes, routes }), express.json(), routes, failed)
}

let served: Served
let current: express.Application
beforeEach(async () => {
  served = await listen(express().use((...args) => current(...args)))
})

property(
  'over HTTP, a response and a request are what the steps make of them by hand',
  fc.asyncProperty(asked, async ({ data, name, method, at, sent, status, way, response }) => {
    const version = at % (data.length + 1)
    const expected = oracle(data, method, name, version)
    const history = historyFrom(data)
    if (isContradictory(data)) {
      expect(() => appOf(history, () => {})).toThrow(TypeError)
      return
    }
    let got: { body: unknown; query: unknown } | undefined
    current = appOf(history, (req, res) => {
      got = { body: req.body, query: req.query }
      way(res.status(status), response.given)
    })
    const before = JSON.stringify(response.given)
    const options = { method, body: method === 'POST' ? sent : undefined }
    const found = await ask(served, String(version), `${PATHS[name]}?q=1`, options)
    const { json, headers, text } = found
    if (!expected.present) {
      expect([found.status, headers['x-code'], text, got]).toEqual([404, 'ERR_VERSION_UNHANDLED', '', undefined])
      return
    }
    const kind = status >= 400 ? 'error' : 'response'
    const shape = status === 301 ? response.value : expected.take(kind, response.value)
    expect([found.status, json]).toEqual([status, plain(shape)])
    expect({ ...(got?.query as object) }).toEqual(expected.take('query', { q: '1' }))
    if (method === 'POST') expect(got?.body).toEqual(expected.take('request', sent))
    // The steps leave the handler's value as it was.
    expect(JSON.stringify(response.given)).toBe(before)
    const [operation, named] = [`${method} ${name}`, String(version)]
    const byHand = history.for({ routes: routesOf(() => {}) })
    if (status < 300) expect(plain(byHand.response(operation, response.given, named))).toEqual(json)
    expect(plain(byHand.request(operation, sent, named))).toEqual(expected.take('request', sent))
  }),
)

const mixed = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...NAMES), fc.boolean()), { minLength: 8, maxLength: 8 })
property(
  'mixed requests at once are never mixed up, and a cached object is never changed',
  fc.asyncProperty(historyData, mixed, async (data, mixed) => {
    fc.pre(!isContradictory(data))
    const cached = { list: [{ id: 1 }, { id: 2 }] }
    let turn = 0
    current = appOf(historyFrom(data), (req, res) => {
      const response = () => void res.status(req.query.bad ? 409 : 200).json(cached)
      if (++turn % 2) setImmediate(response)
      else response()
    })
    const check = async ([at, name, bad]: (typeof mixed)[number]) => {
      const version = at % (data.length + 1)
      const found = await ask(served, String(version), `${PATHS[name]}${bad ? '?bad=1' : ''}`)
      const { present, take } = oracle(data, 'GET', name, version)
      const seen = take('query', bad ? { bad: '1' } : {}) as { bad?: string }
      const shape = take(seen.bad ? 'error' : 'response', cached)
      expect([found.status, found.json]).toEqual(present ? [seen.bad ? 409 : 200, plain(shape)] : [404, undefined])
    }
    await Promise.all(mixed.map(check))
    expect(cached).toEqual({ list: [{ id: 1 }, { id: 2 }] })
  }),
)
