import { cpus } from 'node:os'

const BEGIN = '<!-- figures: written by `npm run bench` -->'
const END = '<!-- /figures -->'

export function machine() {
  const [first] = cpus()
  return `${first?.model ?? 'unknown CPU'}, ${cpus().length} cores`
}

const majorOf = ({ version }) => version.split('.')[0]

function number(value) {
  if (value >= 1000) return value.toLocaleString('en', { maximumFractionDigits: 0 })
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(value < 1 ? 3 : 2)
}

function ratioText({ median, low, high }) {
  const digits = median >= 100 ? 0 : median >= 10 ? 1 : 2
  const text = (value) => value.toFixed(digits)
  return `${text(median)} (${text(low)}-${text(high)})`
}

/** What a case must reach on one Node, as text and as a verdict on a result; `undefined` when nothing is set for it. */
function targetOf(entry, run) {
  if (entry.limit !== undefined) {
    return { text: entry.limitText, met: ({ probe }) => probe.value <= entry.limit }
  }
  if (entry.targetUs !== undefined) {
    return { text: `<= ${entry.targetUs} us`, met: ({ us }) => us.median <= entry.targetUs }
  }
  const target = typeof entry.target === 'object' ? entry.target[majorOf(run)] : entry.target
  if (target === undefined) return undefined
  return { text: `<= ${target.toFixed(2)}`, met: ({ ratio }) => ratio.median <= target }
}

function verdict(entry, run, result) {
  const target = targetOf(entry, run)
  if (target === undefined || result.skipped) return ''
  return `${target.text}: ${target.met(result) ? 'pass' : '**miss**'}`
}

function figure(result) {
  if (result.skipped) return `skipped: ${result.skipped.replaceAll('|', '\\|')}`
  if (result.probe) return result.probe.text
  return result.ratio === undefined ? '1' : ratioText(result.ratio)
}

function timing({ probe, us }) {
  if (probe) return probe.detail
  return us === undefined ? '' : number(us.median)
}

function hasRatios(suite) {
  return suite.cases.some(({ floor }) => floor !== undefined)
}

/** One suite as a Markdown table: for each Node the ratio, the verdict and the time. */
function suiteTable(suite, runs) {
  const ratios = hasRatios(suite)
  const heads = runs.flatMap((run) => {
    const node = `Node ${majorOf(run)}`
    const probes = suite.cases.every(({ probe }) => probe !== undefined)
    if (probes) return [`${node}: worst`, 'target', 'detail']
    return [...(ratios ? [`${node}: ratio`] : []), 'target', ratios ? 'us' : `${node}: us`]
  })
  const rows = suite.cases.map((entry) => {
    const cells = runs.flatMap((run) => {
      const result = run.results.get(suite.id).get(entry.id)
      const first = figure(result)
      const last = timing(result)
      if (ratios || entry.probe) return [first, verdict(entry, run, result), last]
      return [verdict(entry, run, result), result.skipped ? first : last]
    })
    return [entry.label, ...cells]
  })
  const lines = [['', ...heads], ['---', ...heads.map(() => '---')], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function printSuite(suite, run, seconds) {
  console.log(`\n${suite.title} (Node ${run.version}, ${seconds.toFixed(0)} s)`)
  for (const entry of suite.cases) {
    const result = run.results.get(suite.id).get(entry.id)
    const parts = [
      figure(result).padEnd(22),
      timing(result).padStart(10),
      verdict(entry, run, result).padEnd(22),
      entry.label,
    ]
    console.log(`  ${parts.join('  ')}`)
  }
}

/** README.md with the figures of a run between its markers. */
export function writeReport(readme, { runs, suites, command, machine: about }) {
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('bench/README.md has lost its markers.')
  const missed = runs.flatMap((run) =>
    suites.flatMap((suite) =>
      suite.cases
        .map((entry) => [entry, run.results.get(suite.id).get(entry.id)])
        .filter(([entry, result]) => verdict(entry, run, result).includes('miss'))
        .map(([entry, result]) => `- Node ${majorOf(run)}, ${suite.title}, ${entry.label}: ${figure(result)}`),
    ),
  )
  const facts = [
    ['command', `\`${command}\``],
    ['date', new Date().toISOString().slice(0, 10)],
    ['machine', about],
    ['Node', runs.map(({ version }) => version).join(', ')],
    ['missed', missed.length === 0 ? 'nothing' : String(missed.length)],
  ]
  const sections = suites.map((suite) => `### ${suite.title}\n\n${suite.about}\n\n${suiteTable(suite, runs)}`)
  const text = [
    `| | |\n| --- | --- |\n${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}`,
    ...(missed.length === 0 ? [] : [`Missed:\n\n${missed.join('\n')}`]),
    ...sections,
  ].join('\n\n')
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${readme.slice(end)}`
}
