import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../..')
const HEADING = 'Which file owns what'

/** The first cells of the table, each of which names one or more files. */
function cells(): string[] {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith(`${HEADING}\n`)) ?? ''
  const rows = section.match(/^\|.*\|$/gm) ?? []
  return rows.slice(2).map((row) => row.split('|')[1] ?? '')
}

/** The names of a cell: one without a folder is in the folder of the first. */
function namesIn(cell: string): string[] {
  const [first = '', ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const folder = first.slice(0, first.lastIndexOf('/') + 1)
  return [first, ...others.map((name) => (name.includes('/') ? name : folder + name))]
}

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort()
const named = cells().flatMap(namesIn)
const plain = named.filter((name) => !name.includes('<'))
/** Such as `schemes/<scheme>.ts`: what else is in that folder. */
const rest = named
  .filter((name) => name.includes('<'))
  .map((name) => ({ name, files: files.filter((file) => file.startsWith(name.slice(0, name.indexOf('<')))) }))

describe(`the table "${HEADING}" of ARCHITECTURE.md`, () => {
  test('names each file of src once, and no other', () => {
    const others = rest.flatMap(({ files }) => files.filter((file) => !plain.includes(file)))
    expect([...plain, ...others].sort()).toEqual(files)
  })

  test.each(rest)('$name stands for files that have no row of their own', ({ files }) => {
    expect(files.filter((file) => !plain.includes(file))).not.toEqual([])
  })
})
