// `npm run mutate`: runs Stryker over `src`, part by part; `npm run mutate -- http routes` runs some parts, `--sample 4` four percent
// of the mutants, and `--report` only prints the last results. Prints the survivors and the score of each file, and fails below
// 90 %. reports/mutation keeps the results, so that the next run looks only at changes.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const BREAK = 90
const DIRECTORY = 'reports/mutation'

/** The tests that judge the mutants of each folder of `src`: its own and its dependents'. Loading more takes too long. */
const parts = {
  http: 'http/|schemes/(?:reading|express|schemes|options)|request/reverse|changes/(?:sending|requests|failures)|middleware/options|lifecycle/|explorer/explorer',
  util: 'http/helpers|middleware/options|schemes/options|lifecycle/|routes/(?:links|declaration)|request/links|changes/history',
  schemes: 'schemes/(?!sockets)|request/reverse|middleware/(?:options|versioning)|routes/dispatch',
  routes: 'routes/|request/|hostile/|schemes/reading|middleware/versioning|changes/requests',
  request:
    'request/|http/|hostile/|routes/(?:dispatch|links)|middleware/versioning|schemes/(?:express|contract|reading)|changes/requests',
  middleware: 'middleware/(?!load|faults)|survey/|http/helpers|lifecycle/|routes/dispatch|schemes/options',
  lifecycle: 'lifecycle/|middleware/(?:options|problem-details|versioning)|schemes/schemes',
  changes: 'changes/|lifecycle/|middleware/problem-details|openapi/documents',
  client: 'client/',
  survey: 'survey/|openapi/documents|explorer/(?:explorer|page)',
  schemas: 'schemas/|openapi/schemas',
  openapi: 'openapi/(?!examples)',
  explorer: 'explorer/',
  'command-line': 'command-line/',
  contract: 'contract/|middleware/problem-details',
  metrics: 'metrics/|usage/',
  usage: 'usage/|command-line/|explorer/',
  testing: 'testing/|command-line/(?:command|draft)',
  nest: 'nest/',
  gateway: 'gateway/|command-line/gateway',
  root: 'middleware/(?!load|faults)|routes/|request/',
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'boolean' }, sample: { type: 'string', default: '100' } },
})
process.env.MUTATION_SAMPLE = values.sample
const { isPicked } = await import('./plugins.mjs')
const directory = values.sample === '100' ? DIRECTORY : `${DIRECTORY}/sample-${values.sample}`
const unknown = positionals.filter((word) => !(word in parts))
if (unknown.length > 0)
  throw new Error(`There is no part ${unknown.join(', ')}. The parts: ${Object.keys(parts).join(', ')}`)
const asked = positionals.length > 0 ? positionals : Object.keys(parts)
if (!values.report) {
  mkdirSync(directory, { recursive: true })
  for (const part of asked) run(part)
}
report()

function run(part) {
  process.stdout.write(`\n== ${part}\n`)
  const mutate = part === 'root' ? 'src/*.ts' : `src/${part}/**/*.ts`
  const options = ['--mutate', mutate, '--incrementalFile', resultsOf(part), '--tempDirName', `.stryker-tmp/${part}`]
  const { status } = spawnSync('npx', ['stryker', 'run', '__tests__/mutation/stryker.config.json', ...options], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_TESTS: parts[part] },
  })
  if (status !== 0) process.exitCode = 1
}

function report() {
  const total = { killed: 0, survived: 0 }
  const rows = []
  for (const [file, { mutants: all, source }] of asked.flatMap(filesOf)) {
    const mutants = all.filter(({ location, replacement }) => isPicked(file, location, replacement))
    const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
    const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    if (killed + left.length === 0) continue
    total.killed += killed
    total.survived += left.length
    rows.push(row(file, killed, left.length))
    for (const mutant of left) console.log(described(file, source.split('\n'), mutant))
  }
  console.log(`\n${'file'.padEnd(34)} score % killed left\n${rows.join('\n')}`)
  console.log(row('all', total.killed, total.survived))
  if (100 * total.killed < BREAK * (total.killed + total.survived)) process.exitCode = 1
}

function filesOf(part) {
  return existsSync(resultsOf(part)) ? Object.entries(JSON.parse(readFileSync(resultsOf(part), 'utf8')).files) : []
}

function resultsOf(part) {
  return `${directory}/${part}.json`
}

function described(file, lines, { location: { start, end }, replacement = '', status }) {
  const text = lines[start.line - 1].slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined)
  const whole = start.line === end.line ? text : `${text} ...`
  return `${file}:${start.line} ${status}: ${whole} -> ${replacement.replaceAll(/\s+/g, ' ')}`
}

function row(name, killed, left) {
  const score = ((100 * killed) / (killed + left)).toFixed(2).padStart(7)
  return `${name.padEnd(34)} ${score} ${String(killed).padStart(5)} ${String(left).padStart(4)}`
}
