import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { found, programs } from './support/programs'
import { install, packed, root, run, temporary, tested, write } from './support/projects'

// The tarball as npm would publish it, installed beside each major of Express, in projects of each language and module system.

const MAJORS = [4, 5] as const
const NODES = [20, 22, 24] as const
const COMPILERS = ['5.5', '5.9', '6.0', '7']

const temp = temporary()
const tools = join(temp, 'tools/node_modules')
/** A project without types, and one with those of this Express. */
const plain = (major: number) => join(temp, `express-${major}`)
const withTypes = (major: number) => join(temp, `express-${major}-types`)
/** Returns the folder of a project with Express alone, to find the other packages of an install. */
const bare = (major: number) => join(temp, `express-${major}-bare`)

const node = (major: number) => join(tools, `node-${major}`, 'bin/node')
const compiler = (version: string) => join(tools, `typescript-${version}`, 'bin/tsc')
const range = (version: string) => `${version.includes('.') ? '~' : '^'}${version}.0`
const aliases = [
  ...NODES.map((major) => [`node-${major}`, `npm:node-${process.platform}-${process.arch}@^${major}.0.0`]),
  ...COMPILERS.map((version) => [`typescript-${version}`, `npm:typescript@${range(version)}`]),
]

beforeAll(async () => {
  await install(join(temp, 'tools'), Object.fromEntries(aliases))
  for (const major of MAJORS) {
    const express = tested(major === 4 ? 'express4' : 'express')
    const both = { express, 'express-versioning': packed().specifier }
    await install(bare(major), { express })
    await install(plain(major), both)
    const types = { '@types/express': `^${major}.0.0`, '@types/node': tested('@types/node') }
    await install(withTypes(major), { ...both, ...types })
    for (const [file, text] of Object.entries(programs))
      write(/js$/.test(file) ? plain(major) : withTypes(major), { [file]: text })
  }
}, 300_000)

/** Runs programs at once, and expects the findings of each. */
async function expectFound(directory: string, program: string, files: readonly string[]): Promise<void> {
  const printed = await Promise.all(files.map((file) => run(directory, program, file)))
  expect(printed.map((text) => JSON.parse(text))).toEqual(files.map(() => found))
}

test.each(MAJORS.flatMap((major) => NODES.map((version) => [major, version] as const)))(
  'Express %d, Node %d: JavaScript runs, required and imported',
  async (major, version) => {
    expect(await run(plain(major), node(version), '--version')).toMatch(`v${version}.`)
    await expectFound(plain(major), node(version), ['main.cjs', 'main.mjs'])
  },
)

const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2023'], types: ['node'], rootDir: '.', esModuleInterop: true, skipLibCheck: false },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
}

/** For each resolver its options, and the programs that it compiles. */
const RESOLUTIONS: Record<string, [options: object, files: string[]]> = {
  node16: [{ module: 'node16', moduleResolution: 'node16' }, ['main.cts', 'main.mts']],
  nodenext: [{ module: 'nodenext', moduleResolution: 'nodenext' }, ['main.cts', 'main.mts']],
  bundler: [{ module: 'esnext', moduleResolution: 'bundler' }, ['main.mts']],
  // This resolver ignores `exports`; its file uses `import x = require()`.
  node10: [{ module: 'commonjs', moduleResolution: 'node10', esModuleInterop: false }, ['classic.ts']],
}
// TypeScript 6 calls node10 deprecated, and 7 has it no more.
const known = COMPILERS.flatMap((version) =>
  Object.keys(RESOLUTIONS).flatMap((name) => (name === 'node10' && version === '7' ? [] : [[version, name] as const])),
)

/** Compiles a project in a folder and returns the output, which should be empty. */
async function compiled(directory: string, version: string, config: string, json: object): Promise<string> {
  write(directory, { [config]: json })
  return run(directory, process.execPath, compiler(version), '-p', config, '--pretty', 'false')
}

const programsCompiled = MAJORS.flatMap((major) => known.map(([version, name]) => [major, version, name] as const))
test.concurrent.each(programsCompiled)(
  'Express %d, TypeScript %s, moduleResolution %s: compiles, and runs',
  async (major, version, name) => {
    const [options, files = []] = RESOLUTIONS[name] ?? []
    const built = files.map((file) => file.replace('ts', 'js'))
    const outDir = `out-${version}-${name}`
    const deprecated = name === 'node10' && version === '6.0' ? { ignoreDeprecations: '6.0' } : {}
    const json = { compilerOptions: { ...compilerOptions, ...options, ...deprecated, outDir }, files }
    expect(await compiled(withTypes(major), version, `${outDir}.json`, json)).toBe('')
    await expectFound(join(withTypes(major), outDir), process.execPath, built)
  },
)

// With the oldest compiler and the newest one; `npm test` compiles them with the project's own.
const fixtures = MAJORS.flatMap((major) =>
  ['5.5', '7'].flatMap((version) =>
    ['register', 'register-several', 'fitting'].map((name) => [major, version, name] as const),
  ),
)
test.concurrent.each(fixtures)(
  'Express %d, TypeScript %s: fixtures/%s compiles, its expected errors being errors',
  async (major, version, name) => {
    const file = `fixture-${version}-${name}.ts`
    const text = readFileSync(join(root, `__tests__/fixtures/${name}.ts`), 'utf8')
    write(withTypes(major), { [file]: text.replaceAll(/^(.*) \/\/! /gm, '// @ts-expect-error\n$1 // ') })
    // The test above checks the libraries.
    const options = { ...compilerOptions, module: 'nodenext', skipLibCheck: true, noEmit: true }
    const json = { compilerOptions: options, files: [file] }
    expect(await compiled(withTypes(major), version, `${file}.json`, json)).toBe('')
  },
)

/** Returns how many files there are, and their kilobytes. */
function measure(files: readonly { size: number }[]): [count: number, kilobytes: number] {
  return [files.length, Math.round(files.reduce((sum, { size }) => sum + size, 0) / 1000)]
}

/** Measures the files that npm installed. */
function installed(directory: string) {
  const modules = join(directory, 'node_modules')
  const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' })
  const stats = paths
    .filter((path) => !/^\.(?:bin|package-lock)/.test(path))
    .map((path) => statSync(join(modules, path)))
  return measure(stats.filter((stat) => stat.isFile()))
}

// The limits leave some room. A commit that raises one must say why.
test('the size of the tarball, and of its JavaScript', () => {
  const { size, files } = packed()
  const [count, scripts] = measure(files.filter(({ path }) => /\.m?js$/.test(path)))
  const all = `tarball ${Math.round(size / 1000)} kB with ${files.length} files`
  process.stdout.write(`Size: ${all}, of them JavaScript ${count}, ${scripts} kB\n`)
  expect(size).toBeLessThan(680_000)
  expect(scripts).toBeLessThan(620)
})

test.each([
  [4, 580, 2500],
  [5, 500, 1650],
])('the size of what an install brings beside Express %d', (major, most, limit) => {
  const [[files, size], [fewer, less]] = [installed(plain(major)), installed(bare(major))]
  process.stdout.write(`Size: an install beside Express ${major} brings ${files - fewer} files, ${size - less} kB\n`)
  expect(files - fewer).toBeLessThan(most)
  expect(size - less).toBeLessThan(limit)
})
