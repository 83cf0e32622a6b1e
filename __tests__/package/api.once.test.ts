import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// `npm run check:api` and `npm run check:words` check the sources. Here the checks meet each fault that they are for.

const root = join(__dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'express-versioning-api-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a check on a text, and returns the lines with a fault, and the faults. */
function faultsOf(check: string, text: string): string[] {
  const file = join(folder, 'index.ts')
  writeFileSync(file, text)
  const { stderr } = spawnSync(process.execPath, [check, file], { cwd: root, encoding: 'utf8' })
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
  expect(faultsOf('build/api.mjs', text)).toEqual([
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

test('functions begin with a verb in the third person, and nothing else begins with a clause', () => {
  const text = `
/** Returns it. */
function good() {}
/** The way to it. */
function noun() {}
/** As the others. */
const arrow = () => {}
/** What it is. */
const value = 1
/** Parts of it. */
class Thing {
  /** Makes one. */
  constructor() {}
  /** Where it stands. */
  field = 1
  /** \`Code\` of it. */
  get got() { return 1 }
  /** Return it. */
  method() {}
}
/** Of two, the first. */
interface Shape {
  /** Whether it does. */
  does(): boolean
  /** @throws {Error} always. */
  silent(): boolean
}
`
  expect(faultsOf('build/words.mjs', text)).toEqual([
    '/** The way to it. */ <- "The" is no verb in the third person',
    '/** As the others. */ <- "As" is no verb in the third person',
    '/** What it is. */ <- "What" opens a clause; begin with a noun',
    '/** Where it stands. */ <- "Where" opens a clause; begin with a noun',
    '/** Return it. */ <- "Return" is no verb in the third person',
    '/** Of two, the first. */ <- "Of" opens a clause; begin with a noun',
    '/** Whether it does. */ <- "Whether" is no verb in the third person',
  ])
})
