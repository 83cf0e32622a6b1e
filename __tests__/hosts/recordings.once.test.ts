import { writeFileSync } from 'node:fs'
import { listen } from '../support/serve'
import { versions } from './cases'
import { todaysApp } from './express-shop'
import { oldApp } from './old-app'
import { goldenFile, responses } from './run-cases'

// The golden files are those of the apps without the package. With GOLDEN=write, they are recorded again.
test.each(versions)('golden/%s.json has the responses of the app of that day', async (version) => {
  const app = version === '2026-01-01' ? todaysApp() : oldApp(version)
  const recorded = `${JSON.stringify(await responses(await listen(app), version), null, 2)}\n`
  if (process.env.GOLDEN === 'write') writeFileSync(goldenFile(version), recorded)
  expect(JSON.parse(recorded)).toEqual(require(goldenFile(version)))
})
