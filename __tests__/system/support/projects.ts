import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(__dirname, '../../..')

/** Makes a folder for the projects of a test file and removes it afterwards. */
export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a program and returns its output. An error contains the whole output. */
export async function run(directory: string, command: string, ...args: string[]): Promise<string> {
  // The inner npm must not see the folder that an outer `npm run` sets.
  const { npm_config_local_prefix, npm_config_prefix, ...env } = process.env
  try {
    return (await promisify(execFile)(command, args, { cwd: directory, env })).stdout
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout: string; stderr: string; message: string }
    throw new Error(`${command} ${args.join(' ')} failed in ${directory}\n${stdout}\n${stderr || message}`)
  }
}

/** Writes the files of a project by their paths. It writes objects as JSON. */
export function write(directory: string, files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** Makes a project of files, and installs its dependencies by npm. */
export async function install(
  directory: string,
  dependencies: object,
  files: Record<string, string | object> = {},
  manifest: object = {},
) {
  write(directory, { 'package.json': { private: true, ...manifest, dependencies }, ...files })
  await run(directory, 'npm', 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund')
  return directory
}

/** The version that the tests themselves run on. */
export function tested(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
}

/** The tarball that npm would publish: its path as a dependency, its bytes and its files. */
export const packed = (): { specifier: string; size: number; files: { path: string; size: number }[] } =>
  JSON.parse(process.env.PACKED ?? '')

/** Packs the tarball, for all test files of a run: jest calls it before them. */
export default async function packOnce(): Promise<void> {
  const folder = join(root, 'reports/package')
  mkdirSync(folder, { recursive: true })
  const output = await run(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const [{ filename, size, files }] = JSON.parse(output)
  process.env.PACKED = JSON.stringify({ specifier: `file:${join(folder, filename)}`, size, files })
}
