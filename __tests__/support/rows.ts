// Reads tables of tests that are written as text.

/**
 * Returns the rows of a text table: a row a line, its columns split at ` | `. Blank lines and lines that begin with `//` are
 * skipped.
 *
 * @example test.each(rows(`
 *   GET /v1/users | 200
 *   GET /v9/users | 404
 * `))('%s', async (request, status) => ...)
 */
export function rows(table: string): string[][] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .map((line) => line.split(' | ').map((column) => column.trim()))
}

/** Reads a column, where `\xNN` is a character and `''` an empty text. */
export const text = (column = ''): string =>
  column === "''" ? '' : column.replace(/\\x(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
