// Runs all cases in a host, and compares its responses with the golden files.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { cases, sentIn, titleOf, type Version, versions } from './cases'

/** A response as a golden file has it. */
interface Recorded {
  request: string
  status: number
  headers: Record<string, string>
  body: string
}

/** A program that serves the shop below `/api`. */
interface Host {
  name: string
  /** Starts it with data of its own. */
  start(): Promise<Running>
  /** Starts it without the package. */
  startPlain?(): Promise<Running>
  /** `true` for a proxy: older versions have no 304 and no `ETag`, and HEAD has no length, because they are about the newest bytes. */
  isProxy?: boolean
}
export interface Running {
  port: number
  close?(): Promise<unknown>
}

export const goldenFile = (version: Version) => join(__dirname, 'golden', `${version}.json`)

/** Headers of the connection and the day, and those that the package adds: `Vary`, and `Cache-Control` of rejections. */
const others = ['cache-control', 'connection', 'date', 'keep-alive', 'transfer-encoding', 'vary']
const agent = new Agent({ keepAlive: true })

/** Sends all cases, in order, as clients of a version. */
export async function responses({ port }: Running, version: Version): Promise<Recorded[]> {
  const all: Recorded[] = []
  for (const one of cases) {
    const sent = sentIn(version, one)
    const { method, path, headers, body } = sent
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent })
    const [response] = (await once(asked.end(body), 'response')) as [IncomingMessage]
    const kept = Object.entries(response.headers).filter(([name]) => !others.includes(name))
    all.push({
      request: titleOf(sent),
      status: response.statusCode as number,
      headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, string>,
      body: await text(response),
    })
  }
  return all
}

/** Leaves out what a proxy does not know of older versions. */
function asProxied({ headers: { etag: _, ...headers }, ...one }: Recorded): Recorded {
  if (one.request.startsWith('HEAD ')) delete headers['content-length']
  return { ...one, headers }
}

/** What a proxy must convert, or pass on, beside UTF-8 with a length. */
const BODIES: [version: Version, body: object][] = [
  ['2024-01-01', { name: 'Zoë van Dam', email: 'z@example.com' }],
  ['2026-01-01', { given: 'Zoë', family: 'van Dam', email: 'z@example.com' }],
]
const ENCODINGS: [
  how: string,
  headers: Record<string, string>,
  encoded: (text: string) => Required<RequestInit>['body'],
][] = [
  ['in chunks', {}, (text) => new Blob([text]).stream()],
  ['compressed', { 'Content-Encoding': 'gzip' }, (text) => gzipSync(text)],
  ['in UTF-16', { 'Content-Type': 'application/json; charset=utf-16le' }, (text) => Buffer.from(text, 'utf16le')],
]
const ENCODED = BODIES.flatMap(([version, body]) =>
  ENCODINGS.map(([how, ...ways]) => [version, how, body, ...ways] as const),
)

/** Declares the tests of a host. */
export function runCases({ name, start, startPlain, isProxy = false }: Host): void {
  /** Compares the responses of a host with the recording. */
  async function expectRecorded(version: Version, starting: () => Promise<Running>) {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined)
    const running = await starting()
    try {
      const found = await responses(running, version)
      const recorded: Recorded[] = JSON.parse(readFileSync(goldenFile(version), 'utf8'))
      const isKnown = (_: unknown, index: number) => recorded[index]?.status !== 304
      const compared = (all: Recorded[]) =>
        isProxy && version !== versions.at(-1) ? all.filter(isKnown).map(asProxied) : all
      expect(compared(found)).toEqual(compared(recorded))
      // The requests for pages that the document does not have.
      const codes = new Set(warned.mock.calls.map(([, options]) => Object(options).code))
      expect([...codes].filter((code) => code !== 'EXPRESS_VERSIONING_UNHANDLED')).toEqual([])
    } finally {
      await running.close?.()
      warned.mockRestore()
    }
  }

  test.each(versions)(`${name}: a client of %s gets the recorded responses`, (version) =>
    expectRecorded(version, start),
  )
  if (startPlain)
    test(`${name}: without the package, all get the newest`, () => expectRecorded('2026-01-01', startPlain))
  if (!isProxy) return
  test.each(ENCODED)(`${name}: a body of %s arrives %s`, async (version, _, body, own, encoded) => {
    const running = await start()
    const headers = {
      Authorization: 'Bearer token',
      'Content-Type': 'application/json',
      'X-API-Version': version,
      ...own,
    }
    const init = { method: 'POST', headers, body: encoded(JSON.stringify(body)), duplex: 'half' as const }
    const response = await fetch(`http://127.0.0.1:${running.port}/api/users`, init)
    expect([response.status, await response.json()]).toEqual([201, { id: 4, ...body, role: 'customer' }])
    await running.close?.()
  })
}
