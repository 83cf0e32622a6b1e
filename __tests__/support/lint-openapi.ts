import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** One process for a file of tests, because starting it takes longer than linting a document. */
let linter: ChildProcess | undefined
afterAll(() => linter?.kill())

/** Lints OpenAPI documents with the `spec` rules of `@redocly/openapi-core`. Returns the faulty ones with their faults. */
export async function faultyOf(documents: readonly object[]): Promise<{ document: object; faults: string[] }[]> {
  linter ??= fork(join(__dirname, 'openapi-linter.mjs'))
  linter.send(documents)
  const [faults] = (await once(linter, 'message')) as [string[][]]
  return documents.flatMap((document, index) => (faults[index]?.length ? [{ document, faults: faults[index] }] : []))
}
