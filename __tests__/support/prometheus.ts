import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A Prometheus that says what the tests want. The system test asks a real one.

export const NOW = 1_800_000_000
export const DAY = 86_400
export type Series = readonly [labels: Record<string, string>, value: number | string]
export type Said = Partial<Record<keyof typeof ASKED, readonly Series[]>>

/** A part of each query that no other one has. */
const ASKED = {
  time: 'time()',
  jobs: '0 * group by (job)',
  processes: 'count(group without',
  interval: 'max((max_over_time(timestamp(up',
  jobBefore: 'group by (job) (present_over_time(up{job=~"shop"}[1d] offset',
  jobBegun: 'count_over_time((group by (job) (',
  jobFirst: 'min_over_time(timestamp(group by (job) (present_over_time(up',
  jobLast: 'max_over_time(timestamp(group by (job) (present_over_time(up',
  jobMoments: 'count_over_time(group by (job) (present_over_time(up',
  targetBefore: 'group by (job, instance) (present_over_time(up{job=~"shop"}[1d] offset',
  targetBegun: 'count_over_time((group by (job, instance) (',
  targetFirst: 'min_over_time(timestamp(group by (job, instance) (',
  targetLast: 'max_over_time(timestamp(group by (job, instance) (',
  targetMoments: 'count_over_time(group by (job, instance) (',
  since: 'min_over_time(timestamp(group',
  down: ' == 0)[',
  silent: '== 1 unless on',
  targets: 'max by (job, instance) (up',
  overflown: 'version=""',
  known: 'group by (job, instance, version)',
  countedChanges: 'group_left () sum by (version) (count_over_time(',
  changes: 'sum by (version, change) (',
  changeConsumers: 'sum by (version, change, consumer) (',
  lastChanges: 'max by (version, change, consumer) (',
  weekBefore: 'offset 7d',
  lastWeek: '[7d]',
  requests: 'sum by (version, named, route, method)',
  consumers: 'sum by (version, named, consumer)',
  lastRequests: 'max by (version, named, consumer)',
} as const

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const process1 = { job: 'shop', instance: 'a:1' }
/** Thirty days of one process that served v1 and v2. */
export const WHOLE: Said = {
  jobs: [[{ job: 'shop' }, 1]],
  processes: [[{}, 1]],
  since: [[{ job: 'shop' }, NOW - 30 * DAY]],
  interval: [[{}, 15]],
  jobBefore: [[{ job: 'shop' }, 1]],
  jobFirst: [[{ job: 'shop' }, NOW - 30 * DAY]],
  jobLast: [[{ job: 'shop' }, NOW]],
  jobMoments: [[{ job: 'shop' }, (30 * DAY) / 120 + 1]],
  targetBefore: [[process1, 1]],
  targetFirst: [[process1, NOW - 30 * DAY]],
  targetLast: [[process1, NOW]],
  targetMoments: [[process1, (30 * DAY) / 120 + 1]],
  targets: [[process1, 1]],
  known: ['v1', 'v2'].map((version) => [{ ...process1, version }, 1] as const),
}
export const used = (version: string, count: number, named = 'true', route = 'user', method = 'GET'): Series => [
  { version, named, route, method },
  count,
]

export const responded = (res: ServerResponse, result: unknown) => {
  res
    .setHeader('Content-Type', 'application/json')
    .end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }))
}

export async function prometheus(said: Said, headers: IncomingHttpHeaders[] = []): Promise<string> {
  return listening((req, res) => {
    headers.push(req.headers)
    const query = new URL(req.url ?? '', 'http://x').searchParams.get('query') ?? ''
    const name = (Object.keys(ASKED) as (keyof typeof ASKED)[]).find((one) => query.includes(ASKED[one]))
    if (name === 'time') {
      const data = { resultType: 'scalar', result: [NOW, String(NOW)] }
      res.end(JSON.stringify({ status: 'success', data, warnings: [] }))
    } else {
      const series = said[name as keyof Said] ?? []
      responded(
        res,
        series.map(([metric, value]) => ({ metric, value: [NOW, String(value)] })),
      )
    }
  })
}
