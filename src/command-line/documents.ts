// Files of OpenAPI documents, as JSON or YAML.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { shown } from '../util/options'
import { CommandError } from './arguments'

/** The packages that read YAML, and their functions. */
export const YAML_PARSERS = { yaml: 'parse', 'js-yaml': 'load' } as const

export type YamlPackage = keyof typeof YAML_PARSERS

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

/** Returns the package in a folder that reads YAML; undefined if there is none. */
export function yamlPackage(directory: string): YamlPackage | undefined {
  const { resolve } = createRequire(join(directory, 'package.json'))
  return (Object.keys(YAML_PARSERS) as YamlPackage[]).find((name) => {
    try {
      return resolve(name)
    } catch {
      return undefined
    }
  })
}

function yamlParser(file: string, directory: string): (text: string) => unknown {
  const name = yamlPackage(directory)
  if (name !== undefined) return createRequire(join(directory, 'package.json'))(name)[YAML_PARSERS[name]]
  throw new CommandError(
    `${shown(file)} is YAML, which needs the package "yaml": npm install --save-dev yaml. Or give the document as JSON.`,
  )
}
