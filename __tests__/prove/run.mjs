// `npm run prove`: every property with 100,000 cases, then two million attacks on the dispatch, the hostile requests, faults,
// RegExps and a million requests under load; prints the figures as they come, and fails on any miss. `--runs`, `--attacks`
// and `--requests` make it shorter.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const LEAST_PROPERTIES = 25
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    attacks: { type: 'string', default: '2000000' },
    requests: { type: 'string', default: '1000000' },
  },
})
const runs = Number(values.runs)
const directory = mkdtempSync(join(tmpdir(), 'prove-'))
const file = join(directory, 'figures')
const started = Date.now()
const misses = []

console.log(`== properties, ${runs} cases each`)
await jest(['--maxWorkers=100%', '--selectProjects', 'express 5', '-t', 'property:'])
const properties = figures().filter((line) => line.property !== undefined)
const cases = properties.reduce((sum, line) => sum + line.runs, 0)
const failures = properties.filter((line) => line.failed).length
console.log(`${properties.length} properties, ${cases} cases, ${failures} failures`)
if (properties.length < LEAST_PROPERTIES) misses.push(`fewer than ${LEAST_PROPERTIES} properties`)
if (cases < runs * properties.length || failures > 0) misses.push('properties that failed or were cut short')

console.log(`\n== ${values.attacks} attacks on the dispatch, half of them on either major`)
await jest(['--maxWorkers=100%', 'dispatch.hostile'], { FUZZ_REQUESTS: String(Math.ceil(Number(values.attacks) / 2)) })

console.log('\n== hostile requests, faults, RegExps, load')
await jest(['--runInBand', '\\.hostile\\.test', 'regexps', 'middleware/load'], {
  FUZZ_REQUESTS: '3000',
  LOAD_REQUESTS: values.requests,
  RECHECK: 'all',
})

console.log('\n== figures')
console.log(`${'properties'.padEnd(56)} ${properties.length}, ${cases} cases, ${failures} failures`)
for (const { figure, text } of figures()) if (figure !== undefined) console.log(`${figure.padEnd(56)} ${text}`)
console.log(`${'time'.padEnd(56)} ${Math.round((Date.now() - started) / 60_000)} min, Node ${process.version}`)
for (const miss of misses) console.log(`MISSED: ${miss}`)
rmSync(directory, { recursive: true })
process.exitCode = misses.length === 0 ? 0 : 1

function figures() {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** Runs tests and prints each figure at once. It shows the output of jest on failure. */
function jest(args, env = {}) {
  let shown = figures().length
  let output = ''
  const print = () => {
    const lines = figures()
    for (const { property, figure, text, runs, failed, ms } of lines.slice(shown)) {
      const what =
        property === undefined
          ? `${figure}: ${text}`
          : `${String(runs).padStart(7)} cases  ${(ms / 1000).toFixed(1).padStart(6)} s  ${property}`
      console.log(failed ? `FAILED ${what}` : what)
    }
    shown = lines.length
  }
  const timer = setInterval(print, 1000)
  return new Promise((done) => {
    const child = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...args], {
      env: { ...process.env, FC_RUNS: String(runs), PROVE_REPORT: file, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('close', (code) => {
      clearInterval(timer)
      print()
      if (code !== 0) {
        misses.push(`jest ${args.join(' ')}`)
        console.log(output)
      }
      done()
    })
  })
}
