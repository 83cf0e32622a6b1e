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

const aliases = Object.fromEntries([
  ...NODES.map((major) => [`node-${major}`, `npm:node-${process.platform}-${process.arch}@^${major}.0.0`]),
  ...COMPILERS.map((version) => [
    `typescript-${version}`,
    `npm:typescript@${version.includes('.') ? '~' : '^'}${version}.0`,
  ]),
])

beforeAll(async () => {
  await install(join(temp, 'tools'), aliases)
  for (const major of MAJORS) {
    const express = tested(major === 4 ? 'express4' : 'express')
    const both = { express, 'express-versioning': packed().specifier }
    await install(bare(major), { express })
    await install(plain(major), both)
    await install(withTypes(major), {
      ...both,
      '@types/express': `^${major}.0.0`,
      '@types/node': tested('@types/node'),
    })
    write(plain(major), { 'main.cjs': programs['main.cjs'], 'main.mjs': programs['main.mjs'] })
    const { 'main.cts': cts, 'main.mts': mts, 'classic.ts': classic } = programs
    write(withTypes(major), { 'main.cts': cts, 'main.mts': mts, 'classic.ts': classic })
  }
}, 300_000)

/** Runs a program for each file at once and returns the outputs by file. */
async function answers(directory: string, program: string, files: readonly string[]) {
  const printed = await Promise.all(files.map((file) => run(directory, program, file)))
  return files.map((file, index) => [file, JSON.parse(printed[index] as string)])
}

const allFound = (files: readonly string[]) => files.map((file) => [file, found])

test.each(MAJORS.flatMap((major) => NODES.map((version) => [major, version] as const)))(
  'Express %d, Node %d: JavaScript runs, required and imported',
  async (major, version) => {
    expect(await run(plain(major), node(version), '--version')).toMatch(`v${version}.`)
    const files = ['main.cjs', 'main.mjs']
    expect(await answers(plain(major), node(version), files)).toEqual(allFound(files))
  },
)

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  rootDir: '.',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  esModuleInterop: true,
  skipLibCheck: false,
}

interface Resolution {
  options: object
  files: string[]
  built: string[]
}

const modern = { files: ['main.cts', 'main.mts'], built: ['main.cjs', 'main.mjs'] }
const RESOLUTIONS: Record<string, Resolution> = {
  node16: { options: { module: 'node16', moduleResolution: 'node16' }, ...modern },
  nodenext: { options: { module: 'nodenext', moduleResolution: 'nodenext' }, ...modern },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler' }, files: ['main.mts'], built: ['main.mjs'] },
  // This resolver ignores `exports`; its file uses `import x = require()`.
  node10: {
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: false },
    files: ['classic.ts'],
    built: ['classic.js'],
  },
}

/** TypeScript 6 calls node10 deprecated, and 7 has it no more. */
const known = COMPILERS.flatMap((version) =>
  Object.keys(RESOLUTIONS)
    .filter((resolution) => resolution !== 'node10' || version !== '7')
    .map((resolution) => [version, resolution] as const),
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
    const { options, files, built } = RESOLUTIONS[name] as Resolution
    const outDir = `out-${version}-${name}`
    const deprecated = name === 'node10' && version === '6.0' ? { ignoreDeprecations: '6.0' } : {}
    const json = { compilerOptions: { ...compilerOptions, ...options, ...deprecated, outDir }, files }
    expect(await compiled(withTypes(major), version, `${outDir}.json`, json)).toBe('')
    expect(await answers(join(withTypes(major), outDir), process.execPath, built)).toEqual(allFound(built))
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
    write(withTypes(major), { [file]: readFileSync(join(root, '__tests__/fixtures', name, 'app.ts'), 'utf8') })
    // The test above checks the libraries.
    const options = { ...compilerOptions, module: 'nodenext', skipLibCheck: true, noEmit: true }
    const json = { compilerOptions: options, files: [file] }
    expect(await compiled(withTypes(major), version, `${file}.json`, json)).toBe('')
  },
)

/** How many files there are, and their bytes. */
function measure(sizes: readonly number[]) {
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** Returns the files that npm installed. */
function installed(directory: string) {
  const modules = join(directory, 'node_modules')
  const entries = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !/^\.(?:bin|package-lock)/.test(path),
  )
  const stats = entries.map((path) => statSync(join(modules, path))).filter((stat) => stat.isFile())
  return measure(stats.map(({ size }) => size))
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`

describe('the size', () => {
  // The limits leave some room. A commit that raises one must say why.
  const LIMITS = {
    tarball: 680_000,
    javascript: 620_000,
    'beside Express 4': { files: 580, bytes: 2_500_000 },
    'beside Express 5': { files: 500, bytes: 1_650_000 },
  }
  const print = (text: string) => process.stdout.write(`Size: ${text}\n`)

  test('of the tarball, and of its JavaScript', () => {
    const scripts = measure(
      packed()
        .files.filter(({ path }) => /\.m?js$/.test(path))
        .map(({ size }) => size),
    )
    print(
      `tarball ${kilobytes(packed().size)} with ${packed().files.length} files, of them JavaScript ${scripts.files}, ${kilobytes(scripts.bytes)}`,
    )
    expect(packed().size).toBeLessThan(LIMITS.tarball)
    expect(scripts.bytes).toBeLessThan(LIMITS.javascript)
  })

  test.each(MAJORS)('of what an install brings beside Express %d', (major) => {
    const [before, after] = [installed(bare(major)), installed(plain(major))]
    const brought = { files: after.files - before.files, bytes: after.bytes - before.bytes }
    print(`an install beside Express ${major} brings ${brought.files} files, ${kilobytes(brought.bytes)}`)
    const limit = LIMITS[`beside Express ${major}`]
    expect(brought.files).toBeLessThan(limit.files)
    expect(brought.bytes).toBeLessThan(limit.bytes)
  })
})
