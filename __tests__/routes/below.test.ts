import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { namedRoutes } from '../../src/routes/named-routes'
import { serve } from '../support/serve'

const params: RequestHandler = (req, res) => void res.json(req.params)
const late = () => {
  const table = namedRoutes({ order: '/orders/:id' })
  table.route('order').get(params)
  return table
}
const orders = (above = '/:version/tenants/:tenant') => late().below(above)
const root = () => namedRoutes({})
const tenants = () => root().include('/tenants/:tenant', orders())

describe('below() says which parameters the prefixes give', () => {
  test.each<[where: string, build: (app: Application) => unknown]>([
    ['one prefix', (app) => app.use(root().include('/:version/tenants/:tenant', orders()))],
    ['one with other literal text', (app) => app.use(root().include('/:version{/x}/tenants/:tenant', orders()))],
    [
      'an outer prefix that comes later, said by the table between',
      (app) => app.use(root().include('/:version', root().below('/:version').include('/tenants/:tenant', orders()))),
    ],
    [
      'the outermost of three',
      (app) => {
        const inner = root().below('/:version/tenants').include('/:tenant', orders())
        app.use(root().include('/:version', root().below('/:version').include('/tenants', inner)))
      },
    ],
    [
      'an outer prefix that comes later, if the inner one is the end',
      (app) => app.use(root().include('/:version', tenants())),
    ],
    [
      'three prefixes, each an end',
      (app) =>
        app.use(root().include('/:version/', root().include('/tenants/', root().include('/:tenant/', orders())))),
    ],
    ['a mount of Express before the end', (app) => app.use('/:version', tenants())],
    [
      'an outer prefix that was there before',
      (app) => {
        const between = root()
        app.use(root().include('/:version', between))
        between.include('/tenants/:tenant', orders())
      },
    ],
    ['a mount of Express', (app) => app.use('/:version/tenants/:tenant', orders())],
    [
      'a mount of Express and a prefix',
      (app) => app.use('/:version', root().below('/:version').include('/tenants/:tenant', orders())),
    ],
    [
      'a router that merges parameters',
      (app) => app.use('/:version', express.Router({ mergeParams: true }).use('/tenants/:tenant', orders())),
    ],
    [
      'a call after include()',
      (app) => {
        const table = late()
        app.use(root().include('/:version/tenants/:tenant', table))
        table.below('/:version/tenants/:tenant')
      },
    ],
  ])('by %s', async (_where, build) => {
    const { get } = await serve((app) => void build(app))
    const { status, json } = await get('/v1/tenants/acme/orders/7')
    expect({ status, json }).toEqual({ status: 200, json: { version: 'v1', tenant: 'acme', id: '7' } })
  })

  test.each(['/v1', '/:version', '{/:version}'])('an optional parameter may come from %s', async (prefix) => {
    const { get } = await serve((app) => app.use(root().include(prefix, orders('{/:version}'))))
    expect((await get('/v1/orders/7')).json).toEqual(prefix === '/v1' ? { id: '7' } : { version: 'v1', id: '7' })
  })
})

const at = (prefix: string, fault = 'is missing', name = 'version') =>
  `is included at "${prefix}", where "${name}" ${fault}.`

test.each<[what: string, declare: () => unknown, message: string]>([
  [
    'a prefix without the parameter',
    () => root().include('/v1', orders('/:version')),
    `namedRoutes: a table that says that it stands below "/:version" ${at('/v1')} If a prefix further out gives it, say so before: .below() of the table that includes this one.`,
  ],
  ['one of two', () => root().include('/shops/:tenant', orders()), at('/shops/:tenant')],
  [
    'an outer prefix without the rest of an end',
    () => root().include('/v1', tenants()),
    `below "/:version" ${at('/v1')}`,
  ],
  [
    'one that was there before',
    () => {
      const between = root()
      root().include('/v1', between)
      between.include('/tenants/:tenant', orders())
    },
    at('/v1'),
  ],
  [
    'an end in a table that says something else',
    () => root().below('/:v').include('/tenants/:tenant', orders()),
    at('/tenants/:tenant'),
  ],
  ['a prefix that says nothing', () => root().include('/', orders()), at('/')],
  ['another name', () => root().include('/:v', orders('/:version')), at('/:v')],
  ['an optional one', () => root().include('{/:version}', orders('/:version')), at('{/:version}', 'is optional')],
  ['an optional one between', () => root().below('{/:version}').include('/x', orders('/:version')), at('/x')],
  [
    'the second of two places',
    () => {
      const table = orders('/:version')
      root().include('/:version', table, { namespace: 'a' }).include('/b', table, { namespace: 'b' })
    },
    at('/b'),
  ],
  [
    'a table that is included elsewhere',
    () => {
      const table = late()
      root().include('/:version', table)
      root().include('/v1', table)
      table.below('/:version')
    },
    at('/v1'),
  ],
  [
    'a second call',
    () => orders('/:version').below('/:version'),
    'below(): this table says already that it stands below "/:version".',
  ],
  ['a path that is none', () => orders('x'), `below(): the prefix: 'x' is no path: it must start with "/"`],
  ['no path', () => orders(7 as never), 'below(): the prefix takes a path (a string); got 7'],
  ['a wildcard', () => orders('/*rest'), "a prefix takes no wildcard; got '/*rest'"],
  [
    'a parameter of its own',
    () => orders('/:id'),
    'parameter "id" is in the prefix "/:id" and again below it, in "/orders/:id"',
  ],
  [
    'one that is added later',
    () => orders('/:version').add('late', '/late/:version'),
    'parameter "version" is in the prefix "/:version" and again below it, in "/late/:version"',
  ],
  [
    'one of a prefix in the table',
    () => orders('/:version').include('/:version', namedRoutes({ a: '/a' })),
    'parameter "version" is in the prefix "/:version" and again below it, in "/:version"',
  ],
])('refused at once: %s', (_what, declare, message) => {
  expect(declare).toThrow(TypeError)
  expect(declare).toThrow(message)
})

test('a table that is entered without a parameter is an error, and runs no handler', async () => {
  const error =
    'A route table that says that it stands below "/:version" was entered at "/api", without a parameter "version". ' +
    'Mount it at such a path, in routers with mergeParams: true; or include() it in a table.'
  const { get } = await serve((app) => {
    app.use('/api', orders('/:version'))
    app.use(((error, _req, res, next) => {
      res.set('X-Error', error.message)
      next()
    }) as ErrorRequestHandler)
    app.use('/api', root().use(params))
  })
  expect(await get('/api/orders/7')).toMatchObject({ status: 200, json: {}, headers: { 'x-error': error } })
  const next = jest.fn()
  orders('/:version')({ url: '/orders/7', method: 'GET', headers: {} } as never, {} as never, next)
  expect(next).toHaveBeenCalledWith(new TypeError(error.replace('"/api"', '"/"')))
})
