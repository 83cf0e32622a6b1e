import { join } from 'node:path'
import { startHost } from './support/hosts'
import { MAJORS, nestProjects } from './support/nest'
import { temporary } from './support/projects'

// `VersioningModule.setup()` in apps of Nest with all that such apps have, in each major.

const temp = temporary()

beforeAll(() => nestProjects(temp, 'nest-module'), 300_000)

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

for (const { major } of MAJORS) {
  test.each(Object.entries(ways))(`Nest ${major}, %s`, async (way, rows) => {
    const { port, close } = await startHost(join(temp, major, '__tests__/hosts/nest-module/app.js'), [way])
    for (const [asked, headers, status, body] of rows) {
      const [method = '', path, ...sent] = asked.split(' ')
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...bodyOf(sent.join(' '), headers) })
      const text = await response.text()
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
      expect([asked, response.status, isJson ? JSON.parse(text) : text]).toEqual([asked, status, body])
    }
    await close()
  })
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
