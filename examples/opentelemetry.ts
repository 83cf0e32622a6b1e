// The version is an attribute of the active span. Without an SDK there is no span.
import { trace } from '@opentelemetry/api'
import express from 'express'
import { HeaderVersioning, type VersionEvent, versioning } from 'express-versioning'
import { jsonErrors, start } from './support'

function onVersion({ version, deprecated }: VersionEvent): void {
  if (version) trace.getActiveSpan()?.setAttributes({ 'api.version': version, 'api.version.deprecated': deprecated })
}

const app = express()
app.use(versioning({ scheme: HeaderVersioning, defaultVersion: 'v1', allowedVersions: ['v1', 'v2'], onVersion }))
app.get('/users/:id', (req, res) => {
  res.json({ version: req.version, traced: trace.getActiveSpan() !== undefined })
})
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'X-API-Version: v2', prints: '{"version":"v2","traced":false} 200' },
  { path: '/users/7', prints: '{"version":"v1","traced":false} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
