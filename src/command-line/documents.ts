// Files of OpenAPI documents, as JSON or YAML.
import { createRequire } from 'node:module'
import { join } from 'node:path'
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

/**
 * Parses a document.
 *
 * @param file its name, for errors; the extension tells JSON and YAML apart.
 * @param directory the folder whose packages read YAML.
 * @throws {CommandError} for text that cannot be parsed, and for YAML without such a package.
 */
export function parsedDocument(file: string, text: string, directory: string): unknown {
  const isYaml = /\.ya?ml$/i.test(file)
  const parse = isYaml ? yamlParser(file, directory) : JSON.parse
  try {
    return parse(text)
  } catch (error) {
    throw new CommandError(`${shown(file)} is not ${isYaml ? 'YAML' : 'JSON'}: ${(error as Error).message}`)
  }
}

/** Returns the package of a folder that reads YAML; undefined if there is none that works. */
export function yamlPackage(directory: string): YamlPackage | undefined {
  const load = createRequire(join(directory, 'package.json'))
  for (const [name, method] of Object.entries(PARSERS)) {
    try {
      return { name, method, parse: load(name)[method] }
    } catch {
      // The other one may be there.
    }
  }
  return undefined
}

function yamlParser(file: string, directory: string): (text: string) => unknown {
  const found = yamlPackage(directory)
  if (found !== undefined) return found.parse
  throw new CommandError(
    `${shown(file)} is YAML, which needs the package "yaml": npm install --save-dev yaml. Or give the document as JSON.`,
  )
}
