import { writeFileSync } from 'node:fs'
import { versions } from './cases'
import { todaysApp } from './express-shop'
import { listen } from './listen'
import { oldApp } from './old-app'
import { goldenFile, responses } from './run-cases'

// The golden files are those of the apps without the package. With GOLDEN=write, they are recorded again.
const apps = {
  '2024-01-01': () => oldApp('2024-01-01'),
  '2025-01-01': () => oldApp('2025-01-01'),
  '2026-01-01': todaysApp,
}

test.each(versions)('golden/%s.json has the responses of the app of that day', async (version) => {
  const running = await listen(apps[version]())
  const recorded = `${JSON.stringify(await responses(running, version), null, 2)}\n`
  await running.close()
  if (process.env.GOLDEN === 'write') writeFileSync(goldenFile(version), recorded)
  expect(JSON.parse(recorded)).toEqual(require(goldenFile(version)))
})
