import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import entries from '../../build/entries.json'
import manifest from '../../package.json'
import { compilerOptions as testOptions } from '../tsconfig.json'

// package.json and the compiler's paths cannot read build/entries.json, which the ES module faces and jest's mapper are made from.

const list = Object.entries(entries)
const imported = (subpath: string) => join(manifest.name, subpath).replaceAll('\\', '/')

test('package.json exports the entries of the build, and itself', () => {
  const expected = list.map(([subpath, file]) => [
    subpath,
    {
      import: { types: `./dist/${file}.d.mts`, default: `./dist/${file}.mjs` },
      require: { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
    },
  ])
  expect(manifest.exports).toEqual({ ...Object.fromEntries(expected), './package.json': './package.json' })
  expect(manifest).toMatchObject({ main: `./dist/${entries['.']}.js`, types: `./dist/${entries['.']}.d.ts` })
})

test.each(list)('%s is tested as the sources have it', (subpath, file) => {
  const source = join(__dirname, '../../src', `${file}.ts`)
  expect(require.resolve(imported(subpath))).toBe(source)
  expect(testOptions.paths).toHaveProperty([imported(subpath)], [`../src/${file}.ts`])
})

test('older resolvers find each subpath in a folder of the tarball, which is no part of the repository', () => {
  const ignored = readFileSync(join(__dirname, '../../.gitignore'), 'utf8').split('\n')
  for (const [subpath, file] of list.filter(([subpath]) => subpath !== '.')) {
    const folder = subpath.slice(2)
    expect(manifest.files).toContain(folder)
    expect(ignored).toContain(`/${folder}/`)
    const { main, types } = JSON.parse(readFileSync(join(__dirname, '../..', folder, 'package.json'), 'utf8'))
    expect([main, types]).toEqual([`../dist/${file}.js`, `../dist/${file}.d.ts`])
  }
})

test('the main entry loads nothing of the others', () => {
  const folders = list.filter(([subpath]) => subpath !== '.').map(([subpath]) => subpath.slice(2))
  const sources = readdirSync(join(__dirname, '../../src'), { recursive: true, encoding: 'utf8' })
  // The command line is a program of its own.
  const apart = [...folders, 'command-line']
  const outside = sources.filter((file) => file.endsWith('.ts') && !apart.some((folder) => file.startsWith(folder)))
  expect(outside.length).toBeGreaterThan(50)
  for (const file of outside) {
    const text = readFileSync(join(__dirname, '../../src', file), 'utf8')
    const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, path = '']) => path)
    expect({
      file,
      imported: imported.filter((path) => apart.some((folder) => path.split('/').includes(folder))),
    }).toEqual({
      file,
      imported: [],
    })
  }
})

test('the fixtures see what the tests see', () => {
  const fixture = join(__dirname, '../fixtures/register')
  const { config } = ts.readConfigFile(join(fixture, 'tsconfig.json'), ts.sys.readFile)
  const resolved = (paths: Record<string, string[]>, from: string) =>
    Object.entries(paths).map(([name, [path = '']]) => [name, join(from, path)])
  expect(resolved(config.compilerOptions.paths, fixture)).toEqual(resolved(testOptions.paths, join(__dirname, '..')))
})
