// `fields()`: the table of its options, and the older side of a shape that they make of the newer one.
import { propertiesIn, requiredIn } from '../../../schemas/keywords'
import type { JsonSchema, SchemaReading } from '../../../schemas/model'
import { brand } from '../../../util/brand'
import { checkKeys } from '../../../util/options'
import type { Shape } from '../../types/operations'
import type { OlderSide } from '../shape'
import { Draft, type FieldSettings } from './draft'
import type { FieldChanges } from './field-changes'
import { objectPartOf, oddKeyword } from './field-schemas'
import { newerStep, olderStep } from './moves'
import { type FieldOption, OWNER } from './option'
import { added, converted, listed, nested, optional, removed, renamed, required } from './property-options'
import { removedValues, renamedValues, values } from './value-options'

/** The options in the order of bodies. */
const OPTIONS: { readonly [Name in keyof FieldChanges]-?: FieldOption } = {
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

type Given = { readonly [name: string]: unknown }

/**
 * Returns the changes of the properties that a copy has. Options are read from the newer names to the older ones.
 *
 * @param isWhole `true` if the copy has all properties of the shape: removed ones were there too then.
 */
function partOf(changes: FieldChanges, copy: JsonSchema, isWhole: boolean): FieldChanges {
  /** The names in the version that has been reached. */
  const here = new Set(Object.keys(propertiesIn(copy)))
  const needed = new Set(requiredIn(copy))
  const kept = (given: object | undefined, isKept = (name: string) => here.has(name)): Given =>
    Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => isKept(name)))
  const moved = (given: Given = {}): Given => {
    const names = new Set(Object.values(given))
    // A property of its own may have the older name.
    const all = kept(given, (older) => here.has(String(given[older])) && (!here.has(older) || names.has(older)))
    for (const newer of Object.values(all)) here.delete(String(newer))
    for (const older of Object.keys(all)) here.add(older)
    return all
  }
  const listed = moved(changes.listed as Given)
  const removedValues = kept(changes.removedValues)
  const renamedValues = kept(changes.renamedValues)
  const optional = kept(changes.optional, (name) => here.has(name) && !needed.has(name))
  const required = kept(changes.required, (name) => here.has(name) && needed.has(name))
  const nested = kept(changes.nested)
  for (const [name, inner] of Object.entries(nested)) {
    here.delete(name)
    for (const one of inner as readonly string[]) here.add(one)
  }
  const converted = kept(changes.converted)
  const values = kept(changes.values)
  const { added = {} } = changes
  const without = Array.isArray(added) ? added.filter((name) => here.has(name)) : kept(added)
  for (const name of Array.isArray(without) ? without : Object.keys(without)) here.delete(name)
  const renamed = moved(changes.renamed as Given)
  const removed = kept(changes.removed, (name) => isWhole && !here.has(name))
  const all: { readonly [Option in keyof FieldChanges]-?: object } = {
    removed,
    renamed,
    added: without,
    values,
    converted,
    nested,
    required,
    optional,
    renamedValues,
    removedValues,
    listed,
  }
  return Object.fromEntries(Object.entries(all).filter(([, given]) => Object.keys(given).length > 0))
}
