import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A Prometheus that says what the tests want. The system test asks a real one.

export const NOW = 1_800_000_000
export const DAY = 86_400
type Series = readonly [labels: Record<string, string>, value: number]
export type Said = Partial<Record<keyof typeof ASKED, readonly Series[]>>

const REQUESTS = ['version', 'named', 'route', 'method']
const CONSUMERS = ['version', 'named', 'consumer']
const CHANGES = ['version', 'change', 'consumer']
/** A part of each query that no other one has, and the labels of its series. */
const ASKED = {
  time: ['time()', []],
  jobs: ['0 * group by (job)', ['job']],
  processes: ['count(group without', []],
  interval: ['max((max_over_time(timestamp(up', []],
  jobBefore: ['group by (job) (present_over_time(up{job=~"shop"}[1d] offset', ['job']],
  jobBegun: ['count_over_time((group by (job) (', ['job']],
  jobFirst: ['min_over_time(timestamp(group by (job) (present_over_time(up', ['job']],
  jobLast: ['max_over_time(timestamp(group by (job) (present_over_time(up', ['job']],
  jobMoments: ['count_over_time(group by (job) (present_over_time(up', ['job']],
  targetBefore: ['group by (job, instance) (present_over_time(up{job=~"shop"}[1d] offset', ['instance']],
  targetBegun: ['count_over_time((group by (job, instance) (', ['instance']],
  targetFirst: ['min_over_time(timestamp(group by (job, instance) (', ['instance']],
  targetLast: ['max_over_time(timestamp(group by (job, instance) (', ['instance']],
  targetMoments: ['count_over_time(group by (job, instance) (', ['instance']],
  since: ['min_over_time(timestamp(group', ['job']],
  down: [' == 0)[', ['instance']],
  silent: ['== 1 unless on', ['instance']],
  targets: ['max by (job, instance) (up', ['instance']],
  overflown: ['version=""', []],
  known: ['group by (job, instance, version)', ['instance', 'version']],
  countedChanges: ['group_left () sum by (version) (count_over_time(', CHANGES],
  changes: ['sum by (version, change) (', CHANGES],
  changeConsumers: ['sum by (version, change, consumer) (', CHANGES],
  lastChanges: ['max by (version, change, consumer) (', CHANGES],
  weekBefore: ['offset 7d', ['version']],
  lastWeek: ['[7d]', ['version']],
  requests: ['sum by (version, named, route, method)', REQUESTS],
  consumers: ['sum by (version, named, consumer)', CONSUMERS],
  lastRequests: ['max by (version, named, consumer)', CONSUMERS],
} satisfies Record<string, [part: string, labels: string[]]>

/**
 * Reads what Prometheus says, such as `since shop=-30d; known a:1,v1=1`: for each question, series with the values of their
 * labels. An instance is one of the job `shop`. A value below 0 is a time so long ago. `names` are short for labels.
 */
export function saying(text: string, names: Readonly<Record<string, string>> = {}): Said {
  const seriesOf = (keys: readonly string[]) => (series: string) => {
    const [, texts = '', number = '', days] = /^(.*)=([-\d.e]+)(d?)$/.exec(series) ?? []
    const values = texts.split(',')
    const filled = keys.flatMap((key, index) => (values[index] ? [[key, names[values[index]] ?? values[index]]] : []))
    const labels = Object.fromEntries(filled)
    const value = Number(number) * (days ? DAY : 1)
    return [labels.instance ? { job: 'shop', ...labels } : labels, number.startsWith('-') ? NOW + value : value]
  }
  const questions = text.split(';').map((question) => question.trim().split(/\s+/))
  return Object.fromEntries(
    questions.flatMap(([name = '', ...series]) =>
      name === '' ? [] : [[name, series.map(seriesOf(ASKED[name as keyof typeof ASKED][1]))]],
    ),
  )
}

/** Thirty days of one process that served v1, v2 and v3. */
export const WHOLE = saying(`
  jobs shop=1; processes =1; since shop=-30d; interval =15; targets a:1=1; known a:1,v1=1 a:1,v2=1 a:1,v3=1;
  jobBefore shop=1; jobFirst shop=-30d; jobLast shop=-0; jobMoments shop=21601;
  targetBefore a:1=1; targetFirst a:1=-30d; targetLast a:1=-0; targetMoments a:1=21601`)

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

const records: { said: Said; headers: IncomingHttpHeaders[] }[] = []
let server: Promise<string> | undefined

/** Returns the address of a Prometheus. One server is all of them, so that connections are kept. It notes header fields. */
export async function prometheus(said: Said, headers: IncomingHttpHeaders[] = []): Promise<string> {
  server ??= listening((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://x')
    const { said = {}, headers = [] } = records[Number.parseInt(pathname.slice(1), 10)] ?? {}
    headers.push(req.headers)
    const query = searchParams.get('query') ?? ''
    const name = (Object.keys(ASKED) as (keyof typeof ASKED)[]).find((one) => query.includes(ASKED[one][0]))
    if (name === 'time') respond(res, { resultType: 'scalar', result: [NOW, String(NOW)] })
    else {
      const series = said[name as keyof Said] ?? []
      responded(
        res,
        series.map(([metric, value]) => ({ metric, value: [NOW, String(value)] })),
      )
    }
  })
  return `${await server}/${records.push({ said, headers }) - 1}`
}
