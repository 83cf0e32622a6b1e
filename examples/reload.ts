// Versions and dates from a file: a change of the file needs no deployment.
import { mkdtempSync, readFileSync, watchFile, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, type VersioningOptions, versioning } from 'express-versioning'
import { jsonErrors, start } from './support/start'

/** Returns a `versioning()` that is made anew when a file of options changes. If that fails, the old one stays. */
export function reloaded(file: string, options: VersioningOptions): RequestHandler {
  const make = () => versioning({ ...options, ...JSON.parse(readFileSync(file, 'utf8')) })
  // The process does not start with a wrong file.
  let current = make()
  watchFile(file, { interval: 500, persistent: false }, () => {
    try {
      current = make()
    } catch (error) {
      console.error(`${file} was not taken:`, error)
    }
  })
  return (req, res, next) => current(req, res, next)
}

const file = process.env.VERSIONS ?? join(mkdtempSync(join(tmpdir(), 'versions-')), 'versions.json')
if (process.env.VERSIONS === undefined) {
  const settings = { allowedVersions: ['v1', 'v2'], lifecycle: { v1: { sunset: '2099-01-01' } } }
  writeFileSync(file, JSON.stringify(settings))
}

const app = express()
app.use(reloaded(file, { scheme: HeaderVersioning, reportVersions: true }))
app.get('/', (req, res) => {
  res.json({ version: req.version })
})
app.use(jsonErrors)

start(app, [
  { path: '/', header: 'X-API-Version: v1', prints: '{"version":"v1"} 200' },
  { path: '/', header: 'X-API-Version: v2', prints: '{"version":"v2"} 200' },
  {
    path: '/',
    header: 'X-API-Version: v3',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
