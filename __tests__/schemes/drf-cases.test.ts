// The cases of the tests that Django REST framework has for its versioning.
import type { Request, RequestHandler } from 'express'
import { type VersioningOptions, versioning } from 'express-versioning'
import { rows } from '../support/rows'
import { accept, host, namespace, path, query } from '../support/schemes'
import { serve } from '../support/serve'
import { routed } from '../support/tables'

const tell: RequestHandler = (req, res) => void res.json({ version: req.version, url: linkTo(req) })
/** Returns the link that a request asks for in `X-Link`: a name, and a value for each parameter. */
function linkTo(req: Request): string | undefined {
  const [name, ...kwargs] = req.get('X-Link')?.split(' ') ?? []
  return name && req.reverse(name, { kwargs: Object.fromEntries(kwargs.map((one) => one.split('='))), absolute: true })
}

const users = () => routed({ endpoint: '/endpoint', another: '/another' }, tell)
/** `/endpoint` in no version, `/v1/endpoint` and so on in one; a name may stand once, so the prefix is optional. */
const inPath = () => {
  const routes = routed({ unversioned: '/unversioned/:foo' }, tell)
  return routes.include('{/:version}', users())
}
const inNamespaces = () => {
  const routes = routed({ endpoint: '/endpoint', another: '/another', 'non-api-view': '/non-api/:pk' }, tell)
  for (const version of ['v1', 'v2', 'v3']) {
    const child = routed({ endpoint: '/endpoint', another: '/namespaced', namespaced: '/namespaced/:pk' }, tell)
    const nested = routed({ nested: '/namespaced/:pk' }, tell)
    child.include('/nested', nested, { namespace: 'nested-namespace' })
    routes.include(`/${version}`, child, { namespace: version })
  }
  return routes
}

const SETTINGS: Record<string, Pick<VersioningOptions, 'allowedVersions' | 'defaultVersion'>> = {
  any: {},
  allowed: { allowedVersions: ['v1', 'v2'] },
  'allowed, default': { allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' },
  'allowed or none': { allowedVersions: ['v1', 'v2', null] },
  'allowed or none, default': { allowedVersions: ['v1', 'v2', null], defaultVersion: 'v2' },
}
const SCHEMES = { accept, host, namespace, path, query }
const JSON_TYPE = { mediaTypes: ['application/json'] }

const CASES = rows(`
  // Versions of requests: scheme | settings | path | header | status | version | link | URL
  query     | any | /endpoint?version=1.2.3 | -                             | 200 | 1.2.3
  query     | any | /endpoint               | -                             | 200 | null
  host      | any | /endpoint               | Host: v1.example.org          | 200 | v1
  host      | any | /endpoint               | Host: testserver              | 200 | null
  accept    | any | /endpoint | Accept: application/json; version=1.2.3     | 200 | 1.2.3
  accept    | any | /endpoint | Accept: */*; version=1.2.3                  | 200 | 1.2.3
  accept    | any | /endpoint | Accept: application/json                    | 200 | null
  path      | any | /1.2.3/endpoint         | -                             | 200 | 1.2.3
  path      | any | /endpoint               | -                             | 200 | null
  namespace | any | /v1/endpoint            | -                             | 200 | v1
  namespace | any | /endpoint               | -                             | 200 | null
  // Links
  query     | any | /endpoint?version=v1    | Host: testserver     | 200 | v1   | another | http://testserver/another?version=v1
  query     | any | /endpoint               | Host: testserver     | 200 | null | another | http://testserver/another
  host      | any | /endpoint               | Host: v1.example.org | 200 | v1   | another | http://v1.example.org/another
  host      | any | /endpoint               | Host: testserver     | 200 | null | another | http://testserver/another
  accept    | any | /endpoint               | Host: testserver     | 200 | null | another | http://testserver/another
  path      | any | /v1/endpoint            | Host: testserver     | 200 | v1   | another | http://testserver/v1/another
  path      | any | /endpoint               | Host: testserver     | 200 | null | another | http://testserver/another
  path      | any | /v1/endpoint            | Host: testserver     | 200 | v1   | unversioned foo=bar | http://testserver/unversioned/bar
  namespace | any | /v1/endpoint            | Host: testserver     | 200 | v1   | another | http://testserver/v1/namespaced
  namespace | any | /endpoint               | Host: testserver     | 200 | null | another | http://testserver/another
  // Versions that are not allowed
  query     | allowed | /endpoint?version=v3 | -                                      | 404
  host      | allowed | /endpoint            | Host: v3.example.org                   | 404
  accept    | allowed | /endpoint            | Accept: application/json; version=v3   | 406
  path      | allowed | /v3/endpoint         | -                                      | 404
  namespace | allowed | /v3/endpoint         | -                                      | 404
  // Allowed versions and a default
  accept    | allowed                  | /endpoint | Accept: application/json             | 406
  accept    | allowed, default         | /endpoint | Accept: application/json             | 200 | v2
  accept    | allowed, default         | /endpoint | Accept: application/json; version=v2 | 200 | v2
  accept    | allowed or none          | /endpoint | Accept: application/json             | 200 | null
  accept    | allowed or none, default | /endpoint | Accept: application/json             | 200 | v2
  // Links of hyperlinked fields: in the version, in a namespace below it, and outside of all versions
  namespace | any | /v1/endpoint           | Host: testserver | 200 | v1 | namespaced pk=3    | http://testserver/v1/namespaced/3
  namespace | any | /v2/endpoint           | Host: testserver | 200 | v2 | namespaced pk=5    | http://testserver/v2/namespaced/5
  namespace | any | /v1/nested/namespaced/1 | Host: testserver | 200 | v1 | nested pk=3        | http://testserver/v1/nested/namespaced/3
  namespace | any | /v1/endpoint           | Host: testserver | 200 | v1 | non-api-view pk=10 | http://testserver/non-api/10
  namespace | any | /v2/endpoint           | Host: testserver | 200 | v2 | non-api-view pk=10 | http://testserver/non-api/10`)
test.each(CASES)(
  '%s, %s: %s, %s: %s %s %s %s',
  async (name = '', settings = '', url = '', header = '', status, ...rest) => {
    const [version, link, made] = rest
    const routes = name === 'namespace' ? inNamespaces() : name === 'path' ? inPath() : users()
    const given = { ...SETTINGS[settings], ...(name === 'accept' ? JSON_TYPE : {}) }
    const scheme = SCHEMES[name as keyof typeof SCHEMES](given as object)
    const server = await serve((app) => void app.use(versioning({ scheme, routes }), routes))
    const [field = '', value = ''] = header.split(/: (.*)/)
    const headers = { ...(header === '-' ? {} : { [field]: value }), ...(link === undefined ? {} : { 'X-Link': link }) }
    const response = await server.get(url, headers)
    expect(response.status).toBe(Number(status))
    if (version !== undefined)
      expect(response.json).toEqual({ version: version === 'null' ? null : version, url: made })
  },
)

test('without a version, a link is that of the table', async () => {
  const routes = users()
  const server = await serve((app) => void app.use(routes))
  const { json } = await server.get('/endpoint', { Host: 'testserver', 'X-Link': 'another' })
  expect(json).toEqual({ url: 'http://testserver/another' })
})

// DRF resolves the URL that a client sends for a hyperlinked field, and compares the view's name in its version.
test.each([
  ['/v1/namespaced/3', true],
  ['/v2/namespaced/3', false],
])('a client in v1 that sends %s names an object of its version: %p', (url, own) => {
  const routes = inNamespaces()
  expect(routes.resolve(url)?.viewName === 'v1:namespaced').toBe(own)
})
