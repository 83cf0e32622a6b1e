/** Returns the rows of a string table: a row a line, its columns split at ` | `. It skips blank lines and those of comments. */
export function rows(table: string): string[][] {
  const lines = table.split('\n').map((line) => line.trim())
  const filled = lines.filter((line) => line !== '' && !line.startsWith('//'))
  return filled.map((line) => line.split(' | ').map((column) => column.trim()))
}

/** Reads a column, where `\xNN` is a character and `''` an empty text. */
export const text = (column = ''): string =>
  column === "''" ? '' : column.replace(/\\x(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
