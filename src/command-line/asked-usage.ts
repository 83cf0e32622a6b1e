// The command `usage`: who uses which version, and whether one can go or has come.
import { type ToldVersion, whatChanged } from '../explorer/changed-operations'
import { dateText, stateOf } from '../explorer/page-words'
import { compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import { Surveyor } from '../survey/survey'
import { surveyVersions } from '../survey/versions'
import { prometheusUsage } from '../usage'
import { type Readiness, readinessFor } from '../usage/prometheus-usage'
import type { ChangeUsage, Usage, VersionUsage } from '../usage/usage-types'
import { CACHES, doubtsAbout, isUsed, justBefore, LOG_FORMAT, useWithout } from '../usage/verdict'
import { countOf, daysText, lengthText, shareOf } from '../usage/words'
import { operationMethod } from '../util/operation'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/text'
import { type Asked, CommandError } from './arguments'
import { errorsOf, lettersTo, letterTo, type Plans, touchedBy } from './letter'
import { cacheOf, first, planText, reasonsText, timeText, type UsageOutcome } from './usage-outcome'

/** The time for all that Prometheus is asked, in milliseconds. It ends before the command itself gives up. */
const PATIENCE = 20_000

/** A version of the module or of the record. */
interface Row {
  readonly version: string
  /** The plan; `undefined` if the module does not know the version. */
  readonly plan: ToldVersion | undefined
  /** The use; `undefined` if the record does not have the version. */
  readonly use: VersionUsage | undefined
  /** The descriptions of the changes after it. */
  readonly after: ReadonlySet<string>
}

/**
 * Prepares the command.
 *
 * @returns a function that asks Prometheus.
 * @throws {TypeError} for wrong options.
 * @throws {CommandError} for a version that the module does not know.
 */
export function askedUsage(options: VersioningOptions, asked: Asked): () => Promise<UsageOutcome> {
  const { days, since, prefix, job, prometheus, ofVersion, consumer, headers } = asked
  // A version without changes needs no table.
  const surveyor = options.changes === undefined ? undefined : new Surveyor('This command', options)
  const plans = surveyor === undefined ? unchangedPlans(options) : whatChanged(surveyor).versions
  const names = plans.map(({ version }) => version)
  if (ofVersion !== undefined && !names.includes(ofVersion)) {
    const takes = names.length === 0 ? 'names no versions' : `has ${names.map(shown).join(', ')}`
    throw new CommandError(
      `unknown version ${shown(ofVersion)}.${didYouMean(near(ofVersion, names))} The module ${takes}.`,
    )
  }
  const timeout = PATIENCE
  const settings = {
    url: prometheus,
    timeout,
    days,
    since,
    prefix,
    job,
    headers: Object.fromEntries(headers.map(fieldIn)),
  }
  if (asked.ready) {
    const version = ofVersion as string
    const ask = readinessFor(version, settings)
    return async () => readyOf(version, await ask().catch(unknown))
  }
  const changes = surveyor?.options.changes
  const letters: Plans = {
    versions: plans,
    changesMeeting: (version, { method, route }) =>
      changes?.operation(operationMethod(method), route, version).changes ?? [],
  }
  const ask = prometheusUsage(settings)
  return async () => {
    const usage = leftOf(await ask().catch(unknown), asked)
    const version = ofVersion as string
    if (asked.errors) return errorsOf(consumer as string, version, usage)
    if (consumer !== undefined) return letterTo(consumer, version, usage, letters, asked)
    if (asked.all) return lettersTo(version, usage, letters, asked)
    if (asked.change !== undefined) return touchedBy(asked.change, version, usage, letters, asked)
    const known = plans.map((plan, at) => rowOf(usage, plan.version, plan, plans.slice(at + 1)))
    const others = usage.versions.filter(({ version }) => !names.includes(version))
    const rows = [...known, ...others.map(({ version }) => rowOf(usage, version, undefined, []))]
    const wanted = rows.filter(({ version }) => ofVersion === undefined || version === ofVersion)
    return verdictOf(usage, wanted, asked)
  }
}

/** Lists the versions of a module without changes, oldest first. */
function unchangedPlans(options: VersioningOptions): readonly ToldVersion[] {
  return surveyVersions(compileOptions(options), Date.now()).map((plan) => ({ ...plan, changes: [] }))
}

/** Leaves consumers out. */
function leftOf(usage: Usage, { without }: Asked): Usage {
  if (without.length === 0) return usage
  const names = new Set(without)
  return { ...usage, versions: usage.versions.map((use) => useWithout(use, names)) }
}

function unknown(error: Error): never {
  throw new CommandError(`usage is not known. ${error.message}`)
}

/** Says whether all processes know a version. */
function readyOf(version: string, { processes, unknownTo, doubts }: Readiness): UsageOutcome {
  const lacking = unknownTo.map((process) => `${process} does not know version ${version}.`)
  const code = lacking.length > 0 ? 1 : doubts.length > 0 ? 2 : 0
  const seen = countOf(processes, 'process', 'processes')
  const said = {
    0: `All of ${seen} know ${visible(version)}. Processes that Prometheus does not know are not seen.`,
    1: `Not all processes know ${visible(version)}:`,
    2: `It cannot be said whether all processes know ${visible(version)}:`,
  }[code]
  const lines = [said, ...first([...lacking, ...doubts]).map(visible)].join('\n  ')
  const ready = { version, code, said, processes, unknownTo, doubts }
  return { code, text: `${lines}\n`, json: { ready }, err: code === 0 ? '' : `express-versioning: ${lines}\n` }
}

/** Reads a header field such as `Authorization: Bearer ...`. */
function fieldIn(text: string): [name: string, value: string] {
  const at = text.indexOf(':')
  // The value may be secret.
  if (at < 1) throw new CommandError("--header takes a header field, such as 'Authorization: Bearer ...'.")
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

function rowOf(
  { versions }: Usage,
  version: string,
  plan: ToldVersion | undefined,
  later: readonly ToldVersion[],
): Row {
  const after = new Set(later.flatMap(({ changes }) => changes.map(({ description }) => description)))
  return { version, plan, use: versions.find((use) => use.version === version), after }
}

async function verdictOf(usage: Usage, rows: readonly Row[], asked: Asked): Promise<UsageOutcome> {
  const json = { ...usage, versions: rows.map(jsonOf) }
  const text = [headOf(usage), ...rows.map(textOf), `${CACHES}\n  ${LOG_FORMAT}`].join('\n\n')
  const [row] = rows
  if (!asked.check || row === undefined) return { code: 0, text: `${text}\n`, json, err: '' }
  const { version, use } = row
  const cache = await cacheOf(usage, version, asked)
  const isAsked = (use !== undefined && isUsed(use)) || cache.hits > 0
  const doubts = isAsked ? [] : [...doubtsAbout(usage, version, use), ...cache.doubts]
  const code = isAsked ? 1 : doubts.length > 0 ? 2 : 0
  const said = `In ${daysText(usage.days)}, ${visible(version)} ${SAID[code]}`
  const told = [
    ...(use?.requests === 0 && isUsed(use) ? ['Changes met conversions by hand, such as webhooks.'] : []),
    ...(cache.hits === 0 ? [] : [`The cache in front responded to ${countOf(cache.hits, 'request')} of it.`]),
    ...(code === 1 ? [] : before(usage, use)),
  ]
  const err = code === 0 ? '' : reasonsText(said, doubts)
  return {
    code,
    text: `${text}\n\n${[said, ...told].join('\n')}\n`,
    json: { ...json, check: { version, code, said, doubts, cacheHits: cache.hits } },
    err,
  }
}

/** Tells of a last request shortly before these days: who asks once a month, or once a quarter, will be back. */
function before(usage: Usage, use: VersionUsage | undefined): string[] {
  const ago = justBefore(usage, use)
  if (ago === undefined) return []
  const days = Math.ceil(2 * ago)
  return [`Its last request was ${lengthText(ago * 86_400)} ago, shortly before. Look at more days: --days ${days}.`]
}

const SAID = {
  0: 'had no request.',
  1: 'was used.',
  2: 'had no request that is known, but it cannot be said that there was none:',
}

/** The sentence about requests that no metric of this package has. */
const NOT_SEEN =
  'Not seen: processes that Prometheus does not know, requests rejected in front of versioning(), 404s without a named route, conversions by hand without metrics.'

function headOf(usage: Usage): string {
  const { since, processes } = usage
  const missing = usage.missing as readonly string[]
  const begins = since === null ? 'not recorded' : `recorded since ${dateText(since.getTime())}`
  const seen = countOf(Number(processes), 'process', 'processes')
  const lines = [
    `Usage of ${daysText(usage.days)}, ${begins}, by ${seen}.`,
    NOT_SEEN,
    ...(missing.length === 0
      ? []
      : ['The record is not complete:', ...first(missing).map((line) => `  ${visible(line)}`)]),
  ]
  return lines.join('\n')
}

function textOf({ version, plan, use, after }: Row): string {
  const head = planText(version, plan)
  if (use === undefined) return `${head}\n  no series`
  const { consumers, operations, lastRequest, named, defaulted, requests, share, change } = use
  const who = consumers.map(({ consumer, named, lastRequest, requests }) => {
    const name = consumer === '' ? '(unknown)' : consumer
    return `${name}, ${timeText(lastRequest)}, ${countOf(requests, 'request')}${named ? '' : ' without a version'}`
  })
  const where = operations.map(({ method, route, requests }) => `${method} ${route}, ${countOf(requests, 'request')}`)
  return [
    head,
    `  ${countOf(requests, 'request')}, ${shareOf(share)} of all: ${countOf(named)} named it, ${countOf(defaulted)} got it as the default`,
    ...(change === null ? [] : [`  ${changeOf(change)}`]),
    `  last request: ${lastRequest === null ? 'none is known' : timeText(lastRequest)}`,
    ...touchedText(use, after),
    ...listed('consumers', who),
    ...listed('operations', where),
  ].join('\n')
}

/** Says how many of the changes after a version met its requests. */
function touchedText(use: VersionUsage, after: ReadonlySet<string>): string[] {
  if (after.size === 0) return []
  const [changes, partlyCounted] = [use.changes as readonly ChangeUsage[], use.partlyCounted as readonly string[]]
  const counted = changes.filter(({ change }) => after.has(change) && !partlyCounted.includes(change))
  const met = changes.filter(({ change, requests }) => after.has(change) && requests > 0)
  const lacking = after.size - counted.length
  const doubt = lacking === 0 ? '' : `; ${countOf(lacking)} of them not counted all the time`
  return [`  touched by ${met.length} of ${countOf(after.size, 'change')}${doubt}`]
}

function listed(heading: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`  ${heading}:`, ...first(items).map((item) => `    ${visible(item)}`)]
}

function changeOf(change: number): string {
  if (change === 0) return 'last week as many as the week before'
  return `last week ${Math.round(Math.abs(change) * 100)} % ${change < 0 ? 'fewer' : 'more'} than the week before`
}

function jsonOf({ version, plan, use }: Row): object {
  const iso = (instant: number | undefined) => (instant === undefined ? undefined : new Date(instant).toISOString())
  return {
    version,
    state: plan === undefined ? 'unknown' : (stateOf(plan) ?? 'served'),
    deprecated: iso(plan?.deprecated),
    sunset: iso(plan?.sunset),
    successor: plan?.successor,
    ...(use ?? { requests: null }),
  }
}
