import { join } from 'node:path'
import { major } from '../support/major'
import '../support/serve'

const TESTS = join(__dirname, '..')

/** Declares the tests of these files, by their paths below `__tests__`, so that they share what they load. */
export function together(files: readonly string[]): void {
  for (const file of files) {
    describe(file, () => {
      try {
        require(join(TESTS, file))
      } catch (error) {
        test('can be loaded', () => {
          throw error
        })
      }
    })
  }
}

/** Declares the tests of the files that the runner gave to an entry, such as `first.ts`. */
export function togetherIn(entry: string): void {
  const files = JSON.parse(process.env.TOGETHER ?? '{}') as Record<string, string[]>
  together(files[`express ${major} ${entry}`] ?? [])
}
