import express, { type RequestHandler, type Response } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { ask, historyOf, serveChanges, tableOf } from '../support/changes'
import { major } from '../support/major'
import { jsonErrors, serve } from '../support/serve'

// Express 4 tells of its old spellings, which are answered here as well.
const told = () => undefined
beforeAll(() => void process.on('deprecation' as never, told))
afterAll(() => void process.off('deprecation', told))

interface User {
  id: number
  given: string
  family: string
}

const toV1 = ({ id, given, family }: User) => ({ id, name: `${given} ${family}` })
const splitName = change('Users have `given` and `family` in place of `name`.', {
  'GET user-detail': { response: toV1, error: ({ error }: { error: string }) => ({ message: error }) },
  'GET user-list': { response: (users: User[]) => users.map(toV1) },
})
const history = historyOf([splitName])

const ada: User = Object.freeze({ id: 7, given: 'Ada', family: 'Lovelace' })
const OLD = { id: 7, name: 'Ada Lovelace' }

/** An app whose user is answered in some way. */
const answering = (show: (res: Response) => unknown, before: RequestHandler[] = []) =>
  serveChanges(history, (users, app) => {
    if (before.length > 0) app.use(before)
    users.route('user-detail').get((_req, res) => void show(res))
  })

describe('converts what is JSON', () => {
  test.each<[title: string, show: (res: Response) => unknown]>([
    ['res.json', (res) => res.json(ada)],
    ['res.send of an object', (res) => res.send(ada)],
    ['res.jsonp without a callback', (res) => res.jsonp(ada)],
    ['res.send of a string with a JSON type', (res) => res.type('json').send(JSON.stringify(ada))],
    [
      'res.send of a string with a +json type',
      (res) => res.type('application/vnd.acme+json').send(JSON.stringify(ada)),
    ],
    ['res.json with another type', (res) => res.type('application/x-own').json(ada)],
    ['status 201', (res) => res.status(201).json(ada)],
    ['an object with toJSON', (res) => res.json({ toJSON: () => ada })],
    [
      'an object with getters',
      (res) =>
        res.json({
          get id() {
            return 7
          },
          get given() {
            return 'Ada'
          },
          family: 'Lovelace',
        }),
    ],
    ['in a callback', (res) => setTimeout(() => res.json(ada), 1)],
    ['in res.format', (res) => res.format({ json: () => res.json(ada) })],
  ])('%s', async (_title, show) => {
    const server = await answering(show)
    const answer = await ask(server, 'v1', '/users/7')
    expect(answer.json).toEqual(OLD)
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
    expect((await ask(server, 'v2', '/users/7')).json).toEqual(ada)
  })

  test.each([200, 299])('status %d', async (status) => {
    const server = await answering((res) => res.status(status).json(ada))
    expect((await ask(server, 'v1', '/users/7')).json).toEqual(OLD)
  })

  test.each([300, 302, 399, 103 + 200])('but not status %d', async (status) => {
    const server = await answering((res) => res.status(status).json(ada))
    expect((await ask(server, 'v1', '/users/7')).json).toEqual(ada)
  })

  test.each([400, 404, 500, 599])('status %d is an error', async (status) => {
    const server = await answering((res) => res.status(status).json({ error: 'gone' }))
    expect((await ask(server, 'v1', '/users/7')).json).toEqual({ message: 'gone' })
    expect((await ask(server, 'v2', '/users/7')).json).toEqual({ error: 'gone' })
  })

  test('a JSONP callback gets the older shape', async () => {
    const server = await answering((res) => res.jsonp({ ...ada, given: 'A)(\u2028\u2029' }))
    const show = (path: string, version: string) => ask(server, version, path)
    const body = (json: string) => `/**/ typeof a.b[0] === 'function' && a.b[0](${json});`
    const answer = await show('/users/7?callback=a.b[0]', 'v1')
    expect(answer.text).toBe(body('{"id":7,"name":"A)(\\u2028\\u2029 Lovelace"}'))
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect((await show('/users/7?callback=a.b[0]', 'v2')).text).toBe(
      body('{"id":7,"given":"A)(\\u2028\\u2029","family":"Lovelace"}'),
    )
  })

  test('a JSONP callback without an argument stays one', async () => {
    const server = await answering((res) => res.jsonp(undefined))
    expect((await ask(server, 'v1', '/users/7?callback=f')).text).toBe("/**/ typeof f === 'function' && f();")
  })
})

describe('leaves alone', () => {
  test.each<[title: string, show: (res: Response) => unknown, text: string]>([
    ['text', (res) => res.send('Ada'), 'Ada'],
    ['text that begins as JSON', (res) => res.send('{"id":7,'), '{"id":7,'],
    ['a text in JSON', (res) => res.send('"Ada"'), '"Ada"'],
    ['JSON of another type', (res) => res.type('text').send(JSON.stringify(ada)), JSON.stringify(ada)],
    ['a Buffer without a type', (res) => res.send(Buffer.from(JSON.stringify(ada))), JSON.stringify(ada)],
    ['res.end without a type', (res) => res.end(JSON.stringify(ada)), JSON.stringify(ada)],
    ['an empty body of type JSON', (res) => res.type('json').set('ETag', '"none"').end(), ''],
    ['an empty text of type JSON', (res) => res.type('json').send(''), ''],
    ['null of type JSON', (res) => res.type('json').send(null), ''],
    ['res.json(undefined)', (res) => res.json(undefined), ''],
    ['sendStatus', (res) => res.sendStatus(200), 'OK'],
    ['204', (res) => res.status(204).json(ada), ''],
    ['205', (res) => res.status(205).json(ada), ''],
    [
      'a list of types',
      (res) => {
        res.setHeader('Content-Type', ['text/plain'])
        res.send('Ada')
      },
      'Ada',
    ],
  ])('%s', async (_title, show, text) => {
    const server = await answering(show)
    const [old, newest] = [await ask(server, 'v1', '/users/7'), await ask(server, 'v2', '/users/7')]
    const strip = ({ headers: { date: _, ...headers }, ...answer }: typeof old) => ({ ...answer, headers })
    expect(old.text).toBe(text)
    expect(strip(old)).toEqual(strip(newest))
  })

  test('a redirect', async () => {
    const server = await answering((res) => res.redirect('/other'))
    const answer = await ask(server, 'v1', '/users/7')
    expect([answer.status, answer.headers.location]).toEqual([302, '/other'])
  })

  test.each([
    [399, { is: 'newer' }],
    [400, { is: 'older' }],
    [599, { is: 'older' }],
  ])('what is no error, by its status: %d', async (status, json) => {
    const failed = change('Failed.', { 'GET other': { error: () => ({ is: 'older' }) } })
    const server = await serveChanges(historyOf([failed]), (users) => {
      users.route('other').get((_req, res) => void res.status(status).json({ is: 'newer' }))
    })
    expect((await ask(server, 'v1', '/other')).json).toEqual(json)
  })

  test('what its operation has no step for, as it is written', async () => {
    const split = change('Split.', { 'GET other': { response: toV1 } })
    const server = await serveChanges(historyOf([split]), (users) => {
      users
        .route('other')
        .get((_req, res) => void res.status(404).type('json').set('ETag', '"own"').send('{ "id": 7 }'))
    })
    expect(await ask(server, 'v1', '/other')).toMatchObject({ text: '{ "id": 7 }', headers: { etag: '"own"' } })
  })
})

test('the newest version is answered byte for byte as without changes, and nothing is put on any answer that needs nothing', async () => {
  const own: Record<string, string[]> = {}
  const note: RequestHandler = (req, res) => {
    own[`${req.version} ${req.path}`] = ['send', 'json', 'jsonp'].filter((name) => Object.hasOwn(res, name))
    res.json(ada)
  }
  const server = await serveChanges(
    history,
    (users, app) => {
      users.route('user-detail').get(note)
      users.route('other').get(note)
      app.get('/health', note)
    },
    { neutral: ['/health'], allowedVersions: ['v1', 'v2', null] },
  )
  for (const version of ['v1', 'v2']) for (const path of ['/users/7', '/other']) await ask(server, version, path)
  await ask(server, 'v1', '/health')
  expect(own).toEqual({
    'v1 /users/7': ['send', 'json', 'jsonp'],
    'v1 /other': [],
    'v2 /users/7': [],
    'v2 /other': [],
    'null /health': [],
  })
})

describe('HTTP agrees with what is sent', () => {
  const plain = () => answering((res) => res.json(ada))

  test('HEAD', async () => {
    const served = await plain()
    const [get, head] = [await ask(served, 'v1', '/users/7'), await ask(served, 'v1', '/users/7', { method: 'HEAD' })]
    expect(head.text).toBe('')
    for (const name of ['content-length', 'etag', 'content-type']) expect(head.headers[name]).toBe(get.headers[name])
    expect(head.headers['content-length']).toBe(String(JSON.stringify(OLD).length))
  })

  test('a generated ETag, and 304', async () => {
    const served = await plain()
    const [old, newest] = [await ask(served, 'v1', '/users/7'), await ask(served, 'v2', '/users/7')]
    expect(old.headers.etag).not.toBe(newest.headers.etag)
    const again = (version: string, etag = '') =>
      ask(served, version, '/users/7', { headers: { 'If-None-Match': etag } })
    expect(await again('v1', old.headers.etag)).toMatchObject({ status: 304, text: '' })
    expect(await again('v1', newest.headers.etag)).toMatchObject({ status: 200, json: OLD })
    expect(await again('v2', newest.headers.etag)).toMatchObject({ status: 304 })
  })

  test('an ETag of the handler stays on what is not converted', async () => {
    const served = await answering((res) => res.set('ETag', '"page"').send('Ada'))
    expect((await ask(served, 'v1', '/users/7')).headers.etag).toBe('"page"')
  })

  test('non-ASCII text has its length in bytes', async () => {
    const served = await answering((res) => res.json({ ...ada, family: 'Łukasiewicz' }))
    const answer = await ask(served, 'v1', '/users/7')
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)))
    expect(answer.json).toEqual({ id: 7, name: 'Ada Łukasiewicz' })
  })
})

describe("the app's settings hold", () => {
  const settings = { 'json spaces': 1, 'json escape': true }
  const tagged = historyOf([
    change('Tags.', { 'GET other': { response: ({ tags }: { tags: string[] }) => ({ tag: tags.join('<&>') }) } }),
  ])

  test.each<[title: string, show: (res: Response, value: object) => void]>([
    ['res.json', (res, value) => void res.json(value)],
    ['res.jsonp', (res, value) => void res.jsonp(value)],
    ['res.send of a text', (res, value) => void res.type('json').send(JSON.stringify(value))],
  ])('json spaces and json escape: %s', async (_title, show) => {
    const server = await serveChanges(tagged, (routes, app) => {
      for (const [name, value] of Object.entries(settings)) app.set(name, value)
      routes.route('other').get((_req, res) => show(res, { tags: ['a', 'b'] }))
    })
    expect((await ask(server, 'v1', '/other')).text).toBe('{\n "tag": "a\\u003c\\u0026\\u003eb"\n}')
  })
})

test('steps get a copy as JSON gives it, which they may change', async () => {
  const seen: unknown[] = []
  const grow = change('Grown.', {
    'GET other': {
      response(value: { when: string; list: number[] }) {
        seen.push(structuredClone(value))
        value.list.push(2)
        return value
      },
    },
  })
  const kept = { when: new Date(0), list: [1], skipped: undefined }
  const server = await serveChanges(historyOf([grow]), (routes) => {
    routes.route('other').get((_req, res) => void res.json(kept))
  })
  for (const _ of [1, 2]) {
    expect((await ask(server, 'v1', '/other')).json).toEqual({ when: '1970-01-01T00:00:00.000Z', list: [1, 2] })
  }
  expect(seen).toEqual(Array(2).fill({ when: '1970-01-01T00:00:00.000Z', list: [1] }))
  expect(kept.list).toEqual([1])
})

test('steps are told the version, the request and the answer', async () => {
  const told: unknown[] = []
  const noted = change('Noted.', {
    'GET other': {
      response(value: object, { version, req, res }) {
        told.push(version, req?.path, res?.locals.note)
        return value
      },
    },
  })
  const server = await serveChanges(historyOf([noted], []), (routes) => {
    routes.route('other').get((_req, res) => {
      res.locals.note = 'from the handler'
      res.json({})
    })
  })
  for (const version of ['v1', 'v2', 'v3']) await ask(server, version, '/other')
  expect(told).toEqual(['v1', '/other', 'from the handler'])
})

describe("'*' converts the errors of all operations", () => {
  const named = (name: string) => (value: object) => ({ [name]: value })
  const format = change('Errors are flat.', {
    '*': { error: named('all') },
    'GET user-detail': { error: named('own') },
    'GET user-list': { response: named('list') },
  })
  const server = () =>
    serveChanges(historyOf([format]), (users, app) => {
      for (const name of ['user-detail', 'user-list', 'other'] as const) {
        users.route(name).get((_req, res) => void res.status(409).json('no'))
      }
      users.route('user-list').post((_req, res) => void res.json('posted'))
      app.get('/plain', (_req, res) => void res.status(409).json('no'))
    })

  test.each([
    ['its own replaces it', '/users/7', { own: 'no' }],
    ['another step of its own does not', '/users', { all: 'no' }],
    ['an operation that the change does not name', '/other', { all: 'no' }],
    ['a route without a name', '/plain', { all: 'no' }],
  ])('%s', async (_title, path, json) => {
    const served = await server()
    expect((await ask(served, 'v1', path)).json).toEqual(json)
    expect((await ask(served, 'v2', path)).json).toBe('no')
  })
})

describe('beside other middleware', () => {
  test('methods that stood on the response before are called', async () => {
    const seen: unknown[] = []
    const wrap: RequestHandler = (_req, res, next) => {
      const { send, json } = res
      res.send = function (body) {
        seen.push(['send', body])
        return send.call(this, body)
      }
      res.json = function (body) {
        seen.push(['json', body])
        return json.call(this, body)
      }
      next()
    }
    const routes = tableOf()
    routes.route('user-detail').get((_req, res) => void res.json(ada))
    const server = await serve((app) => {
      app.use(wrap, versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
    })
    expect((await ask(server, 'v1', '/users/7')).json).toEqual(OLD)
    expect(seen).toEqual([
      ['json', OLD],
      ['send', JSON.stringify(OLD)],
    ])
  })

  test('one below that answers anew is not converted again', async () => {
    const envelope: RequestHandler = (_req, res, next) => {
      const { send } = res
      res.send = (body) => {
        res.send = send
        return res.type('json').send(`{"data":${body}}`)
      }
      next()
    }
    const routes = tableOf()
    routes.route('user-detail').get((_req, res) => void res.json(ada))
    const server = await serve((app) => {
      app.use(envelope, versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
    })
    expect((await ask(server, 'v1', '/users/7')).json).toEqual({ data: OLD })
  })

  test('one below that answers anew by res.json is not converted again', async () => {
    const envelope: RequestHandler = (_req, res, next) => {
      const { send } = res
      res.send = (body) => {
        res.send = send
        return res.json({ data: JSON.parse(body as string) })
      }
      next()
    }
    const routes = tableOf()
    routes.route('user-detail').get((_req, res) => void res.json(ada))
    const server = await serve((app) => {
      app.use(envelope, versioning({ scheme: HeaderVersioning, changes: history, routes }), routes)
    })
    expect((await ask(server, 'v1', '/users/7')).json).toEqual({ data: OLD })
  })

  test('an answer that Express cannot send leaves the error to be converted', async () => {
    const server = await answering((res) => {
      const { setHeader } = res
      res.setHeader = (name, value) => {
        if (name === 'Content-Length') {
          res.setHeader = setHeader
          throw new Error('no such length')
        }
        return setHeader.call(res, name, value)
      }
      res.json(ada)
    })
    expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 500, json: { message: 'no such length' } })
  })

  test('what is sent once headers are out is what it was', async () => {
    const errors: unknown[] = []
    const server = await answering((res) => {
      res.write('x')
      try {
        res.json(ada)
      } catch (error) {
        errors.push((error as { code?: string }).code)
      }
      res.end()
    })
    expect((await ask(server, 'v1', '/users/7')).text).toBe('x')
    expect(errors).toEqual(['ERR_HTTP_HEADERS_SENT'])
  })

  test('json that throws leaves no trace', async () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    const server = await answering((res) => {
      try {
        res.json(loop)
      } catch {
        res.send('Ada')
      }
    })
    expect(await ask(server, 'v1', '/users/7')).toMatchObject({
      text: 'Ada',
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
  })
})

describe('what stands behind versioning() sees the newest shape, and what stands in front the older', () => {
  const envelope = (body: unknown) => ({ body, given: 'in', family: 'between' })
  const envelopes = { behind: { name: 'in between' }, front: envelope(OLD) }

  test('res.send of middleware behind versioning()', async () => {
    const kept: unknown[] = []
    const cache: RequestHandler = (_req, res, next) => {
      const { send } = res
      res.send = function (body) {
        kept.push(body)
        return send.call(this, body)
      }
      next()
    }
    const server = await answering((res) => res.json(ada), [cache])
    expect((await ask(server, 'v1', '/users/7')).json).toEqual(OLD)
    expect(kept).toEqual([JSON.stringify(ada)])
  })

  test.each<[where: string, seen: unknown[]]>([
    ['in front', [[OLD], JSON.stringify([OLD])]],
    ['on the app', [[OLD], JSON.stringify([OLD])]],
    ['in front, where res.json stands behind', [JSON.stringify([OLD])]],
    ['in front, with a replacer', [JSON.stringify([OLD])]],
  ])('res.send of a value: %s', async (where, expected) => {
    const seen: unknown[] = []
    const behind: unknown[] = []
    const wrap = (response: Response) => {
      const { send } = response
      response.send = function (body) {
        seen.push(body)
        return send.call(this, body)
      }
    }
    const routes = tableOf()
    routes.route('user-list').get((_req, res) => void res.send([ada]))
    routes.route('user-detail').get((_req, res) => void res.status(404).send({ error: 'gone' }))
    const server = await serve((app) => {
      if (where === 'on the app') wrap((app as object as { response: Response }).response)
      else app.use((_req, res, next) => next(wrap(res)))
      if (where.endsWith('replacer')) app.set('json replacer', (_key: string, value: unknown) => value)
      app.use(versioning({ scheme: HeaderVersioning, changes: history, routes }))
      app.use((_req, res, next) => {
        const { json } = res
        if (where.endsWith('behind'))
          res.json = function (body) {
            behind.push(body)
            return json.call(this, body)
          }
        next()
      }, routes)
    })
    expect((await ask(server, 'v1', '/users')).json).toEqual([OLD])
    expect(seen.splice(0)).toEqual(expected)
    expect(behind).toEqual(where.endsWith('behind') ? [[ada]] : [])
    expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 404, json: { message: 'gone' } })
    expect(seen).not.toContainEqual({ error: 'gone' })
  })

  test.each<[title: string, before: boolean]>([
    ['before versioning()', true],
    ['behind it', false],
  ])('res.json of middleware %s', async (_title, before) => {
    const wrap: RequestHandler = (_req, res, next) => {
      const { json } = res
      res.json = function (body) {
        return json.call(this, envelope(body))
      }
      next()
    }
    const routes = tableOf()
    routes.route('user-detail').get((_req, res) => void res.json(ada))
    const versions = versioning({ scheme: HeaderVersioning, changes: history, routes })
    const server = await serve((app) => {
      app.use(before ? [wrap, versions] : [versions, wrap], routes)
    })
    expect((await ask(server, 'v1', '/users/7')).json).toEqual(before ? envelopes.front : envelopes.behind)
  })
})

test('where nothing stands between, a text is made once', async () => {
  const server = await answering((res) => res.json(ada))
  const stringify = jest.spyOn(JSON, 'stringify')
  const { text } = await ask(server, 'v1', '/users/7')
  const made = stringify.mock.results.map(({ value }) => value)
  stringify.mockRestore()
  expect(made).toEqual([text])
})

test('what the handler’s own toJSON throws is thrown at the handler', async () => {
  const server = await answering((res) => {
    try {
      res.json({
        toJSON() {
          throw new Error('not now')
        },
      })
    } catch (error) {
      res.status(409).json({ error: (error as Error).message })
    }
  })
  expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 409, json: { message: 'not now' } })
})

if (major === 4) {
  describe('statuses beside the body, which Express 4 takes', () => {
    type Old = Record<'send' | 'json' | 'jsonp', (...args: unknown[]) => void>
    const shown = async (show: (res: Old) => void) => {
      const server = await answering((res) => show(res as object as Old))
      const { status, json } = await ask(server, 'v1', '/users/7')
      return [status, json]
    }
    const failed = { error: 'x' }

    test.each<[title: string, show: (res: Old) => void, outcome: [number, unknown]]>([
      ['send(status, object)', (res) => res.send(201, ada), [201, OLD]],
      ['send(object, status)', (res) => res.send(ada, 201), [201, OLD]],
      ['send(status, object) of an error', (res) => res.send(404, failed), [404, { message: 'x' }]],
      ['json(status, object)', (res) => res.json(404, failed), [404, { message: 'x' }]],
      ['json(object, status)', (res) => res.json(failed, 404), [404, { message: 'x' }]],
      ['jsonp(object, status)', (res) => res.jsonp(failed, 404), [404, { message: 'x' }]],
    ])('%s', async (_title, show, outcome) => {
      expect(await shown(show)).toEqual(outcome)
    })
  })
} else {
  test('Express 5 takes no second argument', async () => {
    const server = await answering((res) =>
      (res.type('json').send as (...args: unknown[]) => void)(JSON.stringify(ada), 404),
    )
    expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 200, json: OLD })
  })
}

test('an error handler that answers by itself is converted', async () => {
  const server = await serveChanges(history, (users, app) => {
    users.route('user-detail').get(() => {
      throw new Error('broken')
    })
    app.use(users, jsonErrors, express.json())
  })
  expect(await ask(server, 'v1', '/users/7')).toMatchObject({ status: 500, json: { message: 'broken' } })
})
