import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// `npm run check:api` runs the check on the sources. Here it meets every fault that it is for.

const root = join(__dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'express-versioning-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the check on a file, and returns what it reports, with the line that each fault stands on. */
function faultsOf(text: string, options: readonly string[] = []): string[] {
  const file = join(folder, 'index.ts')
  writeFileSync(file, text)
  const { stderr } = spawnSync(process.execPath, ['build/api.mjs', ...options, file], { cwd: root, encoding: 'utf8' })
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, number, fault] = /:(\d+): (.*)$/.exec(line) ?? [undefined, 0, line]
      return `${text.split('\n')[Number(number) - 1]?.trim()} <- ${fault}`
    })
}

test('an undocumented export or member, a silent throw, a vague tag and a lost link are faults', () => {
  const text = `
const helper = () => { throw new Error() }
function deep() { [1].map(() => helper()) }
/** Makes. */
export function calls() { deep() }
/** Makes. */
export function hands() { return () => { throw new Error() } }
/** Makes. */
export function catches() { try { helper() } catch {} }
/** @throws {Error} always. */
export function says() { helper() }
/** @throws when it fails. */
export function vague() { helper() }
/** Leads to {@link says} and {@link nothing}. */
export const links = 1
export const silent = 1
/** Has members. */
export class Thing {
  constructor() { helper() }
  field = 1
  protected own() {}
  private hidden() {}
  #secret() {}
}
/** Has members. */
export interface Shape {
  /** Runs. */
  method(): void
  field: number
}
/** Makes one. */
export const shape = (): Shape => ({ method() { deep() }, field: 1 })
/** Has members. */
export type Alias = { field: number }
const internal = 1
declare global {
  interface Window { added: number }
}
`
  expect(faultsOf(text)).toEqual([
    'export function calls() { deep() } <- "calls" throws, and its docstring has no @throws',
    '/** Leads to {@link says} and {@link nothing}. */ <- {@link nothing} does not resolve',
    'export const silent = 1 <- "silent" has no docstring',
    'constructor() { helper() } <- "__constructor" has no docstring',
    'constructor() { helper() } <- "__constructor" throws, and its docstring has no @throws',
    'field = 1 <- "field" has no docstring',
    'protected own() {} <- "own" has no docstring',
    'method(): void <- "method" throws, and its docstring has no @throws',
    'field: number <- "field" has no docstring',
    'export type Alias = { field: number } <- "field" has no docstring',
    '/** @throws when it fails. */ <- @throws does not name the class first, and then say when',
    'interface Window { added: number } <- "added" has no docstring',
  ])
})
