import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Lints OpenAPI documents with the `spec` rules of `@redocly/openapi-core`. Returns the faulty ones with their faults. */
export async function faultyOf(documents: readonly object[]): Promise<{ document: object; faults: string[] }[]> {
  const child = spawn(process.execPath, [join(__dirname, 'openapi-linter.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(documents))
  const faults: string[][] = JSON.parse(await text(child.stdout))
  return documents.flatMap((document, index) => (faults[index]?.length ? [{ document, faults: faults[index] }] : []))
}
