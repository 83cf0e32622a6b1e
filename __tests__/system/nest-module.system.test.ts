import { join } from 'node:path'
import { freePorts } from './support/fleet'
import { startHost } from './support/hosts'
import { MAJORS, nestProjects } from './support/nest'
import { temporary, tested, write } from './support/projects'

// `VersioningModule.setup()` in apps of Nest with all that such apps have, in each major.

const temp = temporary()

const COMMON = { '@nestjs/throttler': '^6.5.0', graphql: '^16.11.0', keyv: '^5.5.0' }
/** What belongs to a major: those of GraphQL and its server, of static files, and of the cache. */
const packagesOf = (major: string, graphql: string, apollo: string, files: string, cache: string, manager: string) => ({
  ...COMMON,
  '@nestjs/microservices': `^${major}.0.0`,
  '@nestjs/graphql': `^${graphql}.0.0`,
  '@nestjs/apollo': `^${graphql}.0.0`,
  '@apollo/server': `^${apollo}.0.0`,
  '@nestjs/serve-static': `^${files}.0.0`,
  '@nestjs/cache-manager': `^${cache}.0.0`,
  'cache-manager': `^${manager}.0.0`,
})
const EXPRESS_5 = { '@as-integrations/express5': '^1.1.2' }
const ZOD = { 'nestjs-zod': '^5.5.0', zod: tested('zod') }

beforeAll(async () => {
  write(temp, { 'files/index.html': '<p>Home</p>', 'files/a.css': 'body{}' })
  await nestProjects(temp, 'nest-module', {
    10: { ...packagesOf('10', '12', '4', '4', '3', '6'), ...ZOD },
    11: { ...packagesOf('11', '13', '5', '5', '3', '7'), ...EXPRESS_5, ...ZOD },
    12: { ...packagesOf('12', '14', '5', '12', '12', '7'), ...EXPRESS_5 },
  })
}, 300_000)

type Headers = Record<string, string>
type Row = [asked: string, headers: Headers, status: number, body: unknown]
const NONE = {}
const FERN = { id: 1, label: 'Fern' }
const OLD = { id: 1, name: 'Fern' }
const V1 = { 'X-API-Version': '1' }
const V2 = { 'X-API-Version': '2' }
const V9 = { 'X-API-Version': '9' }
const rejected = (code: string) => expect.objectContaining({ code })

/** Lists the requests that every app has, in its older and its newer version. */
function rowsOf(older: string, newer: string, headers: Headers): Row[] {
  const both = (path: string, one: unknown, other: unknown): Row[] => [
    [`GET ${older}/plants${path}`, NONE, 200, one],
    [`GET ${newer}/plants${path}`, headers, 200, other],
  ]
  return [
    // ClassSerializerInterceptor, @Res(), StreamableFile, @Sse().
    ...both('', [OLD], [FERN]),
    ...both('/taken', { id: 4, name: 'Ivy' }, { id: 4, label: 'Ivy' }),
    ...both('/file', 'label', 'label'),
    ...both('/events', '\nid: 1\ndata: {"id":5,"name":"Moss"}\n\n', '\nid: 1\ndata: {"id":5,"label":"Moss"}\n\n'),
    ...both('/1', OLD, FERN),
    [`POST ${older}/plants {"name":"Moss"}`, NONE, 201, { id: 2, name: 'Moss' }],
    [`POST ${newer}/plants {"label":"Moss"}`, headers, 201, { id: 2, label: 'Moss' }],
    // ValidationPipe with forbidNonWhitelisted.
    [`POST ${older}/plants {"name":"Moss","more":1}`, NONE, 400, expect.objectContaining({ statusCode: 400 })],
    // FileInterceptor, with a file of three bytes.
    [`POST ${older}/plants/photos name=Moss`, NONE, 200, { id: 3, name: 'Moss' }],
    [`POST ${newer}/plants/photos label=Moss`, headers, 200, { id: 3, label: 'Moss' }],
    // A guard.
    [`GET ${older}/plants/1`, { Authorization: 'none' }, 401, expect.objectContaining({ statusCode: 401 })],
    [`GET ${older}/plants/hidden`, NONE, 404, rejected('ERR_VERSION_UNHANDLED')],
    [`GET ${newer}/plants/hidden`, headers, 200, { label: 'hidden' }],
    ['GET /page', V9, 200, { label: 'page' }],
    ['GET /resolver', NONE, 200, { label: 'Fern' }],
    // Below a prefix, it is Express's own page in Nest 10 and 11.
    ['GET /nothing', V9, 404, expect.anything()],
  ]
}

const copies: Row[] = [
  ['GET /api/v1/plants/1', NONE, 200, { old: 'Fern' }],
  ['GET /api/v2/plants/1', NONE, 200, OLD],
  ['GET /api/v3/plants/1', NONE, 200, FERN],
  ['GET /api/v9/plants/1', NONE, 404, expect.objectContaining({ statusCode: 404 })],
  ['POST /api/v2/plants {"name":"Moss"}', NONE, 201, { id: 2, name: 'Moss' }],
  ['POST /api/v3/plants {"label":"Moss"}', NONE, 201, { id: 2, label: 'Moss' }],
  ['GET /health', NONE, 200, 'fine'],
]
const ways: Record<string, Row[]> = {
  header: [...rowsOf('', '', V2), ['GET /plants/1', V9, 406, rejected('ERR_VERSION_NOT_ACCEPTABLE')]],
  prefix: [...rowsOf('/api', '/api', V2), ['GET /health', V2, 200, 'fine']],
  inner: rowsOf('/api', '/api', V2),
  path: [
    ...rowsOf('/api', '/api/2', NONE),
    ['GET /api/1/plants/1', NONE, 200, OLD],
    ['GET /api/9/plants/1', NONE, 404, rejected('ERR_VERSION_NOT_FOUND')],
  ],
  bare: rowsOf('', '/2', NONE),
  dates: [...rowsOf('/api/v1', '/api/v1', { 'X-API-Version': '2025-01-01' }), ['GET /health', V9, 200, 'fine']],
  copies,
  headers: [
    ['GET /api/plants/1', V1, 200, { old: 'Fern' }],
    ['GET /api/plants/1', V2, 200, OLD],
    ['GET /api/plants/1', { 'X-API-Version': '3' }, 200, FERN],
    ['GET /api/plants/1', V9, 406, rejected('ERR_VERSION_NOT_ACCEPTABLE')],
    ['GET /health', V9, 200, 'fine'],
  ],
}

const PLANTS = { data: { plants: [{ label: 'Fern' }] } }
const HOME = '<p>Home</p>'

/** Lists the requests of an app below the starts of its older and its newer paths, in the order in which they are sent. */
function packageRowsOf(older: string, newer: string, headers: Headers): Row[] {
  const old = (calls: number, name = 'Fern') => ({ name, calls })
  const today = (calls: number, label = 'Fern') => ({ label, calls })
  return [
    // ThrottlerGuard: two requests, in any version.
    [`GET ${older}/plants/limited`, NONE, 200, old(0, 'Ivy')],
    [`GET ${newer}/plants/limited`, headers, 200, today(0, 'Ivy')],
    [`GET ${older}/plants/limited`, NONE, 429, { statusCode: 429 }],
    [`GET ${newer}/plants/limited`, headers, 429, { statusCode: 429 }],
    // A catch-all filter.
    [`GET ${older}/plants/broken`, NONE, 500, { statusCode: 500 }],
    [`POST ${older}/plants {"name":"Moss"}`, NONE, 201, old(0, 'Moss')],
    [`POST ${newer}/plants {"label":"Moss"}`, headers, 201, today(0, 'Moss')],
    [`POST ${older}/plants {"name"`, NONE, 400, { statusCode: 400 }],
    [`POST ${older}/plants {"name":"Moss","more":1}`, NONE, 400, { statusCode: 400 }],
    // GraphQL, a microservice and static files take any version.
    ['POST /graphql {"query":"{ plants { label } }"}', NONE, 200, PLANTS],
    ['POST /graphql {"query":"{ plants { label } }"}', V9, 200, PLANTS],
    [
      'POST /graphql {"query":"mutation { add(plant: { label: \\"Moss\\" }) { label } }"}',
      V2,
      200,
      { data: { add: { label: 'Moss' } } },
    ],
    ['GET /message', V9, 200, today(0, 'Moss')],
    ['GET /pages/', V9, 200, HOME],
    ['GET /pages/a.css', { ...V9, Range: 'bytes=0-3' }, 206, 'body'],
    ['HEAD /pages/a.css', V9, 200, ''],
    ['GET /pages/some/page', V9, 200, HOME],
    ['GET /api/nothing', V9, 404, { statusCode: 404 }],
  ]
}

const fern = (calls: number) => [
  { name: 'Fern', calls },
  { label: 'Fern', calls },
]
const packageWays: Record<string, Row[]> = {
  header: [
    ...packageRowsOf('/api', '/api', V2),
    // CacheInterceptor keeps the newest value, and its key is the URL of the client.
    ['GET /api/plants/cached', NONE, 200, fern(1)[0]],
    ['GET /api/plants/cached', V2, 200, fern(1)[1]],
    ['GET /api/plants/cached', NONE, 200, fern(1)[0]],
    // With the version in its key.
    ['GET /api/plants/found?name=Fern', NONE, 200, fern(2)[0]],
    ['GET /api/plants/found?label=Fern', V2, 200, fern(3)[1]],
    ['GET /api/plants/found?name=Fern', V2, 200, { label: 'all', calls: 4 }],
    ['GET /api/plants/found?name=Fern', NONE, 200, fern(2)[0]],
    ['GET /api/plants/cached', V9, 406, { statusCode: 406, code: 'ERR_VERSION_NOT_ACCEPTABLE' }],
  ],
  path: [
    ...packageRowsOf('/api', '/api/2', NONE),
    ['GET /api/plants/cached', NONE, 200, fern(1)[0]],
    ['GET /api/2/plants/cached', NONE, 200, fern(2)[1]],
    ['GET /api/1/plants/cached', NONE, 200, fern(3)[0]],
    ['GET /api/2/plants/cached', NONE, 200, fern(2)[1]],
    ['GET /api/9/plants/cached', NONE, 404, { statusCode: 404, code: 'ERR_VERSION_NOT_FOUND' }],
  ],
}

const ZOD_ROWS: Row[] = [
  ['GET /plants/1', NONE, 200, OLD],
  ['GET /plants/1', V2, 200, FERN],
  ['POST /plants {"name":"Moss"}', NONE, 201, { id: 2, name: 'Moss' }],
  ['POST /plants {"label":"Moss"}', V2, 201, { id: 2, label: 'Moss' }],
  ['POST /plants {"name":"M"}', NONE, 400, expect.objectContaining({ message: 'Validation failed' })],
  ['GET /plants/1', V9, 406, rejected('ERR_VERSION_NOT_ACCEPTABLE')],
]

for (const { major } of MAJORS) {
  const start = (program: string, ...words: string[]) =>
    startHost(join(temp, major, '__tests__/hosts/nest-module', program), words)

  test.each(Object.entries(ways))(`Nest ${major}, %s`, async (way, rows) => {
    const { port, close } = await start('app.js', way)
    await holds(port, rows)
    await close()
  })

  test.each(Object.entries(packageWays))(`Nest ${major}, its packages, %s`, async (way, rows) => {
    const [tcp] = await freePorts(1)
    const { port, close } = await start('packages.js', way, join(temp, 'files'), String(tcp))
    await holds(port, rows)
    await close()
  })

  // nestjs-zod is not there for Nest 12 yet.
  if (major === '12') continue
  test(`Nest ${major}, nestjs-zod`, async () => {
    await expect(start('zod.js')).rejects.toThrow(/by the option errors: .*say so: @ApiResponse\(\{ status: 200 \}\)/)
    for (const way of ['errors', 'status']) {
      const { port, close } = await start('zod.js', way)
      await holds(port, ZOD_ROWS)
      await close()
    }
  })
}

/** Sends the requests of an app in their order, and compares what it responds. */
async function holds(port: number, rows: readonly Row[]): Promise<void> {
  for (const [asked, headers, status, body] of rows) {
    const [method = '', path, ...sent] = asked.split(' ')
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...bodyOf(sent.join(' '), headers) })
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
    expect([asked, response.status, isJson ? JSON.parse(text) : text]).toEqual([asked, status, body])
  }
}

/** Returns what is sent: JSON, or a form with a file. */
function bodyOf(sent: string, headers: Headers): RequestInit {
  if (sent === '') return { headers }
  if (sent.startsWith('{')) return { headers: { ...headers, 'Content-Type': 'application/json' }, body: sent }
  const body = new FormData()
  const [name = '', value = ''] = sent.split('=')
  body.append(name, value)
  body.append('file', new Blob(['abc']), 'a.txt')
  return { headers, body }
}
