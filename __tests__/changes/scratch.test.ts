import express from 'express'
import { HeaderVersioning, URLPathVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { serve } from '../support/serve'

test('x', async () => {
  const api = namedRoutes({ users: '/users', me: '/users/me', user: '/users/:id' })
  for (const name of ['users', 'me', 'user'] as const) {
    api.route(name).get((req, res) => void res.json([name, req.params, req.url, req.originalUrl, req.version, req.reverse('user', {kwargs: {id: 7}} as never), req.resolverMatch]))
  }
  const changes = versionHistory('v1').version('v2', change('Users were people.', { 'GET user': { path: '/people/:id' } }))
  const { get } = await serve((app) => {
    app.use('/api', versioning({ scheme: HeaderVersioning, defaultVersion: 'v2', changes, routes: api as never }), api)
    const root = namedRoutes({}).include('{/:version}', api)
    app.use(versioning({ scheme: URLPathVersioning, defaultVersion: 'v2', changes, routes: root as never }), root)
  })
  for (const path of ['/api/people/7?x=1', '/api/people/me', '/api/users/7', '/api/people/a%2Fb', '/api/people/%zz']) {
    for (const v of ['v1', 'v2']) console.log(path, v, (await get(path, { 'X-API-Version': v })).text)
  }
  for (const path of ['/v1/people/7?x=1', '/v2/people/me', '/v1/users/7', '/users/7', '/v2/users/7', '/people/7']) {
    console.log(path, (await get(path)).text)
  }
})
