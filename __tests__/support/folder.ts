import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { command } from '../../src/command-line/command'

/** A folder of the test file, for modules and documents. Modules are required there, where Node would import them. */
export const folder = mkdtempSync(join(tmpdir(), 'express-versioning-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a file, in folders that it makes. What is no string is JSON. */
export function write(file: string, content: unknown): void {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
}
export const read = (file: string) => readFileSync(join(folder, file), 'utf8')
/** Writes a package that is one of this project. */
export const lend = (file: string, name: string) =>
  write(file, `module.exports = require(${JSON.stringify(require.resolve(name))})`)

/** Runs the command there. */
export const ended = (words: string, directory = '.'): ReturnType<typeof command> =>
  command(words.split(' ').filter(Boolean), join(folder, directory))
