// Queries: the steps get all pairs, and only the pairs whose value they change are written anew in `req.url`.
import { parse } from 'node:querystring'
import type { RequestHandler } from 'express'
import {
  deprecated,
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, convertRequest, sent } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import qs from 'qs'
import { ask, historyOf, type Table, tableOf } from '../support/changes'
import { major } from '../support/major'
import { rows } from '../support/rows'
import { serve } from '../support/serve'

type Query = Record<string, unknown>
type Parser = boolean | string | ((text: string) => unknown)
type Step = (query: Query) => unknown

const renamed: Step = ({ max, ...query }) => (max === undefined ? query : { ...query, limit: max })
const upper = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase() : (value as unknown[]).map(upper)
const STEPS: Record<string, Step> = {
  same: (query) => query,
  renamed,
  dropped: ({ a: _, ...query }) => query,
  upper: ({ a, ...query }) => ({ ...query, a: upper(a) }),
  first: ({ a, ...query }) => ({ ...query, a: [a].flat()[0] }),
  listed: ({ a, ...query }) => ({ ...query, a: [a, 'z'].flat() }),
  reversed: ({ a, ...query }) => ({ ...query, a: [...(a as string[])].reverse() }),
  number: ({ a, ...query }) => ({ ...query, a: Number(a) }),
  none: ({ a: _, ...query }) => ({ ...query, a: null }),
  added: (query) => ({ ...query, limit: 10 }),
  nested: ({ a, ...query }) => ({ ...query, a: { ...(a as object), y: 'new' } }),
  moved: ({ a, ...query }) => {
    const { x, ...rest } = a as Query
    return { ...query, a: { ...rest, z: x } }
  },
  swapped: ({ a, b, ...query }) => ({ ...query, b: a, a: b }),
  other: (query) => ({ ...query, version: 'v2' }),
  emptied: () => ({}),
}
const NAMED: Record<string, Parser> = {
  off: false,
  limited: (text) => qs.parse(text, { parameterLimit: 3 }),
  dots: (text) => qs.parse(text, { allowDots: true, comma: true }),
  nulls: (text) => qs.parse(text, { strictNullHandling: true }),
  last: (text) => Object.fromEntries(new URLSearchParams(text)),
  paged: (text) => ({ page: '1', ...parse(text) }),
  whole: (text) => ({ text, a: new URLSearchParams(text).get('a') ?? undefined }),
}

/** The response has what the handler sees. */
const show: RequestHandler = (req, res) =>
  void res.json({ url: req.url, query: req.query, sent: sent(req).query, original: req.originalUrl })
/** Gives a table its handlers, and returns what stands behind `versioning()`. */
type Fill = (routes: Table) => RequestHandler[]
const inTable: Fill = (routes) => {
  routes.route('other').get(show)
  return [routes]
}
const elsewhere: Fill = () => [convertRequest, show]
const PLACES: [fill: Fill, make: () => Table][] = [
  [inTable, tableOf],
  [elsewhere, () => namedRoutes({ other: '/other' }, { handlers: 'elsewhere' }) as unknown as Table],
]

interface Asked {
  parser?: Parser
  step?: Step
  front?: RequestHandler[]
  options?: Partial<VersioningOptions>
  fill?: Fill
  routes?: Table
}
/** Serves GET of `/other` with a step for queries. */
function served({ parser, step = renamed, front = [], options = {}, fill = inTable, routes = tableOf() }: Asked) {
  return serve((app) => {
    if (parser !== undefined) app.set('query parser', parser)
    const changes = historyOf([change('Queries.', { 'GET other': { query: step as never } })])
    const behind = fill(routes)
    const own = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
    app.use(...front, versioning({ ...own, ...options }), ...behind)
  })
}
/** Serves it in a table, and elsewhere. */
const servedTwice = (asked: Asked, describe: (routes: Table) => Table = (routes) => routes) =>
  Promise.all(
    PLACES.map(([fill, make]) => {
      const routes = make()
      if (fill === elsewhere) routes.describe('GET other', { response: {} })
      return served({ ...asked, fill, routes: describe(routes) })
    }),
  )

const PAIRS = rows(`
  // parser | step | the query as it was sent | in req.url
  // What no step changes stays byte for byte.
  simple   | same     | ids[]=1&ids[]=2           | ids[]=1&ids[]=2
  extended | same     | ids[]=1&ids[]=2           | ids[]=1&ids[]=2
  extended | renamed  | q=%E4&max=5&r=a+b&&flag&= | q=%E4&r=a+b&&flag&=&limit=5
  simple   | renamed  | &q=%E4&max=5&r=a+b&flag&  | &q=%E4&r=a+b&flag&&limit=5
  extended | renamed  | max=5                     | limit=5
  extended | renamed  | max=%35&limit=9           | limit=5
  extended | renamed  | __proto__=1&max=5&p[a][b][c][d][e][f][g]=1 | __proto__=1&p[a][b][c][d][e][f][g]=1&limit=5
  extended | added    | ''                        | limit=10
  extended | added    | &                         | &&limit=10
  extended | dropped  | a=1                       | ''
  extended | dropped  | b=1&a=1&a[x]=2&c=3        | b=1&c=3
  simple   | dropped  | b=1&a=1&a[x]=2&c=3        | b=1&a[x]=2&c=3
  extended | dropped  | [a]=1&b=%61               | b=%61
  extended | none     | a=1&b=1                   | b=1
  // The value in its place, and other items of its list as they were sent.
  extended | upper    | b=1&a=x&c=%3d             | b=1&a=X&c=%3d
  extended | upper    | a=%58&a=b&c=1             | a=%58&a=B&c=1
  extended | upper    | a[]=%58&a[]=b             | a[]=%58&a%5B%5D=B
  extended | upper    | a[0]=x&a[1]=y             | a=X&a=Y
  extended | upper    | %61=x                     | a=X
  extended | first    | a=%58&b=1&a=y             | a=%58&b=1
  extended | first    | a[]=x&b=1                 | a=x&b=1
  extended | listed   | a=%58&b=1                 | a=%58&a=z&b=1
  extended | listed   | a[]=%58&b=1               | a[]=%58&a%5B%5D=z&b=1
  extended | reversed | a=%58&b=1&a=y             | a=y&b=1&a=%58
  extended | number   | a=5&b=%35                 | a=5&b=%35
  extended | number   | a=%35                     | a=%35
  extended | number   | a=05                      | a=5
  extended | swapped  | a=1&b=%32                 | a=2&b=1
  // Parameters in brackets: each value for itself.
  extended | nested   | a[x]=%31&a[y]=2&b=1       | a[x]=%31&a%5By%5D=new&b=1
  extended | nested   | a[x][]=%31&a[x][]=2       | a[x][]=%31&a[x][]=2&a%5By%5D=new
  extended | moved    | a[x]=%31&a[y]=%32         | a[y]=%32&a%5Bz%5D=1
  extended | dropped  | a[x]=1&a=2&a[]=3          | ''
  simple   | upper    | b[x]=1&a=y                | b[x]=1&a=Y
  extended | listed   | a=%58&a[x]=2&b=%31        | a%5B0%5D=X&a%5B1%5D%5Bx%5D=2&a%5B2%5D=z&b=%31
  // Parsers of the app.
  off      | renamed  | max=5&q=%E4               | max=5&q=%E4
  off      | added    | limit=5                   | limit=5
  limited  | renamed  | a=1&b=2&c=3&max=5&d=%E4   | a=1&b=2&c=3&d=%E4&limit=5
  dots     | moved    | a.x=%31&a.y=%32           | a.y=%32&a%5Bz%5D=1
  dots     | first    | a=x,y&b=1,2               | a=x&b=1,2
  nulls    | dropped  | a&b                       | b
  nulls    | same     | a&b                       | a&b
  last     | renamed  | max=1&max=2&q=%E4         | q=%E4&limit=2
  paged    | renamed  | max=1&page=%32            | page=%32&limit=1
  paged    | dropped  | a=1&b=1                   | b=1
  whole    | dropped  | a=1&b=%31                 | b=%31
`)
test.each(PAIRS)('query parser %s, %s: %s becomes %s', async (parser = '', step = '', query = '', expected = '') => {
  const text = query === "''" ? '' : query
  const own = { parser: NAMED[parser] ?? parser, step: STEPS[step] as Step }
  for (const { get } of await servedTwice(own)) {
    const { json } = await get(text === '' ? '/other' : `/other?${text}`)
    const { url } = json as { url: string }
    expect(url).toBe(expected === "''" ? '/other' : `/other?${expected}`)
  }
})

describe.each(['simple', 'extended', 'limited', 'last', 'paged'])('query parser %s', (parser) => {
  const own = { parser: NAMED[parser] ?? parser }
  const ids = Array.from({ length: 1500 }, (_, index) => `id=${index}`).join('&')
  const other = Array.from({ length: 1500 }, (_, index) => `n${index}=`).join('&')

  test('a step gets all pairs, and those that it leaves alone stay', async () => {
    const { get } = await served(own)
    for (const [before, after] of [
      ['&'.repeat(1100), '&'.repeat(1100)],
      [`${other}&`, `${other}&`],
      [`${ids}&`, `${ids}&`],
    ]) {
      const { json } = await get(`/other?${before}max=5`)
      const { url, query } = json as { url: string; query: Query }
      expect(url).toBe(`/other?${after}limit=5`)
      expect(query.limit).toBe('5')
      if (before?.startsWith('id') && parser !== 'last') expect(Object.values(query.id as object)).toHaveLength(1500)
    }
  })
})

test.each([
  ['f[x]=1&f[y]=2&f[z]=3&f[x]=4&f[w]=5', { f: { x: ['1', '4'], y: '2', z: '3', w: '5' } }],
  ['f[a]=1&f[b]=2&f[c]=3&f=4', { f: [{ a: '1', b: '2', c: '3' }, '4'] }],
  ['f=1&f=2&f=3&f=4', { f: ['1', '2', '3', '4'] }],
  ['f[]=1&f[]=2&f[]=3&f[]=4&g=5&__proto__=6', { f: ['1', '2', '3', '4'], g: '5' }],
])('more pairs of a name than the parser takes at once are one value: %s', async (query, expected) => {
  const { get } = await served({ parser: NAMED.limited as Parser, step: STEPS.same as Step })
  expect((await get(`/other?${query}`)).json).toMatchObject({ query: expected })
})

test('in a route, the newer query is in req.url until the route is left', async () => {
  const urls: string[] = []
  const note: RequestHandler = (req, _res, next) => next(void urls.push(req.url))
  const leaving: RequestHandler = (req, _res, next) => {
    req.url = req.url.replace('/other', '/else')
    next()
  }
  const fill: Fill = (routes) => {
    routes.route('other').get(note, leaving)
    return [routes, note, (_req, res) => void res.status(404).end()]
  }
  await (await served({ fill })).get('/other?max=%35&q=%E4')
  expect(urls).toEqual(['/other?q=%E4&limit=5', '/else?max=%35&q=%E4'])
})

test.each<[title: string, front: RequestHandler, query: object, url: string]>([
  // As hpp does.
  ['replaces the query', query({ max: '7', b: '1' }), { limit: '7', b: '1' }, '/other?b=%31&limit=7'],
  ['parses the query of an app without a parser', query({ max: '5' }), { limit: '5' }, '/other?b=%31&limit=5'],
])('the query of middleware that %s counts', async (title, front, expected, url) => {
  const parser = title.startsWith('parses') ? { parser: false } : {}
  const { json } = await (await served({ ...parser, front: [front] })).get('/other?max=5&b=%31')
  expect(json).toMatchObject({ query: expected, url })
})
function query(value: object): RequestHandler {
  return (req, _res, next) => {
    Object.defineProperty(req, 'query', { value, writable: true, configurable: true, enumerable: true })
    next()
  }
}

test('after a rewrite, the query is that of req.url, on Express 4 too', async () => {
  const rewriting: RequestHandler = (req, _res, next) => {
    req.url = '/other?max=6'
    next()
  }
  const { json } = await (await served({ front: [rewriting] })).get('/else?max=5')
  expect(json).toMatchObject({ query: { limit: '6' }, url: '/other?limit=6' })
})

const failing = (): never => {
  throw new RangeError('Parameter limit exceeded.')
}
test.each<[title: string, asked: Asked]>([
  [
    'a parser that throws',
    { parser: (text) => (text.includes('max') ? failing() : qs.parse(text)), front: [query({})] },
  ],
  ['a parser of nothing that throws', { parser: failing, front: [query({})] }],
  ['a step that returns no object', { step: () => 'text' }],
  ['a step that returns a list', { step: () => [] }],
])('%s is 400', async (_title, asked) => {
  // Express 4 parses in front of everything.
  if (major === 4 && asked.parser !== undefined) return
  expect(await (await served(asked)).get('/other?max=5')).toMatchObject({
    status: 400,
    json: { code: 'ERR_VERSION_BODY' },
  })
})

// The version's own parameter -----------------------------------------------------------------------------------------

test.each([
  ['dropped', STEPS.emptied as Step, '/other?version=%76%31', { version: 'v1' }],
  ['changed', STEPS.other as Step, '/other?a=%31&version=%76%31', { a: '1', version: 'v1' }],
])("the version's own parameter stays if a step %s it", async (_title, step, url, expected) => {
  const servers = await servedTwice({ step, options: { scheme: QueryParameterVersioning } })
  for (const { get } of servers) {
    const { json } = await get('/other?a=%31&version=%76%31')
    expect(json).toMatchObject({ url, query: expected, sent: { a: '1', version: 'v1' } })
  }
  const { json } = await (servers[0] as (typeof servers)[0]).get('/other?a=%31')
  expect(Object.hasOwn((json as { query: object }).query, 'version')).toBe(false)
})

// Contracts -----------------------------------------------------------------------------------------------------------

const Limited = {
  type: 'object',
  properties: { limit: { type: 'integer' }, a: { type: 'object', properties: { x: {} } } },
}
const DESCRIBED = { query: Limited, response: {} }
const checking = (checked: object[], more: object) =>
  contract({
    compile: () => (value: unknown) => {
      const { limit } = value as Query
      checked.push(value as object)
      return limit === undefined || /^\d+$/.test(String(limit))
    },
    ...more,
  })
const HIDDEN = rows(`
  // unknown | the query behind "?" | the response | in req.url
  strip  | limit=5             | 200 | limit=5
  strip  | limit=all           | 400 | -
  strip  | &*limit=all         | 400 | -
  strip  | &*limit=%35&evil=1  | 200 | &*limit=%35
  strip  | &*evil=1&limit=%35  | 200 | &*limit=%35
  strip  | a[x]=%31&a[evil]=1  | 200 | a[x]=%31
  strip  | limit=all]=1        | 400 | -
  keep   | limit=all]=1        | 400 | -
  keep   | limit=all%5D=1      | 400 | -
  keep   | b=[1]=2&limit=%35   | 200 | b=[1]=2&limit=%35
  keep   | &*limit=all         | 400 | -
  keep   | &*evil=%31          | 200 | &*evil=%31
  refuse | &*limit=5&evil=1    | 400 | -
  refuse | &*limit=%35         | 200 | &*limit=%35
`)
describe.each(['v1', 'v2'])('a contract in %s', (version) => {
  test.each(HIDDEN)('unknown: %s, with %s: %s %s', async (unknown = '', query = '', status, url = '') => {
    const hiding = (text: string) => text.replace('&*', '&'.repeat(1100)).replace(/^&\*/, '')
    const checked: object[] = []
    const options = { changes: historyOf([]), contract: checking(checked, { requests: 'all', unknown }) }
    const describe = (routes: Table) => routes.describe('GET other', DESCRIBED)
    for (const server of await servedTwice({ parser: 'extended', options }, describe)) {
      const got = await ask(server, version, `/other?${hiding(query)}`)
      expect(String(got.status)).toBe(status)
      const all = hiding(url)
      if (got.status === 200) expect(Object(got.json).url).toBe(`/other${all === '' ? '' : `?${all}`}`)
    }
    expect(checked).toHaveLength(2)
  })
})

test('a handler gets what was checked, also behind a thousand empty pairs', async () => {
  const routes = tableOf().describe('GET other', DESCRIBED)
  const options = { changes: historyOf([], []), contract: checking([], {}) }
  const { json } = await (await served({ options, routes })).get(`/other?${'&'.repeat(1100)}limit=5`)
  expect(json).toMatchObject({ query: { limit: '5' } })
})

// Links ---------------------------------------------------------------------------------------------------------------

test('links to the successor and of deprecated() have the other pairs as they were sent', async () => {
  const lifecycle = { v1: { deprecated: '2020-01-01', successor: 'v2' } }
  const options = { scheme: QueryParameterVersioning, lifecycle } as never
  const fill: Fill = (routes) => {
    routes.route('user-list').get(show)
    routes.route('other').get(deprecated({ since: '2020-01-01', successor: 'user-list' as never }), show)
    return [routes]
  }
  const { headers } = await (await served({ options, fill })).get('/other?q=%E4&max=5&r=a+b')
  expect(String(headers.link).split(', ')).toEqual([
    expect.stringContaining('</other?q=%E4&r=a+b&limit=5&version=v2>; rel="successor-version"'),
    expect.stringContaining('</users?q=%E4&max=5&r=a+b'),
  ])
})
