// The examples of a change: a body before it and behind it, as the server has them.

import type { RequestChanges, VersionSchema } from '../bound-changes'
import type { ItemKind } from '../http/framing'
import type { GivenDocument } from '../registry'
import { parsedEvents } from '../schemas/events'
import { valueAt } from '../schemas/pointers'
import { itemSchemasOf, jsonSchemasOf, mayBeJson, statusNumber } from '../schemas/responses'
import { exampleOf } from '../schemas/sample'
import { descriptionIn } from '../survey/described'
import type { Operation } from '../survey/survey'
import type { ListedPart, ListedShape, ResponseBody, Schema } from '../types'

/** Two examples of one body; both are undefined where nobody can tell one. */
export interface Examples {
  readonly before?: unknown
  readonly after?: unknown
}

/** The two versions of a change. */
export interface Sides {
  readonly older: string
  readonly newer: string
}

/** The maker of examples. Those of responses are made in the newest version, and converted by the history. */
export class ExampleMaker {
  constructor(
    private readonly changes: RequestChanges,
    private readonly given: readonly GivenDocument[],
  ) {}

  /** Makes the examples of a shape. */
  ofShape({ name, isReceived }: ListedShape, { older, newer }: Sides): Examples {
    const { changes } = this
    const direction = isReceived ? 'output' : 'input'
    const origin = isReceived ? changes.newest : older
    return tried(() => {
      const definitions = changes.definitionsIn(origin)
      const { schema } = definitions.get(name) as VersionSchema
      const first = exampleOf(schema, definitions, direction)
      const of = (version: string) =>
        version === origin ? first : changes.shape(name, direction, first, origin, version)
      return { before: of(older), after: of(newer) }
    })
  }

  /** Makes the examples of a part of an operation. */
  ofPart(part: ListedPart['part'], operation: Operation, { older, newer }: Sides): Examples {
    if (part === 'headers' || part === 'status') return {}
    if (part === 'body' || part === 'query') return tried(() => this.#ofRequest(part, operation, older, newer))
    return tried(() => this.#ofResponse(part, operation, older, newer))
  }

  #ofRequest(part: 'body' | 'query', operation: Operation, older: string, newer: string): Examples {
    const { method, viewName } = operation
    const before = this.#requestIn(part, operation, older)
    if (before === undefined) return { after: this.#requestIn(part, operation, newer) }
    return { before, after: this.changes.operation(method, viewName, older).newer(part, before, newer) }
  }

  #requestIn(part: 'body' | 'query', operation: Operation, version: string): unknown {
    const schema = descriptionIn(operation, version)[part]
    if (schema === undefined || schema === null || typeof schema === 'string') return undefined
    return exampleOf(schema, this.changes.definitionsIn(version), 'input')
  }

  #ofResponse(part: 'response' | 'error' | 'item', operation: Operation, older: string, newer: string): Examples {
    const { method, viewName } = operation
    const { newest } = this.changes
    const { own, responses } = descriptionIn(operation, newest)
    for (const [status, body] of [...own, ...responses]) {
      if (status.startsWith('2') === (part === 'error')) continue
      // Only older bodies may be unknown.
      const [found] = (part === 'item' ? itemsOf : bodiesOf)(body as ResponseBody)
      if (found === undefined) continue
      const [kind, schema] = found
      const said = kind === 'body' ? this.#said(operation, status) : undefined
      const first = said ?? exampleOf(schema, this.changes.definitionsIn(newest), 'output')
      const of = (version: string) =>
        this.changes.operation(method, viewName, version).older(kind, statusNumber(status), first)
      return { before: of(older), after: of(newer) }
    }
    return {}
  }

  /** Returns the example that a description or a document gives for a response; undefined for none. */
  #said({ method, viewName, description, name }: Operation, status: string): unknown {
    const own = exampleIn(description?.operation, status, undefined)
    const given = this.given.find(({ namespaces }) => [...namespaces, name].join(':') === viewName)
    if (own !== undefined || given === undefined) return own
    const path = Object(Object(given.document.paths)[name]) as Readonly<Record<string, unknown>>
    return exampleIn(path[method.toLowerCase()], status, given.document)
  }
}

/** Returns the example of a response in an operation of OpenAPI; undefined for none. */
function exampleIn(operation: unknown, status: string, document: object | undefined): unknown {
  const responses = Object(Object(operation).responses) as Record<string, unknown>
  const content = Object(Object(resolved(responses[status], document)).content) as Record<string, unknown>
  const [, media] = Object.entries(content).find(([type]) => mayBeJson(type)) ?? []
  const { example, examples } = Object(media) as { example?: unknown; examples?: object }
  const [first] = Object.values(Object(examples))
  return example ?? Object(resolved(first, document)).value
}

/** Follows the reference of a part of a document. */
function resolved(part: unknown, document: object | undefined): unknown {
  const { $ref } = Object(part) as { $ref?: unknown }
  return typeof $ref === 'string' && $ref.startsWith('#') ? valueAt(document, $ref.slice(1)) : part
}

/** A schema of a response, and what it describes: a whole body, or the items of a stream. */
type Described = readonly [kind: 'body' | ItemKind, schema: Schema]

function bodiesOf(body: ResponseBody): Described[] {
  return jsonSchemasOf(body).map((schema) => ['body', schema])
}

function itemsOf(body: ResponseBody): Described[] {
  const lines = itemSchemasOf(body, 'lines').map((schema): Described => ['lines', schema])
  return [...lines, ...itemSchemasOf(body, 'events').map((schema): Described => ['events', parsedEvents(schema)])]
}

/** Runs steps on an example. One that a step rejects is none. */
function tried(make: () => Examples): Examples {
  try {
    return make()
  } catch {
    return {}
  }
}
