// The option `removed` of `fields()`: properties that only the older version has.
import type { Schema } from '../../../types'
import { badOption, checkKeys } from '../../../util/options'
import type { StepContext } from '../../types/operations'
import { type Property, propertyOf } from './draft'
import {
  called,
  checkSchema,
  entriesOf,
  type FieldOption,
  type FieldStep,
  type FieldValue,
  OWNER,
  stepOf,
} from './option'

/** A property that only the older version has. */
export interface RemovedField {
  /** The schema of the property in the older version. */
  readonly schema: Schema
  /** The value of the property in responses, or a function that makes it of the newer shape. */
  readonly value?: FieldValue | FieldStep | undefined
  /** `true` if the older shape may lack the property. */
  readonly optional?: boolean | undefined
}

export interface RemovedOption {
  /** The properties that the newer version lacks. */
  readonly removed?: { readonly [property: string]: RemovedField } | undefined
}

export const removed: FieldOption<RemovedOption> = (given) => {
  const fields = entriesOf('removed', given.removed, (field, option) => {
    const owner = `${OWNER}: "${option}"`
    checkKeys(owner, field, ['schema', 'value', 'optional'])
    const { schema, value, optional: isOptional = false } = field
    checkSchema(owner, schema)
    if (typeof isOptional !== 'boolean') throw badOption(owner, 'optional', 'true or false', isOptional)
    return { schema, make: stepOf(owner, 'value', value), isOptional }
  })
  return (
    fields &&
    ((draft) => {
      const added: Property[] = []
      for (const [name, { schema, make, isOptional }] of fields) {
        const isRequired = !isOptional && !draft.isPartial
        if (draft.isFree('removed', name))
          added.push(propertyOf({ name, schema: draft.read(name, schema), isRequired }))
        if (make === undefined && !draft.isBody) draft.lacks.push(`has no "value" for the removed "${name}"`)
        if (make === undefined) continue
        draft.made.push({
          name,
          make: (_none, context, whole) =>
            isOptional ? make(whole, context as StepContext) : called(make, whole, context, name),
        })
      }
      draft.add(added)
    })
  )
}
