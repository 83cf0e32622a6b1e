// The option `optional` of `fields()`: properties that the older version must have.

import { checkAccepted } from './field-schemas'
import { entriesOf, type FieldOption, type FieldStep, type FieldValue, filled, neededStep } from './option'

export interface OptionalOption {
  /**
   * The properties that the newer version need not have, with the value for responses without one, or a function that makes it.
   * So for the older name of a list that may be empty.
   */
  readonly optional?: { readonly [property: string]: FieldValue | FieldStep } | undefined
}

export const optional: FieldOption<OptionalOption> = (given) => {
  const values = entriesOf('optional', given.optional, neededStep)
  return (
    values &&
    ((draft) => {
      for (const [name, make] of values) {
        const property = draft.find('optional', name)
        if (property === undefined) continue
        if (property.isRequired && property.mayBeEmpty !== true)
          draft.settings.fault(`"optional" says "${name}", which its newer definition requires.`)
        const [needed] = [...property.needs].filter(({ isRequired }) => !isRequired)
        if (needed !== undefined)
          draft.settings.fault(`"optional" says "${name}", with which its newer definition requires "${needed.name}".`)
        property.isRequired = !draft.isPartial
        if (draft.isBody) continue
        checkAccepted('optional', draft, property, given.optional?.[name])
        filled(property, property.older, make)
      }
    })
  )
}
