import { createServer, get as httpGet, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, type OperationChanges, type VersionHistory, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { property } from '../support/property'

// A change is data here. The oracle below reads only this data, so it shares no code with the history that it judges.

type Mark = 'added' | 'removed'
type Told = { kind: 'steps'; request: boolean; query: boolean; response: boolean; error: boolean } | { kind: Mark }
interface ChangeData {
  /** The steps and marks of each operation, under the name that the change uses. */
  readonly told: Readonly<Record<string, Told>>
  readonly all: boolean
}
type HistoryData = readonly (readonly ChangeData[])[]

const NAMES = ['a', 'ns:b', 'ns:deep:b'] as const
const PATHS: Readonly<Record<string, string>> = { a: '/a', 'ns:b': '/ns/b', 'ns:deep:b': '/ns/deep/b' }
const METHODS = ['GET', 'POST'] as const
const KEYS = METHODS.flatMap((method) => ['a', 'deep:b', 'ns:b', 'ns:deep:b'].map((name) => `${method} ${name}`))

const told: fc.Arbitrary<Told> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('steps' as const),
      request: fc.boolean(),
      query: fc.boolean(),
      response: fc.boolean(),
      error: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom<Mark>('added', 'removed') }) },
)
const changeData: fc.Arbitrary<ChangeData> = fc.record({
  told: fc.dictionary(fc.constantFrom(...KEYS), told, { maxKeys: 3, noNullPrototype: true }),
  all: fc.boolean(),
})
const historyData: fc.Arbitrary<HistoryData> = fc.array(fc.array(changeData, { maxLength: 3 }), {
  minLength: 1,
  maxLength: 4,
})

/** The output of a step: it wraps the value and says which step ran. */
interface Passed {
  passed: string
  was: unknown
}
const wrap =
  (where: string) =>
  (was: unknown): Passed => ({ passed: where, was })

function historyFrom(data: HistoryData): VersionHistory {
  return data.reduce((history, changes, release) => {
    const made = changes.flatMap((data, index) => changeFrom(data, `${release + 1}.${index}`))
    return history.version(String(release + 1), ...made)
  }, versionHistory('0'))
}

function changeFrom({ told, all }: ChangeData, where: string) {
  const operations: Record<string, OperationChanges[string]> = {}
  for (const [key, data] of Object.entries(told)) {
    if (data.kind !== 'steps') {
      operations[key] = data.kind
      continue
    }
    const steps = Object.fromEntries(
      (['request', 'query', 'response', 'error'] as const)
        .filter((kind) => data[kind])
        .map((kind) => [kind, wrap(`${where} ${key} ${kind}`)]),
    )
    if (Object.keys(steps).length > 0) operations[key] = steps
  }
  if (all) operations['*'] = { error: wrap(`${where} *`) }
  return Object.keys(operations).length === 0 ? [] : [change(where, operations)]
}

interface Expected {
  present: boolean
  take(kind: 'request' | 'query' | 'response' | 'error', value: unknown): unknown
}

/** Returns the entry of a change whose name fits the operation best: the longest name. */
function own({ told }: ChangeData, method: string, name: string): [string, Told] | undefined {
  const fitting = Object.entries(told)
    .filter(([, data]) => data.kind !== 'steps' || data.request || data.query || data.response || data.error)
    .filter(
      ([key]) =>
        key === `${method} ${name}` ||
        (key.startsWith(`${method} `) && name.endsWith(`:${key.slice(method.length + 1)}`)),
    )
    .sort(([one], [other]) => other.length - one.length)
  return fitting[0]
}

/** Computes from the data alone how a version has an operation. */
function oracle(data: HistoryData, method: string, name: string, version: number): Expected {
  let mark: boolean | undefined
  let first: boolean | undefined
  const way: { where: string; entry: [string, Told] | undefined; all: boolean }[] = []
  data.forEach((changes, release) => {
    changes.forEach((one, index) => {
      const entry = own(one, method, name)
      if (entry?.[1].kind === 'added' || entry?.[1].kind === 'removed') {
        if (release + 1 <= version) mark = entry[1].kind === 'added'
        else first ??= entry[1].kind === 'removed'
      }
      if (release + 1 > version) way.push({ where: `${release + 1}.${index}`, entry, all: one.all })
    })
  })
  return {
    present: mark ?? first ?? true,
    take(kind, value) {
      const inward = kind === 'request' || kind === 'query'
      return (inward ? way : way.toReversed()).reduce((current, { where, entry, all }) => {
        const [key, data] = entry ?? []
        if (data?.kind === 'steps' && data[kind]) return wrap(`${where} ${key} ${kind}`)(current)
        return kind === 'error' && all ? wrap(`${where} *`)(current) : current
      }, value)
    },
  }
}

/** Tells whether changes add or remove an operation twice in a row, or give steps to a removed one. */
function isContradictory(data: HistoryData): boolean {
  return METHODS.some((method) =>
    NAMES.some((name) => {
      const kinds = data.flat().flatMap((one) => own(one, method, name)?.[1].kind ?? [])
      const marks = kinds.filter((kind) => kind !== 'steps')
      const twice = marks.some((mark, index) => mark === marks[index + 1])
      return twice || kinds.some((kind, index) => kind === 'removed' && kinds[index + 1] === 'steps')
    }),
  )
}

/** The values that an answer is sent from: each in several ways that mean the same in JSON. */
const disguised = (value: unknown): fc.Arbitrary<unknown> =>
  fc
    .constantFrom(
      () => value,
      () => ({ toJSON: () => value }),
      () => deeplyFrozen(structuredClone(value)),
      () => withGetters(value),
    )
    .map((make) => make())

function deeplyFrozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deeplyFrozen)
  return Object.freeze(value)
}

function withGetters(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const getters = Object.entries(value).map(([key, own]) => [key, { get: () => own, enumerable: true }])
  return Object.create(Object.prototype, Object.fromEntries(getters))
}

/** A value as JSON gives it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const body = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => value !== null && typeof value === 'object')
  .map(plain)
const asked = fc.record({
  data: historyData,
  name: fc.constantFrom(...NAMES),
  method: fc.constantFrom(...METHODS),
  at: fc.nat(),
  sent: body,
  status: fc.constantFrom(200, 201, 301, 400, 404, 503),
  how: fc.constantFrom<keyof typeof WAYS>('json', 'object', 'text', 'jsonp', 'later'),
  answer: body.chain((value) => disguised(value).map((given) => ({ value, given }))),
})

const WAYS = {
  json: (res: Response, value: unknown) => void res.json(value),
  object: (res: Response, value: unknown) => void res.send(value),
  text: (res: Response, value: unknown) => void res.type('application/vnd.acme+json').send(JSON.stringify(value)),
  jsonp: (res: Response, value: unknown) => void res.jsonp(value),
  later: (res: Response, value: unknown) => void setImmediate(() => res.json(value)),
}

interface Case {
  readonly history: VersionHistory
  readonly answer: RequestHandler
}

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

function appOf({ history, answer }: Case): express.Application {
  const deep = namedRoutes({ b: '/b' })
  const ns = namedRoutes({ b: '/b' }).include('/deep', deep, { namespace: 'deep' })
  const routes = namedRoutes({ a: '/a' }).include('/ns', ns, { namespace: 'ns' })
  for (const [table, name] of [
    [routes, 'a'],
    [ns, 'b'],
    [deep, 'b'],
  ] as const) {
    ;(table.route as (name: string) => express.IRoute)(name).get(answer).post(answer)
  }
  const failed: express.ErrorRequestHandler = (error, _req, res, _next) => {
    res.set('X-Code', error.code).status(error.status).end()
  }
  return express().use(
    versioning({ scheme: HeaderVersioning, changes: history, routes }),
    express.json(),
    routes,
    failed,
  )
}

/** One server for all cases: which one a request is of, its first segment tells. */
const cases = new Map<string, express.Application>()
let origin: Promise<string> | undefined

function started(): Promise<string> {
  origin ??= new Promise((done) => {
    const outer = express().use('/:case', (req, res, next) =>
      (cases.get(String(req.params.case)) as RequestHandler)(req, res, next),
    )
    const server = createServer(outer)
    servers.push(server)
    server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
  return origin
}

let count = 0
async function onWire<T>(one: Case, ask: (origin: string) => Promise<T>): Promise<T> {
  const key = `case${++count}`
  cases.set(key, appOf(one))
  try {
    return await ask(`${await started()}/${key}`)
  } finally {
    cases.delete(key)
  }
}

property(
  'over HTTP, an answer and a request are what the steps make of them by hand',
  fc.asyncProperty(asked, async ({ data, name, method, at, sent, status, how, answer }) => {
    const version = at % (data.length + 1)
    const expected = oracle(data, method, name, version)
    const history = historyFrom(data)
    if (isContradictory(data)) {
      expect(() => appOf({ history, answer: () => {} })).toThrow(TypeError)
      return
    }
    let got: { body: unknown; query: unknown } | undefined
    const one: Case = {
      history,
      answer(req, res) {
        got = { body: req.body, query: req.query }
        WAYS[how](res.status(status), answer.given)
      },
    }
    const before = JSON.stringify(answer.given)
    const [found, code, json] = await onWire(one, async (origin) => {
      const response = await fetch(`${origin}${PATHS[name]}?q=1`, {
        method,
        redirect: 'manual',
        headers: { 'X-API-Version': String(version), 'Content-Type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify(sent) } : {}),
      })
      const text = await response.text()
      return [response.status, response.headers.get('X-Code'), text === '' ? undefined : JSON.parse(text)]
    })
    if (!expected.present) {
      expect([found, code, json, got]).toEqual([404, 'ERR_VERSION_UNHANDLED', undefined, undefined])
      return
    }
    const kind = status >= 400 ? 'error' : 'response'
    const shape = status === 301 ? answer.value : expected.take(kind, answer.value)
    expect([found, json]).toEqual([status, plain(shape)])
    expect({ ...(got?.query as object) }).toEqual(expected.take('query', { q: '1' }))
    if (method === 'POST') expect(got?.body).toEqual(expected.take('request', sent))
    // The steps leave the handler's value as it was.
    expect(JSON.stringify(answer.given)).toBe(before)
    const [operation, named] = [`${method} ${name}`, String(version)]
    if (status < 300) expect(plain(history.response(operation, answer.given, named))).toEqual(json)
    expect(plain(history.request(operation, sent, named))).toEqual(expected.take('request', sent))
  }),
)

property(
  'mixed requests at once are never mixed up, and a cached object is never changed',
  fc.asyncProperty(
    historyData,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...NAMES), fc.boolean()), { minLength: 8, maxLength: 8 }),
    async (data, mixed) => {
      fc.pre(!isContradictory(data))
      const cached: { list: unknown[] } = { list: [{ id: 1 }, { id: 2 }] }
      const history = historyFrom(data)
      let turn = 0
      const one: Case = {
        history,
        answer(req, res) {
          const answer = () => void res.status(req.query.bad ? 409 : 200).json(cached)
          if (++turn % 2) setImmediate(answer)
          else answer()
        },
      }
      const outcomes = await onWire(one, (origin) =>
        Promise.all(
          mixed.map(async ([at, name, bad]) => {
            const version = at % (data.length + 1)
            const { status, json } = await got(`${origin}${PATHS[name]}${bad ? '?bad=1' : ''}`, String(version))
            const expected = oracle(data, 'GET', name, version)
            const { q: _, ...query } = { q: 0, ...(bad ? { bad: '1' } : {}) }
            const seen = expected.take('query', query) as { bad?: string }
            const shape = expected.take(seen.bad ? 'error' : 'response', cached)
            return expected.present
              ? [status, json, seen.bad ? 409 : 200, plain(shape)]
              : [status, json, 404, undefined]
          }),
        ),
      )
      for (const [status, json, expectedStatus, expectedJson] of outcomes) {
        expect([status, json]).toEqual([expectedStatus, expectedJson])
      }
      expect(cached).toEqual({ list: [{ id: 1 }, { id: 2 }] })
    },
  ),
)

/** Quicker than `fetch`, for many at once. */
function got(url: string, version: string): Promise<{ status: number | undefined; json: unknown }> {
  return new Promise((done, fail) => {
    httpGet(url, { headers: { 'X-API-Version': version } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => done({ status: response.statusCode, json: text === '' ? undefined : JSON.parse(text) }))
    }).on('error', fail)
  })
}
