import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../..')

/** A page for users, by its path from the root. */
export type Page = { file: string; text: string }

const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`)
const files = ['README.md', ...documents.filter((file) => file.endsWith('.md')).sort()]

/** The text of a page. */
export const page = (file: string): string => readFileSync(join(root, file), 'utf8')
export const readme = page('README.md')
/** The pages whose commands, snippets, excerpts and links hold: the README and all of docs. */
export const pages: readonly Page[] = files.map((file) => ({ file, text: page(file) }))

/** The text of a page without its fenced blocks, in which `#` starts no heading. */
export const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The fenced blocks of a language, in order. */
export const blocks = (language: string, text: string): string[] =>
  [...text.matchAll(/^```(\S+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, block = '']) =>
    found === language ? block : [],
  )

const typescript = pages.flatMap(({ file, text }) => blocks('ts', text).map((block) => ({ file, text: block })))
const EXCERPT = /^\/\/ (examples\/\S+\.ts)\n([\s\S]*)$/

/** The `ts` blocks that show a part of an example, which their first line names. */
export const excerpts = typescript.flatMap(({ file, text }) => {
  const [, example = '', excerpt = ''] = EXCERPT.exec(text) ?? []
  return example === '' ? [] : [{ file, example, text: excerpt }]
})

/** All other `ts` blocks, which are programs of their own but for an app and some imports. */
export const snippets: readonly Page[] = typescript.filter(({ text }) => !EXCERPT.test(text))

/** A command of a `console` block, the server in the block's first line, and the output. */
export type Shown = { server: string; command: string; prints: string }

/** The commands of all `console` blocks of a page. */
export function commandsOf(text: string): Shown[] {
  return blocks('console', text).flatMap((block) => {
    const [heading = '', ...commands] = block.split(/^\$ /m)
    const server = /^# (.+)\n$/.exec(heading)?.[1]
    if (server === undefined) throw new Error(`This block does not name its server:\n${block}`)
    return commands.map((text) => {
      const end = text.indexOf('\n')
      return { server, command: text.slice(0, end), prints: text.slice(end + 1) }
    })
  })
}

/** The rows of the first table under a heading of a page, cell by cell, the header row first. */
export function tableUnder(file: string, heading: string): string[][] {
  const section = `\n${page(file)}`.split(/\n#+ /).find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`${file} has no heading "${heading}"`)
  const table = /(?:^\|.*\|\n)+/m.exec(`${section}\n`)?.[0] ?? ''
  const rows = [...table.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
  return rows.filter((_, index) => index !== 1)
}
