// Queries of any bytes: steps and checks get all pairs, all others stay, and a second reader sees what was checked.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse as simple } from 'node:querystring'
import express, { type Application } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, convertRequest } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import fc from 'fast-check'
import qs from 'qs'
import { historyOf, type Table } from '../support/changes'
import { property } from '../support/property'
import { at } from '../support/serve'

type Query = Record<string, unknown>
type Parser = boolean | string | ((text: string) => unknown)

/** The parsers; for each, how many pairs it reads. */
const PARSERS: [parser: Parser, limit: number][] = [
  ['simple', 1000],
  ['extended', 1000],
  [false, 0],
  [(text) => qs.parse(text, { parameterLimit: 5, allowDots: true }), 5],
  [(text) => simple(text, '&', '=', { maxKeys: 4 }), 4],
]

const names = fc.constantFrom(
  ...[
    'a',
    'max',
    'limit',
    'id',
    'id[]',
    'f[x]',
    'f[y]',
    'f[x][]',
    'f[0]',
    'a[b][c]',
    '__proto__',
    'toString',
    '[max]',
    '',
    '%61',
  ],
)
const values = fc.oneof(
  fc.constantFrom('', '1', '%E4', '%', '%zz', 'a+b', '%3D', '=', ']=', '[', '%5D=1', '%00', '%F0%9F%98%80', 'x=y'),
  fc.stringMatching(/^[\w!$'()*,;:@/?~.-]{0,5}$/),
)
const pair = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(names, values).map(([name, value]) => `${name}=${value}`) },
  { weight: 2, arbitrary: names },
  { weight: 2, arbitrary: fc.constant('') },
)
const queries = fc.tuple(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.integer({ min: 900, max: 1200 }).map((count) => '&'.repeat(count)) },
    {
      weight: 1,
      arbitrary: fc.tuple(names, fc.integer({ min: 900, max: 1200 })).map(([name, n]) => `${name}=1&`.repeat(n)),
    },
  ),
  fc.array(pair, { maxLength: 12 }),
)

/** What the app has seen of the last request. */
interface Seen {
  /** The value that the contract got. */
  checked?: Query
  /** The value that the step got. */
  input?: Query
  url?: string
  query?: Query
}

/** Serves a gateway. Its step renames `max`, its contract keeps what it does not know. */
function gateway(parser: Parser, seen: Seen): Application {
  const app = express().set('query parser', parser)
  const routes = namedRoutes({ other: '/other', plain: '/plain' }, { handlers: 'elsewhere' }) as unknown as Table
  routes.describe('GET other', { response: {} })
  routes.describe('GET plain' as 'GET other', {
    response: {},
    query: { type: 'object', properties: { max: {}, limit: {} } },
  })
  const renamed = ({ max, ...query }: Query) => {
    seen.input = { ...(max === undefined ? {} : { max }), ...query }
    return max === undefined ? query : { ...query, limit: 'new' }
  }
  const compile = () => (value: unknown) => {
    seen.checked = structuredClone(value) as Query
    return true
  }
  const changes = historyOf([change('Max is limit.', { 'GET other': { query: renamed as never } })])
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
  const checks = contract({ compile, unknown: 'keep' })
  app.use('/steps', versioning(options), convertRequest)
  app.use('/checks', versioning({ ...options, changes: historyOf([]), contract: checks }), convertRequest)
  return app.use((req, res) => {
    seen.url = req.url
    seen.query = req.query as Query
    res.status(204).end()
  })
}

const queryIn = (url = ''): string => url.split('?').slice(1).join('?')
const textsIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [name, ...textsIn(inner)])
    : [String(value)]
/** Malformed escapes are read in several ways. */
const loose = (text: string) => text.replace(/%.*|\ufffd.*/, '?')

property(
  'queries are read whole, and the pairs that no step changes stay byte for byte',
  fc.asyncProperty(fc.nat(PARSERS.length - 1), queries, async (index, [front, pairs]) => {
    const [parser, limit] = PARSERS[index] as (typeof PARSERS)[0]
    const query = front + pairs.join('&')
    const seen: Seen = {}
    const app = gateway(parser, seen)
    const server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { get } = at((server.address() as AddressInfo).port)
    const parse = app.get('query parser fn') as ((text: string) => Query) | undefined
    try {
      const { status } = await get(`/steps/other?${query}`)
      // What no url or JSON can carry is 400, never a 500.
      expect([204, 400]).toContain(status)
      if (status === 204) {
        const sent = query.split('&')
        // A name without brackets ends at the first `=`, whatever the parser takes for its end.
        const named = (raw: string) => (/^[^=[]*=/.test(raw) ? `${raw.split('=', 1)[0]}=` : raw)
        const owner = (raw: string) => (raw === '' || !parse ? [] : Object.keys(parse(named(raw))))
        const isRenamed = seen.input !== undefined && Object.hasOwn(seen.input, 'max')
        const changed = isRenamed ? ['max', 'limit'] : []
        const kept = sent.filter((raw) => !owner(raw).some((name) => changed.includes(name)))
        const got = queryIn(seen.url).split('&')
        // The changed pairs apart, all are there, in their order.
        expect(got.filter((raw) => raw !== 'limit=new').join('&')).toBe(kept.join('&'))
        expect(got.includes('limit=new')).toBe(isRenamed)
        if (sent.length <= limit && parse && !query.includes(']=') && !/%5D=/i.test(query)) {
          expect(seen.input).toEqual({ ...parse(query) })
        }
        const read = Object.keys(seen.input ?? {})
        expect(read).toEqual(expect.arrayContaining(sent.flatMap(owner)))
      }
      const checked = await get(`/checks/plain?${query}`)
      expect(checked.status).toBe(204)
      expect(queryIn(seen.url)).toBe(query)
      if (parse === undefined || parser === false) return
      for (const name of ['max', 'limit']) {
        const all = new URLSearchParams(`x&${queryIn(seen.url)}`).getAll(name)
        const texts = textsIn(seen.checked?.[name]).map(loose)
        // `qs` leaves out an empty value beside `[max]=x`.
        for (const value of all) if (value !== '') expect(texts).toContain(loose(value))
      }
    } finally {
      server.close()
    }
  }),
)
