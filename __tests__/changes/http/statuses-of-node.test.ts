// A status is what Node makes of it, and JSON of a status that nobody described does not pass to an older version.
import express, { type RequestHandler, type Response } from 'express'
import { HeaderVersioning, namedRoutes, type OperationDescription, versioning } from 'express-versioning'
import { change, fields, type OperationChange, versionHistory } from 'express-versioning/changes'
import { contract } from 'express-versioning/contract'
import { ask } from '../../support/changes'
import { major } from '../../support/major'
import { type Served, serve } from '../../support/serve'

type Show = (res: Response) => unknown
// Express 4 tells of its old spellings.
process.on('deprecation' as never, () => {})

const Song = { $id: 'Song', type: 'object', required: ['title'], properties: { title: { type: 'string' } } }
const Error_ = { type: 'object', properties: { code: { type: 'string' } } }
const errors = { '4XX': Error_, '5XX': Error_ }
const SONG = { title: 'Yesterday' }
const TEXT = JSON.stringify(SONG)
const TYPED = { 'Content-Type': 'application/json' }
const renamed = change('Songs have a title instead of a name.', { Song: fields({ renamed: { name: 'title' } }) })
const changes = versionHistory('v1').version('v2', renamed)

/** Serves GET of a song, and PUT of one behind a route that calls `next()`: its handler gets the body as the client sent it. */
function serveSong(show: Show, response: OperationDescription['response'] = { 200: Song }): Promise<Served> {
  const handler: RequestHandler = (_req, res) => void show(res)
  const routes = namedRoutes({ song: '/song', others: '/others' }).describe('*', { response: errors })
  routes.route('song').get(handler)
  routes.route('song').put((_req, _res, next) => next())
  routes.describe('GET song', { response }).describe('PUT song', { body: Song, response: { 200: Song } })
  routes.route('others').get(handler)
  routes.describe('GET others', { response: null })
  return serve((app) => {
    app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }), express.json(), routes)
    app.put('/song', handler)
  })
}

const rejected = { status: 500, json: { code: 'ERR_VERSION_CHANGE' } }
const put = { method: 'PUT', body: { name: 'Yesterday' } }

test.each<[title: string, show: Show, onlyIn?: number]>([
  ["res.statusCode = '200', res.json", (res) => Object.assign(res, { statusCode: '200' }).json(SONG)],
  ['res.statusCode = 200.7, res.send', (res) => Object.assign(res, { statusCode: 200.7 }).send(SONG)],
  ["res.statusCode = '0xc8', res.end", (res) => Object.assign(res.type('json'), { statusCode: '0xc8' }).end(TEXT)],
  [
    'a number beyond 32 bits, pieces',
    (res) => [Object.assign(res, { statusCode: 2 ** 32 + 200 }).write(TEXT), res.end()],
  ],
  ["res.writeHead('200', fields)", (res) => res.writeHead('200' as never, TYPED).end(TEXT)],
  [
    "res.writeHead('200')",
    (res) =>
      res
        .type('json')
        .writeHead('200' as never)
        .end(TEXT),
  ],
  ['res.writeHead(200.7)', (res) => res.writeHead(200.7).end(TEXT)],
  ["res.status('200')", (res) => res.status('200' as never).json(SONG), 4],
  ["res.send('200', value)", (res) => Object(res).send('200', SONG), 4],
  ["res.json('200', value)", (res) => Object(res).json('200', SONG), 4],
])('a status as Node makes it: %s', async (_title, show, onlyIn = major) => {
  if (onlyIn !== major) return
  const server = await serveSong(show)
  expect(await ask(server, 'v1', '/song')).toMatchObject({ status: 200, json: { name: 'Yesterday' } })
  expect(await ask(server, 'v2', '/song')).toMatchObject({ status: 200, json: SONG })
  expect(await ask(server, 'v1', '/song', put)).toMatchObject(rejected)
})

test.each(['400', 404.5, '503'])('an error, and one in the place of another response: %s', async (status) => {
  const steps: OperationChange = { error: (failed: object) => ({ failed }) }
  const history = versionHistory('v1').version('v2', change('Errors are flat.', { '*': steps as never }))
  const routes = namedRoutes({ song: '/song' })
  routes.route('song').get((_req, res) => Object.assign(res, { statusCode: status }).json('no'))
  const server = await serve((app) =>
    app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }), routes),
  )
  expect(await ask(server, 'v1', '/song')).toMatchObject({ status: Math.floor(Number(status)), json: { failed: 'no' } })
})

const WAYS: [title: string, (status: number) => Show][] = [
  ['res.json', (status) => (res) => res.status(status).json(SONG)],
  ['res.end', (status) => (res) => res.status(status).end(TEXT)],
  ['res.writeHead', (status) => (res) => res.writeHead(status, TYPED).end(TEXT)],
  ['a string', (status) => (res) => res.writeHead(String(status) as never, TYPED).end(TEXT)],
]
const CLOSED = [201, 203, 299, 300, 302, 307, 399, 600, 777, 999]
test.each(CLOSED.flatMap((status) => WAYS.map(([way, show]) => [status, way, show(status)] as const)))(
  'JSON with %i that nobody described does not pass, by %s',
  async (_status, _way, show) => {
    const server = await serveSong(show)
    expect(await ask(server, 'v1', '/song')).toMatchObject(rejected)
    expect((await ask(server, 'v2', '/song')).text).toBe(TEXT)
    // Nor where the description has no JSON at all.
    expect(await ask(server, 'v1', '/others')).toMatchObject(rejected)
  },
)

test.each([600, 777])('no description is about %i', async (status) => {
  const server = await serveSong((res) => res.status(status).json(SONG), { default: Song })
  expect(await ask(server, 'v1', '/song')).toMatchObject(rejected)
  expect(await ask(server, 'v1', '/song', put)).toMatchObject(rejected)
})

test.each([600, 777])('nor is that of a stream about %i', async (status) => {
  const lines: Show = (res) => res.status(status).type('application/jsonl').send(`${TEXT}\n`)
  const server = await serveSong(lines, {
    ...errors,
    default: { content: { 'application/jsonl': { itemSchema: Song } } },
  })
  expect(await ask(server, 'v1', '/song')).toMatchObject(rejected)
})

test('a described redirection is converted', async () => {
  const server = await serveSong((res) => res.status(300).location('/a').json(SONG), { '3XX': Song })
  const { status, json, headers } = await ask(server, 'v1', '/song')
  expect([status, json, headers.location]).toEqual([300, { name: 'Yesterday' }, '/a'])
})

const ACCEPTED = ['text/html', 'text/plain', 'application/json', '*/*']
test.each(ACCEPTED.flatMap((accept) => ['GET', 'HEAD'].map((method) => [method, accept])))(
  "Express's own redirections pass: %s, %s",
  async (method, accept) => {
    const server = await serveSong((res) => res.redirect('/a'))
    const headers = { Accept: accept as string }
    const [old, newest] = await Promise.all(
      ['v1', 'v2'].map((version) => ask(server, version, '/song', { method: method as string, headers })),
    )
    const { date, 'content-length': length, 'x-api-version': version, ...fields } = newest?.headers ?? {}
    expect(old).toMatchObject({ status: 302, text: newest?.text, headers: fields })
  },
)

test.each(["'200'", '200.7', '600'])('the contract reads a status as Node does: %s', async (told) => {
  const status = told === '600' ? 600 : told === "'200'" ? '200' : Number(told)
  const routes = namedRoutes({ song: '/song' }).describe('GET song', { response: { 200: Song } })
  routes.route('song').get((_req, res) => Object.assign(res, { statusCode: status }).json({ title: 7 }))
  const judging = contract({ compile: () => () => false, requests: false, responses: 'throw' })
  const options = { scheme: HeaderVersioning, changes: versionHistory('v1'), routes, contract: judging }
  const server = await serve((app) => app.use(versioning(options), routes))
  expect(await ask(server, 'v1', '/song')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CONTRACT' } })
})
