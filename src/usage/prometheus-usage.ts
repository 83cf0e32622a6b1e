// The public API of usage: `prometheusUsage()`, its options, and what it makes of the responses.
import { badOption, checkKeys } from '../util/options'
import { PrometheusClient, type Sample, UsageError } from './client'
import { countedBetween, lastUntil, timeOf } from './counts'
import { livesIn } from './lives'
import { doubtsNow, keyOf, presentIn, processOf } from './present'
import { Queries, spansOf, targetOf, WEEK } from './queries'
import { missingIn, movedLabels } from './record'
import type { Usage, UsageSource } from './usage-types'
import { versionsIn } from './version-usage'

/** The processes, and those that do not know a version, or of which nothing is known. */
export interface Readiness {
  readonly processes: number
  /** The processes that do not know the version. */
  readonly unknownTo: readonly string[]
  /** The sentences that say why it cannot be said. */
  readonly doubts: readonly string[]
}

/**
 * Makes a function that asks Prometheus whether all processes know a version.
 *
 * @returns a function whose promise rejects unless Prometheus gives whole responses in time.
 * @throws {TypeError} for wrong options.
 */
export function readinessFor(version: string, options: PrometheusUsageOptions): () => Promise<Readiness> {
  const { client, queries } = settingsOf(options)
  return async () => {
    const present = await presentIn(client.asking(), queries)
    if (present.info.length === 0) {
      throw new UsageError(`No process${queries.place} has the series ${queries.name('info')} now.`)
    }
    const processes = new Map(present.info.map(({ labels }) => [keyOf(targetOf(labels)), targetOf(labels)]))
    const unknown = new Map(processes)
    for (const { labels } of present.info) if (labels.version === version) unknown.delete(keyOf(targetOf(labels)))
    return {
      processes: processes.size,
      unknownTo: [...unknown.values()].map(processOf),
      doubts: doubtsNow(present, queries),
    }
  }
}

/** Options of {@link prometheusUsage}. */
export interface PrometheusUsageOptions {
  /** The address of Prometheus, such as `http://127.0.0.1:9090`. */
  url: string | URL
  /** The number of days to look at; parts of a day are allowed. Default 30. */
  days?: number | undefined
  /** The date from which requests count, within these days: "since I fixed it". */
  since?: string | Date | undefined
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
  const settings = settingsOf(options)
  return Object.assign(() => usageOf(settings), { timeout: settings.timeout })
}

/** The checked options. */
interface Settings {
  readonly client: PrometheusClient
  readonly queries: Queries
  readonly days: number
  readonly since: Date | undefined
  readonly timeout: number
}

/**
 * Returns the client and the questions of options.
 *
 * @throws {TypeError} for unknown or wrong options.
 */
export function settingsOf(options: PrometheusUsageOptions): Settings {
  checkKeys(OWNER, options, ['url', 'days', 'since', 'headers', 'prefix', 'job', 'timeout'])
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
  const since = options.since === undefined ? undefined : new Date(options.since)
  if (since !== undefined && Number.isNaN(since.getTime())) {
    throw badOption(OWNER, 'since', "a date, such as '2026-01-31'", options.since)
  }
  return { client, queries: new Queries(prefix, job), days, since, timeout }
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
  url.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/`
  return url
}

/** Asks all questions, and puts the responses together. */
async function usageOf({ client, queries, days: asked, since }: Settings): Promise<Usage> {
  const ask = client.asking()
  const [clock] = await ask.samples('time()')
  if (clock === undefined) throw new UsageError('Prometheus does not tell its time.')
  const now = clock.value
  const days = since === undefined ? asked : Math.min(asked, (now - since.getTime() / 1000) / 86_400)
  if (!(days * 86_400 >= 1)) throw new UsageError('The option "since" takes a date in the past.')
  const spans = spansOf(days)
  const until = timeOf(now)
  const from = now - spans.days
  const nothing = (missing: readonly string[]) => ({
    ...{ days, until, complete: false, since: null, processes: 0, missing, versions: [] },
  })
  // The labels of versions would be those of targets.
  const moved = movedLabels(await ask.samples(queries.moved, now))
  if (moved.length > 0) return nothing(moved)
  const lives = await livesIn(ask, queries, spans, now)
  const known = lives.all.filter(({ last }) => last > from)
  if (known.length === 0 && lives.present.jobs.length === 0) {
    return nothing([`Prometheus has no series ${queries.name('info')}${queries.place} of these days.`])
  }
  const between = (from: number, to: number) => countedBetween(lives, ask, queries, from, to)
  const { info } = lives.present
  const [missing, counts, lastWeek, weekBefore, gauges, countedChanges, limited] = await Promise.all([
    missingIn(lives, ask, queries, spans, now),
    between(from, now),
    between(now - WEEK, now),
    between(now - 2 * WEEK, now - WEEK),
    lastUntil(lives, ask, queries, now),
    ask.samples(queries.countedChanges(spans.days, spans.step), now),
    ask.samples(queries.limited(spans.days), now),
  ])
  const responses = { info, counts, lastWeek, weekBefore, gauges, countedChanges }
  return {
    days,
    until,
    complete: missing.length === 0,
    since: timeOf(known.reduce((first, life) => Math.min(first, Math.max(life.first, from)), now)),
    processes: new Set(known.filter(({ goesOn }) => !goesOn).map(({ target }) => keyOf(target))).size,
    missing,
    consumers: consumersIn([
      ...['consumer_requests_total', 'change_consumer_requests_total'].flatMap((name) => counts(name)),
      ...gauges('last_request_timestamp'),
    ]),
    isLimited: limited.length > 0,
    versions: versionsIn(responses, spans, now),
  }
}

/** Lists the names of consumers. */
function consumersIn(samples: readonly Sample[]): string[] {
  const names = new Set(samples.map(({ labels: { consumer = '' } }) => consumer))
  return [...names].filter((name) => name !== '' && name !== 'other')
}
