// `fields()`: the table of its options, and the older side of a shape that they make of the newer one.
import type { SchemaReading } from '../../../schemas/model'
import { brand } from '../../../util/brand'
import { checkKeys } from '../../../util/options'
import type { Shape } from '../../types/operations'
import type { OlderSide } from '../shape'
import { added } from './added'
import { converted } from './converted'
import { Draft, type FieldSettings } from './draft'
import type { FieldChanges } from './field-changes'
import { objectPartOf, oddKeyword } from './field-schemas'
import { listed } from './listed'
import { newerStep, olderStep } from './moves'
import { nested } from './nested'
import { type FieldOption, OWNER } from './option'
import { optional } from './optional'
import { partOf } from './parts'
import { removed } from './removed-properties'
import { removedValues } from './removed-values'
import { renamed } from './renamed'
import { renamedValues } from './renamed-values'
import { required } from './required'
import { values } from './values'

/** The options in the order of bodies. */
const OPTIONS: { readonly [Name in keyof FieldChanges]-?: FieldOption<FieldChanges> } = {
  removed,
  renamed,
  added,
  values,
  converted,
  nested,
  required,
  optional,
  renamedValues,
  removedValues,
  listed,
}
const NAMES = Object.keys(OPTIONS)

/** Checked changes of fields. */
export class CompiledFields implements Shape<undefined, undefined> {
  readonly isData = true
  readonly older = undefined
  readonly newer = undefined
  /** The newer names of renamed properties, by their older names. */
  readonly renamed: ReadonlyMap<string, string>
  readonly #options: readonly ((draft: Draft) => void)[]

  constructor(readonly changes: FieldChanges) {
    checkKeys(OWNER, changes, NAMES)
    this.#options = Object.values(OPTIONS).flatMap((option) => option(changes) ?? [])
    this.renamed = new Map(Object.entries(changes.renamed ?? {}))
    if (this.#options.length === 0)
      throw new TypeError(`${OWNER} says nothing: it takes ${NAMES.map((name) => `"${name}"`).join(', ')}.`)
  }

  /**
   * Returns the changes of the properties that a copy of the shape has; undefined if there are none.
   *
   * @param isWhole `true` if the copy has all properties of the shape.
   */
  partFor(copy: SchemaReading, isWhole: boolean): CompiledFields | undefined {
    const part = partOf({ ...this.changes }, objectPartOf(copy).reading.schema, isWhole)
    return Object.keys(part).length === 0 ? undefined : new CompiledFields(part)
  }

  /** Makes the older side of a shape. */
  olderSide(newer: SchemaReading, settings: FieldSettings): OlderSide {
    const part = objectPartOf(newer)
    const draft = new Draft(part.reading, settings)
    const keyword = oddKeyword(part.reading.schema)
    if (keyword === undefined) for (const option of this.#options.toReversed()) option(draft)
    else
      settings.fault(
        `its newer definition is no object with "properties" alone: fields() cannot follow its "${keyword}". Name the branches of a union, or write shape(older, steps).`,
      )
    const step = draft.isBody ? newerStep(draft) : olderStep(draft)
    const { lacks, inside, unreadable } = draft
    const emptied = draft.isBody ? [] : draft.emptied
    return { own: part.put(draft.finish()), inside, step, lacks, unreadable, emptied }
  }
}

brand('shape', CompiledFields.prototype)

/**
 * Describes the change of a shape as data: the older definition and the steps are made of the newer definition, which is whatever
 * the next version has. Several shapes may share it. `versioning()` checks the names against the definitions.
 *
 * @throws {TypeError} for unknown options and wrong values.
 * @example
 * const titled = change('Articles have `title` instead of `name`, and a `language`.', {
 *   Article: fields({ renamed: { name: 'title' }, added: { language: 'en' } }),
 * })
 */
export function fields(changes: FieldChanges): Shape {
  return new CompiledFields(changes)
}
