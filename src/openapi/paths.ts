// The paths of a document: templates, parameters and unique names.
import type { PathPart } from '../types'
import type { OpenApiParameter, OpenApiPathItem } from './model'

/** A path of a document, and its parameters. */
export interface DocumentPath {
  readonly item: OpenApiPathItem
  readonly parameters: readonly OpenApiParameter[]
}

/** The `paths` of a document. Paths that differ only in the names of their parameters are the same. */
export class DocumentPaths {
  readonly items: Record<string, OpenApiPathItem> = {}
  readonly #byShape = new Map<string, DocumentPath>()

  /**
   * Returns the entry of a path, and adds it if it is missing.
   *
   * @param path the path below the server, with its leading slash.
   */
  at(path: readonly PathPart[]): DocumentPath {
    const shape = path.map((part) => (typeof part === 'string' ? part : '{}')).join('')
    let found = this.#byShape.get(shape)
    if (found === undefined) {
      const { template, parameters } = templateOf(path)
      found = { item: {}, parameters }
      this.items[template] = found.item
      this.#byShape.set(shape, found)
    }
    return found
  }
}

function templateOf(path: readonly PathPart[]): { template: string; parameters: OpenApiParameter[] } {
  const parameters: OpenApiParameter[] = []
  const names = new Set<string>()
  let template = ''
  for (const part of path) {
    if (typeof part === 'string') {
      template += part
      continue
    }
    const name = unique(plainName(part.name), names)
    template += `{${name}}`
    const description = part.wildcard ? { description: 'One segment or several.' } : {}
    parameters.push({ name, in: 'path', required: true, ...description, schema: { type: 'string' } })
  }
  return { template, parameters }
}

/** Replaces in a name the characters that not every tool can read. */
export function plainName(name: string, instead = '_'): string {
  return name.replace(/[^\w.-]/g, instead)
}

/** Makes a name unique with a number behind it, and reserves it. */
export function unique(name: string, taken: Set<string>): string {
  let found = name
  for (let count = 2; taken.has(found); count++) found = `${name}-${count}`
  taken.add(found)
  return found
}
