import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { found, programs } from './support/programs'
import { install, packed, root, run, temporary, tested, write } from './support/projects'

// The tarball as npm would publish it, installed beside each major of Express, in projects of each language and module system.

const MAJORS = [4, 5] as const
const NODES = [20, 22, 24] as const
const COMPILERS = ['5.5', '5.9', '6.0', '7']

const temp = temporary()
/** Projects of Express alone, with this package, and with the types of both. */
const bare = (major: number) => join(temp, `express-${major}`)
const plain = (major: number) => `${bare(major)}-plain`
const withTypes = (major: number) => `${bare(major)}-types`
const node = (major: number) => join(temp, `tools/node_modules/node-${major}/bin/node`)

const written = (end: RegExp) => Object.fromEntries(Object.entries(programs).filter(([file]) => end.test(file)))
beforeAll(async () => {
  const nodes = NODES.map((major) => [`node-${major}`, `npm:node-${process.platform}-${process.arch}@^${major}.0.0`])
  const range = (version: string) => `npm:typescript@${version.includes('.') ? '~' : '^'}${version}.0`
  const compilers = COMPILERS.map((version) => [`typescript-${version}`, range(version)])
  await install(join(temp, 'tools'), Object.fromEntries([...nodes, ...compilers]))
  for (const major of MAJORS) {
    const express = tested(major === 4 ? 'express4' : 'express')
    const both = { express, 'express-versioning': packed().specifier }
    const types = { '@types/express': `^${major}.0.0`, '@types/node': tested('@types/node') }
    await install(bare(major), { express })
    await install(plain(major), both, written(/js$/))
    await install(withTypes(major), { ...both, ...types }, written(/ts$/))
  }
}, 300_000)

/** Runs programs at once, and expects the findings of each. */
async function expectFound(directory: string, program: string, files: readonly string[]): Promise<void> {
  const printed = await Promise.all(files.map((file) => run(directory, program, file)))
  expect(printed.map((text) => JSON.parse(text))).toEqual(files.map(() => found))
}

const onNodes = MAJORS.flatMap((major) => NODES.map((version) => [major, version] as const))
test.each(onNodes)('Express %d, Node %d: JavaScript runs, required and imported', async (major, version) => {
  expect(await run(plain(major), node(version), '--version')).toMatch(`v${version}.`)
  await expectFound(plain(major), node(version), ['main.cjs', 'main.mjs'])
})

/** Compiles a file of a project with types. The compiler should print nothing. */
async function compile(major: number, version: string, files: readonly string[], options: object): Promise<void> {
  const config = `${version}-${files[0]}-${Object.values(options).join('-')}.json`
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  const own = { target: 'es2022', lib: ['es2023'], types: ['node'], rootDir: '.', esModuleInterop: true, ...options }
  write(withTypes(major), { [config]: { compilerOptions: { ...strict, skipLibCheck: false, ...own }, files } })
  const compiler = join(temp, `tools/node_modules/typescript-${version}/bin/tsc`)
  expect(await run(withTypes(major), process.execPath, compiler, '-p', config, '--pretty', 'false')).toBe('')
}

/** For each resolver its options, and the programs that it compiles. */
const RESOLUTIONS: Record<string, [files: string[], module: string, more?: object]> = {
  node16: [['main.cts', 'main.mts'], 'node16'],
  nodenext: [['main.cts', 'main.mts'], 'nodenext'],
  bundler: [['main.mts'], 'esnext'],
  // This resolver ignores `exports`; its file uses `import x = require()`.
  node10: [['classic.ts'], 'commonjs', { esModuleInterop: false }],
}
// TypeScript 6 calls node10 deprecated, and 7 has it no more.
const resolutions = MAJORS.flatMap((major) =>
  COMPILERS.flatMap((version) =>
    Object.keys(RESOLUTIONS).flatMap((name) =>
      name === 'node10' && version === '7' ? [] : [[major, version, name] as const],
    ),
  ),
)
const title = 'Express %d, TypeScript %s, moduleResolution %s: compiles, and runs'
test.concurrent.each(resolutions)(title, async (major, version, moduleResolution) => {
  const [files = [], module, more] = RESOLUTIONS[moduleResolution] ?? []
  const outDir = `out-${version}-${moduleResolution}`
  const deprecated = moduleResolution === 'node10' && version === '6.0' ? { ignoreDeprecations: '6.0' } : {}
  await compile(major, version, files, { module, moduleResolution, outDir, ...more, ...deprecated })
  const built = files.map((file) => file.replace('ts', 'js'))
  await expectFound(join(withTypes(major), outDir), process.execPath, built)
})

// With the oldest compiler and the newest one; `npm test` compiles them with the project's own.
const fixtures = MAJORS.flatMap((major) =>
  ['5.5', '7'].flatMap((version) =>
    ['register', 'register-several', 'fitting'].map((name) => [major, version, name] as const),
  ),
)
test.concurrent.each(fixtures)('Express %d, TypeScript %s: fixtures/%s compiles', async (major, version, name) => {
  const file = `fixture-${version}-${name}.ts`
  const text = readFileSync(join(root, `__tests__/fixtures/${name}.ts`), 'utf8')
  write(withTypes(major), { [file]: text.replaceAll(/^(.*) \/\/! /gm, '// @ts-expect-error\n$1 // ') })
  // The test above checks the libraries.
  await compile(major, version, [file], { module: 'nodenext', skipLibCheck: true, noEmit: true })
})

const kilobytes = (files: readonly { size: number }[]) =>
  Math.round(files.reduce((sum, { size }) => sum + size, 0) / 1000)

/** Returns the sizes of the files that npm installed. */
function installed(directory: string) {
  const modules = join(directory, 'node_modules')
  const paths = readdirSync(modules, { recursive: true, encoding: 'utf8' })
  const own = paths.filter((path) => !/^\.(?:bin|package-lock)/.test(path))
  return own.map((path) => statSync(join(modules, path))).filter((stat) => stat.isFile())
}

// The limits leave some room. A commit that raises one must say why.
test('the size of the tarball, and of its JavaScript', () => {
  const { size, files } = packed()
  const scripts = kilobytes(files.filter(({ path }) => /\.m?js$/.test(path)))
  process.stdout.write(`Size: tarball ${Math.round(size / 1000)} kB, JavaScript ${scripts} kB\n`)
  expect(size).toBeLessThan(680_000)
  expect(scripts).toBeLessThan(620)
})

test.each([
  [4, 580, 2500],
  [5, 500, 1650],
])('the size of what an install brings beside Express %d', (major, most, limit) => {
  const [all, less] = [installed(plain(major)), installed(bare(major))]
  const [files, size] = [all.length - less.length, kilobytes(all) - kilobytes(less)]
  process.stdout.write(`Size: an install beside Express ${major} brings ${files} files, ${size} kB\n`)
  expect(files).toBeLessThan(most)
  expect(size).toBeLessThan(limit)
})
