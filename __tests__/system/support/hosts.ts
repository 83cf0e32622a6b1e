// Hosts of the suite of cases that have projects of their own: their sources are compiled in a folder with their dependencies.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import type { Running } from '../../hosts/run-cases'
import { install, packed, root, run, tested, write } from './projects'

const HOSTS = join(root, '__tests__/hosts')
/** The parts of the suite that such hosts share. */
const SHARED = ['shop.ts', 'history.ts', 'options.ts']

/**
 * Makes the project of a host.
 *
 * @param folder the folder of its sources below `__tests__/hosts`.
 * @param dependencies its dependencies, but for those that all have.
 * @param options whether it is compiled to ES modules, and a script of a dependency that runs before.
 */
export async function hostProject(
  directory: string,
  folder: string,
  dependencies: object,
  { isModule = false, script = [] }: { isModule?: boolean; script?: readonly string[] } = {},
): Promise<void> {
  const own = readdirSync(join(HOSTS, folder)).map((file) => `${folder}/${file}`)
  const sources = [...SHARED, ...own].map((file) => [file, readFileSync(join(HOSTS, file), 'utf8')])
  const all = { ...dependencies, ajv: tested('ajv'), 'express-versioning': packed().specifier }
  await install(directory, all, Object.fromEntries(sources), isModule ? { type: 'module' } : {})
  if (script.length > 0) await run(directory, 'npx', '--no', ...script)
  const written = [...SHARED, ...readdirSync(join(directory, folder)).map((file) => `${folder}/${file}`)]
  for (const file of written.filter((name) => name.endsWith('.ts'))) {
    const source = readFileSync(join(directory, file), 'utf8')
    write(directory, { [file.replace(/\.ts$/, '.js')]: compiled(source, isModule) })
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

/** Starts a program, which tells its port. */
export async function startHost(file: string, ...args: string[]): Promise<Running> {
  const child = fork(file, args)
  const ended = once(child, 'exit')
  const early = ended.then(() => {
    throw new Error(`${file} ended early`)
  })
  const [message] = await Promise.race([once(child, 'message'), early])
  return {
    port: (message as { port: number }).port,
    close() {
      child.kill()
      return ended
    },
  }
}
