// The search for steps and schemas that changes of shapes lack.
import { Holding, type NamedSchemas } from '../../schemas/reach'
import { says } from '../../schemas/responses'
import { ALL } from '../../util/operation'
import { shown } from '../../util/options'
import type { Report } from '../../util/problems'
import type { StepKind } from '../convert/steps'
import type { OlderSide } from '../describe/shape'
import type { Definitions } from './definitions'
import type { ReleasedChange } from './operation-changes'
import type { Body, OperationShapes } from './operation-shapes'

/** The part of `older` for each kind of step. */
const PARTS = { request: 'body', query: 'query', response: 'response', error: 'error', item: 'item' } as const

/**
 * Checks that all errors are described where a changed shape is in any of them: others would have the newest format.
 *
 * @param all the operations that meet a change, and what all operations share.
 */
export function checkErrors(all: readonly OperationShapes[], missingSteps: MissingSteps, report: Report): void {
  const errors = all.flatMap(({ received }) => [...received].flatMap(([status, body]) => (status >= 400 ? body : [])))
  const found = errors.map((body) => ({ label: body.label, name: missingSteps.changedIn(body) }))
  const changed = found.find(({ name }) => name !== undefined)
  if (changed === undefined) return
  const problem = `the shape "${changed.name}" changes and is in ${changed.label}, so all errors need a description: describe('*', { response: { '4XX': ..., '5XX': ... } }) of the outermost table, or describe() of the operation (null for errors without JSON). There is none for`
  for (const { name, described } of all) {
    const place = name === ALL ? 'pages without a route' : `"${name}"`
    for (const range of ['4XX', '5XX']) if (!says(described.responses, range)) report(problem, `${range} of ${place}`)
  }
}

/** The search for missing steps and schemas: bodies of operations need them, but changes of shapes lack them. */
export class MissingSteps {
  constructor(
    private readonly definitions: Definitions,
    private readonly report: Report,
  ) {}

  /**
   * Checks a body.
   *
   * @param meets tells whether the operation meets a change, by its index.
   */
  check(body: Body, meets: (index: number) => boolean): void {
    for (const [index, change] of this.definitions.changes.entries()) {
      if (!meets(index)) continue
      for (const name of change.shapes.keys()) this.#checkShape(body, index, name)
      const kind = body.unsaid.get(index)
      if (kind !== undefined) this.#checkOlder(body, index, kind)
    }
  }

  #checkShape(body: Body, index: number, name: string): void {
    const { description } = this.definitions.changes[index] as ReleasedChange
    const { label } = body
    const of = `the shape "${name}" of the change "${description}"`
    const sides = this.definitions.older[index] as ReadonlyMap<string, OlderSide>
    const { lacks, unreadable } = sides.get(name) as OlderSide
    for (const lack of lacks) {
      if (this.#holds(body, index, name)) this.report(`${of} ${lack}, but stands in`, label)
    }
    if (unreadable === undefined) return
    if (this.#holds(body, index, name) || this.#holds(body, index + 1, name))
      this.report(`of ${of}, ${unreadable}; it stands in`, label)
  }

  /** Checks a step of an operation: it does not tell where shapes are in its result. */
  #checkOlder(body: Body, index: number, kind: StepKind): void {
    const { versionIndex, version, description } = this.definitions.changes[index] as ReleasedChange
    // An `error` step of all operations may stand in any version: it hides the shapes that changed before it.
    const isBefore = (one: ReleasedChange, place: number) =>
      kind === 'error' ? place <= index : one.versionIndex <= versionIndex
    const names = this.definitions.changes.filter(isBefore).flatMap(({ shapes }) => [...shapes.keys()])
    const held = names.filter((name) => this.#holds(body, index + 1, name))
    if (held.length === 0) return
    this.report(
      `the change "${description}" of version ${shown(version)} has an own "${kind}", but no { older: { ${PARTS[kind]} } } that says where changed shapes (${[...new Set(held)].map((name) => `"${name}"`).join(', ')}) stand before, for`,
      body.label,
    )
  }

  /** Returns a changed shape in a body, if there is any: the first one, by the order of changes. */
  changedIn(body: Body): string | undefined {
    for (const [index, { shapes }] of this.definitions.changes.entries()) {
      const sides = [index, index + 1]
      const name = [...shapes.keys()].find((name) => sides.some((behind) => this.#holds(body, behind, name)))
      if (name !== undefined) return name
    }
    return undefined
  }

  #holds({ schemas }: Body, behind: number, name: string): boolean {
    const schema = schemas[behind] ?? null
    return schema !== null && new Holding(this.definitions.tables[behind] as NamedSchemas, [name]).holds(schema)
  }
}
