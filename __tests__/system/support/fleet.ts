import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { at } from '../../support/serve'
import { binary } from './debian'
import { root } from './projects'

/** A module of the repository, as the programs of a fleet require it. */
const from = (name: string) => JSON.stringify(join(root, name))

/** The program of each process: it counts the requests of its options, by two consumers. */
const SERVER = `const express = require(${from('node_modules/express')})
const client = require(${from('node_modules/prom-client')})
const { versioning } = require(${from('dist')})
const { versionMetrics } = require(${from('dist/metrics')})
const { options } = require('./options')
const consumers = ['acme', 'globex']
const given = { prometheus: client, consumer: (req) => req.get('X-Account'), consumers }
// A record that was made before has the time since when this process counts.
const since = Number(process.env.SINCE) * 1000
const now = Date.now
if (since > 0) Date.now = () => since
const metrics = versionMetrics(options, given)
Date.now = now
const app = express()
app.get('/metrics', (req, res, next) => {
  if (process.env.SILENT) return void res.type('text').send('')
  client.register.metrics().then((text) => res.type('text').send(text), next)
})
app.use(express.json(), versioning({ ...options, onVersion: metrics.onVersion }), options.routes)
app.listen(Number(process.argv[2]), '127.0.0.1')`

/** Waits until something is true. */
export async function until(what: string, isTrue: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isTrue().catch(() => false)) return
    await setTimeout(100)
  }
  throw new Error(`It took too long: ${what}`)
}

/** Finds ports that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports
}

/**
 * Makes a fleet of processes of one API, with a Prometheus that scrapes them.
 *
 * @param options the code of a module that exports the options, without its imports.
 */
export function fleetOf(options: string) {
  const prometheus = binary('prometheus')
  const program = join(root, 'dist/command-line/main.js')
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-usage-'))
  const children = new Set<ChildProcess>()
  const imports = `const { byVersion, HeaderVersioning, namedRoutes } = require(${from('dist')})
const { change, versionHistory } = require(${from('dist/changes')})`
  writeFileSync(join(folder, 'options.js'), `${imports}\n${options}`)
  writeFileSync(join(folder, 'server.js'), SERVER)

  async function stop(child: ChildProcess): Promise<void> {
    children.delete(child)
    const ended = new Promise((done) => child.once('exit', done))
    if (child.exitCode === null && child.signalCode === null && child.kill()) await ended
  }
  afterEach(() => Promise.all([...children].map(stop)))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Starts a process of the fleet. */
  async function served(port: number, env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [join(folder, 'server.js'), String(port)], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.add(child)
    const server = at(port)
    await until(`process ${port} listens`, () => server.get('/metrics'))
    return { ...server, child }
  }

  /** Starts Prometheus for processes. */
  async function scraping(ports: readonly number[], data = mkdtempSync(join(folder, 'data-'))) {
    const [port = 0] = await freePorts(1)
    const targets = ports.map((one) => `127.0.0.1:${one}`)
    const config = {
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'shop', static_configs: [{ targets }] }],
    }
    const file = join(data, 'prometheus.yml')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(config))
    const words = [
      ...[`--config.file=${file}`, `--storage.tsdb.path=${data}/tsdb`, `--web.listen-address=127.0.0.1:${port}`],
      ...['--storage.tsdb.retention.time=1y', '--log.level=error'],
    ]
    const child = spawn(prometheus, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    children.add(child)
    const said = text(child.stderr as NodeJS.ReadableStream)
    const api = at(port)
    /** Asks a query, and returns the series of its result. */
    const query = async (query: string) => {
      const { status, json } = await api.get(`/api/v1/query?query=${encodeURIComponent(query)}`)
      const { data, error } = json as { data: Vector; error?: string }
      if (status !== 200) throw new Error(`${error} ${query}`)
      return data.result
    }
    const count = async (asked: string) => Number((await query(asked))[0]?.value[1] ?? 0)
    await until('Prometheus is ready', () => {
      if (child.exitCode !== null) return said.then((error) => Promise.reject(new Error(error)))
      return api.get('/-/ready').then(({ status }) => status === 200)
    })
    return { origin: api.origin, child, query, count, data }
  }

  /** Runs the command `usage`. */
  function usage(words: readonly string[], own = {}) {
    const env = { ...process.env, ...own }
    const settings = { cwd: folder, encoding: 'utf8', env } as const
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, 'usage', './options.js', ...words],
      settings,
    )
    return { code: status, out: stdout, err: stderr }
  }

  return { folder, served, scraping, stop, usage }
}

/** A result of a query. */
interface Vector {
  readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[]
}
