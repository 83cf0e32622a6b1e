/** The test cases of Django REST framework (tests/test_versioning.py), asked over HTTP, with the names that they have there. */
import type { RequestHandler } from 'express'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

const origin = 'http://testserver'
const json = (more = '') => ({ Accept: `application/json${more}` })
const tell: RequestHandler = (req, res) => void res.json(req.version)
const link: RequestHandler = (req, res) => void res.json(req.reverse('another', { absolute: true }))

const named = () => {
  return namedRoutes({ another: '{/:version}/another/', endpoint: '{/:version}/endpoint/', example: '/:pk/' })
}
const namespaced = () =>
  ['v1', 'v2', 'v3'].reduce(
    (table, namespace) => table.include(`/${namespace}`, named(), { namespace }) as typeof table,
    named(),
  )

const BY_QUERY = { scheme: QueryParameterVersioning }
const BY_HOST = { scheme: HostNameVersioning }
const BY_ACCEPT = { scheme: AcceptHeaderVersioning }
const BY_PATH = { scheme: URLPathVersioning, routes: named() }
const BY_NAMESPACE = { scheme: NamespaceVersioning, routes: namespaced() }
const LISTED = { allowedVersions: ['v1', 'v2'] }
const NULLABLE = { allowedVersions: ['v1', 'v2', null] }
const DEFAULTED = { defaultVersion: 'v2' }

type Sent = Record<string, string>
const versions: [
  name: string,
  options: VersioningOptions,
  path: string,
  headers: Sent,
  found: string | number | null,
][] = [
  ['test_unversioned', BY_QUERY, '/endpoint/', {}, null],
  ['test_query_param_versioning', BY_QUERY, '/endpoint/?version=1.2.3', {}, '1.2.3'],
  ['test_host_name_versioning', BY_HOST, '/endpoint/', { Host: 'v1.example.org' }, 'v1'],
  ['test_host_name_versioning', BY_HOST, '/endpoint/', { Host: 'testserver' }, null],
  ['test_accept_header_versioning', BY_ACCEPT, '/endpoint/', json('; version=1.2.3'), '1.2.3'],
  ['test_accept_header_versioning', BY_ACCEPT, '/endpoint/', { Accept: '*/*; version=1.2.3' }, '1.2.3'],
  ['test_accept_header_versioning', BY_ACCEPT, '/endpoint/', json(), null],
  ['test_url_path_versioning', BY_PATH, '/1.2.3/endpoint/', {}, '1.2.3'],
  ['test_url_path_versioning', BY_PATH, '/endpoint/', {}, null],
  ['test_namespace_versioning', BY_NAMESPACE, '/v1/endpoint/', {}, 'v1'],
  ['test_namespace_versioning', BY_NAMESPACE, '/endpoint/', {}, null],
  ['test_invalid_query_param_versioning', { ...BY_QUERY, ...LISTED }, '/endpoint/?version=v3', {}, 404],
  ['test_invalid_host_name_versioning', { ...BY_HOST, ...LISTED }, '/endpoint/', { Host: 'v3.example.org' }, 404],
  ['test_invalid_accept_header_versioning', { ...BY_ACCEPT, ...LISTED }, '/endpoint/', json('; version=v3'), 406],
  ['test_invalid_url_path_versioning', { ...BY_PATH, ...LISTED }, '/v3/endpoint/', {}, 404],
  ['test_invalid_namespace_versioning', { ...BY_NAMESPACE, ...LISTED }, '/v3/endpoint/', {}, 404],
  ['test_missing_without_default', { ...BY_ACCEPT, ...LISTED }, '/', json(), 406],
  ['test_missing_with_default', { ...BY_ACCEPT, ...LISTED, ...DEFAULTED }, '/', json(), 'v2'],
  ['test_with_default', { ...BY_ACCEPT, ...LISTED, ...DEFAULTED }, '/', json('; version=v2'), 'v2'],
  ['test_missing_without_default_but_none_allowed', { ...BY_ACCEPT, ...NULLABLE }, '/', json(), null],
  ['test_missing_with_default_and_none_allowed', { ...BY_ACCEPT, ...NULLABLE, ...DEFAULTED }, '/', json(), 'v2'],
]

test.each(versions)('%s: %p %s %j: %p', async (_name, options, path, headers, found) => {
  const server = await serve((app) => app.use(versioning(options), tell))
  const answer = await server.get(path, headers)
  expect(answer.status === 200 ? answer.json : answer.status).toBe(found)
})

test.each<[name: string, options: VersioningOptions, path: string, headers: Sent, url: string]>([
  ['test_reverse_query_param_versioning', BY_QUERY, '/endpoint/?version=v1', {}, `${origin}/another/?version=v1`],
  ['test_reverse_query_param_versioning', BY_QUERY, '/endpoint/', {}, `${origin}/another/`],
  ['test_reverse_host_name_versioning', BY_HOST, '/', { Host: 'v1.example.org' }, 'http://v1.example.org/another/'],
  ['test_reverse_host_name_versioning', BY_HOST, '/', { Host: 'testserver' }, `${origin}/another/`],
  ['test_reverse_url_path_versioning', BY_PATH, '/v1/endpoint/', {}, `${origin}/v1/another/`],
  ['test_reverse_url_path_versioning', BY_PATH, '/endpoint/', {}, `${origin}/another/`],
  ['test_reverse_namespace_versioning', BY_NAMESPACE, '/v1/endpoint/', {}, `${origin}/v1/another/`],
  ['test_reverse_namespace_versioning', BY_NAMESPACE, '/another/', {}, `${origin}/another/`],
])('%s: %p %s %j: %s', async (_name, options, path, headers, url) => {
  const { scheme, routes = named() } = options
  const fixed = scheme === HostNameVersioning ? {} : { origin }
  const server = await serve((app) => app.use(versioning({ scheme, routes, ...fixed }), link))
  expect((await server.get(path, headers)).json).toBe(url)
})

test('test_bug_2489: a related field takes a link only in the version of the request', () => {
  expect(namespaced().resolve('/v1/3/')).toMatchObject({ viewName: 'v1:example', params: { pk: '3' } })
  expect(namespaced().resolve('/v2/3/')).toMatchObject({ viewName: 'v2:example' })
})

test.each([
  ['test_api_url_is_properly_reversed_with_v1', 'example', 'v1', '/v1/3/'],
  ['test_api_url_is_properly_reversed_with_v2', 'example', 'v2', '/v2/3/'],
  ['test_api_url_is_properly_reversed_with_nested', 'example', 'v1:nested', '/v1/nested/3/'],
  ['test_non_api_url_is_properly_reversed_regardless_of_the_version', 'non-api', 'v1', '/non-api/3/'],
  ['test_non_api_url_is_properly_reversed_regardless_of_the_version', 'non-api', 'v2', '/non-api/3/'],
])('%s: %s in %s: %s', async (_name, viewName, version, url) => {
  const nested = () => named().include('/nested', named(), { namespace: 'nested' })
  const routes = namedRoutes({ 'non-api': '/non-api/:pk/' })
    .include('/v1', nested(), { namespace: 'v1' })
    .include('/v2', nested(), { namespace: 'v2' })
  const server = await serve((app) =>
    app.use(versioning({ scheme: NamespaceVersioning, routes, origin }), (req, res) => {
      req.version = version
      res.json(req.reverse(viewName, { kwargs: { pk: 3 }, absolute: true }))
    }),
  )
  expect((await server.get('/')).json).toBe(`${origin}${url}`)
})
