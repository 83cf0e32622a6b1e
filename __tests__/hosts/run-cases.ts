// Runs all cases in a host, and compares its responses with the golden files.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { cases, type Sent, sentIn, titleOf, type Version, versions } from './cases'

/** A response as a golden file has it. */
export interface Recorded {
  request: string
  status: number
  headers: Record<string, string>
  body: string
}

/** A program that serves the shop below `/api`. */
export interface Host {
  name: string
  /** Starts it with data of its own, with the package or without it. */
  start(versioned: boolean): Promise<Running>
  /** `true` for a proxy: older versions have no 304 and no `ETag`, and HEAD has no length, because they are about the newest bytes. */
  isProxy?: boolean
}
export interface Running {
  port: number
  close(): Promise<unknown> | undefined
}

export const goldenFile = (version: Version) => join(__dirname, 'golden', `${version}.json`)
/** Returns the recorded responses of a version. */
export const golden = (version: Version): Recorded[] => JSON.parse(readFileSync(goldenFile(version), 'utf8'))

/** Headers of the connection and the day, and those that the package adds: `Vary`, and `Cache-Control` of rejections. */
const others = ['cache-control', 'connection', 'date', 'keep-alive', 'transfer-encoding', 'vary']

async function response(port: number, sent: Sent): Promise<Recorded> {
  const { method, path, headers, body } = sent
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  const [response] = (await once(asked.end(body), 'response')) as [IncomingMessage]
  const kept = Object.entries(response.headers).filter(([name]) => !others.includes(name))
  return {
    request: titleOf(sent),
    status: response.statusCode as number,
    headers: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<string, string>,
    body: await text(response),
  }
}

/** Sends all cases, in order, as clients of a version. */
export async function responses(running: Running, version: Version): Promise<Recorded[]> {
  const all: Recorded[] = []
  for (const one of cases) all.push(await response(running.port, sentIn(version, one)))
  return all
}

/** Leaves out what a proxy does not know of older versions. */
function asProxied({ headers: { etag: _, ...headers }, ...one }: Recorded): Recorded {
  if (one.request.startsWith('HEAD ')) delete headers['content-length']
  return { ...one, headers }
}

/** Declares the tests of a host. */
export function runCases({ name, start, isProxy = false }: Host): void {
  /** Starts the host, and compares its responses with the recording. */
  async function expectRecorded(version: Version, versioned: boolean) {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined)
    const running = await start(versioned)
    try {
      const [found, recorded] = [await responses(running, version), golden(version)]
      const isKnown = (_: unknown, index: number) => recorded[index]?.status !== 304
      const compared = (all: Recorded[]) =>
        isProxy && version !== versions.at(-1) ? all.filter(isKnown).map(asProxied) : all
      expect(compared(found)).toEqual(compared(recorded))
      // The requests for pages that the document does not have.
      const codes = new Set(warned.mock.calls.map(([, options]) => Object(options).code))
      expect([...codes].filter((code) => code !== 'EXPRESS_VERSIONING_UNHANDLED')).toEqual([])
    } finally {
      await running.close()
      warned.mockRestore()
    }
  }

  test.each(versions)(`${name}: a client of %s gets the recorded responses`, (version) => expectRecorded(version, true))
  test(`${name}: without the package, all get the newest`, () => expectRecorded('2026-01-01', false))
}
