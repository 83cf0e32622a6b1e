import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** What `@redocly/openapi-core` finds wrong in each of some OpenAPI documents, by its rules of `extends: ['spec']`. */
export async function lintAll(documents: readonly object[]): Promise<string[][]> {
  const child = spawn(process.execPath, [join(__dirname, 'openapi-linter.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(documents))
  return JSON.parse(await text(child.stdout))
}
