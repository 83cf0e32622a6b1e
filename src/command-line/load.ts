import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { shown } from '../util/options'
import { CommandError } from './command-error'

/**
 * Loads a module as `import()` does, whatever its kind.
 *
 * @param file a path, from `directory` on or absolute; the ending of a `.js` file, and the `index.js` of a folder, may be left out.
 * @returns its namespace.
 * @throws {CommandError} where there is no such file, and for TypeScript on a Node that does not read it.
 * @throws what the module throws.
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
