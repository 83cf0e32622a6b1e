// The public API of usage: `prometheusUsage()`, its options, and what it makes of the responses.
import { badOption, checkKeys } from '../util/options'
import { PrometheusClient, type Sample, UsageError } from './client'
import type { Usage, UsageSource } from './model'
import { Queries, type Spans, spansOf } from './queries'
import { missingIn } from './record'
import { timeOf } from './samples'
import { versionsIn } from './versions'

/** Options of {@link prometheusUsage}. */
export interface PrometheusUsageOptions {
  /** The address of Prometheus, such as `http://127.0.0.1:9090`. */
  url: string | URL
  /** The number of days to look at; parts of a day are allowed. Default 30. */
  days?: number | undefined
  /** The header fields of its requests, such as `Authorization`. */
  headers?: Readonly<{ [name: string]: string }> | undefined
  /** The start of the names of metrics. Default `api_version`. */
  prefix?: string | undefined
  /** The job of Prometheus to look at. Default: all jobs that have these metrics. */
  job?: string | undefined
  /** The time for all responses together, in milliseconds. Default 5000. */
  timeout?: number | undefined
}

const OWNER = 'prometheusUsage()'

/** The longest time of timers, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/**
 * Makes a function that asks Prometheus who uses which version.
 *
 * @returns a function whose promise rejects unless Prometheus gives whole responses in time.
 * @throws {TypeError} for unknown or wrong options.
 * @example const usage = prometheusUsage({ url: 'http://127.0.0.1:9090', days: 30 })
 */
export function prometheusUsage(options: PrometheusUsageOptions): UsageSource {
  const { client, queries, spans, days, timeout } = settingsOf(options)
  return Object.assign(() => usageOf(client, queries, spans, days), { timeout })
}

/**
 * Returns the client and the questions of options.
 *
 * @throws {TypeError} for unknown or wrong options.
 */
export function settingsOf(options: PrometheusUsageOptions) {
  checkKeys(OWNER, options, ['url', 'days', 'headers', 'prefix', 'job', 'timeout'])
  const { days = 30, prefix = 'api_version', job, timeout = 5000 } = options
  if (typeof days !== 'number' || !(days * 86_400 >= 1 && days <= 3650)) {
    throw badOption(OWNER, 'days', 'a number of days, from a second to 3650', days)
  }
  if (typeof prefix !== 'string' || !/^[a-z_]\w*$/i.test(prefix)) {
    throw badOption(OWNER, 'prefix', "the start of a metric's name, such as 'api_version'", prefix)
  }
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > LONGEST) {
    throw badOption(OWNER, 'timeout', 'a whole number of milliseconds', timeout)
  }
  if (job !== undefined && (typeof job !== 'string' || job === '')) {
    throw badOption(OWNER, 'job', 'the name of a job of Prometheus', job)
  }
  const headers = headersOf(options.headers)
  const client = new PrometheusClient(addressOf(options.url, headers), headers, timeout)
  const spans = spansOf(days)
  return { client, queries: new Queries(prefix, job, spans), spans, days, timeout }
}

function headersOf(given: unknown): Headers {
  try {
    if (given === undefined || (typeof given === 'object' && given !== null)) return new Headers({ ...given })
  } catch {}
  // The values are secret.
  throw new TypeError(`${OWNER}: option "headers" takes an object of header fields.`)
}

/** Returns the address of queries. Moves a name and a password into the header, because fetch() takes none in a URL. */
function addressOf(given: unknown, headers: Headers): URL {
  const text = given instanceof URL ? given.href : given
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError(`${OWNER}: option "url" takes the http(s) URL of Prometheus, such as 'http://127.0.0.1:9090'.`)
  }
  if (url.username !== '' && !headers.has('Authorization')) {
    const secret = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
    headers.set('Authorization', `Basic ${Buffer.from(secret).toString('base64')}`)
  }
  url.username = ''
  url.password = ''
  url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/query`
  return url
}

/** Asks all questions, and puts the responses together. */
async function usageOf(client: PrometheusClient, queries: Queries, spans: Spans, days: number): Promise<Usage> {
  const ask = client.asking()
  const [clock] = await ask('time()')
  if (clock === undefined) throw new UsageError('Prometheus does not tell its time.')
  const now = clock.value
  const at = (query: string) => ask(query, now)
  const until = timeOf(now)
  const jobs = await at(queries.jobs)
  if (jobs.length === 0) {
    const missing = [`Prometheus has no series ${queries.info}${queries.place} of these days.`]
    return { days, until, complete: false, since: null, processes: 0, missing, versions: [] }
  }
  const names = jobs.map(({ labels: { job = '' } }) => job)
  const [interval] = await at(queries.interval(names))
  // Prometheus itself takes a series for present for five minutes.
  const window = Math.min(300, Math.max(spans.fine, 2.5 * (interval?.value ?? 300)))
  const questions = {
    since: queries.since,
    targets: queries.targets(names),
    down: queries.down(names),
    silent: queries.silent(names),
    overflown: queries.overflown,
    known: queries.known,
    processes: queries.processes,
    requests: queries.requests,
    consumers: queries.consumers,
    lastRequests: queries.lastRequests,
    lastWeek: queries.week(0),
    weekBefore: queries.week(7),
    changes: queries.changes,
    changeConsumers: queries.changeConsumers,
    lastChanges: queries.lastChanges,
    countedChanges: queries.countedChanges,
  }
  const [responses, ofJobs, ofTargets] = await Promise.all([
    responsesTo(questions, at),
    responsesTo(queries.presence(names, 'job', window), at),
    responsesTo(queries.presence(names, 'job, instance', window), at),
  ])
  const missing = missingIn({ ...responses, jobs, ofJobs, ofTargets, window }, queries, spans, now)
  return {
    days,
    until,
    complete: missing.length === 0,
    since: timeOf(responses.since.reduce((earliest, { value }) => Math.min(earliest, value), now)),
    processes: responses.processes.reduce((all, { value }) => all + value, 0),
    missing,
    versions: versionsIn(responses, spans, now),
  }
}

/** Asks questions at once. */
export async function responsesTo<Name extends string>(
  questions: Record<Name, string>,
  ask: (query: string) => Promise<Sample[]>,
) {
  const named = Object.entries(questions) as [Name, string][]
  const responses = await Promise.all(named.map(async ([name, query]) => [name, await ask(query)] as const))
  return Object.fromEntries(responses) as Record<Name, Sample[]>
}
