import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blocks, pages } from '../support/readme'

const root = join(__dirname, '../..')
const page = (name: string) => pages.find(({ file }) => file === name)?.text as string

/** The text of a page without its fenced blocks, in which `#` starts no heading. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The anchor that GitHub makes of a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

function anchorsOf(text: string): string[] {
  const headings = [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading))
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return [...headings, ...named]
}

describe('docs/errors.md', () => {
  const codes = new Set<string>()
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const source = readFileSync(join(root, 'src', file), 'utf8')
    for (const [code] of source.matchAll(/\bERR_[A-Z_]+[A-Z]\b/g)) codes.add(code)
  }
  const sections = page('docs/errors.md').split(/^## /m).slice(1)

  test('has a section for every code, and for no other', () => {
    expect(codes.size).toBeGreaterThanOrEqual(6)
    expect(sections.map((text) => text.slice(0, text.indexOf('\n'))).sort()).toEqual([...codes].sort())
  })

  test.each(sections)('%s', (text) => {
    const code = text.slice(0, text.indexOf('\n'))
    expect(text).toContain(`<a id="${code}"></a>`)
    expect(text).toMatch(/^\*\*Client:\*\* /m)
    expect(text).toMatch(/^\*\*API:\*\* /m)
  })
})

test.each([
  ['docs/changes.md', 10],
  ['docs/explorer.md', 2],
  ['docs/how-to.md', 10],
  ['docs/migrating.md', 10],
  ['docs/openapi.md', 5],
])('%s quotes the examples as they are', (name, least) => {
  const quoted = blocks('ts', page(name))
  expect(quoted.length).toBeGreaterThanOrEqual(least)
  for (const text of quoted) {
    const [, file = '', excerpt = ''] = /^\/\/ (examples\/\S+\.ts)\n([\s\S]*)$/.exec(text) ?? []
    expect({ text, file }).toMatchObject({ file: expect.stringMatching(/./) })
    expect(`\n${readFileSync(join(root, file), 'utf8')}`).toContain(`\n${excerpt}`)
  }
})

test.each([
  ...pages,
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  })),
])('the links of $file lead somewhere', ({ file, text }) => {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  for (const target of links.filter((link) => !/^https?:/.test(link))) {
    const [path = '', hash] = target.split('#')
    const found = path === '' ? join(root, file) : join(root, dirname(file), path)
    expect({ target, exists: existsSync(found) }).toEqual({ target, exists: true })
    if (hash !== undefined) expect(anchorsOf(readFileSync(found, 'utf8'))).toContain(hash)
  }
})
