// The option `nested` of `fields()`: properties of an object that the older version has beside it.
import { type Draft, type Preset, propertiesOf } from './draft'
import { objectIn } from './field-schemas'
import { entriesOf, type FieldOption, namesOf } from './option'

export interface NestedOption {
  /** The properties of an object that the older version has beside it, by the name of the object. */
  readonly nested?: { readonly [object: string]: readonly string[] } | undefined
}

export const nested: FieldOption<NestedOption> = (given) => {
  const objects = entriesOf('nested', given.nested, namesOf)
  return (
    objects &&
    ((draft) => {
      const presets = [...objects].flatMap(([name, names]) => unnest(draft, name, names))
      draft.presets.unshift(...presets)
    })
  )
}

/** Puts the properties of an object beside it. Returns the object where bodies without its properties need it. */
function unnest(draft: Draft, name: string, names: readonly string[]): Preset[] {
  const object = draft.find('nested', name)
  if (object === undefined) return []
  const { fault, resolve } = draft.settings
  const found = objectIn(draft.readingOf(object), resolve)
  if (found === undefined) {
    fault(`"nested" takes objects with "properties" alone, and "${name}" is none.`)
    return []
  }
  const { reading, isNullable } = found
  const { described: inner } = propertiesOf(reading.schema, object)
  for (const one of names) if (inner.every((property) => property.name !== one)) draft.unknown('nested', one, inner)
  const forgotten = inner.filter((property) => !names.includes(property.name)).map((one) => `"${one.name}"`)
  if (forgotten.length > 0) fault(`"nested" leaves out ${forgotten.join(', ')} of "${name}".`)
  const brought = inner.filter((property) => draft.isFree('nested', property.name, object))
  for (const property of brought) {
    property.schema = draft.bring({ ...reading, schema: property.schema })
    // The object is there if any of its properties is.
    for (const one of object.needs) property.needs.add(one)
  }
  object.inner = brought
  const whole = brought.filter(({ isRequired }) => isRequired)
  const needing = draft.needing(object)
  // An older body may then have none of the properties.
  const isBare = isNullable || whole.length === 0
  for (const property of whole) {
    property.isRequired = object.isRequired && !isBare
    for (const one of isBare ? brought : [...brought, ...needing]) if (one !== property) one.needs.add(property)
  }
  draft.replace(object, brought)
  if (!isBare || (!object.isRequired && needing.length === 0)) return []
  const make = () => (isNullable ? null : {})
  return [{ property: object, make, when: object.isRequired ? undefined : needing }]
}
