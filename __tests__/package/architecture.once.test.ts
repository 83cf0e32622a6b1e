import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../..')
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

/** The names in the first cells of the table of folders, from the top floor down. */
const [, floors = ''] = /^## Folders\n(.*?)\n\n(?=[^|I])/ms.exec(page) ?? []
const rows = floors.match(/^\| `.*$/gm) ?? []
const named = rows.map((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))

test('names each folder of src, and each file in its root', () => {
  const expected = new Set(files.map((file) => (file.includes('/') ? (file.split('/')[0] as string) : file)))
  expected.delete('express.ts') // the types of requests: no floor of its own
  expect(new Set(named.flat())).toEqual(expected)
})

test('has at most 150 lines', () => {
  expect(page.split('\n').length).toBeLessThanOrEqual(151)
})

test.each(files)('%s begins with what it is for', (file) => {
  expect(readFileSync(join(root, 'src', file), 'utf8')).toMatch(/^(?:#!.*\n)?\/\/ \S.*\.\n/)
})
