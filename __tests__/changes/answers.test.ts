import type { RequestHandler, Response } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, serveOther, tableOf } from '../support/changes'
import { major } from '../support/major'
import { serve } from '../support/serve'

// Express 4 tells of its old spellings, which are answered here as well.
const told = () => undefined
beforeAll(() => void process.on('deprecation' as never, told))
afterAll(() => void process.off('deprecation', told))

interface User {
  id: number
  given: string
  family: string
}
const ADA: User = Object.freeze({ id: 7, given: 'Ada', family: 'Lovelace' })
const OLD = { id: 7, name: 'Ada Lovelace' }
const toOld = ({ id, given, family }: User) => ({ id, name: `${given} ${family}` })
const steps = { response: toOld, error: ({ error }: { error: string }) => ({ message: error }) }
const text = JSON.stringify(ADA)

type Show = (res: Response) => unknown
const answering = (show: Show, fill?: Parameters<typeof serveOther>[2]) => serveOther(steps, show, fill)

test.each([
  ...[200, 201, 299].map((status) => [status, ADA, OLD] as const),
  ...[300, 302, 303, 399].map((status) => [status, ADA, ADA] as const),
  ...[400, 404, 500, 599].map((status) => [status, { error: 'gone' }, { message: 'gone' }] as const),
])('status %d: %j is %j', async (status, sent, old) => {
  const server = await answering((res) => res.status(status).json(sent))
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status, json: old })
  expect(await ask(server, 'v2', '/other')).toMatchObject({ status, json: sent })
})

test.each<[title: string, show: Show, text: string]>([
  ['text', (res) => res.set('ETag', '"own"').send('Ada'), 'Ada'],
  ['text that begins as JSON', (res) => res.send('{"id":7,'), '{"id":7,'],
  ['a text in JSON', (res) => res.send('"Ada"'), '"Ada"'],
  ['JSON of another type', (res) => res.type('text').send(text), text],
  ['a list of types', (res) => Object.assign(res.setHeader('Content-Type', ['text/plain'])).send('Ada'), 'Ada'],
  ['a Buffer without a type', (res) => res.send(Buffer.from(text)), text],
  ['res.end without a type', (res) => res.end(text), text],
  ['an empty body of type JSON', (res) => res.type('json').set('ETag', '"none"').end(), ''],
  ['an empty text of type JSON', (res) => res.type('json').send(''), ''],
  ['null of type JSON', (res) => res.type('json').send(null), ''],
  ['res.json(undefined)', (res) => res.json(undefined), ''],
  ['res.jsonp(undefined)', (res) => res.jsonp(undefined), ''],
  ['sendStatus', (res) => res.sendStatus(200), 'OK'],
  ['a redirect', (res) => res.redirect('/users'), 'Found. Redirecting to /users'],
  ['204', (res) => res.status(204).json(ADA), ''],
  ['205', (res) => res.status(205).json(ADA), ''],
])('%s stays as it is', async (_title, show, text) => {
  const server = await answering(show)
  const [old, newest] = [await ask(server, 'v1', '/other'), await ask(server, 'v2', '/other')]
  const strip = ({ headers: { date: _, ...headers }, ...answer }: typeof old) => ({ ...answer, headers })
  expect(old.text).toBe(text)
  expect(strip(old)).toEqual(strip(newest))
})

test('an answer without a step keeps its bytes and its ETag', async () => {
  const server = await serveOther({ response: toOld }, (res) =>
    res.status(404).type('json').set('ETag', '"own"').send('{ "id": 7 }'),
  )
  expect(await ask(server, 'v1', '/other')).toMatchObject({ text: '{ "id": 7 }', headers: { etag: '"own"' } })
})

test('a JSONP callback gets the older shape', async () => {
  const server = await answering((res) =>
    res.jsonp(res.req.query.none ? undefined : { ...ADA, given: 'A)(\u2028\u2029' }),
  )
  const show = async (version: string, more = '') => (await ask(server, version, `/other?callback=a.b[0]${more}`)).text
  const body = (json: string) => `/**/ typeof a.b[0] === 'function' && a.b[0](${json});`
  expect(await show('v1')).toBe(body('{"id":7,"name":"A)(\\u2028\\u2029 Lovelace"}'))
  expect(await show('v2')).toBe(body('{"id":7,"given":"A)(\\u2028\\u2029","family":"Lovelace"}'))
  expect(await show('v1', '&none=1')).toBe(body(''))
})

test('nothing is put on an answer that needs nothing', async () => {
  const own: Record<string, string[]> = {}
  const note: RequestHandler = (req, res) => {
    own[`${req.version} ${req.path}`] = ['send', 'json', 'jsonp', 'end'].filter((name) => Object.hasOwn(res, name))
    res.json(ADA)
  }
  const options = { neutral: ['/health'], allowedVersions: ['v1', 'v2', null] }
  const history = historyOf([change('Split.', { 'GET user-detail': steps })])
  const server = await serveChanges(
    history,
    (users, app) => {
      users.route('user-detail').get(note)
      users.route('other').get(note)
      app.get('/health', note)
    },
    options,
  )
  for (const version of ['v1', 'v2']) for (const path of ['/users/7', '/other']) await ask(server, version, path)
  await ask(server, 'v1', '/health')
  const all = ['send', 'json', 'jsonp', 'end']
  expect(own).toEqual({ 'v1 /users/7': all, 'v1 /other': [], 'v2 /users/7': [], 'v2 /other': [], 'null /health': [] })
})

test.each<[title: string, show: Show]>([
  ['res.json', (res) => res.json(ADA)],
  ['res.jsonp', (res) => res.jsonp(ADA)],
  ['res.send of a text', (res) => res.type('json').send(text)],
  ['res.end', (res) => res.type('json').end(text)],
])("the app's settings of JSON hold: %s", async (_title, show) => {
  const odd = { response: ({ id }: User) => ({ id, tag: '<&>' }) }
  const server = await serveOther(odd, show, (app) => app.set('json spaces', 1).set('json escape', true))
  expect((await ask(server, 'v1', '/other')).text).toBe('{\n "id": 7,\n "tag": "\\u003c\\u0026\\u003e"\n}')
})

test('steps get a copy as JSON gives it, the version, the request and its answer', async () => {
  const seen: unknown[] = []
  const kept = { when: new Date(0), list: [1, -0], skipped: undefined }
  const copy = { when: '1970-01-01T00:00:00.000Z', list: [1, 0] }
  const grow = {
    response(value: typeof kept, { version, req, res }: { version: string; req?: object; res?: Response }) {
      seen.push(structuredClone(value), version, req === res?.req, res?.locals.note)
      value.list.push(2)
      return value
    },
  }
  const server = await serveOther(grow, (res) => Object.assign(res, { locals: { note: 'left' } }).json(kept))
  for (const _ of [1, 2]) expect((await ask(server, 'v1', '/other')).json).toEqual({ ...copy, list: [1, 0, 2] })
  expect(seen).toEqual([copy, 'v1', true, 'left', copy, 'v1', true, 'left'])
  expect(kept.list).toEqual([1, -0])
})

test.each([
  ['its own step replaces it', '/users/7', { own: 'no' }],
  ['another step of its own does not', '/users', { all: 'no' }],
  ['an operation that the change does not name', '/other', { all: 'no' }],
  ['a route without a name', '/plain', { all: 'no' }],
])("'*' converts the errors of all operations: %s", async (_title, path, json) => {
  const named = (name: string) => (value: object) => ({ [name]: value })
  const format = change('Errors are flat.', {
    '*': { error: named('all') },
    'GET user-detail': { error: named('own') },
    'GET user-list': { response: named('list') },
  })
  const server = await serveChanges(historyOf([format]), (users, app) => {
    const refuse: RequestHandler = (_req, res) => void res.status(409).json('no')
    for (const name of ['user-detail', 'user-list', 'other'] as const) users.route(name).get(refuse)
    app.get('/plain', refuse)
  })
  expect((await ask(server, 'v1', path)).json).toEqual(json)
  expect((await ask(server, 'v2', path)).json).toBe('no')
})

/** Makes middleware that replaces methods of the response. */
type Old = Record<'send' | 'json' | 'jsonp', (...args: unknown[]) => unknown>
const wrapping =
  (name: keyof Old, wrap: (this: Response, before: Old['send'], body: unknown) => unknown): RequestHandler =>
  (_req, res, next) => {
    const before = res[name] as Old['send']
    ;(res as object as Old)[name] = function (this: Response, body) {
      return wrap.call(this, before, body)
    } as Old['send']
    next()
  }
/** Middleware that puts its name around a body. */
const around = (name: 'send' | 'json', text: string) =>
  wrapping(name, function (before, body) {
    return before.call(this, typeof body === 'string' ? `{"${text}":${body}}` : { [text]: body })
  })
/** Middleware whose `send` answers anew by another method. */
const anew = (name: keyof Old) =>
  wrapping('send', function (before, body) {
    this.send = before as Response['send']
    if (name === 'send') return this.type('json').send(`{"data":${body}}`)
    return this[name]({ data: JSON.parse(body as string) })
  })
const flat = { response: (value: object) => ({ old: value }) }

test.each<[title: string, front: RequestHandler[], behind: RequestHandler[], show: Show, v1: unknown]>([
  ['json in front', [around('json', 'front')], [], (res) => res.json(1), { front: { old: 1 } }],
  ['json in front, of a text', [around('json', 'front')], [], (res) => res.send([1]), { front: { old: [1] } }],
  ['json behind', [], [around('json', 'behind')], (res) => res.json(1), { old: { behind: 1 } }],
  ['send in front', [around('send', 'front')], [], (res) => res.json(1), { front: { old: 1 } }],
  [
    'send in front, of a value',
    [around('send', 'front')],
    [],
    (res) => res.send([1]),
    { front: { front: { old: [1] } } },
  ],
  [
    'send in front, json behind',
    [around('send', 'front')],
    [around('json', 'behind')],
    (res) => res.send([1]),
    { front: { old: { behind: [1] } } },
  ],
  ['send behind', [], [around('send', 'behind')], (res) => res.json(1), { old: { behind: 1 } }],
  [
    'send behind, of a value',
    [],
    [around('send', 'behind')],
    (res) => res.send([1]),
    { old: { behind: { behind: [1] } } },
  ],
  [
    'both',
    [around('json', 'front')],
    [around('send', 'behind')],
    (res) => res.json(1),
    { front: { old: { behind: 1 } } },
  ],
  ['send that answers anew by send', [anew('send')], [], (res) => res.json(1), { data: { old: 1 } }],
  ['send that answers anew by json', [anew('json')], [], (res) => res.json(1), { data: { old: 1 } }],
  ['send that answers anew by jsonp', [anew('jsonp')], [], (res) => res.json(1), { data: { old: 1 } }],
])('middleware in front of versioning() gets the older value, and that behind the newest: %s', async (...row) => {
  const [, front, behind, show, v1] = row
  const routes = tableOf()
  routes.route('other').get((_req, res) => void show(res))
  const changes = historyOf([change('Flat.', { 'GET other': flat })])
  const server = await serve((app) => {
    app.use(...front, (_req, _res, next) => next())
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), ...behind, routes)
  })
  expect((await ask(server, 'v1', '/other')).json).toEqual(v1)
})

test.each<[title: string, show: Show, v1: unknown]>([
  ['res.json', (res) => res.json([1, 'no']), { old: [1] }],
  ['res.json(undefined)', (res) => res.json(undefined), undefined],
  ['res.send of a value', (res) => res.send([1, 'no']), { old: [1] }],
])('a replacer of the app has run before the steps: %s', async (_title, show, v1) => {
  const replacer = (_key: string, value: unknown) =>
    Array.isArray(value) ? value.filter((one) => one !== 'no') : value
  const server = await serveOther(flat, show, (app) => app.set('json replacer', replacer))
  expect((await ask(server, 'v1', '/other')).json).toEqual(v1)
})

test.each(['on the app', 'in front'])('send of other middleware %s gets a value in its older shape', async (where) => {
  const seen: unknown[] = []
  const note = wrapping('send', function (before, body) {
    seen.push(body)
    return before.call(this, body)
  })
  const routes = tableOf()
  routes.route('other').get((_req, res) => void res.send([1]))
  routes.route('user-list').get((_req, res) => void res.status(404).send({ error: 'gone' }))
  const changes = historyOf([change('Flat.', { 'GET other': flat, '*': { error: () => ({ old: 'error' }) } })])
  const server = await serve((app) => {
    if (where === 'on the app') note({} as never, (app as object as { response: Response }).response, () => {})
    else app.use(note)
    app.use(versioning({ scheme: HeaderVersioning, changes, routes }), routes)
  })
  expect((await ask(server, 'v1', '/other')).json).toEqual({ old: [1] })
  expect(seen.splice(0)).toEqual([{ old: [1] }, '{"old":[1]}'])
  expect((await ask(server, 'v1', '/users')).json).toEqual({ old: 'error' })
  expect(seen).toEqual([{ old: 'error' }, '{"old":"error"}'])
})

test('a text is made once if no other middleware is there', async () => {
  const server = await answering((res) => res.json(ADA))
  const stringify = jest.spyOn(JSON, 'stringify')
  const { text } = await ask(server, 'v1', '/other')
  const made = stringify.mock.results.map(({ value }) => value)
  stringify.mockRestore()
  expect(made).toEqual([text])
})

const loop: { self?: unknown } = {}
loop.self = loop
test.each<[what: string, value: unknown, thrown: string]>([
  ['a loop', loop, 'TypeError'],
  ['toJSON that throws', { toJSON: () => { throw new RangeError('x') } }, 'RangeError'], // biome-ignore format: a row
])('an error of the handler’s own value is thrown at the handler: %s', async (_what, value, thrown) => {
  const server = await answering((res) => {
    try {
      res.json(value)
    } catch (error) {
      res.status(409).send({ error: (error as Error).name })
    }
  })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 409, json: { message: thrown } })
})

test('an answer that Express cannot send leaves the error to be converted', async () => {
  const server = await answering((res) => {
    const { setHeader } = res
    res.setHeader = (name, value) => {
      if (name !== 'Content-Length') return setHeader.call(res, name, value)
      res.setHeader = setHeader
      throw new Error('no such length')
    }
    res.json(ADA)
  })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { message: 'no such length' } })
})

test('nothing is converted after the head was sent', async () => {
  const codes: unknown[] = []
  const server = await answering((res) => {
    res.write('x')
    try {
      res.json(ADA)
    } catch (error) {
      codes.push((error as { code?: string }).code)
    }
    res.end()
  })
  expect((await ask(server, 'v1', '/other')).text).toBe('x')
  expect(codes).toEqual(['ERR_HTTP_HEADERS_SENT'])
})

const failed = { error: 'x' }
test.each<[title: string, show: (res: Old) => unknown, four: [number, unknown], five: [number, unknown] | null]>([
  ['send(status, object)', (res) => res.send(201, ADA), [201, OLD], null],
  ['send(object, status)', (res) => res.send(ADA, 201), [201, OLD], null],
  ['send(status, object) of an error', (res) => res.send(404, failed), [404, { message: 'x' }], null],
  ['send(text, status)', (res) => res.send(text, 404), [404, {}], [200, OLD]],
  ['json(status, object)', (res) => res.json(404, failed), [404, { message: 'x' }], null],
  ['json(object, status)', (res) => res.json(failed, 404), [404, { message: 'x' }], null],
  ['jsonp(object, status)', (res) => res.jsonp(failed, 404), [404, { message: 'x' }], null],
])('a status beside the body, which only Express 4 takes: %s', async (_title, show, four, five) => {
  if (major === 5 && five === null) return
  const server = await answering((res) => show(res as object as Old))
  const { status, json } = await ask(server, 'v1', '/other')
  expect([status, json]).toEqual(major === 4 ? four : five)
})
