import { exposedHeaders, namedRoutes, QueryParameterVersioning, versioning } from 'express-versioning'
import { serve } from '../support/serve'

test('exposedHeaders lists what answers gain, and nothing else but Vary, which browsers need not see', async () => {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get((_req, res) => {
    res.end()
  })
  const lifecycle = {
    v1: { deprecated: '2024-01-01', sunset: '2099-01-01', info: 'https://api.example.com/v1', successor: 'v2' },
  }
  const { get } = await serve((app) => {
    app.use('/bare', routes)
    app.use(
      '/api',
      versioning({
        scheme: QueryParameterVersioning,
        allowedVersions: ['v1', 'v2'],
        lifecycle,
        reportVersions: true,
        routes,
      }),
      routes,
    )
  })
  const bare = Object.keys((await get('/bare/x')).headers)
  const versioned = Object.keys((await get('/api/x?version=v1')).headers)
  const gained = versioned.filter((name) => !bare.includes(name) && name !== 'vary')
  expect(gained.sort()).toEqual(exposedHeaders.map((name) => name.toLowerCase()).sort())
  expect(Object.isFrozen(exposedHeaders)).toBe(true)
})
