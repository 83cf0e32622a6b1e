// The option `values` of `fields()`: values that the older version lacks.
import { didYouMean, near } from '../../../util/suggest'
import { type Choice, choicesIn, mapChoices } from './field-schemas'
import { called, entriesOf, type FieldOption, type FieldStep } from './option'

export interface ValuesOption {
  /** The older value of each newer value that the older version lacks, by property; or a function that makes it of the response. */
  readonly values?: { readonly [property: string]: { readonly [newer: string]: Choice | FieldStep } } | undefined
}

export const values: FieldOption<ValuesOption> = (given) => {
  const properties = entriesOf('values', given.values, (one, option) => entriesOf(option, one, (older) => older))
  return (
    properties &&
    ((draft) => {
      for (const [name, older = new Map<string, Choice | FieldStep>()] of properties) {
        const property = draft.find('values', name)
        if (property === undefined) continue
        const all = choicesIn('values', draft, property)
        if (all === undefined) continue
        const known = all.map(String)
        const kept = all.filter((value) => !older.has(String(value)))
        for (const [from, to] of older) {
          if (!known.includes(from))
            draft.settings.fault(
              `"values" of "${name}" has ${JSON.stringify(from)}, which its newer definition lacks.${didYouMean(near(from, known))}`,
            )
          if (typeof to !== 'function' && !kept.includes(to))
            draft.settings.fault(
              `"values" of "${name}" gives ${JSON.stringify(to)}, which its older definition lacks.${didYouMean(near(String(to), kept.map(String)))}`,
            )
        }
        property.schema = mapChoices(draft.readingOf(property), (value) => (kept.includes(value) ? [value] : []))
        property.older.push((value, context, whole) => {
          if (typeof value === 'object' && value !== null) return value
          const mapped = older.get(String(value))
          if (typeof mapped === 'function') return called(mapped, whole, context, name)
          return mapped === undefined ? value : mapped
        })
      }
    })
  )
}
