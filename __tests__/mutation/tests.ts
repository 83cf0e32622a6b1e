import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const TESTS = join(__dirname, '..')
const wanted = new RegExp(process.env.MUTATION_TESTS ?? '^$')
const { testNamePattern } = globalThis as { testNamePattern?: string }
const asked = testNamePattern?.replaceAll('\\', '')

// One mutant loads only the files that Stryker asks for: loading all of them takes most of its time.
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts') && wanted.test(file))
  .filter((file) => asked?.includes(file) !== false)

describe.each(files)('%s', (file) => {
  require(join(TESTS, file))
})
