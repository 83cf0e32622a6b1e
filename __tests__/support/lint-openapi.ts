import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Lints each OpenAPI document with the `spec` rules of `@redocly/openapi-core` and returns the faults. */
export async function lintAll(documents: readonly object[]): Promise<string[][]> {
  const child = spawn(process.execPath, [join(__dirname, 'openapi-linter.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(documents))
  return JSON.parse(await text(child.stdout))
}
