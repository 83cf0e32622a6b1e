// Runs the benchmark and writes its tables into README.md: see there.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const HERE = fileURLToPath(new URL('.', import.meta.url))

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true },
    suite: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    generations: { type: 'string' },
    write: { type: 'boolean' },
  },
})

installPeers()
const { measureSuite } = await import('./lib/measure.mjs')
const { machine, printSuite, writeReport } = await import('./lib/report.mjs')
const { SUITES } = await import('./suites/index.mjs')

const suites = values.suite === undefined ? SUITES : SUITES.filter(({ id }) => values.suite.includes(id))
if (suites.length === 0) throw new Error(`--suite takes: ${SUITES.map(({ id }) => id).join(', ')}`)

const runs = []
for (const wanted of values.node ?? [process.execPath]) {
  const node = nodeFor(wanted)
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  const run = { version, results: new Map() }
  runs.push(run)
  for (const suite of suites) {
    const started = performance.now()
    const results = await measureSuite({
      node,
      suite,
      batchMs: values.quick ? 5 : (suite.batchMs ?? 20),
      rounds: Number(values.rounds ?? (values.quick ? 3 : (suite.rounds ?? 15))),
      generations: Number(values.generations ?? (values.quick ? 1 : (suite.generations ?? 3))),
    })
    run.results.set(suite.id, results)
    printSuite(suite, run, (performance.now() - started) / 1000)
  }
}

// A part of the suites, or a quick look, is no measurement to keep.
const complete = !values.quick && values.suite === undefined
if (values.write ?? complete) {
  const file = join(HERE, 'README.md')
  const command = ['npm run bench', process.argv.slice(2).join(' ')].filter(Boolean).join(' -- ')
  writeFileSync(file, writeReport(readFileSync(file, 'utf8'), { runs, suites, command, machine: machine() }))
}

/** Installs what the benchmark depends on, when it is not there or not what the lockfile says. */
function installPeers() {
  const installed = join(HERE, 'node_modules', '.package-lock.json')
  const lock = join(HERE, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  npm(['ci', '--ignore-scripts'], HERE)
}

/** The path of a Node binary; `node@24` installs that one from the registry, outside the repository. */
function nodeFor(wanted) {
  if (!/^node@[\d.]+$/.test(wanted)) return wanted
  const folder = mkdtempSync(join(tmpdir(), 'bench-node-'))
  npm(['install', '--prefix', folder, '--no-save', wanted], folder)
  return join(folder, 'node_modules', 'node', 'bin', 'node')
}

function npm(args, cwd) {
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
