// Files of OpenAPI documents, as JSON or YAML.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { shown } from '../util/options'
import { CommandError } from './arguments'

/** A package that reads YAML. */
interface YamlPackage {
  readonly name: string
  /** The name of its function. */
  readonly method: string
  readonly parse: (text: string) => unknown
}

/** The packages that read YAML, and their functions. */
const PARSERS = { yaml: 'parse', 'js-yaml': 'load' }

/** The value of a document's file, and the package that reads it, if it is YAML. */
interface ReadDocument {
  readonly value: unknown
  readonly yaml: YamlPackage | undefined
  /** `true` if it begins with a byte order mark, which is not a part of JSON. */
  readonly hasMark: boolean
}

const MARK = '\uFEFF'

/**
 * Reads the file of a document.
 *
 * @param file below `directory`, or absolute; the extension tells JSON and YAML apart.
 * @param directory the folder whose packages read YAML.
 * @throws {CommandError} for a file that cannot be read or parsed, and for YAML without such a package.
 */
export function readDocument(file: string, directory: string): ReadDocument {
  const whole = textOf(file, directory)
  const hasMark = whole.startsWith(MARK)
  const text = hasMark ? whole.slice(MARK.length) : whole
  const yaml = /\.ya?ml$/i.test(file) ? yamlPackage(file, directory) : undefined
  try {
    return { value: (yaml?.parse ?? JSON.parse)(text), yaml, hasMark }
  } catch (error) {
    throw new CommandError(`${shown(file)} is not ${yaml === undefined ? 'JSON' : 'YAML'}: ${(error as Error).message}`)
  }
}

function textOf(file: string, directory: string): string {
  try {
    return readFileSync(resolve(directory, file), 'utf8')
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

/** @throws {CommandError} if no package of the folder reads YAML. */
function yamlPackage(file: string, directory: string): YamlPackage {
  const load = createRequire(join(directory, 'package.json'))
  for (const [name, method] of Object.entries(PARSERS)) {
    try {
      return { name, method, parse: load(name)[method] }
    } catch {
      // The other one may be there.
    }
  }
  throw new CommandError(
    `${shown(file)} is YAML, which needs the package "yaml": npm install yaml. Or give the document as JSON.`,
  )
}
