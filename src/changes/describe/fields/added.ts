// The option `added` of `fields()`: properties that the older version lacks.
import type { Preset } from './draft'
import { checkAccepted } from './field-schemas'
import { called, entriesOf, type FieldOption, type FieldStep, type FieldValue, namesOf, OWNER, stepOf } from './option'

export interface AddedOption {
  /**
   * The properties that the older version lacks; or these with the values that older bodies get if the newer definition requires
   * the property. A value may be a function that makes it of the body.
   */
  readonly added?: { readonly [property: string]: FieldValue | FieldStep | undefined } | readonly string[] | undefined
}

export const added: FieldOption<AddedOption> = (given) => {
  const values = compile(given.added)
  if (values === undefined) return undefined
  checkOthers(values, given)
  return (draft) => {
    const presets: Preset[] = []
    for (const [name, { value, make }] of values) {
      const property = draft.find('added', name)
      if (property === undefined) continue
      const when = property.isRequired ? undefined : draft.needing(property)
      const isNeeded = draft.isBody && when?.length !== 0
      const isServed = draft.settings.isServed(draft.readingOf(property))
      if (make === undefined && isNeeded && !isServed)
        draft.lacks.push(`has no value for the added "${name}", which bodies require`)
      if (make !== undefined) {
        if (draft.settings.isPreset) checkAccepted('added', draft, property, value)
        if (isNeeded) {
          presets.push({ property, make: (_none, context, whole) => called(make, whole, context, name), when })
        }
      }
      draft.place ??= draft.properties.indexOf(property)
      property.isAdded = true
      draft.replace(property)
    }
    draft.presets.unshift(...presets)
  }
}

function compile(given: AddedOption['added']) {
  if (!Array.isArray(given)) {
    const values = given as Exclude<typeof given, readonly string[]>
    return entriesOf('added', values, (value, option) => ({ value, make: stepOf(OWNER, option, value) }))
  }
  return new Map(namesOf(given, 'added').map((name) => [name, { value: undefined, make: undefined }]))
}

/** Checks that no other option speaks of an added property. */
function checkOthers(values: ReadonlyMap<string, unknown>, { added: _, ...others }: object & AddedOption): void {
  for (const [option, named] of Object.entries(others)) {
    // These name properties of the older version, or objects.
    if (option === 'removed' || option === 'nested') continue
    const names = option === 'renamed' ? Object.values(Object(named)) : Object.keys(Object(named))
    const both = names.find((name) => values.has(name as string))
    if (both !== undefined) {
      throw new TypeError(
        `${OWNER}: "added" and "${option}" both say "${both}", but the older version lacks what is added.`,
      )
    }
  }
}
