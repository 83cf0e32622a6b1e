// `npm run prove`: every property with 100,000 cases, then two million attacks on the dispatch, the hostile requests, faults,
// RegExps, a million requests under load, and 100,000 beside Django REST framework. Prints the figures, and fails on any miss.
// `--runs`, `--attacks`, `--requests` and `--oracle` make it shorter.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const text = (value) => ({ type: 'string', default: value })
const lengths = { runs: text('100000'), attacks: text('2000000'), requests: text('1000000'), oracle: text('100000') }
const { values } = parseArgs({ options: lengths })
const directory = mkdtempSync(join(tmpdir(), 'prove-'))
const file = join(directory, 'figures')
writeFileSync(file, '')
const started = Date.now()
// A new one each time: the cases of `npm test` are always the same.
const seed = String(started % 1_000_000_000)
const misses = []

console.log(`== properties, ${values.runs} cases each, seed ${seed}`)
jest(['--maxWorkers=100%', '--selectProjects', 'express 5', '-t', 'property:'])
const properties = figures().filter((line) => line.property !== undefined)
const cases = properties.reduce((sum, line) => sum + line.runs, 0)
if (properties.length < 25) misses.push('fewer than 25 properties')
if (cases < values.runs * properties.length) misses.push('properties that were cut short')

console.log(`== ${values.attacks} attacks on the dispatch, half of them on either major`)
jest(['--maxWorkers=100%', 'dispatch.hostile'], { FUZZ_REQUESTS: String(Math.ceil(values.attacks / 2)) })

console.log('== hostile requests, faults, RegExps, load')
const env = { FUZZ_REQUESTS: '3000', LOAD_REQUESTS: values.requests, RECHECK: 'all' }
jest(['--runInBand', '\\.hostile\\.test', 'regexps', 'middleware/load'], env)

if (values.oracle !== '0') {
  console.log(`== ${values.oracle} requests beside Django REST framework`)
  jest(['--config', 'jest.system.config.js', 'drf'], { DRF_REQUESTS: values.oracle })
}

console.log(`== figures\n${properties.length} properties, ${cases} cases`)
for (const { figure, text } of figures()) if (figure !== undefined) console.log(`${figure.padEnd(56)} ${text}`)
console.log(`${Math.round((Date.now() - started) / 60_000)} min, Node ${process.version}`)
for (const miss of misses) console.log(`MISSED: ${miss}`)
rmSync(directory, { recursive: true })
process.exitCode = misses.length === 0 ? 0 : 1

function figures() {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** Runs tests, and records a failure. */
function jest(args, more = {}) {
  const env = { ...process.env, FC_RUNS: values.runs, FC_SEED: seed, FUZZ_SEED: seed, PROVE_REPORT: file, ...more }
  const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', ...args], { stdio: 'inherit', env })
  if (status !== 0) misses.push(`jest ${args.join(' ')}`)
}
