// Hosts of the suite of cases that have projects of their own: their sources are compiled in a folder with their dependencies.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import type { Running } from '../../hosts/run-cases'
import { install, packed, root, run, tested, write } from './projects'

const HOSTS = '__tests__/hosts'
/** The parts of the suite that such hosts share. */
const SHARED = ['shop.ts', 'history.ts', 'options.ts']

interface HostOptions {
  /** Whether it is compiled to ES modules. Default: `false`. */
  readonly isModule?: boolean
  /** A command of a dependency that runs before the sources are compiled. */
  readonly command?: readonly string[]
  /** More sources, from the folder of the suite. */
  readonly more?: readonly string[]
}

/**
 * Makes the project of a host. Its files have the paths that they have here.
 *
 * @param folder the folder of its sources in that of the suite.
 * @param dependencies its dependencies, but for those that all have.
 */
export async function hostProject(
  directory: string,
  folder: string,
  dependencies: object,
  { isModule = false, command = [], more = [] }: HostOptions = {},
): Promise<void> {
  const own = readdirSync(join(root, HOSTS, folder)).map((file) => join(folder, file))
  const paths = [...SHARED, ...more, ...own].map((file) => join(HOSTS, file))
  const sources = paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])
  const all = { ...dependencies, ajv: tested('ajv'), 'express-versioning': packed().specifier }
  await install(directory, all, Object.fromEntries(sources), isModule ? { type: 'module' } : {})
  if (command.length > 0) await run(join(directory, HOSTS), 'npx', '--no', ...command)
  const written = readdirSync(join(directory, HOSTS, folder)).map((file) => join(HOSTS, folder, file))
  for (const path of new Set([...paths, ...written])) {
    if (!path.endsWith('.ts')) continue
    const source = readFileSync(join(directory, path), 'utf8')
    write(directory, { [path.replace(/\.ts$/, '.js')]: compiled(source, isModule) })
  }
}

function compiled(source: string, isModule: boolean): string {
  const { outputText } = transpileModule(source, {
    compilerOptions: {
      module: isModule ? ModuleKind.ESNext : ModuleKind.CommonJS,
      target: ScriptTarget.ES2022,
      esModuleInterop: true,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
    },
  })
  // The sources are those of a project without ES modules.
  return isModule ? outputText.replaceAll(/( from '\.{1,2}\/[^']*?)(?:\.js)?'/g, "$1.js'") : outputText
}

/** Starts a program that tells its port, and perhaps more. */
export async function startHost(
  file: string,
  args: readonly string[],
  execPath: string = process.execPath,
  cwd: string = process.cwd(),
): Promise<Required<Running> & { told: unknown[] }> {
  const child = fork(file, args, { execPath, cwd, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const printed = text(child.stderr as NodeJS.ReadableStream)
  const ended = once(child, 'exit')
  const early = ended.then(async () => {
    throw new Error(`${file} ended:\n${await printed}`)
  })
  const [{ port }] = (await Promise.race([once(child, 'message'), early])) as [{ port: number }]
  early.catch(() => undefined)
  const told: unknown[] = []
  child.on('message', (more) => told.push(more))
  return {
    port,
    told,
    async close() {
      child.kill()
      await ended
      // Requests for pages that the document does not have are the only ones to warn of.
      const codes = [...(await printed).matchAll(/\[(EXPRESS_VERSIONING_\w+)\]/g)].map(([, code]) => code)
      expect(codes.filter((code) => !/_(?:NEST|UNHANDLED)$/.test(String(code)))).toEqual([])
    },
  }
}
