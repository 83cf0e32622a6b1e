// The option `renamed` of `fields()`: properties with another name in the older version.
import type { Property } from './draft'
import { entriesOf, type FieldOption, newerName } from './option'

export interface RenamedOption {
  /** The newer names of members, by their older names. */
  readonly renamed?: { readonly [older: string]: string } | undefined
}

export const renamed: FieldOption<RenamedOption> = (given) => {
  const names = entriesOf('renamed', given.renamed, newerName)
  return (
    names &&
    ((draft) => {
      const older = new Map<Property, string>()
      for (const [from, to] of names) {
        const property = draft.findRenamed('renamed', from, to)
        if (property === undefined) continue
        if (older.has(property)) draft.settings.fault(`"renamed" has "${to}" twice.`)
        older.set(property, from)
      }
      const moved = [...older.keys()]
      for (const from of older.values()) {
        if (moved.every(({ name }) => name !== from)) draft.isFree('renamed', from)
      }
      draft.rename(older)
    })
  )
}
