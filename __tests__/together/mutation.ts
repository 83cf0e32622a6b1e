import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { together } from './together'

const wanted = new RegExp(process.env.MUTATION_TESTS ?? '^$')
const { testNamePattern } = globalThis as { testNamePattern?: string }

const asked = testNamePattern?.replaceAll('\\', '')

// Only the files that a mutant needs a test of: the rest would take most of its time.
const files = readdirSync(join(__dirname, '..'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts') && wanted.test(file))
together(files.filter((file) => asked?.includes(file) !== false))
