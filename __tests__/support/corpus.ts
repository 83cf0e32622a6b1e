import corpus from '../corpus/hostile.json'

type Part = string | (string | number)[]
type Entry = string | readonly (string | Part)[]

function textOf(entry: Entry): string {
  if (typeof entry === 'string') return entry
  return entry.map((part) => (typeof part === 'string' ? part : String(part[0]).repeat(Number(part[1])))).join('')
}
const texts = (entries: readonly unknown[]): string[] => entries.map((entry) => textOf(entry as Entry))

/** The text in hostile requests that no answer may echo. */
export const MARKER: string = corpus.marker

const accepts = texts(corpus.accept)
const hosts = texts(corpus.hosts)
const targets = texts(corpus.targets)
const extras = texts(corpus.extras)
const methods = texts(corpus.methods)

function request(method: string, target: string, host: string, accept: string | undefined, extra?: string): string {
  const lines = [`${method} ${target} HTTP/1.1`, `Host: ${host}`]
  if (accept !== undefined) lines.push(`Accept: ${accept}`)
  if (extra !== undefined) lines.push(extra)
  return `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`
}

const HOST = 'api.example.com'
const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

/** The requests: each part alone, then every target with several of each other part. */
export const hostileRequests: readonly string[] = [
  ...texts(corpus.whole),
  ...accepts.map((accept) => request('GET', '/items', HOST, accept)),
  ...hosts.map((host) => request('GET', '/items', host, undefined)),
  ...targets.map((target) => request('GET', target, HOST, undefined)),
  ...extras.map((extra) => request('GET', '/v2/items?version=v2', 'v2.example.com', undefined, extra)),
  ...methods.map((method) => request(method, '/v2/items?version=v2', 'v2.example.com', 'a/b;version=v2')),
  ...targets.flatMap((target, row) =>
    [0, 1, 2, 3, 4].map((column) => {
      const index = row * 5 + column
      const extra = column === 4 ? at(extras, row) : undefined
      return request(column === 3 ? 'OPTIONS' : 'GET', target, at(hosts, index), at(accepts, index), extra)
    }),
  ),
]
