// `npm run mutate`: Stryker over `src`, part by part, each judged by the tests that are about it (fewer tests can only lower
// the score). Prints the score of each file and every mutant that survived; fails below 90 %. `npm run mutate -- http routes`
// runs some parts, and `--report` only prints what the last runs found. Results are kept in reports/mutation, so that a
// second run only looks at what changed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'

const BREAK = 90
const DIRECTORY = 'reports/mutation'

// Left out: tests that start programs, and those whose many cases others hold in small.
const ANY = '(?!accept-ranges|docs|examples|faults|hostile|load|package|readme|regexps|register|routes-types).*'
const parts = {
  http: { mutate: 'src/http/*.ts', tests: 'accept(?!-ranges).*|http-helpers|allow-list' },
  schemes: { mutate: 'src/schemes/*.ts', tests: ANY.replace('routes-types', 'routes') },
  core: { mutate: 'src/*.ts', tests: ANY },
  routes: { mutate: 'src/routes/*.ts', tests: ANY },
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
  const total = { killed: 0, survived: 0 }
  const rows = []
  const survivors = []
  for (const [file, { mutants, source }] of files) {
    const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
    const left = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    if (killed + left.length === 0) continue
    total.killed += killed
    total.survived += left.length
    rows.push(
      `${file.padEnd(34)} ${score(killed, left.length)} ${String(killed).padStart(5)} ${String(left.length).padStart(4)}`,
    )
    const lines = source.split('\n')
    for (const { location, mutatorName, replacement, status } of left) {
      const { start, end } = location
      const text =
        start.line === end.line
          ? lines[start.line - 1].slice(start.column - 1, end.column - 1)
          : `${lines[start.line - 1].slice(start.column - 1)} ...`
      survivors.push(
        `${file}:${start.line}:${start.column} ${status} ${mutatorName}\n    - ${text}\n    + ${(replacement ?? '').replaceAll('\n', ' ')}`,
      )
    }
  }
  console.log(`\n${survivors.join('\n')}\n\n${'file'.padEnd(34)} score % killed left\n${rows.join('\n')}`)
  console.log(
    `${'all'.padEnd(34)} ${score(total.killed, total.survived)} ${String(total.killed).padStart(5)} ${String(total.survived).padStart(4)}`,
  )
  if (100 * total.killed < BREAK * (total.killed + total.survived)) process.exitCode = 1
}

function score(killed, survived) {
  return ((100 * killed) / (killed + survived)).toFixed(2).padStart(7)
}
