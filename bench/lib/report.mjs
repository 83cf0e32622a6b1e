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

/** The limits are set for this Node and later ones; what is older must only work. */
const JUDGED = 24

/**
 * Returns the limit of a case: `limits.ratio` of its floor, `limits.us`, or `limits.value` of its own result, which `limits.text`
 * gives with its unit.
 */
function limitText({ limits }) {
  if (limits === undefined) return ''
  const parts = [
    ...(limits.ratio === undefined ? [] : [`<= ${limits.ratio.toFixed(2)}`]),
    ...(limits.us === undefined ? [] : [`<= ${limits.us} us`]),
    ...(limits.text === undefined ? [] : [limits.text]),
  ]
  return parts.join(', ')
}

/** `met`, `missed` (by what could not run, too), or nothing where nothing is judged. */
function verdict({ limits }, run, { skipped, ratio, us, probe }) {
  if (limits === undefined || Number(majorOf(run)) < JUDGED) return ''
  const met =
    skipped === undefined &&
    (limits.ratio === undefined || ratio?.median <= limits.ratio) &&
    (limits.us === undefined || us.median <= limits.us) &&
    (limits.value === undefined || probe.value <= limits.value)
  return met ? 'met' : 'missed'
}

function judged(entry, run, result) {
  const outcome = verdict(entry, run, result)
  const text = limitText(entry)
  if (outcome === '') return text
  return `${text}: ${outcome === 'met' ? 'met' : '**missed**'}`
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
    if (probes) return [`${node}: worst`, 'limit', 'detail']
    return [...(ratios ? [`${node}: ratio`] : []), 'limit', ratios ? 'us' : `${node}: us`]
  })
  const rows = suite.cases.map((entry) => {
    const cells = runs.flatMap((run) => {
      const result = run.results.get(suite.id).get(entry.id)
      const first = figure(result)
      const last = timing(result)
      if (ratios || entry.probe) return [first, judged(entry, run, result), last]
      return [judged(entry, run, result), result.skipped ? first : last]
    })
    return [entry.label, ...cells]
  })
  const lines = [['', ...heads], ['---', ...heads.map(() => '---')], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function printSuite(suite, run, seconds) {
  const ratios = hasRatios(suite)
  console.log(`\n${suite.id}: ${suite.title} (Node ${run.version}, ${seconds.toFixed(0)} s)`)
  for (const entry of suite.cases) {
    const result = run.results.get(suite.id).get(entry.id)
    const parts = [
      (ratios || result.probe || result.skipped ? figure(result) : '').padEnd(18),
      limitText(entry).padEnd(16),
      verdict(entry, run, result).padEnd(6),
      (result.us ? `${timing(result)} us` : '').padStart(9),
      `${entry.id.padEnd(22)} ${entry.label.replaceAll('**', '')}${result.probe ? ` (${timing(result)})` : ''}`,
    ]
    console.log(`  ${parts.join('  ')}`)
  }
}

/** The cases of a run that exceed their limit, as lines. */
function missedOf(suites, run) {
  return suites.flatMap((suite) =>
    suite.cases
      .map((entry) => ({ suite, entry, result: run.results.get(suite.id).get(entry.id) }))
      .filter(({ entry, result }) => verdict(entry, run, result) === 'missed'),
  )
}

export function printMissed(suites, run) {
  if (Number(majorOf(run)) < JUDGED) {
    console.log(
      `\nNode ${run.version} is not judged: the limits are for Node ${JUDGED} and later (--node node@${JUDGED}).`,
    )
    return
  }
  const missed = missedOf(suites, run)
  console.log(`\nMissed on Node ${run.version}: ${missed.length === 0 ? 'nothing' : missed.length}`)
  for (const { suite, entry, result } of missed) {
    const parts = [figure(result), ...(result.us ? [`${timing(result)} us`] : []), `limit ${limitText(entry)}`]
    console.log(`  ${suite.id}/${entry.id}: ${parts.join(', ')}`)
  }
}

/** README.md with the figures of a run between its markers. */
export function writeReport(readme, { runs, suites, command, machine: about }) {
  const begin = readme.indexOf(BEGIN)
  const end = readme.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('bench/README.md has lost its markers.')
  const missed = runs.flatMap((run) =>
    missedOf(suites, run).map(
      ({ suite, entry, result }) =>
        `- Node ${majorOf(run)}, ${suite.title}, ${entry.label}: ${figure(result)}, limit ${limitText(entry)}`,
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
