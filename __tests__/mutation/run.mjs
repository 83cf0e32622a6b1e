// `npm run mutate`: Stryker over `src`, part by part. Prints the score of each file and the survivors that SURVIVORS.md does
// not argue; fails below 90 %, and for any of those. `npm run mutate -- http routes` runs some parts, and `--report` only
// prints what the last runs found. Results are kept in reports/mutation, so that a second run only looks at what changed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'

const BREAK = 90
const DIRECTORY = 'reports/mutation'

// The tests that are about a folder: all would judge no better, and loading them takes longer than running most. Each stands
// for itself and for what the others rest on.
const parts = {
  http: { mutate: 'src/http/*.ts', tests: 'http/|schemes/(?:accept|links|media-type|query|allow-list)' },
  util: { mutate: 'src/util/*.ts', tests: 'http/helpers|util/|middleware/options|routes/' },
  schemes: {
    mutate: 'src/schemes/*.ts',
    tests: 'schemes/(?!sockets)|request/reverse|middleware/(?:options|versioning)',
  },
  routes: { mutate: 'src/routes/*.ts', tests: 'routes/(?!loop)|request/|schemes/(?:links|namespace)' },
  request: {
    mutate: 'src/request/*.ts',
    tests: 'request/|http/helpers|routes/dispatch|schemes/links|middleware/versioning',
  },
  middleware: {
    mutate: 'src/middleware/*.ts',
    tests: 'middleware/(?!load|faults)|http/helpers|lifecycle/|routes/dispatch|schemes/(?:namespace|settings)',
  },
  lifecycle: {
    mutate: 'src/lifecycle/*.ts',
    tests: 'lifecycle/|middleware/(?:problem-details|versioning)|schemes/allow-list',
  },
  changes: { mutate: 'src/changes/*.ts', tests: 'changes/' },
  client: { mutate: 'src/client/*.ts', tests: 'client/' },
  survey: { mutate: 'src/survey/*.ts', tests: 'survey/|openapi/documents' },
  openapi: { mutate: 'src/openapi/*.ts', tests: 'openapi/(?!examples)' },
  explorer: { mutate: 'src/explorer/*.ts', tests: 'explorer/' },
  'command-line': { mutate: 'src/command-line/*.ts', tests: 'command-line/' },
  root: { mutate: 'src/*.ts', tests: 'middleware/(?!load|faults)|routes/|request/' },
}

const asked = process.argv.slice(2).filter((argument) => argument in parts)
if (!process.argv.includes('--report')) {
  mkdirSync(DIRECTORY, { recursive: true })
  for (const part of asked.length > 0 ? asked : Object.keys(parts)) run(part)
}
report()

function run(part) {
  const { mutate, tests } = parts[part]
  process.stdout.write(`\n== ${part}\n`)
  const incremental = `${DIRECTORY}/${part}.json`
  const { status } = spawnSync(
    'npx',
    [
      'stryker',
      'run',
      '__tests__/mutation/stryker.config.json',
      ...['--mutate', mutate, '--incrementalFile', incremental, '--tempDirName', `.stryker-tmp/${part}`],
    ],
    { stdio: 'inherit', env: { ...process.env, MUTATION_TESTS: tests } },
  )
  if (status !== 0) process.exitCode = 1
}

function report() {
  const files = Object.keys(parts)
    .map((part) => `${DIRECTORY}/${part}.json`)
    .filter((file) => existsSync(file))
    .flatMap((file) => Object.entries(JSON.parse(readFileSync(file, 'utf8')).files))
  const argued = new Set(readFileSync(new URL('SURVIVORS.md', import.meta.url), 'utf8').split('\n'))
  const total = { killed: 0, survived: 0 }
  const rows = []
  const unargued = []
  for (const [file, { mutants, source }] of files) {
    const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
    const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    if (killed + left.length === 0) continue
    total.killed += killed
    total.survived += left.length
    rows.push(row(file, killed, left.length))
    const lines = source.split('\n')
    for (const mutant of left) {
      const line = described(file, lines, mutant)
      if (!argued.has(line)) unargued.push(`${mutant.location.start.line} ${mutant.status}\n${line}`)
    }
  }
  console.log(`\n${unargued.join('\n')}\n\n${'file'.padEnd(34)} score % killed left\n${rows.join('\n')}`)
  console.log(row('all', total.killed, total.survived))
  console.log(`${unargued.length} not in SURVIVORS.md`)
  if (100 * total.killed < BREAK * (total.killed + total.survived) || unargued.length > 0) process.exitCode = 1
}

/** A mutant as SURVIVORS.md lists it: without its line, which moves. */
function described(file, lines, { location: { start, end }, replacement = '' }) {
  const first = lines[start.line - 1].slice(start.column - 1, start.line === end.line ? end.column - 1 : undefined)
  const text = start.line === end.line ? first : `${first} ...`
  return `- ${file}: \`${text}\` -> \`${replacement.replaceAll(/\s+/g, ' ')}\``
}

function row(name, killed, left) {
  return `${name.padEnd(34)} ${score(killed, left)} ${String(killed).padStart(5)} ${String(left).padStart(4)}`
}

function score(killed, survived) {
  return ((100 * killed) / (killed + survived)).toFixed(2).padStart(7)
}
