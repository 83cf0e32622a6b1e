// Several given documents as one: the first has the last word.
import { isDeepStrictEqual } from 'node:util'
import type { GivenDocument } from '../../registry'
import { isObject, type JsonSchema } from '../../schemas/model'
import type { GivenParts, Kind } from './document-parts'

const KINDS: Readonly<Record<string, Kind>> = {
  parameters: 'parameter',
  requestBodies: 'requestBody',
  responses: 'response',
  headers: 'header',
  callbacks: 'callback',
  pathItems: 'pathItem',
  mediaTypes: 'media',
}

/** The given documents that a version has operations of. */
export class Joined {
  readonly first: GivenDocument
  readonly openapi: string
  /** @throws {TypeError} for documents of different versions of OpenAPI. */
  constructor(readonly documents: readonly GivenDocument[]) {
    this.first = documents[0] as GivenDocument
    this.openapi = String(this.first.document.openapi)
    const other = documents.find(({ document }) => minorOf(document) !== minorOf(this.first.document))
    if (other === undefined) return
    throw new TypeError(
      `openapi(): the table has documents of OpenAPI ${this.openapi} and ${String(other.document.openapi)}, which cannot be one document. Convert one of them.`,
    )
  }

  /** Returns an operation of a document as the joined document has it: with the document's security. */
  own({ document }: GivenDocument, operation: JsonSchema): JsonSchema {
    const { security } = document
    const isOther = !isDeepStrictEqual(security, this.first.document.security) && operation.security === undefined
    return isOther ? { ...operation, security: security ?? [] } : operation
  }

  /** Returns a path of a document as the joined document has it: with the document's servers. */
  ownPath({ document }: GivenDocument, item: JsonSchema): JsonSchema {
    const { servers } = document
    const isOther = !isDeepStrictEqual(servers, this.first.document.servers) && item.servers === undefined
    return isOther ? { ...item, servers: servers ?? [{ url: '/' }] } : item
  }

  /** Returns everything but the paths and the schemas. */
  rest(parts: GivenParts): Record<string, unknown> & { components: Record<string, unknown> } {
    const components: Record<string, unknown> = {}
    const found: Record<string, unknown> = { ...this.first.document, components }
    for (const given of this.documents) {
      const { document } = given
      const use = { document: given, isReversed: false, isResponse: false, neutral: false }
      for (const [kind, all] of Object.entries(isObject(document.components) ? document.components : {})) {
        if (!isObject(all) || kind === 'schemas') {
          components[kind] ??= all
          continue
        }
        const known = KINDS[kind]
        const isResponse = ['responses', 'headers', 'mediaTypes'].includes(kind)
        const pointer = `/components/${kind}`
        // The items of paths are in place. Only webhooks and callbacks refer to others.
        const isReversed = kind === 'pathItems'
        const here = { ...use, pointer, isResponse, isReversed }
        const own = known === undefined ? all : (parts.all(known, all, here) as JsonSchema)
        components[kind] = this.#merged(kind, components[kind], own, all)
      }
      if (document.webhooks !== undefined) {
        const own = parts.all('pathItem', document.webhooks, { ...use, pointer: '/webhooks', isReversed: true })
        found.webhooks = given === this.first ? own : { ...(own as object), ...(found.webhooks as object | undefined) }
      }
      if (given !== this.first && Array.isArray(document.tags)) found.tags = withTags(found.tags, document.tags)
    }
    return found as ReturnType<Joined['rest']>
  }

  /** @throws {TypeError} for two different components of one name. */
  #merged(kind: string, known: unknown, own: JsonSchema, given: JsonSchema): JsonSchema {
    if (known === undefined) return own
    for (const [name, value] of Object.entries(given)) {
      const other = this.documents
        .map(({ document }) => Object(Object(document.components)[kind])[name])
        .find((one) => one !== undefined)
      if (isDeepStrictEqual(other, value)) continue
      throw new TypeError(
        `openapi(): two documents of the table have different "${name}" in "components/${kind}". Rename one of them.`,
      )
    }
    return { ...own, ...(known as JsonSchema) }
  }
}

function minorOf({ openapi }: GivenDocument['document']): string {
  return String(openapi).slice(0, 3)
}

function withTags(known: unknown, added: readonly unknown[]): unknown[] {
  const all = Array.isArray(known) ? known : []
  const has = (tag: unknown) => all.some((one) => Object(one).name === Object(tag).name)
  return [...all, ...added.filter((tag) => !has(tag))]
}
