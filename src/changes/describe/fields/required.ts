// The option `required` of `fields()`: properties that the older version need not have.

import { checkAccepted } from './field-schemas'
import { entriesOf, type FieldOption, type FieldStep, type FieldValue, filled, neededStep } from './option'

export interface RequiredOption {
  /** The properties that the newer version requires, with the value for bodies without one, or a function that makes it. */
  readonly required?: { readonly [property: string]: FieldValue | FieldStep } | undefined
}

export const required: FieldOption<RequiredOption> = (given) => {
  const values = entriesOf('required', given.required, neededStep)
  return (
    values &&
    ((draft) => {
      for (const [name, make] of values) {
        const property = draft.find('required', name)
        if (property === undefined) continue
        if (draft.settings.isPreset) checkAccepted('required', draft, property, given.required?.[name])
        // A partial body stays partial.
        if (draft.isPartial) continue
        if (!property.isRequired)
          draft.settings.fault(`"required" says "${name}", which its newer definition does not require.`)
        property.isRequired = false
        for (const one of draft.needing(property)) one.needs.delete(property)
        if (draft.isBody) filled(property, property.newer, make)
      }
    })
  )
}
