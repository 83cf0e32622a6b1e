import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import '../support/serve'

const TESTS = join(__dirname, '..')
const wanted = new RegExp(`^(?:${process.env.MUTATION_TESTS})(?:\\.once)?\\.test\\.ts$`)
const { testNamePattern } = globalThis as { testNamePattern?: string }

// One file for all of them, so that a mutant loads Express once and not with each; and only those it needs a test of. The rest
// would take most of its time.
for (const file of readdirSync(TESTS).filter((name) => wanted.test(name))) {
  if (testNamePattern?.includes(file.replaceAll(/[-.]/g, '\\$&')) === false) continue
  describe(file, () => void require(join(TESTS, file)))
}
