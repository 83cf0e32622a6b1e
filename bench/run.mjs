// Runs the benchmark and writes its tables into README.md: see there.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = fileURLToPath(new URL('.', import.meta.url))

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    generations: { type: 'string' },
    write: { type: 'boolean' },
  },
})

if (!existsSync(join(HERE, '..', 'dist', 'index.js'))) throw new Error('There is no build: npm run build')
installPeers()
const { measureSuite } = await import('./lib/measure.mjs')
const { machine, printMissed, printSuite, writeReport } = await import('./lib/report.mjs')
const { SUITES } = await import('./suites/index.mjs')

const suites = chosen(
  SUITES,
  values.only?.flatMap((list) => list.split(',')),
)

const started = performance.now()
const runs = []
for (const wanted of values.node ?? [process.execPath]) {
  const node = nodeFor(wanted)
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  const run = { version, results: new Map() }
  runs.push(run)
  for (const suite of suites) {
    const begun = performance.now()
    const results = await measureSuite({
      node,
      suite,
      quick: values.quick,
      batchMs: values.quick ? 10 : (suite.batchMs ?? 20),
      warmUpMs: values.quick ? 2000 : 4000,
      rounds: Number(values.rounds ?? (values.quick ? 9 : (suite.rounds ?? 15))),
      generations: Number(values.generations ?? (values.quick ? 1 : (suite.generations ?? 3))),
    })
    run.results.set(suite.id, results)
    printSuite(suite, run, (performance.now() - begun) / 1000)
  }
  printMissed(suites, run)
}
console.log(
  `\n${((performance.now() - started) / 60_000).toFixed(1)} minutes${values.quick ? '; a quick look: no figure of it is worth keeping' : ''}`,
)

// A part of the suites, or a quick look, is no measurement to keep.
const complete = !values.quick && values.only === undefined
if (values.write ?? complete) {
  const file = join(HERE, 'README.md')
  const command = ['npm run bench', process.argv.slice(2).join(' ')].filter(Boolean).join(' -- ')
  writeFileSync(file, writeReport(readFileSync(file, 'utf8'), { runs, suites, command, machine: machine() }))
}

/**
 * The suites and cases whose `suite/case` begins with one of the names, with the floors they are compared with. A quick look
 * leaves out what is there to be looked up beside a figure: the peers.
 */
function chosen(all, names = ['']) {
  const found = all.map((suite) => {
    const wanted = suite.cases.filter(
      ({ id, reference }) => !(values.quick && reference) && names.some((name) => `${suite.id}/${id}`.startsWith(name)),
    )
    const floors = new Set(wanted.map(({ floor }) => floor))
    return { ...suite, cases: suite.cases.filter((entry) => wanted.includes(entry) || floors.has(entry.id)) }
  })
  const some = found.filter(({ cases }) => cases.some(({ floor, probe, limits }) => floor ?? probe ?? limits))
  if (some.length === 0) throw new Error(`--only takes the beginning of: ${all.map(({ id }) => id).join(', ')}`)
  return some
}

/** Installs what the benchmark depends on, when it is not there or not what the lockfile says. */
function installPeers() {
  const installed = join(HERE, 'node_modules', '.package-lock.json')
  const lock = join(HERE, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  npm(['ci', '--ignore-scripts'], HERE)
}

/** The path of a Node binary; `node@24` is that one from the registry, kept in the temporary folder. */
function nodeFor(wanted) {
  const version = /^node@([\d.]+)$/.exec(wanted)?.[1]
  if (version === undefined) return wanted
  // What the package `node` would install by a script, which not every npm runs.
  const binary = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(tmpdir(), `express-versioning-bench-node-${version}`)
  const path = join(folder, 'node_modules', binary, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(path))
    npm(['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${binary}@${version}`], tmpdir())
  return path
}

function npm(args, cwd) {
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
