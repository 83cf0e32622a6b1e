import express, { type Application, type RequestHandler } from 'express'
import { namedRoutes } from '../../src/routes/named-routes'
import { serve } from '../support/serve'

const params: RequestHandler = (req, res) => void res.json(req.params)
const orders = (above = '/:version/tenants/:tenant') => {
  const table = namedRoutes({ order: '/orders/:id' }).below(above)
  table.route('order').get(params)
  return table
}
const root = () => namedRoutes({})

describe('below() says which parameters the prefixes give', () => {
  const cases: [where: string, build: (app: Application) => void][] = [
    ['by one prefix', (app) => app.use(root().include('/:version/tenants/:tenant', orders()))],
    [
      'by one prefix with other literal text',
      (app) => app.use(root().include('/:version{/x}/tenants/:tenant', orders())),
    ],
    [
      'by an outer prefix that comes later, of which the table between says so',
      (app) => app.use(root().include('/:version', root().below('/:version').include('/tenants/:tenant', orders()))),
    ],
    [
      'by the outermost of three',
      (app) => {
        const inner = root().below('/:version/tenants').include('/:tenant', orders())
        app.use(root().include('/:version', root().below('/:version').include('/tenants', inner)))
      },
    ],
    [
      'by an outer prefix that comes later, where the inner one is the end',
      (app) => app.use(root().include('/:version', root().include('/tenants/:tenant', orders()))),
    ],
    [
      'by three prefixes, each of which is an end',
      (app) =>
        app.use(root().include('/:version/', root().include('/tenants/', root().include('/:tenant/', orders())))),
    ],
    [
      'by a mount of Express before a prefix that is the end',
      (app) => app.use('/:version', root().include('/tenants/:tenant', orders())),
    ],
    [
      'by an outer prefix that was there before',
      (app) => {
        const between = root()
        app.use(root().include('/:version', between))
        between.include('/tenants/:tenant', orders())
      },
    ],
    ['by a mount of Express', (app) => app.use('/:version/tenants/:tenant', orders())],
    [
      'by a mount of Express and a prefix',
      (app) => app.use('/:version', root().below('/:version').include('/tenants/:tenant', orders())),
    ],
    [
      'by a router that merges parameters',
      (app) => app.use('/:version', express.Router({ mergeParams: true }).use('/tenants/:tenant', orders())),
    ],
    [
      'when it is said after include()',
      (app) => {
        const late = namedRoutes({ order: '/orders/:id' })
        late.route('order').get(params)
        app.use(root().include('/:version/tenants/:tenant', late))
        late.below('/:version/tenants/:tenant')
      },
    ],
  ]
  test.each(cases)('%s', async (_where, build) => {
    const app = await serve(build)
    const { status, json } = await app.get('/v1/tenants/acme/orders/7')
    expect({ status, json }).toEqual({ status: 200, json: { version: 'v1', tenant: 'acme', id: '7' } })
  })

  test.each(['/v1', '/:version', '{/:version}'])('an optional parameter may come from %s', async (prefix) => {
    const app = await serve((app) => app.use(root().include(prefix, orders('{/:version}'))))
    expect((await app.get('/v1/orders/7')).json).toEqual(prefix === '/v1' ? { id: '7' } : { version: 'v1', id: '7' })
  })
})

describe('what is refused at once', () => {
  const cases: [what: string, declare: () => unknown, message: RegExp][] = [
    [
      'a prefix without the parameter',
      () => root().include('/v1', orders('/:version')),
      /^namedRoutes: a table that says that it stands below "\/:version" is included at "\/v1", where "version" is missing\. If a prefix further out gives it, say so before: \.below\(\) of the table that includes this one\.$/,
    ],
    ['a prefix with one of two', () => root().include('/shops/:tenant', orders()), /where "version" is missing/],
    [
      'an outer prefix that does not give what the end leaves open',
      () => root().include('/v1', root().include('/tenants/:tenant', orders())),
      /^namedRoutes: a table that says that it stands below "\/:version" is included at "\/v1", where "version" is missing/,
    ],
    [
      'one that was there before',
      () => {
        const between = root()
        root().include('/v1', between)
        between.include('/tenants/:tenant', orders())
      },
      /is included at "\/v1", where "version" is missing/,
    ],
    [
      'an end in a table that says something else of itself',
      () => root().below('/:v').include('/tenants/:tenant', orders()),
      /included at "\/tenants\/:tenant", where "version" is missing/,
    ],
    ['a prefix that says nothing', () => root().include('/', orders()), /where "version" is missing/],
    [
      'a prefix that names it otherwise',
      () => root().include('/:v', orders('/:version')),
      /where "version" is missing/,
    ],
    [
      'a prefix in which it is optional',
      () => root().include('{/:version}', orders('/:version')),
      /included at "\{\/:version\}", where "version" is optional/,
    ],
    [
      'a table between in which it is optional',
      () => root().below('{/:version}').include('/x', orders('/:version')),
      /included at "\/x", where "version" is missing/,
    ],
    [
      'the second of two places',
      () => {
        const table = orders('/:version')
        root().include('/:version', table, { namespace: 'a' }).include('/b', table, { namespace: 'b' })
      },
      /included at "\/b", where "version" is missing/,
    ],
    [
      'a table that is included elsewhere already',
      () => {
        const table = namedRoutes({ a: '/a' })
        root().include('/:version', table)
        root().include('/v1', table)
        table.below('/:version')
      },
      /included at "\/v1", where "version" is missing/,
    ],
    [
      'a second call',
      () => orders('/:version').below('/:version'),
      /^below\(\): this table says already that it stands below "\/:version"\.$/,
    ],
    ['a path that is none', () => orders('x'), /below\(\): the prefix: 'x' is no path: it must start with "\/"/],
    ['no path', () => orders(7 as never), /below\(\): the prefix takes a path \(a string\); got 7/],
    ['a wildcard', () => orders('/*rest'), /a prefix takes no wildcard; got '\/\*rest'/],
    [
      "a parameter of the table's own",
      () => orders('/:id'),
      /parameter "id" is in the prefix "\/:id" and again below it, in "\/orders\/:id"/,
    ],
    [
      "a parameter of the table's own that is added later",
      () => orders('/:version').add('late', '/late/:version'),
      /parameter "version" is in the prefix "\/:version" and again below it, in "\/late\/:version"/,
    ],
    [
      'a parameter of a prefix in the table',
      () => orders('/:version').include('/:version', namedRoutes({ a: '/a' })),
      /parameter "version" is in the prefix "\/:version" and again below it, in "\/:version"/,
    ],
  ]
  test.each(cases)('%s', (_what, declare, message) => {
    expect(declare).toThrow(TypeError)
    expect(declare).toThrow(message)
  })
})

describe('a table that is entered without a parameter is an error, and no handler runs', () => {
  test('what stands beside it goes on', async () => {
    const app = await serve((app) => {
      app.use('/api', orders('/:version'))
      app.use(((_error, _req, _res, next) => next()) as express.ErrorRequestHandler)
      app.use('/api', namedRoutes({}).use(params))
    })
    expect((await app.get('/api/orders/7')).status).toBe(200)
  })

  test('and so is one that is called by hand, without parameters', () => {
    const next = jest.fn()
    orders('/:version')(
      { url: '/orders/7', method: 'GET', headers: {}, originalUrl: '/orders/7' } as never,
      {} as never,
      next,
    )
    expect(next).toHaveBeenCalledWith(expect.any(TypeError))
  })
})
