// The option `listed` of `fields()`: properties that are a list in the newer version alone.
import { NULL, typesAllowed } from '../../../schemas/alternatives'
import { listIn } from './field-schemas'
import { entriesOf, type FieldOption, newerName } from './option'

export interface ListedOption {
  /** The newer names of properties that became a list, by their older names. */
  readonly listed?: { readonly [older: string]: string } | undefined
}

export const listed: FieldOption<ListedOption> = (given) => {
  const names = entriesOf('listed', given.listed, newerName)
  return (
    names &&
    ((draft) => {
      for (const [from, to] of names) {
        const property = draft.findRenamed('listed', from, to)
        if (property === undefined) continue
        const { fault, resolve } = draft.settings
        const found = listIn(draft.readingOf(property), resolve)
        if (found === undefined) {
          fault(`"listed" takes lists of "items" that may have one, and "${to}" is none.`)
          continue
        }
        if (from !== to && draft.isFree('listed', from)) draft.rename(new Map([[property, from]]))
        const { isNullable, isNeverEmpty } = found
        const schema = draft.bring(found.item)
        const itemMayBeNull = (typesAllowed(found.item, resolve) & NULL) !== 0
        const mayBeNull = isNullable || itemMayBeNull
        property.mayLeave = !mayBeNull
        property.mayBeEmpty = !mayBeNull && !isNeverEmpty
        property.schema = isNullable && !itemMayBeNull ? { anyOf: [schema, { type: 'null' }] } : schema
        property.older.push((value) => {
          if (value === null || value === undefined) return value
          if (!Array.isArray(value)) throw new TypeError(`"${to}" is no list.`)
          if (value.length > 0 || mayBeNull) return value.length > 0 ? value[0] : null
          if (property.isRequired && property.isFilled !== true)
            throw new TypeError(`"${to}" is empty, and older versions require "${from}".`)
          return undefined
        })
        property.newer.push((value) => {
          if (value !== null) return value === undefined ? value : [value]
          if (isNeverEmpty) return isNullable ? null : [null]
          return []
        })
      }
    })
  )
}
