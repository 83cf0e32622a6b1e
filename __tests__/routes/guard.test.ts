import express, { type Application, type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import {
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  NamespaceVersioning,
  NotFound,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// A table compares the version in the match with the decided version before anything of the match runs.

type Table = ReturnType<typeof namedRoutes<Record<string, string>>>
type Reading = Parameters<URLPathVersioning['readVersion']>

const LISTED = { allowedVersions: ['v1', 'v2'] }
const WITH_DEFAULT = { ...LISTED, defaultVersion: 'v1' }
const PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const NAMESPACE = `${PATH} Does not match any version namespace.`
const PREFLIGHT = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET' }

const tell: RequestHandler = (req, res) => void res.json(`${req.version} at ${req.baseUrl + req.url}`)
const note: RequestHandler = (_req, res, next) => {
  res.set('X-Noted', 'noted:')
  next()
}
/** Moves the request to another path after `versioning()`, which decided about the old one. */
const move: RequestHandler = (req, _res, next) => {
  req.url = req.get('X-To') ?? req.url
  next()
}
/** Puts another version into the request, after the decision. */
const put: RequestHandler = (req, _res, next) => {
  req.headers['x-api-version'] = 'v2'
  next()
}

class SlowNamespace extends NamespaceVersioning {
  override readVersion(...args: Parameters<NamespaceVersioning['readVersion']>) {
    return Promise.resolve(super.readVersion(...args)) as never
  }
}
class SlowPath extends URLPathVersioning {
  override readVersion(...args: Reading) {
    return Promise.resolve(super.readVersion(...args)) as never
  }
}

/** A table whose routes all answer. */
function table(paths: Record<string, string>): Table {
  const made = namedRoutes(paths)
  for (const name of Object.keys(paths)) made.route(name).all(tell)
  return made
}
const pathTable = () => table({ users: '/:version/users', about: '/about', tenant: '/t/:tenant' })
const namespaceTable = () =>
  table({ about: '/about' })
    .include('/v1', table({ users: '/users' }), { namespace: 'v1' })
    .include('/v2', table({ users: '/users' }), { namespace: 'v2' })
    .include('/docs', table({ index: '/' }), { namespace: 'docs' }) as Table

/**
 * Asks an app, and compares its answers. A request is `[PREFLIGHT] <path> [> <path after versioning()>] [Name=value]`. An
 * answer is the body, or the status with code and message.
 */
async function check(build: (app: Application) => void, answers: Record<string, string>): Promise<void> {
  const { send } = await serve(build)
  const seen: Record<string, unknown> = {}
  for (const request of Object.keys(answers)) {
    const [, preflight, path = '', to, field] = /^(PREFLIGHT )?(\S+)(?: > (\S+))?(?: (\S+=\S+))?$/.exec(request) ?? []
    const [name = '', value = ''] = field?.split('=') ?? []
    const headers = { ...(to && { 'X-To': to }), ...(field && { [name]: value }), ...(preflight && PREFLIGHT) }
    const { status, json, headers: sent } = await send(preflight ? 'OPTIONS' : 'GET', path, headers)
    const { code, error } = Object(json)
    const told = typeof json === 'string' ? json : `${status}${code ? ` ${code}` : ''} ${error}`
    seen[request] = (sent['x-noted'] ?? '') + told
  }
  expect(seen).toEqual(answers)
}

const moved = (options: VersioningOptions & { routes: Table }, ...between: RequestHandler[]) =>
  ((app) => app.use(versioning(options), ...between, move, options.routes)) as (app: Application) => void
const byPath = (routes = pathTable(), more: Partial<VersioningOptions> = {}) =>
  moved({ scheme: URLPathVersioning, ...LISTED, ...more, routes } as never)
const byNamespace = (routes = namespaceTable(), more: Partial<VersioningOptions> = {}) =>
  moved({ scheme: NamespaceVersioning, ...LISTED, ...more, routes } as never)

describe('a request that was moved to another path', () => {
  test('is served where the match names the decided version or none', () =>
    check(byPath(), {
      '/v1/users?a > /v1/users?b': 'v1 at /v1/users?b',
      '/v1/users > /about': 'v1 at /about',
      '/v1/users > /t/7': 'v1 at /t/7',
      '/about': '404 ERR_VERSION_MISSING Invalid version in URL path.',
      '/v1/users > /v2/users': PATH,
      '/v1/users > /v9/users': PATH,
      'PREFLIGHT /v1/users > /v2/users': 'v1 at /v2/users',
    }))

  test('is compared with the decision, also if that was the default', () =>
    check(byPath(pathTable(), { defaultVersion: 'v2' }), {
      '/v1/users > /about': 'v1 at /about',
      '/about > /v2/users': 'v2 at /v2/users',
      '/about > /v1/users': PATH,
    }))

  test('may reach neutral routes of any version', async () => {
    await check(byPath(pathTable(), { neutral: ['/v2/users', 'tenant'] }), {
      '/v1/users > /v2/users': 'v1 at /v2/users',
    })
    await check(byNamespace(), { '/v1/users > /docs': NAMESPACE, '/v1/users > /v2/users': NAMESPACE })
    await check(byNamespace(namespaceTable(), { neutral: ['docs:'] }), { '/v1/users > /docs': 'v1 at /docs/' })
  })

  test.each<[neutral: string, itself: string, below: string]>([
    ['/', 'null at /api/v1', PATH],
    ['/users', PATH, 'null at /api/v1/users'],
  ])('whose neutral path %s is one below the mount of versioning()', (neutral, itself, below) => {
    const routes = table({ version: '/:version', users: '/:version/users' })
    const options = { scheme: URLPathVersioning, ...LISTED, defaultVersion: 'v2', neutral: [neutral] }
    return check((app) => app.use('/api/v1', versioning(options)).use('/api', routes), {
      '/api/v1': itself,
      '/api/v1/users': below,
    })
  })
})

test('a neutral path is not one outside the mount of versioning()', () =>
  check(
    (app) => {
      const routes = pathTable()
      const options = { scheme: URLPathVersioning, ...WITH_DEFAULT, neutral: ['/v2/users', '/'] }
      app.use('/a', versioning(options), (req, res, next) => {
        Object.assign(req, { baseUrl: '', url: '/v2/users' })
        routes(req, res, next)
      })
    },
    { '/a/x': PATH },
  ))

describe('a table that the scheme did not see', () => {
  test('is judged by the parameters of its match', () =>
    check((app) => app.use(versioning({ scheme: URLPathVersioning, ...WITH_DEFAULT }), pathTable()), {
      '/v1/users': 'v1 at /v1/users',
      '/v2/users': PATH,
      '/about': 'v1 at /about',
    }))

  test('is judged by the namespaces of its match', () =>
    check(
      (app) => app.use(versioning({ scheme: NamespaceVersioning, ...WITH_DEFAULT })).use('/api', namespaceTable()),
      { '/api/v1/users': 'v1 at /api/v1/users', '/api/v2/users': NAMESPACE, '/api/about': 'v1 at /api/about' },
    ))

  test('is judged by its own match if the root does not contain it', () =>
    check(
      (app) =>
        app
          .use(versioning({ scheme: NamespaceVersioning, ...WITH_DEFAULT, routes: pathTable() }))
          .use('/other', namespaceTable()),
      {
        '/other/v1/users': 'v1 at /other/v1/users',
        '/other/v2/users': NAMESPACE,
      },
    ))

  test('is judged with the parameters of versioning() itself', () =>
    check(
      (app) => {
        app.get('/:version/users', versioning({ scheme: URLPathVersioning, ...LISTED }), namespaceTable())
        app.get('/:version/{*rest}', tell)
      },
      { '/v1/users': 'v1 at /v1/users' },
    ))
})

describe('middleware and mounts', () => {
  class Own extends URLPathVersioning {
    override readVersion(...asked: Reading) {
      const version = super.readVersion(...asked)
      if (version === 'down') throw new Error('down')
      return version
    }
  }
  const noted = () =>
    table({})
      .use(note)
      .include('/', table({ users: '/users' }))

  test('below a parameter are entered where it is no version', () => {
    const routes = pathTable().use('/:version/note', note).use('/:version/end', tell) as Table
    return check(moved({ scheme: new Own(LISTED), routes }), {
      '/v1/users > /v1/end': 'v1 at /v1/end/',
      '/v1/users > /v2/end': PATH,
      '/v1/users > /any/end': 'v1 at /any/end/',
      '/v1/users > /any/note': 'noted:404 undefined',
      '/v1/users > /down/end': '500 down',
    })
  })

  test('of another version are skipped where they have no route, and refused where they have one', () => {
    const routes = namedRoutes({ any: '/*rest' })
      .include('/v1', noted(), { namespace: 'v1' })
      .include('/v2', noted(), { namespace: 'v2' })
    routes.route('any').get(tell)
    return check(byNamespace(routes as never), {
      '/v1/users > /v2/users': NAMESPACE,
      '/v1/users > /v1/users/': 'noted:v1 at /v1/users/',
      '/v1/users > /v2/nothing': 'v1 at /v2/nothing',
    })
  })

  test('with optional parts are read as router does, and compared', () =>
    check(byPath(pathTable().include('{/:version}', table({ list: '/list' })) as Table), {
      '/v1/users > /list': 'v1 at /list',
      '/v1/users > /v1/list': 'v1 at /v1/list',
      '/v1/users > /v2/list': PATH,
    }))

  test('whose parameter may be anything are entered, but not for another version', () => {
    const inside = table({ within: '/:version/within' })
    const rewriting = namedRoutes({}).use((req, _res, next) => {
      req.url = req.url.replace('/v2', '/v1')
      next()
    })
    const routes = pathTable()
      .include('/:version', namedRoutes({}).use('/end', tell))
      .include('/in', rewriting.include('/', inside))
    return check(byPath(routes as Table), {
      '/v1/users > /any/end': 'v1 at /any/end/',
      '/v1/users > /v2/end': '404 undefined',
      '/v1/users > /in/v2/within': 'v1 at /in/v1/within',
      '/v1/users > /in/v9/within': PATH,
    })
  })

  test('that are plain routers are reached in the decided version, or where no version can stand', () => {
    const plain = () => Router({ mergeParams: true }).get('/x', tell) as never
    const routes = pathTable()
      .include('/plain', plain())
      .include('/:version/plain', plain())
      .include('/in/:version', namedRoutes({}).include('/plain', plain()), { namespace: 'in' })
    return check(byPath(routes as Table), {
      '/v1/users > /plain/x': 'v1 at /plain/x',
      '/v1/users > /v1/plain/x': 'v1 at /v1/plain/x',
      '/v1/users > /v2/plain/x': PATH,
      '/v1/users > /v9/plain/x': PATH,
      '/v1/users > /in/v1/plain/x': 'v1 at /in/v1/plain/x',
      '/v1/users > /in/v2/plain/x': '404 undefined',
      '/v1/users > /in/v9/plain/x': PATH,
    })
  })

  test.each([[false], [true]])('get errors of all versions; with callbacks of param(): %p', async (watched) => {
    const asked: string[] = []
    const routes = pathTable().use((_req, _res, next) => next(new Error('early')))
    const handle: ErrorRequestHandler = (error, _req, res, _next) => void res.json(`handled ${error.message}`)
    routes.use('/:version/end', handle as never)
    if (watched) {
      routes.param('version', (_req, _res, next, value) => {
        asked.push(value)
        next()
      })
    }
    await check(byPath(routes), {
      '/v1/users > /v1/end': 'handled early',
      '/v1/users > /v2/end': watched ? '500 early' : 'handled early',
    })
    expect(asked).toEqual(watched ? ['v1'] : [])
  })
})

describe('a table that the app mounts itself, below a version', () => {
  const settings = { defaultVersion: 'v1', allowedVersions: ['v1', 'v9'] }
  const within: RequestHandler = (req, _res, next) => {
    req.url = req.url.replace(/^\/v1\/moved/, '/v9')
    next()
  }
  const mounted = (scheme: BaseVersioning) => (app: Application) => {
    const child = table({ list: '/list' }).use(express.Router().get('/plain', tell)).use('/middleware', tell)
    const routes = namedRoutes({}, { caseSensitive: true }).include('/v9', child, { namespace: 'v9' })
    routes.include('/v1', namedRoutes({}), { namespace: 'v1' })
    app.use(versioning({ scheme, routes }), within).use('/v9', child)
  }
  const last = (scheme: BaseVersioning) => (app: Application) => {
    mounted(scheme)(app)
    app.use(tell)
  }
  const both = () =>
    new CombinedVersioning({ schemes: [new HeaderVersioning(), new NamespaceVersioning()], ...settings })

  test.each<[string, () => BaseVersioning]>([
    ['at once', () => new NamespaceVersioning(settings)],
    ['later', () => new SlowNamespace(settings)],
    ['in a combination', both],
  ])('is compared %s, and skipped where it has no route', (_when, scheme) =>
    check(last(scheme()), {
      '/v9/plain': 'v9 at /v9/plain',
      '/v9/middleware': 'v9 at /v9/middleware/',
      '/v9/list': 'v9 at /v9/list',
      '/V9/plain': 'v1 at /V9/plain',
      '/V9/middleware': 'v1 at /V9/middleware',
      '/V9/list': NAMESPACE,
      '/v1/moved/plain': 'v1 at /v9/plain',
      '/v1/moved/middleware': 'v1 at /v9/middleware',
      '/v1/moved/list': NAMESPACE,
      '/v1/moved/none': 'v1 at /v9/none',
      'PREFLIGHT /V9/list': 'v1 at /V9/list',
    }),
  )

  test('is not compared by a scheme that does not read the route', async () => {
    let asked = 0
    class Counting extends HeaderVersioning {
      override readVersion(...[req]: Parameters<HeaderVersioning['readVersion']>) {
        asked++
        return super.readVersion(req)
      }
    }
    await check(mounted(new Counting(settings)), { '/v9/list': 'v1 at /v9/list' })
    expect(asked).toBe(1)
  })
})

describe('a combination', () => {
  const first = (reader: BaseVersioning, onConflict: 'first' | 'reject' = 'first', settings = {}) =>
    new CombinedVersioning({ schemes: [new HeaderVersioning(), reader], onConflict, ...LISTED, ...settings })

  test('is refused as the scheme of the match refuses', () =>
    check(moved({ scheme: first(new URLPathVersioning(), 'reject', WITH_DEFAULT), routes: pathTable() }), {
      '/v1/users > /v2/users': PATH,
      '/about > /v1/users X-API-Version=v1': 'v1 at /v1/users',
      '/about > /v2/users X-API-Version=v1': PATH,
    }))

  test.each<[string, () => BaseVersioning, () => Table, string]>([
    ['path', () => new URLPathVersioning(), pathTable, PATH],
    ['namespace', () => new NamespaceVersioning(), namespaceTable, NAMESPACE],
    ['combination of its own', () => new CombinedVersioning({ schemes: [new URLPathVersioning()] }), pathTable, PATH],
  ])('in which a header decides is refused by the %s of the route', async (_what, reader, table, refusal) => {
    const events: unknown[] = []
    const onVersion = ({ version }: { version: unknown }) => void events.push(version)
    await check(moved({ scheme: first(reader()), routes: table(), onVersion }), {
      '/v1/users X-API-Version=v1': 'v1 at /v1/users',
      '/about X-API-Version=v1': 'v1 at /about',
      '/v2/users X-API-Version=v1': refusal,
      '/about > /v2/users X-API-Version=v1': refusal,
    })
    expect(events).toEqual(['v1', 'v1', 'v1', undefined, 'v1', undefined])
  })

  test('asks its schemes one after the other, also for promises', () =>
    check(
      moved({
        scheme: new CombinedVersioning({
          schemes: [new HeaderVersioning(), new SlowPath(), new SlowNamespace()],
          onConflict: 'first',
          ...LISTED,
        }),
        routes: namespaceTable().include('/at/:version', table({ other: '/other' })) as Table,
      }),
      {
        '/v1/users X-API-Version=v1': 'v1 at /v1/users',
        '/v2/users X-API-Version=v1': NAMESPACE,
        '/at/v2/other X-API-Version=v1': PATH,
      },
    ))

  test('does not decide anew what came into the request behind the decision', async () => {
    await check(moved({ scheme: first(new URLPathVersioning()), routes: pathTable() }, put), {
      '/t/7 X-API-Version=v1': 'v1 at /t/7',
      '/v1/users > /about': 'v1 at /about',
      '/v1/users > /t/7': 'v1 at /t/7',
      '/v1/users > /v2/users': PATH,
    })
    await check(moved({ scheme: first(new NamespaceVersioning()), routes: namespaceTable() }, put), {
      '/v1/users > /v2/users': NAMESPACE,
      '/v1/users > /about': 'v1 at /about',
    })
    const schemes = [new QueryParameterVersioning(), new URLPathVersioning()]
    const scheme = new CombinedVersioning({ schemes, onConflict: 'first', ...WITH_DEFAULT })
    await check(moved({ scheme, routes: pathTable() }), {
      '/about > /v2/users?version=v2': PATH,
      '/about > /v2/users?version=v1': PATH,
      '/about > /v1/users?version=v2': 'v1 at /v1/users?version=v2',
      '/about > /about?version=v2': 'v1 at /about?version=v2',
    })
  })

  class Either extends URLPathVersioning {
    override readVersion(...[req, kwargs]: Reading) {
      return req.get('X-API-Version') ?? super.readVersion(req, kwargs)
    }
  }

  test('or one scheme that reads both is refused for either, but asked only where a version can stand', async () => {
    for (const scheme of [new Either(LISTED), new CombinedVersioning({ schemes: [new Either()], ...LISTED })]) {
      const routes = pathTable().include('/plain', Router().get('/x', tell) as never)
      await check(moved({ scheme, routes }, put), {
        '/v1/users > /about': PATH,
        '/v1/users > /plain/x': 'v1 at /plain/x',
      })
    }
    const scheme = new Either(WITH_DEFAULT)
    await check((app) => app.use(versioning({ scheme }), put, namedRoutes({}).use('/note', tell)), {
      '/note': 'v1 at /note/',
    })
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
    const params =
      (params: Record<string, string>): RequestHandler =>
      (req, _res, next) => {
        req.params = params
        next()
      }
    const inner = versioning({ scheme: Own, routes })
    const chain = [params({ version: 'v1', tenant: 'a' }), inner, params({}), routes]
    await check((app) => app.get('/v1/users', ...chain), { '/v1/users': 'v1 at /v1/users' })
    await check(moved({ scheme: Own, routes }), {
      '/v1/users > /v1/users?moved': 'v1 at /v1/users?moved',
      '/v1/users > /v2/users': PATH,
    })
    const kwargs = [
      { version: 'v1', tenant: 'a' },
      { version: 'v1' },
      ...['v1', 'v1', 'v2'].map((version) => ({ version })),
    ]
    expect(asked).toEqual([kwargs[0], ...kwargs.slice(2)].map((one) => [[], one]))
  })

  const own = (determine: (version: string | undefined) => unknown, events: unknown[] = []) => {
    class Own extends URLPathVersioning {
      override determineVersion(_req: unknown, _args: unknown, kwargs: { version?: string }) {
        return determine(kwargs.version) as never
      }
    }
    return byPath(pathTable(), { scheme: Own, onVersion: ({ version }) => void events.push(version) })
  }

  test.each<[what: string, determine: (version: string | undefined) => unknown]>([
    ['at once', (version) => version],
    ['by a promise', async (version) => version],
    ['with null for none', (version) => version ?? null],
  ])('that decide %s are asked what the match names', (_what, determine) =>
    check(own(determine), {
      '/v1/users': 'v1 at /v1/users',
      '/v1/users > /v1/users/': 'v1 at /v1/users/',
      '/v1/users > /v2/users': PATH,
      '/v1/users > /about': 'v1 at /about',
    }),
  )

  test('that only decide may require a version which another route does not name', () => {
    class Own extends BaseVersioning {
      override determineVersion(...[, , kwargs]: Parameters<BaseVersioning['determineVersion']>): string {
        return (kwargs.version as string) ?? fail(new NotFound('None.', { code: 'ERR_VERSION_MISSING' }))
      }
    }
    return check(byPath(pathTable(), { scheme: Own }), {
      '/v1/users > /about': 'v1 at /about',
      '/v1/users > /v2/users': '404 ERR_VERSION_NOT_FOUND Invalid version.',
      '/about': '404 ERR_VERSION_MISSING None.',
    })
  })

  test.each<[what: string, fail: () => unknown, error: string]>([
    ['throws', fail, '500 down'],
    ['throws a signal', () => fail('route'), "500 determineVersion() failed with 'route'."],
    ['throws nothing', () => fail(null), '500 determineVersion() failed with null.'],
    ['rejects', () => Promise.reject(new Error('down')), '500 down'],
    // Express would take these for "go on".
    ['rejects with nothing', () => Promise.reject(undefined), '500 determineVersion() failed with undefined.'],
    ['rejects with a signal', () => Promise.reject('router'), "500 determineVersion() failed with 'router'."],
  ])('one that %s when it is asked again fails the request, and observers are told', async (_what, fails, error) => {
    const events: unknown[] = []
    await check(
      own((version) => (version === 'v2' ? fails() : version), events),
      { '/v1/users > /v2/users': error },
    )
    expect(events).toEqual(['v1', undefined])
  })

  function fail(thrown: unknown = new Error('down')): never {
    throw thrown
  }

  test.each([[false], [true]])('guard the callbacks of param(), also by promises: %p', async (later) => {
    class Either extends URLPathVersioning {
      override readVersion(...args: Reading) {
        const version = super.readVersion(...args)
        return (later ? Promise.resolve(version) : version) as never
      }
    }
    const seen: string[] = []
    const see = (made: Table, name: string): Table =>
      made.param(name, (req, _res, next, value) => {
        seen.push(`${value} ${req.version}`)
        next()
      })
    const routes = see(table({ own: '/own/:version/:id' }), 'version')
    routes.include('/:version', see(table({ item: '/items/:id' }), 'id')).use('/used/:version', tell)
    await check(moved({ scheme: Either, ...LISTED, routes }), {
      '/v1/items/6 > /v2/items/7': PATH,
      '/v1/items/6 > /own/v2/7': PATH,
      '/v1/items/6 > /used/v2': PATH,
    })
    expect(seen).toEqual([])
    await check(moved({ scheme: Either, ...LISTED, routes }), {
      '/v1/items/6 > /v1/items/7': 'v1 at /v1/items/7',
      '/v1/items/6 > /own/v1/7': 'v1 at /own/v1/7',
      '/v1/items/6 > /used/v1': 'v1 at /used/v1/',
    })
    expect(seen).toEqual(['v1 v1', '7 v1', 'v1 v1', 'v1 v1'])
  })
})

test('a preflight that becomes another request is compared', () => {
  const override: RequestHandler = (req, _res, next) => {
    req.method = 'GET'
    next()
  }
  const options = { scheme: URLPathVersioning, ...LISTED, routes: pathTable() }
  return check(moved(options, override), {
    'PREFLIGHT /v7/users': PATH,
    'PREFLIGHT /v2/users': 'v2 at /v2/users',
  })
})
