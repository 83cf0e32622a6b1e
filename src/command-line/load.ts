// The loading of a module.
import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shown } from '../util/options'
import { CommandError } from './command-error'

/**
 * Loads a module of any kind with `import()`.
 *
 * @param file a path, absolute or below `directory`. The extension `.js` and the `index.js` of a folder are optional.
 * @returns its namespace.
 * @throws {CommandError} if there is no such file, and for TypeScript on a Node that cannot read it.
 * @throws the errors of the module.
 */
export async function load(file: string, directory: string): Promise<object> {
  const path = found(file, directory)
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_UNKNOWN_FILE_EXTENSION') throw error
    throw new CommandError(
      `Node ${process.versions.node} does not read ${extname(path)} files. Give the compiled module, or use Node 22.18 or later, which reads TypeScript.`,
    )
  }
}

function found(file: string, directory: string): string {
  try {
    return createRequire(join(directory, '/')).resolve(resolve(directory, file))
  } catch {
    throw new CommandError(`there is no module ${shown(file)} in ${shown(directory)}.`)
  }
}
