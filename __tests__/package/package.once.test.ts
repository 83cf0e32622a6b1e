import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import entries from '../../build/entries.json'
import { name } from '../../package.json'

// These tests read the package that npm would publish; `npm run test:system` installs it.
const root = join(__dirname, '../..')

beforeAll(() => {
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist: run `npm run build` first (`npm test` does).')
})

test('the tarball holds the build, the documents, the examples and nothing else', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(output)
  const packed: string[] = files.map((file: { path: string }) => file.path)
  const stray = packed.filter(
    (path) =>
      !/^(dist|docs|examples)\/|^(changes|client|explorer|openapi)\/package\.json$|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(
        path,
      ),
  )
  expect(stray).toEqual([])
  const built = Object.values(entries).flatMap((file) =>
    ['js', 'd.ts', 'mjs', 'd.mts'].map((end) => `dist/${file}.${end}`),
  )
  expect(packed).toEqual(expect.arrayContaining(built))
}, 60_000)

// A package finds itself by its name, through its own `exports`.
test.each(Object.keys(entries))(
  'require and import of %s give the names of the sources, and one value for each',
  (subpath) => {
    const entry = `${name}${subpath.slice(1)}`
    const script = `
      import * as imported from '${entry}'
      import { createRequire } from 'node:module'
      const required = createRequire(process.cwd() + '/')('${entry}')
      const same = Object.keys(required).filter((name) => required[name] === imported[name])
      console.log(JSON.stringify({ imported: Object.keys(imported), required: Object.keys(required), same }))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    })
    const names = Object.entries(require(entry))
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name)
      .sort()
    const { imported, required, same } = JSON.parse(output) as Record<string, string[]>
    expect(imported).toEqual(names)
    expect(required?.sort()).toEqual(names)
    expect(same?.sort()).toEqual(names)
  },
  60_000,
)
