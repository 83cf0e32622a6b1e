// The option `renamedValues` of `fields()`: values with another name in the older version.

import { type Choice, checkChoice, choicesIn, mapChoices, olderValueOf } from './field-schemas'
import { entriesOf, type FieldOption, scalar } from './option'

export interface RenamedValuesOption {
  /** The newer values of a property, by their older values. */
  readonly renamedValues?: { readonly [property: string]: { readonly [older: string]: Choice } } | undefined
}

export const renamedValues: FieldOption<RenamedValuesOption> = (given) => {
  const properties = entriesOf('renamedValues', given.renamedValues, (one, option) => entriesOf(option, one, scalar))
  return (
    properties &&
    ((draft) => {
      for (const [name, values = new Map<string, Choice>()] of properties) {
        const property = draft.find('renamedValues', name)
        const all = property && choicesIn('renamedValues', draft, property)
        if (property === undefined || all === undefined) continue
        const says = `"renamedValues" of "${name}"`
        const newer = new Map<unknown, unknown>()
        const older = new Map<unknown, unknown>()
        for (const [key, to] of values) {
          const from = olderValueOf(key, all)
          checkChoice(draft, says, to, all, from)
          if (older.has(to)) draft.settings.fault(`${says} has ${JSON.stringify(to)} twice.`)
          newer.set(from, to)
          older.set(to, from)
        }
        for (const from of newer.keys()) {
          if (all.includes(from) && !older.has(from))
            draft.settings.fault(
              `${says} has the older ${JSON.stringify(from)}, which its newer definition has already.`,
            )
        }
        const renamed = (map: ReadonlyMap<unknown, unknown>) => (value: unknown) =>
          map.has(value) ? map.get(value) : value
        const olderOf = renamed(older)
        property.schema = mapChoices(draft.readingOf(property), (value) => [olderOf(value)])
        property.older.push(olderOf)
        property.newer.push(renamed(newer))
      }
    })
  )
}
