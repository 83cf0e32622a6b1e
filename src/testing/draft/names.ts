// Lists of names in sentences.

const SHOWN = 5

/** Writes a list of names, of which a long one is cut. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - SHOWN
  if (more > 0) return `${names.slice(0, SHOWN).join(', ')} and ${more} more`
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
