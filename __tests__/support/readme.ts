import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The pages whose commands, excerpts and links hold. */
export const pages = [
  'README.md',
  'docs/changes.md',
  'docs/errors.md',
  'docs/explorer.md',
  'docs/how-to.md',
  'docs/migrating.md',
  'docs/openapi.md',
].map((file) => ({
  file,
  text: readFileSync(join(__dirname, '../..', file), 'utf8'),
}))

export const readme = pages[0]?.text as string

/** The fenced blocks of a language, in order. */
export function blocks(language: string, page = readme): string[] {
  return [...page.matchAll(/^```(\S+)\n([\s\S]*?)^```$/gm)]
    .filter((found) => found[1] === language)
    .map((found) => found[2] as string)
}

/** A command of a `console` block, the server that the block's first line names, and what is printed. */
export interface Shown {
  server: string
  command: string
  prints: string
}

/** The commands of all `console` blocks of a page. */
export function commandsOf(page: string): Shown[] {
  return blocks('console', page).flatMap((block) => {
    const [heading = '', ...commands] = block.split(/^\$ /m)
    const server = /^# (.+)\n$/.exec(heading)?.[1]
    if (server === undefined) throw new Error(`This block does not name its server:\n${block}`)
    return commands.map((text) => {
      const end = text.indexOf('\n')
      return { server, command: text.slice(0, end), prints: text.slice(end + 1) }
    })
  })
}

/** The commands of the README. */
export const shown: Shown[] = commandsOf(readme)

/** The rows of the table under a heading, cell by cell, the header row first. */
export function tableUnder(heading: string): string[][] {
  const start = readme.indexOf(`\n## ${heading}\n`)
  if (start === -1) throw new Error(`The README has no heading "${heading}"`)
  const section = readme.slice(start + 1)
  const table = /(?:^\|.*\|\n)+/m.exec(section)?.[0] ?? ''
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  return rows.filter((_, index) => index !== 1)
}
