// The shapes of a history for `history.shape()`.
import type { Direction, SchemaReading } from '../../schemas/model'
import { shown } from '../../util/options'
import { Problems } from '../../util/problems'
import { didYouMean, near } from '../../util/suggest'
import type { NamedSchemas } from '../convert/holding'
import type { ShapeConverter } from '../convert/shape-converter'
import type { ShapeConversion } from '../convert/steps'
import { convertersOf, Definitions } from './definitions'
import { LookAlikes } from './look-alikes'
import { MissingSteps } from './missing-steps'
import type { ReleasedChange } from './operation-changes'

const OWNER = 'shape()'

/** The shapes of a history by hand. Without a table, their own schemas describe their contents. */
export class ShapesByHand {
  readonly #changes: readonly ReleasedChange[]
  readonly #problems = new Problems()
  readonly #definitions: Definitions
  readonly #converters: readonly (ShapeConverter | undefined)[]

  /**
   * @param described the definitions of the newest version, from the descriptions of a table.
   * @param inOlder the definitions in the older bodies of its operations, for each change.
   */
  constructor(
    changes: readonly ReleasedChange[],
    described: Readonly<Record<Direction, NamedSchemas>> = { input: new Map(), output: new Map() },
    inOlder: readonly NamedSchemas[] = changes.map(() => new Map()),
  ) {
    const { report } = this.#problems
    this.#changes = changes
    this.#definitions = new Definitions(changes, 'output', described, inOlder, report)
    this.#converters = convertersOf(changes, this.#definitions, report)
  }

  /**
   * Returns the conversions of a shape between the newest version and another one.
   *
   * @param versionIndex the index of the version.
   * @throws {TypeError} for an unknown shape, and for shapes that cannot be converted.
   */
  stepsOf(name: string, versionIndex: number): readonly ShapeConversion[] {
    const { tables } = this.#definitions
    const newest = tables.at(-1) as NamedSchemas
    if (!newest.has(name) && !this.#changes.some(({ shapes }) => shapes.has(name))) {
      const hint = didYouMean(near(String(name), newest.keys()))
      throw new TypeError(`${OWNER}: the history has no shape ${shown(name)}.${hint}`)
    }
    const schema: SchemaReading = { schema: { $ref: name }, definitions: new Map() }
    const label = `"${name}"`
    const isNewer = (index: number) => (this.#changes[index] as ReleasedChange).versionIndex > versionIndex
    const problems = new Problems()
    const body = { label, schemas: tables.map(() => schema), unsaid: new Map() }
    new MissingSteps(this.#changes, this.#definitions, problems.report).check(body, isNewer)
    new LookAlikes(this.#changes, this.#definitions, problems.report).check(body, isNewer)
    problems.check(OWNER)
    const steps = [...this.#converters.entries()]
      .toReversed()
      .flatMap(([index, converters]) => (isNewer(index) && converters?.conversionOf(schema, label)) || [])
    this.#problems.check(OWNER)
    return steps
  }
}
