// The shapes of a history for `history.shape()`.
import type { Direction, SchemaReading } from '../../schemas/model'
import { shown } from '../../util/options'
import { Problems } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import type { Table } from '../convert/holding'
import { passesOf, type ShapePasses } from '../convert/shape-passes'
import type { ShapePass } from '../convert/steps'
import { Definitions, type ShapeChange } from './definitions'
import { Overlooked } from './look-alikes'
import { Forgotten } from './missing-steps'

const OWNER = 'shape()'

/** The shapes of a history by hand. Without a table, their own schemas describe their contents. */
export class ShapesByHand {
  readonly #changes: readonly ShapeChange[]
  readonly #problems = new Problems()
  readonly #definitions: Definitions
  readonly #passes: readonly (ShapePasses | undefined)[]

  /**
   * @param described the definitions of the newest version, from the descriptions of a table.
   * @param inOlder the definitions in the older bodies of its operations, for each change.
   */
  constructor(
    changes: readonly ShapeChange[],
    described: Readonly<Record<Direction, Table>> = { input: new Map(), output: new Map() },
    inOlder: readonly Table[] = changes.map(() => new Map()),
  ) {
    const { report } = this.#problems
    this.#changes = changes
    this.#definitions = new Definitions(changes, 'output', described, inOlder, report)
    this.#passes = passesOf(changes, this.#definitions, report)
  }

  /**
   * Returns the conversions of a shape between the newest version and another one.
   *
   * @param at the index of the version.
   * @throws {TypeError} for an unknown shape, and for shapes that cannot be converted.
   */
  stepsOf(name: string, at: number): readonly ShapePass[] {
    const { tables } = this.#definitions
    const newest = tables.at(-1) as Table
    if (!newest.has(name) && !this.#changes.some(({ shapes }) => shapes.has(name))) {
      const hint = didYouMean(near(String(name), newest.keys()))
      throw new TypeError(`${OWNER}: the history has no shape ${shown(name)}.${hint}`)
    }
    const schema: SchemaReading = { schema: { $ref: name }, definitions: new Map() }
    const label = `"${name}"`
    const isNewer = (index: number) => (this.#changes[index] as ShapeChange).at > at
    const forgotten = new Problems()
    const body = { label, schemas: tables.map(() => schema), unsaid: [], made: new Set<number>() }
    new Forgotten(this.#changes, this.#definitions, forgotten.report).check(body, isNewer)
    new Overlooked(this.#changes, this.#definitions, forgotten.report).check(body, isNewer)
    forgotten.check(OWNER)
    const steps = [...this.#passes.entries()]
      .toReversed()
      .flatMap(([index, passes]) => (isNewer(index) && passes?.passOf(schema, label)) || [])
    this.#problems.check(OWNER)
    return steps
  }
}
