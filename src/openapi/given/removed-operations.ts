// The operations that today's document does not have any more: they are taken from older ones.
import { isDeepStrictEqual } from 'node:util'
import type { MatchSettings } from '../../routes/pattern'
import { isObject } from '../../schemas/model'
import { below, stepsOf } from '../../schemas/pointers'
import { METHOD_FIELDS } from '../../util/operation'
import { withoutSame } from '../document-paths'
import type { JsonObject } from './document-copy'
import { References } from './document-copy'
import type { Findings } from './findings'
import { shapeOf, type Template } from './templates'

/** A document with the templates of its paths. */
export interface TemplatedDocument {
  readonly document: JsonObject
  readonly templates: readonly Template[]
}

/** An operation of a document, in the item of its path. */
interface Found {
  /** Its method and path, as requests see them. */
  readonly key: string
  readonly source: string
  readonly field: string
  readonly item: JsonObject
}

/** Today's document with operations of older ones. */
export class WithRemoved {
  /** The operations that were taken, such as `GET /users`. */
  readonly taken = new Set<string>()
  readonly #paths: Map<string, JsonObject>
  readonly #components: Map<string, Map<string, unknown>>
  readonly #known: Set<string>

  /**
   * Takes the operations that today's document does not have, with the components that they refer to. A component that it has
   * too is today's: changes say what it was.
   *
   * @param older the older documents, oldest first. The last one that has an operation gives it.
   */
  constructor(
    private readonly today: TemplatedDocument,
    older: readonly TemplatedDocument[],
    private readonly settings: MatchSettings,
    private readonly findings: Findings,
  ) {
    this.#paths = new Map(Object.entries(Object(today.document.paths)))
    this.#components = new Map(
      Object.entries(Object(today.document.components)).map(([kind, all]) => [
        kind,
        new Map(Object.entries(Object(all))),
      ]),
    )
    this.#known = new Set(this.#operationsOf(today).map(({ key }) => key))
    for (const one of older.toReversed()) {
      const references = new References(one.document, [], findings)
      for (const found of this.#operationsOf(one)) if (!this.#known.has(found.key)) this.#take(found, references)
    }
  }

  /** The whole document. */
  get document(): JsonObject {
    const components = [...this.#components].map(([kind, all]) => [kind, Object.fromEntries(all)])
    return {
      ...this.today.document,
      paths: Object.fromEntries(this.#paths),
      ...(components.length === 0 ? {} : { components: Object.fromEntries(components) }),
    }
  }

  #operationsOf({ document, templates }: TemplatedDocument): Found[] {
    const references = new References(document, [], this.findings)
    return templates.flatMap((template) => {
      const { source } = template
      const item = references.object(Object(document.paths)[source], below('/paths', source))?.value ?? {}
      return fieldsOf(item).map((field) => {
        return { key: `${field} ${shapeOf(template, this.settings)}`, source, field, item }
      })
    })
  }

  #take({ key, source, field, item }: Found, references: References): void {
    const { document } = references
    const { security } = document
    const parameterOf = (one: unknown) => references.object(one, below('/paths', source))?.value ?? {}
    const operation = item[field] as JsonObject
    const own = listOf(operation.parameters)
    const parameters = [...withoutSame(listOf(item.parameters), own.map(parameterOf), parameterOf), ...own]
    const isOther = operation.security === undefined && !isDeepStrictEqual(security, this.today.document.security)
    const whole: JsonObject = {
      ...operation,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(isOther ? { security: security ?? [] } : {}),
    }
    const { parameters: _moved, ...beside }: Record<string, unknown> = item
    for (const other of fieldsOf(item)) delete beside[other]
    this.#known.add(key)
    this.taken.add(`${field.toUpperCase()} ${source}`)
    this.#paths.set(source, { ...(this.#paths.get(source) ?? beside), [field]: whole })
    const schemes = listOf(whole.security).flatMap((one) => Object.keys(Object(one)))
    this.#takeComponents(
      [whole, ...schemes.map((name) => ({ $ref: below('#/components/securitySchemes', name) }))],
      document,
    )
  }

  /** Takes the components that a part refers to, and those that these refer to. */
  #takeComponents(part: object, { components }: JsonObject): void {
    const seen = new Set([part])
    // The loop also visits the objects that it adds.
    for (const one of seen) {
      for (const [kind, name] of referredIn(one)) {
        const own = Object(Object(components)[kind])
        const all = this.#components.get(kind) ?? new Map<string, unknown>()
        if (all.has(name) || !Object.hasOwn(own, name)) continue
        this.#components.set(kind, all.set(name, own[name]))
        seen.add(Object(own[name]))
      }
      for (const inner of Object.values(one)) if (typeof inner === 'object' && inner !== null) seen.add(inner)
    }
  }
}

/** Lists the fields of an item that are operations. */
function fieldsOf(item: JsonObject): string[] {
  return METHOD_FIELDS.filter((field) => isObject(item[field]))
}

/** Lists the components that an object itself refers to. */
function referredIn(part: object): [kind: string, name: string][] {
  const { $ref, discriminator } = part as JsonObject
  const all = [$ref, ...Object.values(Object(Object(discriminator).mapping))]
  return all.flatMap((reference): [string, string][] => {
    if (typeof reference !== 'string') return []
    // A mapping may have the mere name of a schema.
    const [place, kind, name] = reference.startsWith('#') ? stepsOf(reference) : ['components', 'schemas', reference]
    return place === 'components' && kind !== undefined && name !== undefined ? [[kind, name]] : []
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
