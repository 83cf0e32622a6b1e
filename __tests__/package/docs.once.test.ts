import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { blocks, excerpts, page, pages, prose, readme } from '../support/readme'

const root = join(__dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

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

/** Where the links of a page within this repository lead: a path from the root, and an anchor. */
function linksOf(file: string, text: string): { target: string; hash: string | undefined }[] {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = '', hash] = link.split('#')
      return { target: path === '' ? file : posix.join(dirname(file), path), hash }
    })
}

test('the README is read in five minutes', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(350)
})

test.each(['README.md', 'docs/README.md'])('%s leads to every page', (index) => {
  const listed = new Set(linksOf(index, page(index)).map(({ target }) => target))
  const others = pages.map(({ file }) => file).filter((file) => file !== index)
  expect(others.filter((file) => !listed.has(file))).toEqual([])
})

test.each(pages.filter(({ file }) => file.startsWith('docs/schemes/')))(
  '$file answers what each of them does',
  ({ text }) => {
    const headings = [...prose(text).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    const asked = ['The version it gets', 'What is refused', 'Links', 'Caches', 'Options', 'When to choose it']
    expect(headings).toEqual(asked)
  },
)

/** A code of Node's own that users of the command line meet. */
const NODES_OWN = 'ERR_UNKNOWN_FILE_EXTENSION'

describe('docs/errors.md', () => {
  const codes = new Set<string>()
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    for (const [code] of textOf(join('src', file)).matchAll(/\bERR_[A-Z_]+[A-Z]\b/g)) {
      if (code !== NODES_OWN) codes.add(code)
    }
  }
  const sections = page('docs/errors.md')
    .split(/^## /m)
    .filter((text) => text.startsWith('ERR_'))
    .map((text) => ({ code: text.slice(0, text.indexOf('\n')), text }))

  test('has a section for every code, and for no other', () => {
    expect(codes.size).toBeGreaterThanOrEqual(6)
    expect(sections.map(({ code }) => code).sort()).toEqual([...codes].sort())
  })

  test.each(sections)('$code', ({ code, text }) => {
    expect(text).toContain(`<a id="${code}"></a>`)
    expect(text).toMatch(/^\*\*Client:\*\* /m)
    expect(text).toMatch(/^\*\*API:\*\* /m)
  })
})

test.each([...new Set(excerpts.map(({ file }) => file))])('%s quotes the examples as they are', (file) => {
  for (const { example, text } of excerpts.filter((excerpt) => excerpt.file === file)) {
    expect(`\n${textOf(example)}`).toContain(`\n${text}`)
  }
})

test('JavaScript outside of the examples is run by a test of its own, or shows where a migration begins', () => {
  const scripts = pages.map(({ file, text }) => ({ file, count: blocks('js', text).length }))
  expect(scripts.filter(({ file, count }) => count > 0 && !file.startsWith('docs/from-'))).toEqual([
    { file: 'README.md', count: 1 },
    { file: 'docs/client.md', count: 1 },
    { file: 'docs/command-line.md', count: 1 },
  ])
})

test.each([
  ...pages,
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => ({ file, text: textOf(file) })),
])('the links of $file lead somewhere', ({ file, text }) => {
  for (const { target, hash } of linksOf(file, text)) {
    expect({ target, exists: existsSync(join(root, target)) }).toEqual({ target, exists: true })
    if (hash !== undefined) expect(anchorsOf(textOf(target))).toContain(hash)
  }
})

describe('in the installed package', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed: string[] = JSON.parse(output)[0].files.map(({ path }: { path: string }) => path)

  test.each([...pages, { file: 'CHANGELOG.md', text: textOf('CHANGELOG.md') }])(
    'the links of $file lead somewhere, too',
    ({ file, text }) => {
      expect(packed).toContain(file)
      const lost = linksOf(file, text)
        .map(({ target }) => target.replace(/\/$/, ''))
        .filter((target) => !packed.some((path) => path === target || path.startsWith(`${target}/`)))
      expect(lost).toEqual([])
    },
  )

  test('there is each example, and nothing that only this repository can use', () => {
    const examples = packed.filter((path) => path.startsWith('examples/'))
    const written = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
      .map((file) => `examples/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.(ts|md)$|\/(golden|api)\/.*\.json$/.test(file))
    expect(examples.sort()).toEqual(written.sort())
  })
})
