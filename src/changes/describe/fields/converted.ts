// The option `converted` of `fields()`: properties with another schema in the older version.

import { NULL, typesAllowed } from '../../../schemas/alternatives'
import type { Resolve } from '../../../schemas/graph'
import type { Schema } from '../../../types'
import { badOption, checkKeys } from '../../../util/options'
import { called, checkSchema, entriesOf, type FieldOption, type FieldStep, OWNER } from './option'

/** A property with another schema in the older version. */
export interface ConvertedField {
  /** The schema of the property in the older version. */
  readonly schema: Schema
  /** Converts the newer value to the older one, in responses. `null` stays where both schemas allow it. */
  readonly response?: FieldStep | undefined
  /** Converts the older value to the newer one, in bodies. `null` stays where both schemas allow it. */
  readonly request?: FieldStep | undefined
}

export interface ConvertedOption {
  /** The properties with another schema in the older version. */
  readonly converted?: { readonly [property: string]: ConvertedField } | undefined
}

export const converted: FieldOption<ConvertedOption> = (given) => {
  const fields = entriesOf('converted', given.converted, (field, option) => {
    const owner = `${OWNER}: "${option}"`
    checkKeys(owner, field, ['schema', 'response', 'request'])
    checkSchema(owner, field.schema)
    for (const kind of ['response', 'request'] as const) {
      if (field[kind] !== undefined && typeof field[kind] !== 'function')
        throw badOption(owner, kind, 'a function', field[kind])
    }
    return field
  })
  return (
    fields &&
    ((draft) => {
      const { resolve } = draft.settings
      // Named schemas in the older one are those of its version.
      const resolveOlder: Resolve = (reference, from) => draft.inside.get(reference) ?? resolve(reference, from)
      for (const [name, { schema, ...steps }] of fields) {
        const property = draft.find('converted', name)
        if (property === undefined) continue
        const [kind, conversions] = draft.isBody
          ? (['request', property.newer] as const)
          : (['response', property.older] as const)
        const step = steps[kind]
        const newer = draft.readingOf(property)
        property.schema = draft.read(name, schema)
        const nullOf = [typesAllowed(newer, resolve), typesAllowed(draft.readingOf(property), resolveOlder)]
        const keepsNull = nullOf.every((types) => (types & NULL) !== 0)
        if (step === undefined) draft.lacks.push(`has no "${kind}" for the converted "${name}"`)
        else
          conversions.push((value, context) =>
            value === undefined || (value === null && keepsNull) ? value : called(step, value, context, name),
          )
      }
    })
  )
}
