import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { found, programs } from './support/programs'
import { install, packed, root, run, temporary, tested, write } from './support/projects'

// The tarball as npm would publish it, installed beside each major of Express, in projects of each language and module system.

const MAJORS = ['4', '5']
const NODES = ['20', '22', '24']
const COMPILERS = ['5.5', '5.9', '6.0', '7']
/** Every row of one item of each list. */
const cross = (...lists: string[][]) =>
  lists.reduce<string[][]>((all, list) => all.flatMap((row) => list.map((item) => [...row, item])), [[]])

const temp = temporary()
/** Projects of Express alone, with this package, and with the types of both. */
const bare = (major: string) => join(temp, `express-${major}`)
const plain = (major: string) => `${bare(major)}-plain`
const withTypes = (major: string) => `${bare(major)}-types`
const node = (version: string) => join(temp, `tools/node_modules/node-${version}/bin/node`)

const written = (end: RegExp) => Object.fromEntries(Object.entries(programs).filter(([file]) => end.test(file)))
beforeAll(async () => {
  const nodes = NODES.map((major) => [`node-${major}`, `npm:node-${process.platform}-${process.arch}@^${major}.0.0`])
  const range = (version: string) => `npm:typescript@${version.includes('.') ? '~' : '^'}${version}.0`
  const compilers = COMPILERS.map((version) => [`typescript-${version}`, range(version)])
  await install(join(temp, 'tools'), Object.fromEntries([...nodes, ...compilers]))
  for (const major of MAJORS) {
    const express = tested(major === '4' ? 'express4' : 'express')
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

test.each(cross(MAJORS, NODES))('Express %s, Node %s: JavaScript runs', async (major = '', version = '') => {
  expect(await run(plain(major), node(version), '--version')).toMatch(`v${version}.`)
  await expectFound(plain(major), node(version), ['main.cjs', 'main.mjs'])
  const quick = await run(plain(major), node(version), 'node_modules/express-versioning/examples/quick.mjs')
  expect(quick).toContain('\n2024-01-01 200 {"name":"Emma"}\n')
})

/** Compiles a file of a project with types. The compiler should print nothing. */
async function compile(major: string, version: string, files: readonly string[], options: object): Promise<void> {
  const config = `${version}-${files[0]}-${Object.values(options).join('-')}.json`
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  const own = { target: 'es2022', lib: ['es2023'], types: ['node'], rootDir: '.', esModuleInterop: true, ...options }
  write(withTypes(major), { [config]: { compilerOptions: { ...strict, skipLibCheck: false, ...own }, files } })
  const compiler = join(temp, `tools/node_modules/typescript-${version}/bin/tsc`)
  expect(await run(withTypes(major), process.execPath, compiler, '-p', config, '--pretty', 'false')).toBe('')
}

/** For each resolver the module system, and the programs that it compiles. */
const RESOLVERS: Record<string, [module: string, ...files: string[]]> = {
  node16: ['node16', 'main.cts', 'main.mts'],
  nodenext: ['nodenext', 'main.cts', 'main.mts'],
  bundler: ['esnext', 'main.mts'],
  // This resolver ignores `exports`; its file uses `import x = require()`. TypeScript 6 calls it deprecated, and 7 has it no more.
  node10: ['commonjs', 'classic.ts'],
}
test.concurrent.each(
  cross(MAJORS, COMPILERS, Object.keys(RESOLVERS)).filter((row) => !(row.includes('7') && row.includes('node10'))),
)('Express %s, TypeScript %s, %s: compiles, and runs', async (major = '', version = '', moduleResolution = '') => {
  const [module, ...files] = RESOLVERS[moduleResolution] ?? []
  const outDir = `out-${version}-${moduleResolution}`
  const deprecated = moduleResolution === 'node10' && version === '6.0' ? { ignoreDeprecations: '6.0' } : {}
  const options = { module, moduleResolution, outDir, esModuleInterop: moduleResolution !== 'node10', ...deprecated }
  await compile(major, version, files, options)
  const built = files.map((file) => file.replace('ts', 'js'))
  await expectFound(join(withTypes(major), outDir), process.execPath, built)
})

// With the oldest compiler and the newest one; `npm test` compiles them with the project's own.
test.concurrent.each(cross(MAJORS, ['5.5', '7'], ['register', 'register-several', 'register-history', 'fitting']))(
  'Express %s, TypeScript %s: fixtures/%s compiles',
  async (major = '', version = '', name = '') => {
    const file = `fixture-${version}-${name}.ts`
    const text = readFileSync(join(root, `__tests__/fixtures/${name}.ts`), 'utf8')
    write(withTypes(major), { [file]: text.replaceAll(/^(.*) \/\/! /gm, '// @ts-expect-error\n$1 // ') })
    // The test above checks the libraries.
    await compile(major, version, [file], { module: 'nodenext', skipLibCheck: true, noEmit: true })
  },
)

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
test('the size of the tarball, of its JavaScript, and of what an install brings beside Express', () => {
  const { size, files } = packed()
  const scripts = kilobytes(files.filter(({ path }) => /\.m?js$/.test(path)))
  const [unpacked, packedFiles] = [kilobytes(files), files.length]
  process.stdout.write(
    `Size: tarball ${Math.round(size / 1000)} kB, ${packedFiles} files of ${unpacked} kB, JavaScript ${scripts} kB\n`,
  )
  expect([size < 520_000, packedFiles <= 300, unpacked <= 1600, scripts < 1050]).toEqual([true, true, true, true])
  for (const [major = '', most = 0, limit = 0] of [['4', 700, 3100] as const, ['5', 620, 2300] as const]) {
    const [all, less] = [installed(plain(major)), installed(bare(major))]
    const [count, added] = [all.length - less.length, kilobytes(all) - kilobytes(less)]
    process.stdout.write(`Size: an install beside Express ${major} brings ${count} files, ${added} kB\n`)
    expect([major, count < most, added < limit]).toEqual([major, true, true])
  }
})
