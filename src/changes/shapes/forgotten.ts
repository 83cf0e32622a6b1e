// The search for steps and schemas that changes of shapes lack.
import { shown } from '../../util/options'
import type { OlderSide } from '../describe/older-side'
import type { Definitions, ShapeChange } from './definitions'
import type { Body, Unsaid } from './operations'
import { Holding, type Table } from './places'
import type { Report } from './problems'

/** The part of `older` for each kind of step. */
const PARTS = { request: 'body', query: 'query', response: 'response', error: 'error' } as const

/** The search for missing steps and schemas: bodies of operations need them, but changes of shapes lack them. */
export class Forgotten {
  readonly #holdings = new Map<string, Holding>()

  constructor(
    private readonly changes: readonly ShapeChange[],
    private readonly definitions: Definitions,
    private readonly report: Report,
  ) {}

  /**
   * Checks a body.
   *
   * @param meets tells whether the operation meets a change, by its index.
   */
  check(body: Body, meets: (index: number) => boolean): void {
    for (const [index, change] of this.changes.entries()) {
      if (!meets(index)) continue
      for (const name of change.shapes.keys()) this.#checkShape(body, index, name)
      for (const unsaid of body.unsaid) if (unsaid.index === index) this.#checkOlder(body, unsaid)
    }
  }

  #checkShape(body: Body, index: number, name: string): void {
    const { description } = this.changes[index] as ShapeChange
    const { label } = body
    const of = `the shape "${name}" of the change "${description}"`
    const sides = this.definitions.older[index] as ReadonlyMap<string, OlderSide>
    const { lacks, unreadable } = sides.get(name) as OlderSide
    for (const lack of lacks) {
      if (this.#holds(body, index, [name])) this.report(`${of} ${lack}, but stands in`, label)
    }
    if (unreadable === undefined) return
    if (this.#holds(body, index, [name]) || this.#holds(body, index + 1, [name]))
      this.report(`of ${of}, ${unreadable}; it stands in`, label)
  }

  /** Checks a step of an operation: it does not tell where shapes are in its result. */
  #checkOlder(body: Body, { index, kind }: Unsaid): void {
    const { at, version, description } = this.changes[index] as ShapeChange
    // An `error` step of all operations may stand in any version: it hides the shapes that changed before it.
    const isBefore = (one: ShapeChange, place: number) => (kind === 'error' ? place <= index : one.at <= at)
    const names = this.changes.filter(isBefore).flatMap(({ shapes }) => [...shapes.keys()])
    const held = names.filter((name) => this.#holds(body, index + 1, [name]))
    if (held.length === 0) return
    this.report(
      `the change "${description}" of version ${shown(version)} has an own "${kind}", but no { older: { ${PARTS[kind]} } } that says where changed shapes (${[...new Set(held)].map((name) => `"${name}"`).join(', ')}) stand before, for`,
      body.label,
    )
  }

  #holds({ schemas }: Body, behind: number, names: readonly string[]): boolean {
    const schema = schemas[behind] ?? null
    if (schema === null) return false
    const key = JSON.stringify([behind, ...names])
    let holding = this.#holdings.get(key)
    if (holding === undefined) {
      holding = new Holding(this.definitions.tables[behind] as Table, new Set(names))
      this.#holdings.set(key, holding)
    }
    return holding.holds(schema)
  }
}
