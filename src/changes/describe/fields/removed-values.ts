// The option `removedValues` of `fields()`: values that only the older version has.
import { IF_GONE } from './draft'
import { type Choice, checkChoice, choicesIn, mapChoices, olderValueOf } from './field-schemas'
import { called, entriesOf, type FieldOption, type FieldStep, scalar } from './option'

export interface RemovedValuesOption {
  /** The newer value of each older value that the newer version lacks, by property; or a function that makes it of the body. */
  readonly removedValues?: { readonly [property: string]: { readonly [older: string]: Choice | FieldStep } } | undefined
}

export const removedValues: FieldOption<RemovedValuesOption> = (given) => {
  const properties = entriesOf('removedValues', given.removedValues, (one, option) =>
    entriesOf(option, one, (value, of) => (typeof value === 'function' ? value : scalar(value, of))),
  )
  return (
    properties &&
    ((draft) => {
      for (const [name, values = new Map<string, Choice | FieldStep>()] of properties) {
        const property = draft.find('removedValues', name)
        const all = property && choicesIn('removedValues', draft, property)
        if (property === undefined || all === undefined) continue
        const says = `"removedValues" of "${name}"`
        const newer = new Map<unknown, Choice | FieldStep>()
        for (const [key, to] of values) {
          const from = olderValueOf(key, all)
          if (all.includes(from))
            draft.settings.fault(
              `${says} has ${JSON.stringify(from)}, which its newer definition still has. ${IF_GONE}`,
            )
          if (typeof to !== 'function') checkChoice(draft, says, to, all, from)
          newer.set(from, to)
        }
        // `null` often has a branch of its own.
        const last = all.findLast((value) => value !== null) ?? null
        property.schema = mapChoices(draft.readingOf(property), (value) =>
          value === last ? [value, ...newer.keys()] : [value],
        )
        property.newer.push((value, context, whole) => {
          const to = newer.get(value)
          if (typeof to === 'function') return called(to, whole, context, name)
          return to === undefined ? value : to
        })
      }
    })
  )
}
