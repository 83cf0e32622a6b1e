import type { Application, RequestHandler } from 'express'
import { NamespaceVersioning, namedRoutes, versioning } from 'express-versioning'
import { serve } from '../support/serve'

const tell: RequestHandler = (req, res) =>
  void res.json({ version: req.version, view: req.resolverMatch?.viewName, params: req.params })

describe('a mount is where the root says that it is, however it is written', () => {
  const at = (mount: string, included: `/${string}`, defaultVersion = 'v1') => {
    const table = namedRoutes({ x: '/x' })
    table.route('x').get(tell)
    const routes = namedRoutes({}).include(included, table, { namespace: 'v1' })
    return serve((app: Application) => {
      app.use(versioning({ scheme: NamespaceVersioning, defaultVersion, routes })).use(mount, table)
    })
  }

  test.each<[mount: string, included: `/${string}`, path: string]>([
    ['/api', '/api', '/api/x'],
    ['/%61pi', '/api', '/%61pi/x'],
    ['/%61-p_i.~', '/a-p_i.~', '/%61-p_i.~/x'],
    ['/caf%C3%A9', '/café', '/caf%C3%A9/x'],
    ['/caf%C3%A9', '/café', '/caf%c3%a9/x'],
  ])('%s for %s: %s', async (mount, included, path) => {
    expect((await (await at(mount, included)).get(path)).status).toBe(200)
  })

  test.each<[mount: string, included: `/${string}`, path: string]>([
    ['/a%2fb', '/a/b', '/a%2fb/x'],
    ['/%61pi', '/apis', '/%61pi/x'],
  ])('but %s is not %s', async (mount, included, path) => {
    expect((await (await at(mount, included)).get(path)).json).toMatchObject({ name: 'TypeError' })
  })
})

describe('what a path belongs to', () => {
  const leaf = () => namedRoutes({ x: '/x', id: '/:id' })

  test('is the first route with the method; else the first that matches; else the mount it is below', () => {
    const table = namedRoutes({ first: '/a/:any' })
    table.route('first').get(tell)
    table.include('/a', leaf(), { namespace: 'n' })
    expect(table.resolve('/a/x')?.viewName).toBe('first')
    expect(table.walk('/a/x', 'GET').match?.viewName).toBe('first')
    table.include('/b', leaf(), { namespace: 'm' })
    expect(table.resolve('/b/x/y')).toMatchObject({ viewName: null, namespace: 'm' })
    expect(table.resolve('/c')).toBeNull()
  })

  test('is with a method the first route that has it', () => {
    const inner = leaf()
    inner.route('x').post(tell)
    inner.route('id').get(tell)
    const table = namedRoutes({}).include('/a', inner, { namespace: 'n' })
    const view = (method: string, path = '/a/x') => table.walk(path, method).match?.viewName
    expect([view('POST'), view('GET'), view('HEAD'), view('PUT')]).toEqual(['n:x', 'n:id', 'n:id', 'n:x'])
  })

  test('is the deepest mount of the first, where no route matches', () => {
    const table = namedRoutes({})
      .include('/a', namedRoutes({}).include('/b', leaf(), { namespace: 'b' }), { namespace: 'one' })
      .include('/a', leaf(), { namespace: 'two' })
    expect(table.resolve('/a/b/c/d')).toMatchObject({ viewName: null, namespaces: ['one', 'b'] })
    expect(table.resolve('/a/x')).toMatchObject({ viewName: 'two:x' })
  })

  test('is not what is included at / without a namespace, unless one of its routes matches', () => {
    const table = namedRoutes({}).include('/', leaf())
    expect([table.resolve('/y/z'), table.resolve('/x')?.viewName]).toEqual([null, 'x'])
    const named = namedRoutes({}).include('/', leaf(), { namespace: 'n' })
    expect(named.resolve('/y/z')).toMatchObject({ viewName: null, namespace: 'n' })
  })
})

describe('a prefix with optional parts', () => {
  test('says of a mere prefix the shortest; of a router that is no table the longest', () => {
    const other: RequestHandler = (_req, _res, next) => next()
    const table = namedRoutes({})
      .include('/t{/:a}{/:b}', namedRoutes({ x: '/x' }), { namespace: 't' })
      .include('/r{/:a}{/:b}', other as never, { namespace: 'r' })
    expect(table.resolve('/t/1/2/3')).toMatchObject({ namespace: 't', params: {} })
    expect(table.resolve('/t/1/2/x')).toMatchObject({ viewName: 't:x', params: { a: '1', b: '2' } })
    expect(table.resolve('/t/1/x')).toMatchObject({ viewName: 't:x', params: { a: '1' } })
    expect(table.resolve('/r/1/2/3')).toMatchObject({ namespace: 'r', params: { a: '1', b: '2' } })
  })

  test('is read so that a route matches, though without the method, before one in which none does', () => {
    const inner = namedRoutes({ x: '/x' })
    inner.route('x').post(tell)
    const table = namedRoutes({}).include('/p{/:v}', inner, { namespace: 'n' })
    expect(table.walk('/p/1/x', 'GET').match).toMatchObject({ viewName: 'n:x', params: { v: '1' } })
    expect(table.walk('/p/x', 'GET').match).toMatchObject({ viewName: 'n:x', params: {} })
    expect(table.walk('/p/1/y', 'GET').match).toMatchObject({ viewName: null, params: {} })
  })
})
