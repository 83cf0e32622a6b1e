// Step 3: your own scheme in place of an extractor (VersioningType.CUSTOM), combined with a header.
import express, { type Request } from 'express'
import { BaseVersioning, byVersion, CombinedVersioning, HeaderVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

/** `?v=2`, or `?version=2`. */
class ShortQuery extends BaseVersioning {
  override readonly carriedIn = 'query'
  override readonly invalidVersionMessage = 'Invalid version in query.'

  override readVersion(req: Request): string | undefined {
    const version = req.query.v ?? req.query.version
    if (version === undefined || typeof version === 'string') return version
    throw this.invalidVersion()
  }
}

const scheme = new CombinedVersioning({
  schemes: [new ShortQuery(), new HeaderVersioning({ header: 'Custom-Header' })],
  defaultVersion: '1',
  allowedVersions: ['1', '2', '3'],
})

const app = express()
app.use(versioning({ scheme }))
app.get(
  '/cats',
  byVersion(
    { 1: (_req, res) => res.json(['Tom']), 2: (_req, res) => res.json({ cats: [{ name: 'Tom' }] }) },
    // An extractor may return several versions, and Nest takes the highest one that a route has.
    { fallback: 'lower' },
  ),
)
app.use(jsonErrors)

start(app, [
  { path: '/cats', prints: '["Tom"] 200' },
  { path: '/cats?v=3', prints: '{"cats":[{"name":"Tom"}]} 200' },
  { path: '/cats', header: 'Custom-Header: 2', prints: '{"cats":[{"name":"Tom"}]} 200' },
  { path: '/cats?v=9', prints: '{"error":"Invalid version in query."} 404' },
])
