// Runs all cases in a host, and compares its responses with the golden files.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
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
  /** Headers that a converted response of this host has lost, because they named the newest bytes. Default: none. */
  loses?: readonly string[]
}
export interface Running {
  port: number
  close(): Promise<unknown> | undefined
}

export const goldenFile = (version: Version) => join(__dirname, 'golden', `${version}.json`)
const golden = (version: Version): Recorded[] => JSON.parse(readFileSync(goldenFile(version), 'utf8'))

/** Headers of the connection and the day, and those that the package adds: `Vary`, and `Cache-Control` of rejections. */
const others = ['cache-control', 'connection', 'date', 'keep-alive', 'transfer-encoding', 'vary']

async function response(port: number, sent: Sent): Promise<Recorded> {
  const { method, path, headers, body } = sent
  const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  const [response] = await new Promise<[import('node:http').IncomingMessage]>((resolve, reject) => {
    asked
      .on('response', (one) => resolve([one]))
      .on('error', reject)
      .end(body)
  })
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

/** Declares the tests of a host. */
export function runCases(host: Host): void {
  const starts = [...versions.map((version) => [version, true] as const), ['2026-01-01', false] as const]
  test.each(starts)(
    `${host.name}: responses in %s are those of the recording (with the package: %s)`,
    async (version, versioned) => {
      const running = await host.start(versioned)
      try {
        const lost = version === '2026-01-01' ? [] : (host.loses ?? [])
        const expected = golden(version).map(({ headers, ...one }) => ({
          ...one,
          headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !lost.includes(name))),
        }))
        expect(await responses(running, version)).toEqual(expected)
      } finally {
        await running.close()
      }
    },
  )
}
