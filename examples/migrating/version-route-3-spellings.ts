// Step 3, if clients need it: short versions are completed, as express-version-request did (1 is 1.0.0).
import express from 'express'
import { byVersion, HeaderVersioning, versioning } from 'express-versioning'
import { jsonErrors, start } from '../support/start'

/** Completes a short version. */
const completed = (text: string, versions: readonly string[]) =>
  [text, `${text}.0`, `${text}.0.0`].find((version) => versions.includes(version))

const app = express()
app.use(
  versioning({
    scheme: new HeaderVersioning({
      header: 'X-Api-Version',
      allowedVersions: ['1.0.0', '2.0.0'],
      parseVersion: completed,
    }),
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
