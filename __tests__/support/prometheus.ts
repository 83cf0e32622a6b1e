import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Recorded, SmallPrometheus } from './promql'

// A Prometheus with a record that the tests make. The system tests ask a real one.

export const NOW = 1_800_000_000
export const DAY = 86_400
/** The time between two scrapes. */
export const INTERVAL = 240
type Labels = Readonly<Record<string, string>>
export type Series = readonly [labels: Labels, value: number]

/** The series of a record by their kinds. Times are seconds, as `ago()` gives them. */
export type Said = Partial<Record<Kind, readonly Series[]>>
type Kind =
  | 'known'
  | 'targets'
  | 'begun'
  | 'requests'
  | 'lastWeek'
  | 'weekBefore'
  | 'consumers'
  | 'operations'
  | 'errors'
  | 'lastRequests'
  | 'changes'
  | 'changeConsumers'
  | 'lastChanges'
  | 'countedChanges'
  | 'overflown'
  | 'limited'

export const ago = (seconds: number) => NOW - seconds
/** The series of processes, and of the versions that each of them knows. */
export const knownTo = (processes: Readonly<Record<string, string[]>>): Series[] =>
  Object.entries(processes).flatMap(([instance, versions]) =>
    versions.map((version): Series => [{ instance, version }, 1]),
  )
/** The series of processes that Prometheus can reach or not. */
export const targets = (processes: Readonly<Record<string, 'up' | 'down'>>): Series[] =>
  Object.entries(processes).map(([instance, state]) => [{ instance }, state === 'up' ? 1 : 0])
/** The labels of an operation. */
export const getUser = { route: 'user', method: 'GET' }

/** One process that served v1, v2 and v3 for more than thirty days. */
export const WHOLE: Said = { targets: targets({ 'a:1': 'up' }), known: knownTo({ 'a:1': ['v1', 'v2', 'v3'] }) }

const HOUR = 3600

/** Makes a record. All counts are those of the first process. */
export function recordOf(said: Said): Recorded[] {
  const { targets = [], known = [] } = said
  const first: Labels = { job: 'shop', instance: targets[0]?.[0].instance ?? 'a:1' }
  const begun = (instance: string) => said.begun?.find(([labels]) => labels.instance === instance)?.[1] ?? 0
  const series: Recorded[] = []
  const add = (name: string, labels: Labels, value: Recorded['value'], target = first) => {
    const from = begun(target.instance as string)
    series.push({ name, labels: { ...labels, ...target }, value: (time) => (time < from ? undefined : value(time)) })
  }
  for (const [{ instance = '' }, value] of targets)
    add('up', {}, (time) => (time > NOW - HOUR ? value : 1), { job: 'shop', instance })
  const processes = new Set(known.map(([{ instance = '' }]) => instance))
  for (const instance of processes) {
    const target = { job: 'shop', instance }
    add('api_version_counting_since_timestamp_seconds', {}, () => NOW - 400 * DAY + 0.5, target)
    for (const [{ instance: one, version = '' }] of known)
      if (one === instance) add('api_version_info', { version, state: 'served' }, () => 1, target)
    const version = known.find(([labels]) => labels.instance === instance)?.[0].version ?? ''
    const none = { version, named: 'true', route: 'none', method: 'GET', status: '2xx', code: '' }
    add('api_version_requests_total', none, () => 0, target)
    add('api_version_last_request_timestamp_seconds', { version, named: 'true' }, () => 0, target)
  }
  const counter =
    (name: string, more: Labels = {}, at = NOW - HOUR) =>
    ([labels, value]: Series) =>
      add(`api_version_${name}`, { ...more, ...labels }, (time) => (time < at ? 0 : value))
  const gauge =
    (name: string) =>
    ([labels, value]: Series) =>
      add(`api_version_${name}_seconds`, labels, (time) => (time < value ? 0 : value))
  const user = { named: 'true', route: 'user', method: 'GET', status: '2xx', code: '' }
  said.requests?.forEach(counter('requests_total', { status: '2xx', code: '' }))
  said.lastWeek?.forEach(counter('requests_total', user, NOW - DAY))
  said.weekBefore?.forEach(counter('requests_total', { ...user, status: '3xx' }, NOW - 10 * DAY))
  said.consumers?.forEach(counter('consumer_requests_total'))
  said.operations?.forEach(counter('consumer_operation_requests_total'))
  said.errors?.forEach(counter('consumer_errors_total'))
  said.lastRequests?.forEach(gauge('last_request_timestamp'))
  said.changeConsumers?.forEach(counter('change_consumer_requests_total'))
  said.lastChanges?.forEach(gauge('change_last_request_timestamp'))
  const isOf =
    (labels: Labels) =>
    ([other]: Series): boolean =>
      other.version === labels.version && other.change === labels.change
  const changes = said.changes ?? []
  const others = (said.countedChanges ?? []).filter(([labels]) => !changes.some(isOf(labels)))
  for (const [labels, value] of [...changes, ...others.map(([labels]): Series => [labels, 0])]) {
    const part = said.countedChanges?.find(isOf(labels))?.[1] ?? 0
    const from = part === 1 ? 0 : NOW - 30 * DAY * part
    const at = Math.max(from, NOW - HOUR)
    add('api_version_change_requests_total', labels, (time) => (time < from ? undefined : time < at ? 0 : value))
  }
  for (const [, value] of said.overflown ?? []) add('api_version_requests_total', { overflow: 'true' }, () => value)
  for (const [labels] of said.limited ?? []) add('api_version_consumers_info', { ...labels, limited: 'true' }, () => 1)
  return series
}

export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const open: (() => void)[] = []
afterAll(() => {
  for (const close of open) close()
})

const respond = (res: ServerResponse, data: object) =>
  res.end(JSON.stringify({ status: 'success', data, warnings: [] }))
export const responded = (res: ServerResponse, result: unknown) => respond(res, { resultType: 'vector', result })

type Given = Said | readonly Recorded[]
const records: { prometheus: SmallPrometheus; headers: IncomingHttpHeaders[] }[] = []
let server: Promise<string> | undefined
/** The last record, which the next question is often about again. */
let kept: readonly [key: string, prometheus: SmallPrometheus] | undefined

/** Returns the address of a Prometheus with a record of some days. One server is all of them, so that connections are kept. It notes header fields. */
export async function prometheus(given: Given, headers: IncomingHttpHeaders[] = [], days = 32): Promise<string> {
  server ??= listening((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://x')
    const { prometheus, headers } = records[Number.parseInt(pathname.slice(1), 10)] as (typeof records)[0]
    headers.push(req.headers)
    const [query = '', ...times] = ['query', 'time', 'start', 'end', 'step'].map((name) => searchParams.get(name) ?? '')
    const [at, start, end, step] = times.map(Number) as [number, number, number, number]
    const time = times[0] === '' ? NOW : at
    if (query === 'time()') respond(res, { resultType: 'scalar', result: [NOW, String(NOW)] })
    else if (pathname.endsWith('query_range')) {
      const tracks = new Map<string, { metric: object; values: unknown[] }>()
      const times = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step)
      for (const [at, shown] of prometheus.instants(query, times))
        for (const { labels, value } of shown) {
          const key = JSON.stringify(labels)
          const track = tracks.get(key) ?? { metric: labels, values: [] }
          tracks.set(key, track)
          track.values.push([at, String(value)])
        }
      respond(res, { resultType: 'matrix', result: [...tracks.values()] })
    } else if (query.endsWith(']')) {
      const result = prometheus.range(query, time).map(({ labels, points }) => ({
        metric: labels,
        values: points.map(([at, value]) => [at, String(value)]),
      }))
      respond(res, { resultType: 'matrix', result })
    } else {
      const shown = prometheus.instants(query, [time]).flatMap(([, shown]) => shown)
      responded(
        res,
        shown.map(({ labels, value }) => ({ metric: labels, value: [time, String(value)] })),
      )
    }
  })
  const key = Array.isArray(given) ? '' : JSON.stringify(given)
  if (key === '' || kept?.[0] !== key) {
    const series = key === '' ? (given as readonly Recorded[]) : recordOf(given as Said)
    kept = [key, new SmallPrometheus(series, INTERVAL, NOW - days * DAY, NOW)]
  }
  return `${await server}/${records.push({ prometheus: kept[1], headers }) - 1}`
}
