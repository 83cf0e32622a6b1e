// The paths of a document: templates, parameters and unique names.

import type { PathPart } from '../registry'
import type { OpenApiParameter, OpenApiPathItem } from './openapi-types'

/** A path of a document, and its parameters. */
export interface DocumentPath {
  readonly item: OpenApiPathItem
  readonly parameters: readonly OpenApiParameter[]
}

/** The `paths` of a document. Paths that differ only in the names of their parameters are the same. */
export class DocumentPaths {
  readonly items: Record<string, OpenApiPathItem> = {}
  readonly #byShape = new Map<string, DocumentPath>()

  /** Adds a path with its operations. */
  add(template: string, given: object): void {
    const item = { ...given, ...this.items[template] }
    this.items[template] = item
    const shape = template.replace(TEMPLATED, '{}')
    // A document may have two paths for the same requests, with other methods each.
    if (!this.#byShape.has(shape)) this.#byShape.set(shape, { item, parameters: parametersIn(template) })
  }

  /**
   * Returns the entry of a path, and adds it if it is missing.
   *
   * @param path the path below the server, with its leading slash.
   */
  at(path: readonly PathPart[]): DocumentPath {
    const shape = path.map((part) => (typeof part === 'string' ? part : '{}')).join('')
    let found = this.#byShape.get(shape)
    if (found === undefined) {
      const { template, parameters } = writtenPath(path)
      found = { item: {}, parameters }
      this.items[template] = found.item
      this.#byShape.set(shape, found)
    }
    return found
  }
}

/** Returns the parameters in a template. */
function parametersIn(template: string): OpenApiParameter[] {
  return [...template.matchAll(TEMPLATED)].map(([, name]) => pathParameter(name as string))
}

function pathParameter(name: string, words: { readonly description?: string } = {}): OpenApiParameter {
  return { name, in: 'path', required: true, ...words, schema: { type: 'string' } }
}

const TEMPLATED = /\{([^{}]*)\}/g

/** Returns the template of a path, and its parameters. */
export function writtenPath(path: readonly PathPart[]): { template: string; parameters: OpenApiParameter[] } {
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
    parameters.push(pathParameter(name, description))
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

/** A parameter, as far as its place tells it. */
interface Parameter {
  readonly name?: unknown
  readonly in?: unknown
}

/** Tells whether two parameters are one. Names of header fields are the same in any case. */
export function isSameParameter(one: Parameter, other: Parameter): boolean {
  const [a, b] = [one, other].map(({ name, in: place }) => (place === 'header' ? String(name).toLowerCase() : name))
  return one.in === other.in && a === b
}

/** Returns the parameters that are none of others. */
export function withoutSame<One>(
  all: readonly One[],
  others: readonly Parameter[],
  parameterOf: (one: One) => Parameter,
): One[] {
  return all.filter((one) => !others.some((other) => isSameParameter(parameterOf(one), other)))
}
