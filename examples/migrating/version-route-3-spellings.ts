// Step 3, where clients need it: several spellings of one version, as express-version-request completed them (1 is 1.0.0).
import express, { type Request } from 'express'
import { byVersion, HeaderVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support'

class CompletedHeader extends HeaderVersioning {
  override readVersion(req: Request): string | undefined {
    const version = super.readVersion(req)
    if (version === undefined || !/^\d+(\.\d+)?$/.test(version)) return version
    return version.includes('.') ? `${version}.0` : `${version}.0.0`
  }
}

const app = express()
app.use(
  versioning({
    scheme: new CompletedHeader({ header: 'X-Api-Version', allowedVersions: ['1.0.0', '2.0.0'] }),
  }),
)
app.get(
  '/test',
  byVersion({
    '1.0.0': (req, res) => res.json({ message: 'hello to you version 1.0', version: req.version }),
    '2.0.0': (req, res) => res.json({ message: 'hello to you version 2.0', version: req.version }),
  }),
)
app.use(jsonErrors)

start(app, [
  { path: '/test', header: 'X-Api-Version: 1', prints: '{"message":"hello to you version 1.0","version":"1.0.0"} 200' },
  {
    path: '/test',
    header: 'X-Api-Version: 2.0',
    prints: '{"message":"hello to you version 2.0","version":"2.0.0"} 200',
  },
  {
    path: '/test',
    header: 'X-Api-Version: 2.5',
    prints: '{"error":"Invalid version in \\"X-Api-Version\\" header."} 406',
  },
])
