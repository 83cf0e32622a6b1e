import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import '../support/serve'

const TESTS = join(__dirname, '..')
const wanted = new RegExp(`^(?:${process.env.MUTATION_TESTS})(?:\\.once)?\\.test\\.ts$`)

// One file for all of them, so that a mutant loads Express once and not with each: that would take most of its time.
for (const file of readdirSync(TESTS).filter((name) => wanted.test(name))) {
  describe(file, () => void require(join(TESTS, file)))
}
