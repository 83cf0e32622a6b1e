/**
 * What Django REST framework's own test cases for versioning demand (tests/test_versioning.py), asked over HTTP. Each test
 * has the name of the one there.
 */
import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  reverse,
  URLPathVersioning,
  type VersioningSettings,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

const version: RequestHandler = (req, res) => void res.json({ version: req.version })
const ACCEPT = (accept: string) => ({ Accept: accept })
const HOST = (host: string) => ({ Host: host })

/** Django resolves `/v1/` to a namespace; a table does here. */
const namespaces = (...names: string[]) =>
  names.reduce(
    (table, name) =>
      table.include(`/${name}`, namedRoutes({ endpoint: '/endpoint/' }), { namespace: name }) as typeof table,
    namedRoutes({ endpoint: '/endpoint/' }),
  )

describe('TestRequestVersion', () => {
  test('test_unversioned', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning }), version))
    expect((await server.get('/endpoint/')).json).toEqual({ version: null })
  })

  test('test_query_param_versioning', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: QueryParameterVersioning }), version))
    expect((await server.get('/endpoint/?version=1.2.3')).json).toEqual({ version: '1.2.3' })
    expect((await server.get('/endpoint/')).json).toEqual({ version: null })
  })

  test('test_host_name_versioning', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: HostNameVersioning }), version))
    expect((await server.get('/endpoint/', HOST('v1.example.org'))).json).toEqual({ version: 'v1' })
    expect((await server.get('/endpoint/', HOST('testserver'))).json).toEqual({ version: null })
  })

  test('test_accept_header_versioning', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: AcceptHeaderVersioning }), version))
    expect((await server.get('/endpoint/', ACCEPT('application/json; version=1.2.3'))).json).toEqual({
      version: '1.2.3',
    })
    expect((await server.get('/endpoint/', ACCEPT('*/*; version=1.2.3'))).json).toEqual({ version: '1.2.3' })
    expect((await server.get('/endpoint/', ACCEPT('application/json'))).json).toEqual({ version: null })
  })

  test('test_url_path_versioning', async () => {
    const v = versioning({ scheme: URLPathVersioning })
    const server = await serve((app) => app.get('/:version/endpoint/', v, version).get('/endpoint/', v, version))
    expect((await server.get('/1.2.3/endpoint/')).json).toEqual({ version: '1.2.3' })
    expect((await server.get('/endpoint/')).json).toEqual({ version: null })
  })

  test('test_namespace_versioning', async () => {
    const routes = namespaces('v1')
    const server = await serve((app) => app.use(versioning({ scheme: NamespaceVersioning, routes }), version))
    expect((await server.get('/v1/endpoint/')).json).toEqual({ version: 'v1' })
    expect((await server.get('/endpoint/')).json).toEqual({ version: null })
  })
})

describe('TestURLReversing', () => {
  const table = () =>
    namedRoutes({
      another: '/another/',
      'versioned-another': '/:version/another/',
      endpoint: '/endpoint/',
      'v1-endpoint': '/:version/endpoint/',
    }).include('/v1', namedRoutes({ another: '/namespaced/', 'example-detail': '/example/:pk/' }), { namespace: 'v1' })
  const link =
    (name = 'another'): RequestHandler =>
    (req, res) =>
      void res.json({
        url: reverse(name, { request: req, absolute: true, origin: 'http://testserver' }),
        own: req.reverse(name),
      })

  test('test_reverse_unversioned', async () => {
    const api = table()
    api.route('endpoint').get(link())
    const server = await serve((app) => app.use(api))
    expect((await server.get('/endpoint/')).json).toEqual({ url: 'http://testserver/another/', own: '/another/' })
  })

  test('test_reverse_query_param_versioning', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: QueryParameterVersioning, routes: table() }), link()),
    )
    expect((await server.get('/endpoint/?version=v1')).json).toMatchObject({
      url: 'http://testserver/another/?version=v1',
    })
    expect((await server.get('/endpoint/')).json).toMatchObject({ url: 'http://testserver/another/' })
  })

  test('test_reverse_host_name_versioning', async () => {
    const own: RequestHandler = (req, res) => void res.json({ url: req.reverse('another', { absolute: true }) })
    const server = await serve((app) => app.use(versioning({ scheme: HostNameVersioning, routes: table() }), own))
    expect((await server.get('/endpoint/', HOST('v1.example.org'))).json).toEqual({
      url: 'http://v1.example.org/another/',
    })
    expect((await server.get('/endpoint/', HOST('testserver'))).json).toEqual({ url: 'http://testserver/another/' })
  })

  test('test_reverse_url_path_versioning', async () => {
    // Two of Django's patterns share a name; here one with an optional part has it.
    const routes = namedRoutes({ another: '{/:version}/another/', endpoint: '{/:version}/endpoint/' })
    const server = await serve((app) => app.use(versioning({ scheme: URLPathVersioning, routes }), link()))
    expect((await server.get('/v1/endpoint/')).json).toMatchObject({ url: 'http://testserver/v1/another/' })
    expect((await server.get('/endpoint/')).json).toMatchObject({ url: 'http://testserver/another/' })
  })

  test('test_reverse_namespace_versioning', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: NamespaceVersioning, routes: table() }), link()))
    expect((await server.get('/v1/namespaced/')).json).toMatchObject({ url: 'http://testserver/v1/namespaced/' })
    expect((await server.get('/another/')).json).toMatchObject({ url: 'http://testserver/another/' })
  })
})

describe('TestInvalidVersion', () => {
  const allowedVersions = ['v1', 'v2']

  test('test_invalid_query_param_versioning', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions }), version),
    )
    expect((await server.get('/endpoint/?version=v3')).status).toBe(404)
  })

  test('test_invalid_host_name_versioning', async () => {
    const server = await serve((app) => app.use(versioning({ scheme: HostNameVersioning, allowedVersions }), version))
    expect((await server.get('/endpoint/', HOST('v3.example.org'))).status).toBe(404)
  })

  test('test_invalid_accept_header_versioning', async () => {
    const server = await serve((app) =>
      app.use(versioning({ scheme: AcceptHeaderVersioning, allowedVersions }), version),
    )
    expect((await server.get('/endpoint/', ACCEPT('application/json; version=v3'))).status).toBe(406)
  })

  test('test_invalid_url_path_versioning', async () => {
    const server = await serve((app) =>
      app.get('/:version/endpoint/', versioning({ scheme: URLPathVersioning, allowedVersions }), version),
    )
    expect((await server.get('/v3/endpoint/')).status).toBe(404)
  })

  test('test_invalid_namespace_versioning', async () => {
    const routes = namespaces('v1', 'v2', 'v3')
    const server = await serve((app) =>
      app.use(versioning({ scheme: NamespaceVersioning, allowedVersions, routes }), version),
    )
    expect((await server.get('/v3/endpoint/')).status).toBe(404)
  })
})

describe('TestAllowedAndDefaultVersion', () => {
  const ask = async (settings: VersioningSettings, accept: string) => {
    const server = await serve((app) => app.use(versioning({ scheme: AcceptHeaderVersioning, ...settings }), version))
    const { status, json } = await server.get('/endpoint/', ACCEPT(accept))
    return status === 200 ? json : status
  }

  test('test_missing_without_default', async () => {
    expect(await ask({ allowedVersions: ['v1', 'v2'] }, 'application/json')).toBe(406)
  })

  test('test_missing_with_default', async () => {
    expect(await ask({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }, 'application/json')).toEqual({
      version: 'v2',
    })
  })

  test('test_with_default', async () => {
    expect(await ask({ allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }, 'application/json; version=v2')).toEqual({
      version: 'v2',
    })
  })

  test('test_missing_without_default_but_none_allowed', async () => {
    expect(await ask({ allowedVersions: ['v1', 'v2', null] }, 'application/json')).toEqual({ version: null })
  })

  test('test_missing_with_default_and_none_allowed', async () => {
    expect(await ask({ allowedVersions: ['v1', 'v2', null], defaultVersion: 'v2' }, 'application/json')).toEqual({
      version: 'v2',
    })
  })
})

describe('TestHyperlinkedRelatedField', () => {
  // A related field takes a link for its object only in the version of the request: what `resolve` is for.
  test('test_bug_2489', () => {
    const included = () => namedRoutes({ namespaced: '/namespaced/:pk/' })
    const api = namedRoutes({})
      .include('/v1', included(), { namespace: 'v1' })
      .include('/v2', included(), { namespace: 'v2' })
    const inV1 = (path: string) => {
      const match = api.resolve(path)
      return match?.viewName === 'v1:namespaced' ? match.params.pk : undefined
    }
    expect(inV1('/v1/namespaced/3/')).toBe('3')
    expect(inV1('/v2/namespaced/3/')).toBeUndefined()
  })
})

describe('TestNamespaceVersioningHyperlinkedRelatedFieldScheme', () => {
  const included = () =>
    namedRoutes({ namespaced: '/namespaced/:pk/' }).include('/nested', namedRoutes({ nested: '/namespaced/:pk/' }), {
      namespace: 'nested-namespace',
    })

  /** The link made in a request whose version is set by hand, as DRF's test does. */
  async function linked(viewname: string, version: string, pk: number) {
    const routes = namedRoutes({ 'non-api-view': '/non-api/:pk/' })
      .include('/v1', included(), { namespace: 'v1' })
      .include('/v2', included(), { namespace: 'v2' })
    const server = await serve((app) =>
      app.use(versioning({ scheme: NamespaceVersioning, routes, origin: 'http://testserver' }), (req, res) => {
        req.version = version
        res.json(req.reverse(viewname, { kwargs: { pk }, absolute: true }))
      }),
    )
    return (await server.get('/')).json
  }

  test('test_api_url_is_properly_reversed_with_v1', async () => {
    expect(await linked('namespaced', 'v1', 3)).toBe('http://testserver/v1/namespaced/3/')
  })

  test('test_api_url_is_properly_reversed_with_v2', async () => {
    expect(await linked('namespaced', 'v2', 5)).toBe('http://testserver/v2/namespaced/5/')
  })

  test('test_api_url_is_properly_reversed_with_nested', async () => {
    expect(await linked('nested', 'v1:nested-namespace', 3)).toBe('http://testserver/v1/nested/namespaced/3/')
  })

  test('test_non_api_url_is_properly_reversed_regardless_of_the_version', async () => {
    expect(await linked('non-api-view', 'v1', 10)).toBe('http://testserver/non-api/10/')
    expect(await linked('non-api-view', 'v2', 10)).toBe('http://testserver/non-api/10/')
  })
})
