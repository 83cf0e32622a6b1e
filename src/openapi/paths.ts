import type { PathPart } from '../types'
import type { OpenApiParameter, OpenApiPathItem } from './model'

/** A place of a document's `paths`, and how its parameters are called there. */
export interface DocumentPath {
  readonly item: OpenApiPathItem
  readonly parameters: readonly OpenApiParameter[]
}

/** The `paths` of a document. Paths that differ in the names of their parameters are one. */
export class DocumentPaths {
  readonly items: Record<string, OpenApiPathItem> = {}
  readonly #byShape = new Map<string, DocumentPath>()

  /** @param path below the server, from its first slash on. */
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

/** A name of the characters that every tool reads. */
export function plainName(name: string, instead = '_'): string {
  return name.replace(/[^\w.-]/g, instead) || instead
}

/** A name, with a number behind it where it is taken; it is taken then. */
export function unique(name: string, taken: Set<string>): string {
  let found = name
  for (let count = 2; taken.has(found); count++) found = `${name}-${count}`
  taken.add(found)
  return found
}
