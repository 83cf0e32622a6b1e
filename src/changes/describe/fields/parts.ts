// The part of `fields()` that a copy of a shape can have: an option about a property that is not there does nothing.
import { propertiesIn, requiredIn } from '../../../schemas/keywords'
import type { JsonSchema } from '../../../schemas/model'
import type { FieldChanges } from './field-changes'

type Given = { readonly [name: string]: unknown }

/**
 * Returns the changes of the properties that a copy has. Options are read from the newer names to the older ones.
 *
 * @param isWhole `true` if the copy has all properties of the shape: removed ones were there too then.
 */
export function partOf(changes: FieldChanges, copy: JsonSchema, isWhole: boolean): FieldChanges {
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
