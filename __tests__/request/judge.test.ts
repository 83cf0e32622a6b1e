import { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  type BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  namedRoutes,
  URLPathVersioning,
  type VersionEvent,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { type Served, serve } from '../support/serve'

// The package compares the version of the matched route with the decided version before the handler runs.

const tell: RequestHandler = (req, res) =>
  void res.json({ version: req.version, view: req.resolverMatch?.viewName, params: req.params })

/** Moves the request to another path after `versioning()`, which decided about the old path. */
const move: RequestHandler = (req, _res, next) => {
  const to = req.get('X-To')
  if (to !== undefined) req.url = to
  next()
}

const LISTED = { allowedVersions: ['v1', 'v2'] }
const PATH = {
  status: 404,
  json: { error: 'Invalid version in URL path.', code: 'ERR_VERSION_NOT_FOUND', name: 'NotFound' },
}
const NAMESPACE = {
  status: 404,
  json: { ...PATH.json, error: 'Invalid version in URL path. Does not match any version namespace.' },
}

/** Builds a table with the version in its paths. Every route answers with its version. */
function pathTable() {
  const table = namedRoutes({ users: '/:version/users', about: '/about', tenant: '/t/:tenant' })
  for (const name of ['users', 'about', 'tenant'] as const) table.route(name).all(tell)
  return table
}

/** A table with the version in its namespaces. */
function namespaceTable() {
  const users = () => {
    const table = namedRoutes({ users: '/users' })
    table.route('users').all(tell)
    return table
  }
  const docs = namedRoutes({ index: '/' })
  docs.route('index').all(tell)
  const table = namedRoutes({ about: '/about' })
    .include('/v1', users(), { namespace: 'v1' })
    .include('/v2', users(), { namespace: 'v2' })
    .include('/docs', docs, { namespace: 'docs' })
  table.route('about').all(tell)
  return table
}

const moved = (options: VersioningOptions, table: RequestHandler) => (app: Application) =>
  void app.use(versioning(options), move, table)

const to = (path: string, headers: Record<string, string> = {}) => ({ 'X-To': path, ...headers })

describe('a request that was moved to another path', () => {
  const path = (more: Partial<VersioningOptions> = {}): Promise<Served> => {
    const routes = pathTable()
    return serve(moved({ scheme: URLPathVersioning, ...LISTED, routes, ...more }, routes))
  }

  test('is served where the match names the version that was decided', async () => {
    const { get } = await path()
    expect(await get('/v1/users?a', to('/v1/users?b'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is refused where it names another one, or one that is not accepted', async () => {
    const { get } = await path()
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject(PATH)
    expect(await get('/v1/users', to('/v9/users'))).toMatchObject(PATH)
  })

  test('is served where the match names none, though none could not have been decided', async () => {
    const { get } = await path()
    expect(await get('/about')).toMatchObject({ status: 404, json: { code: 'ERR_VERSION_MISSING' } })
    expect(await get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v1/users', to('/t/7'))).toMatchObject({ status: 200, json: { params: { tenant: '7' } } })
  })

  test('is served where the match names none, and the default is another one', async () => {
    const { get } = await path({ defaultVersion: 'v2' })
    expect(await get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/about', to('/v2/users'))).toMatchObject({ status: 200, json: { version: 'v2' } })
    expect(await get('/about', to('/v1/users'))).toMatchObject(PATH)
  })

  test('is served whatever it names, where that is neutral', async () => {
    const { get } = await path({ neutral: ['/v2/users', 'tenant'] })
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is never refused as a preflight', async () => {
    const { send } = await path()
    const preflight = to('/v2/users', { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET' })
    expect(await send('OPTIONS', '/v1/users', preflight)).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('keeps its version and its match behind the comparison', async () => {
    const routes = namespaceTable()
    const { get } = await serve(moved({ scheme: NamespaceVersioning, ...LISTED, routes }, routes))
    const answer = await get('/v1/users', to('/v1/users/'))
    expect(answer).toMatchObject({ status: 200, json: { version: 'v1', view: 'v1:users' } })
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject(NAMESPACE)
  })

  test('is served where a neutral namespace stands for no version', async () => {
    const routes = namespaceTable()
    const options = { scheme: NamespaceVersioning, ...LISTED, routes }
    const refusing = await serve(moved(options, routes))
    expect(await refusing.get('/v1/users', to('/docs'))).toMatchObject(NAMESPACE)
    const neutral = await serve(moved({ ...options, neutral: ['docs:'] }, routes))
    expect(await neutral.get('/v1/users', to('/docs'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })
})

describe('a table that the scheme meets only when it is dispatched', () => {
  test('is judged by the parameters of its match', async () => {
    const { get } = await serve((app) => {
      app.use(versioning({ scheme: URLPathVersioning, ...LISTED, defaultVersion: 'v1' }), pathTable())
    })
    expect(await get('/v1/users')).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v2/users')).toMatchObject(PATH)
    expect(await get('/about')).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is judged by the namespaces of its match', async () => {
    const { get } = await serve((app) => {
      app.use(versioning({ scheme: NamespaceVersioning, ...LISTED, defaultVersion: 'v1' }))
      app.use('/api', namespaceTable())
    })
    expect(await get('/api/v1/users')).toMatchObject({ status: 200, json: { version: 'v1', view: 'v1:users' } })
    expect(await get('/api/v2/users')).toMatchObject(NAMESPACE)
    expect(await get('/api/about')).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is judged by the parameters that the versioning() itself ran with', async () => {
    const { get } = await serve((app) => {
      app.get('/:version/users', versioning({ scheme: URLPathVersioning, ...LISTED }), namespaceTable(), tell)
      app.get('/:version/{*rest}', tell)
    })
    expect(await get('/v1/users')).toMatchObject({ status: 200, json: { version: 'v1', view: 'v1:users' } })
  })
})

describe('middleware of a table below a parameter', () => {
  const table = () => {
    const made = pathTable().use('/:version/note', (req, res, next) => {
      res.set('X-Noted', String(req.version))
      next()
    })
    return made.use('/:version/end', tell)
  }
  const serving = (scheme: VersioningOptions['scheme'] = URLPathVersioning) => {
    const routes = table()
    return serve(moved({ scheme, ...(typeof scheme === 'function' ? LISTED : {}), routes }, routes))
  }

  test('is not reached where that names another version', async () => {
    const { get } = await serving()
    expect(await get('/v1/users', to('/v1/end'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v1/users', to('/v2/end'))).toMatchObject(PATH)
  })

  test('is, where what stands there is no version: it may be anything', async () => {
    const { get } = await serving()
    const answer = await get('/v1/users', to('/anything/end'))
    expect(answer).toMatchObject({ status: 200, json: { version: 'v1', params: { version: 'anything' } } })
    expect((await get('/v1/users', to('/anything/note'))).headers['x-noted']).toBe('v1')
  })

  test('is not where the scheme fails otherwise', async () => {
    class Own extends URLPathVersioning {
      override readVersion(...asked: Parameters<URLPathVersioning['readVersion']>): string | undefined {
        const version = super.readVersion(...asked)
        if (version === 'down') throw new Error('down')
        return version
      }
    }
    const { get } = await serving(new Own(LISTED))
    expect(await get('/v1/users', to('/anything/end'))).toMatchObject({ status: 200 })
    expect(await get('/v1/users', to('/down/end'))).toMatchObject({ status: 500, json: { error: 'down' } })
  })
})

describe('a table below a table', () => {
  const noting =
    (name: string): RequestHandler =>
    (_req, res, next) => {
      res.append('X-Noted', name)
      next()
    }
  const child = (name: string) => {
    const made = namedRoutes({ users: '/users' }).use(noting(name))
    made.route('users').get(tell)
    return made
  }
  const namespaces = () => {
    const routes = namedRoutes({ any: '/*rest' })
      .include('/v1', child('v1'), { namespace: 'v1' })
      .include('/v2', child('v2'), { namespace: 'v2' })
    routes.route('any').get(tell)
    return serve(moved({ scheme: NamespaceVersioning, ...LISTED, routes }, routes))
  }

  test('of another version is not entered: neither are its routes the request’s, nor its middleware', async () => {
    const { get } = await namespaces()
    const refused = await get('/v1/users', to('/v2/users'))
    expect([refused.status, refused.headers['x-noted']]).toEqual([404, undefined])
    const same = await get('/v1/users', to('/v1/users/'))
    expect([same.status, same.headers['x-noted']]).toEqual([200, 'v1'])
  })

  test('of another version is passed by where it has no route for the request', async () => {
    const { get } = await namespaces()
    const answer = await get('/v1/users', to('/v2/nothing'))
    expect(answer).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(answer.headers['x-noted']).toBeUndefined()
  })

  test('is entered where what stands in the way is no version: it may be anything', async () => {
    const inner = namedRoutes({}).use('/end', tell)
    const routes = pathTable().include('/:version', inner)
    const { get } = await serve(moved({ scheme: URLPathVersioning, ...LISTED, routes }, routes))
    expect(await get('/v1/users', to('/anything/end'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect((await get('/v1/users', to('/v2/end'))).status).toBe(404)
  })

  test('is entered where the way to it names none: its middleware may move the request', async () => {
    const inner = namedRoutes({ within: '/:version/within' }).use((req, _res, next) => {
      req.url = req.url.replace('/v2', '/v1')
      next()
    })
    inner.route('within').get(tell)
    const routes = pathTable().include('/in', inner)
    const { get } = await serve(moved({ scheme: URLPathVersioning, ...LISTED, routes }, routes))
    expect(await get('/v1/users', to('/in/v2/within'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v1/users', to('/in/v9/within'))).toMatchObject(PATH)
  })
})

describe('an error on its way', () => {
  test('reaches the error handlers, whatever their path names; but no callbacks of param() of another version', async () => {
    const asked: string[] = []
    const serving = (watched: boolean) => {
      const routes = pathTable().use((_req, _res, next) => next(new Error('early')))
      if (watched)
        routes.param('version', (_req, _res, next, value) => {
          asked.push(value)
          next()
        })
      const handle: ErrorRequestHandler = (error, _req, res, _next) => void res.json({ handled: error.message })
      routes.use('/:version/end', handle as never)
      return serve((app) => app.use(versioning({ scheme: URLPathVersioning, ...LISTED, routes }), move, routes))
    }
    const plain = await serving(false)
    expect((await plain.get('/v1/users', to('/v1/end'))).json).toEqual({ handled: 'early' })
    expect((await plain.get('/v1/users', to('/v2/end'))).json).toEqual({ handled: 'early' })
    const watched = await serving(true)
    expect((await watched.get('/v1/users', to('/v1/end'))).json).toEqual({ handled: 'early' })
    expect((await watched.get('/v1/users', to('/v2/end'))).json).toMatchObject({ error: 'early' })
    expect(asked).toEqual(['v1'])
  })
})

describe('a plain router below a table, whose routes nobody can compare', () => {
  const serving = () => {
    const plain = () => Router({ mergeParams: true }).get('/x', tell) as never
    const inner = namedRoutes({}).include('/plain', plain())
    const routes = pathTable()
      .include('/plain', plain())
      .include('/:version/plain', plain())
      .include('/in/:version', inner, { namespace: 'in' })
    return serve(moved({ scheme: URLPathVersioning, ...LISTED, routes }, routes))
  }

  test('is reached where the way to it names no version', async () => {
    expect((await (await serving()).get('/v1/users', to('/plain/x'))).json).toMatchObject({ version: 'v1', params: {} })
  })

  test.each([['/%s/plain/x'], ['/in/%s/plain/x']])('or the one that was decided, and no other: %s', async (path) => {
    const { get } = await serving()
    const at = (version: string) => get('/v1/users', to(path.replace('%s', version)))
    expect(await at('v1')).toMatchObject({ status: 200, json: { version: 'v1' } })
    // The request is refused, or passes the table without a route for it.
    expect([(await at('v2')).status, (await at('v9')).status]).toEqual([404, 404])
  })
})

describe('neutral paths are those below the mount of versioning()', () => {
  const at = (neutral: string[]) =>
    serve((app) => {
      const table = namedRoutes({ version: '/:version', users: '/:version/users' })
      table.route('version').all(tell)
      table.route('users').all(tell)
      app.use('/api/v1', versioning({ scheme: URLPathVersioning, ...LISTED, defaultVersion: 'v2', neutral }))
      app.use('/api', table)
    })

  test('the mount itself', async () => {
    expect(await (await at(['/'])).get('/api/v1')).toMatchObject({ status: 200, json: { version: null } })
    expect(await (await at(['/users'])).get('/api/v1')).toMatchObject(PATH)
  })

  test('a path below it', async () => {
    expect(await (await at(['/users'])).get('/api/v1/users')).toMatchObject({ status: 200, json: { version: null } })
    expect(await (await at(['/'])).get('/api/v1/users')).toMatchObject(PATH)
  })
})

describe('a combination', () => {
  const combined = (routes: ReturnType<typeof pathTable>, more: Partial<VersioningOptions> = {}) =>
    moved(
      {
        scheme: new CombinedVersioning({
          schemes: [new HeaderVersioning(), new URLPathVersioning()],
          ...LISTED,
          defaultVersion: 'v1',
        }),
        routes,
        ...more,
      },
      routes,
    )

  test('is refused as the scheme of the match refuses, whatever else names a version', async () => {
    const { get } = await serve(combined(pathTable()))
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject(PATH)
    const header = { 'X-API-Version': 'v1' }
    expect(await get('/about', to('/v1/users', header))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/about', to('/v2/users', header))).toMatchObject(PATH)
  })

  test.each([
    ['path', () => new URLPathVersioning(), pathTable, PATH],
    ['namespace', () => new NamespaceVersioning(), namespaceTable, NAMESPACE],
    ['combination of its own', () => new CombinedVersioning({ schemes: [new URLPathVersioning()] }), pathTable, PATH],
  ])(
    'in which a header decides is refused by the %s of the route all the same',
    async (_what, reader, table, refusal) => {
      const schemes = [new HeaderVersioning(), reader()]
      const events: unknown[] = []
      const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...LISTED })
      const routes = table()
      const onVersion = ({ version }: VersionEvent) => void events.push(version)
      const { get } = await serve(moved({ scheme, routes, onVersion }, routes))
      const header = { 'X-API-Version': 'v1' }
      expect(await get('/v1/users', header)).toMatchObject({ status: 200, json: { version: 'v1' } })
      expect(await get('/about', header)).toMatchObject({ status: 200, json: { version: 'v1' } })
      expect(events.splice(0)).toEqual(['v1', 'v1'])
      const refused = await get('/v2/users', header)
      expect(refused).toMatchObject(refusal)
      expect(refused.headers['api-version']).toBeUndefined()
      expect(events.splice(0)).toEqual(['v1', undefined])
      expect(await get('/about', to('/v2/users', header))).toMatchObject(refusal)
    },
  )
})

describe('what another part of the request names by now', () => {
  const put: RequestHandler = (req, _res, next) => {
    req.headers['x-api-version'] = 'v2'
    next()
  }
  const changed = (scheme: BaseVersioning, routes: ReturnType<typeof pathTable> | ReturnType<typeof namespaceTable>) =>
    serve((app) => app.use(versioning({ scheme, routes }), put, move, routes))
  const first = (reader: BaseVersioning) =>
    new CombinedVersioning({ schemes: [new HeaderVersioning(), reader], onConflict: 'first', ...LISTED })

  test('does not count where the path is the one that decided', async () => {
    const { get } = await changed(first(new URLPathVersioning()), pathTable())
    expect(await get('/t/7', { 'X-API-Version': 'v1' })).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is not the match’s, where that names nothing: the version is not decided anew', async () => {
    const { get } = await changed(first(new URLPathVersioning()), pathTable())
    expect(await get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('hides nothing that the match names', async () => {
    const path = await changed(first(new URLPathVersioning()), pathTable())
    expect(await path.get('/v1/users', to('/t/7'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await path.get('/v1/users', to('/v2/users'))).toMatchObject(PATH)
    const namespace = await changed(first(new NamespaceVersioning()), namespaceTable())
    expect(await namespace.get('/v1/users', to('/v2/users'))).toMatchObject(NAMESPACE)
    expect(await namespace.get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  class Either extends URLPathVersioning {
    override readVersion(...[req, kwargs]: Parameters<URLPathVersioning['readVersion']>) {
      return req.get('X-API-Version') ?? super.readVersion(req, kwargs)
    }
  }

  test('is refused where one scheme reads both, and does not say which it was', async () => {
    for (const scheme of [new Either(LISTED), new CombinedVersioning({ schemes: [new Either()], ...LISTED })]) {
      const { get } = await changed(scheme, pathTable())
      expect(await get('/v1/users', to('/about'))).toMatchObject(PATH)
    }
  })

  test('is not asked for in front of a table that stands in no version', async () => {
    const table = namedRoutes({}).use('/note', tell)
    const scheme = new Either({ ...LISTED, defaultVersion: 'v1' })
    const { get } = await serve((app) => app.use(versioning({ scheme }), put, table))
    expect(await get('/note')).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('is not asked for in front of a router where no version can stand', async () => {
    const plain = Router().get('/x', tell) as never
    const { get } = await changed(new Either(LISTED), pathTable().include('/plain', plain))
    expect(await get('/v1/users', to('/plain/x'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })
})

describe('schemes of one’s own', () => {
  test('get no positional arguments, and the parameters of the match over those of versioning()', async () => {
    const asked: unknown[] = []
    class Own extends URLPathVersioning {
      override determineVersion(...[, args, kwargs]: Parameters<URLPathVersioning['determineVersion']>): string | null {
        asked.push([args, { ...kwargs }])
        return typeof kwargs.version === 'string' ? kwargs.version : null
      }
    }
    const routes = pathTable()
    const { get } = await serve((app) => {
      const put: RequestHandler = (req, _res, next) => {
        req.params = { version: 'v1', tenant: 'a' }
        next()
      }
      app.get('/v1/users', put, versioning({ scheme: Own, routes }), (req, res, next) => {
        req.params = {}
        routes(req, res, next)
      })
    })
    expect((await get('/v1/users')).status).toBe(200)
    const { get: judged } = await serve(moved({ scheme: Own, routes }, routes))
    expect((await judged('/v1/users', to('/v1/users?moved'))).json).toMatchObject({ params: { version: 'v1' } })
    expect((await judged('/v1/users', to('/v2/users'))).status).toBe(404)
    expect(asked).toEqual([
      [[], { version: 'v1', tenant: 'a' }],
      [[], { version: 'v1' }],
      [[], { version: 'v1' }],
      [[], { version: 'v2' }],
    ])
  })

  const own = (determine: (version: string | undefined) => unknown, events: VersionEvent[] = []) => {
    class Own extends URLPathVersioning {
      override determineVersion(_req: unknown, _args: unknown, kwargs: { version?: string }) {
        return determine(kwargs.version) as never
      }
    }
    const routes = pathTable()
    return serve(moved({ scheme: Own, routes, onVersion: (event) => void events.push(event) }, routes))
  }

  test.each<[what: string, determine: (version: string | undefined) => unknown]>([
    ['at once', (version) => version],
    ['by a promise', async (version) => version],
  ])('that decide %s are asked what the match names', async (_what, determine) => {
    const { get } = await own(determine)
    expect(await get('/v1/users', to('/v1/users/'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject(PATH)
    expect(await get('/v1/users')).toMatchObject({ status: 200 })
    expect(await get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test('that promise are waited for, and the request goes on once', async () => {
    const seen: unknown[] = []
    class Later extends URLPathVersioning {
      override readVersion(...asked: Parameters<URLPathVersioning['readVersion']>) {
        return Promise.resolve(super.readVersion(...asked)) as never
      }
    }
    const routes = pathTable()
    const onError: ErrorRequestHandler = (error, _req, res, _next) => {
      seen.push(error)
      res.end()
    }
    const { get } = await serve((app) => {
      app.use(versioning({ scheme: Later, ...LISTED, routes }), move, routes).use(onError)
    })
    expect(await get('/v1/users', to('/v1/users/'))).toMatchObject({ status: 200, json: { version: 'v1' } })
    await new Promise(setImmediate)
    expect(seen).toEqual([])
  })

  test.each([false, true])('guard the callbacks of param(), also by promises: %p', async (later) => {
    class Either extends URLPathVersioning {
      override readVersion(...args: Parameters<URLPathVersioning['readVersion']>) {
        const version = super.readVersion(...args)
        return (later ? Promise.resolve(version) : version) as never
      }
    }
    const seen: unknown[] = []
    const item = namedRoutes({ item: '/items/:id' }).param('id', (req, _res, next, id) => {
      seen.push([id, req.version])
      next()
    })
    item.route('item').get(tell)
    const routes = namedRoutes({ own: '/own/:version/:id' }).include('/:version', item)
    routes.route('own').get(tell)
    routes.use('/used/:version', tell)
    routes.param('version', (req, _res, next, version) => {
      seen.push([version, req.version])
      next()
    })
    const { get } = await serve(moved({ scheme: Either, ...LISTED, routes }, routes))
    for (const path of ['/%s/items/7', '/own/%s/7', '/used/%s']) {
      const at = (version: string) => get('/v1/items/6', to(path.replace('%s', version)))
      expect([(await at('v2')).status, seen.splice(0)]).toEqual([404, []])
      expect((await at('v1')).json).toMatchObject({ version: 'v1', params: { version: 'v1' } })
      expect(seen.splice(0)).toEqual(
        path.includes('items')
          ? [
              ['v1', 'v1'],
              ['7', 'v1'],
            ]
          : [['v1', 'v1']],
      )
    }
  })

  test('that say null name none', async () => {
    const { get } = await own((version) => version ?? null)
    expect(await get('/v1/users', to('/about'))).toMatchObject({ status: 200, json: { version: 'v1' } })
  })

  test.each<[what: string, fail: () => unknown, error: string]>([
    [
      'throws',
      () => {
        throw new Error('down')
      },
      'down',
    ],
    ['rejects', () => Promise.reject(new Error('down')), 'down'],
    // Express would take these for "go on".
    ['rejects with nothing', () => Promise.reject(undefined), 'determineVersion() failed with undefined.'],
    ['rejects with a signal', () => Promise.reject('router'), "determineVersion() failed with 'router'."],
  ])('one that %s when it is asked again fails the request, which observers hear of', async (_what, fail, error) => {
    const events: VersionEvent[] = []
    const { get } = await own((version) => (version === 'v2' ? fail() : version), events)
    expect(await get('/v1/users', to('/v2/users'))).toMatchObject({ status: 500, json: { error } })
    expect(events.map(({ version }) => version)).toEqual(['v1', undefined])
  })
})
