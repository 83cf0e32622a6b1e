// byVersion() instead of the Map and its 'default' key.
import express from 'express'
import { byVersion, HeaderVersioning, servedVersion, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

const app = express()
app.use(
  versioning({
    scheme: new HeaderVersioning({
      header: 'X-Api-Version',
      defaultVersion: '2.0.0',
      allowedVersions: ['1.0.0', '1.1.0', '2.0.0'],
    }),
  }),
)
app.get(
  '/test',
  byVersion(
    {
      '1.0.0': (req, res) => res.json({ message: 'hello to you version 1.0', served: servedVersion(req) }),
      '2.0.0': (_req, res) => res.json({ message: 'hello to you version 2.0' }),
    },
    { fallback: 'lower' },
  ),
)
app.get(
  '/new',
  byVersion(
    { '2.0.0': (_req, res) => res.json({ message: 'new in version 2.0' }) },
    { otherwise: (_req, res) => res.json({ message: 'this is the default route' }) },
  ),
)
app.use(jsonErrors)

start(app, [
  {
    path: '/test',
    header: 'X-Api-Version: 1.1.0',
    prints: '{"message":"hello to you version 1.0","served":"1.0.0"} 200',
  },
  { path: '/test', header: 'X-Api-Version: 2.0.0', prints: '{"message":"hello to you version 2.0"} 200' },
  { path: '/new', header: 'X-Api-Version: 1.0.0', prints: '{"message":"this is the default route"} 200' },
  {
    path: '/test',
    header: 'X-Api-Version: 3.0.0',
    prints: '{"error":"Invalid version in \\"X-Api-Version\\" header."} 406',
  },
])
