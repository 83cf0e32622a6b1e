// Step 1: versioning() instead of express-version-request. Routes that read req.version need not change.
import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
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
app.get('/test', (req, res) => {
  res.json({ version: req.version })
})
app.use(jsonErrors)

start(app, [
  { path: '/test', header: 'X-Api-Version: 1.0.0', prints: '{"version":"1.0.0"} 200' },
  { path: '/test', prints: '{"version":"2.0.0"} 200' },
  {
    path: '/test',
    header: 'X-Api-Version: latest',
    prints: '{"error":"Invalid version in \\"X-Api-Version\\" header."} 406',
  },
])
