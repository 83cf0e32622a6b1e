// Runs the cases of a suite against each other: a process for each, taking turns in rounds with the floor they are compared
// with. The fastest batches are compared: whatever else the machine does can only make a batch slower.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { summary } from './statistics.mjs'

/** Cases marked `rare` take part in every so many rounds: those whose one operation is longer than a batch, and peers far from the floor. */
const RARELY = 2

/** Processes that get ready at the same time; they are measured one at a time. */
const PREPARING = 2

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))

class Worker {
  #child
  #waiting

  constructor(node, settings) {
    this.id = settings.id
    this.#child = fork(WORKER, [JSON.stringify(settings)], {
      execPath: node,
      // With helper threads, how much of a collection falls on a batch is chance: ±20 % instead of ±3 %.
      execArgv: ['--expose-gc', '--no-deprecation', '--single-threaded-gc'],
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.stderr = ''
    this.#child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    this.#child.on('message', (message) => this.#settle(message))
    this.#child.on('exit', () => this.#settle({ error: this.stderr.trim().split('\n').findLast(Boolean) ?? 'exited' }))
  }

  #settle(message) {
    this.#waiting?.(message)
    this.#waiting = undefined
  }

  ready() {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  ask(command) {
    const response = this.ready()
    if (this.#child.connected) this.#child.send(command)
    else this.#settle({ error: 'exited' })
    return response
  }

  end() {
    if (this.#child.connected) this.#child.disconnect()
  }
}

/**
 * @typedef {object} Result
 * @property {string} id
 * @property {string} [skipped] why there are no figures
 * @property {object} [us] CPU time of one operation
 * @property {object} [ratio] the same as a multiple of the floor's in the same generation
 * @property {object} [probe] what a case that measures by itself found
 */

/**
 * @param {{ node: string, suite: object, rounds: number, generations: number, batchMs: number, warmUpMs: number, quick: boolean }} options
 * @returns {Promise<Map<string, Result>>}
 */
export async function measureSuite(options) {
  const { suite } = options
  /** @type {Map<string, { us: number[], ratios: number[], skipped?: string, probe?: object }>} */
  const found = new Map(suite.cases.map(({ id }) => [id, { us: [], ratios: [] }]))
  for (const cases of groupsOf(suite)) {
    for (let generation = 0; generation < options.generations; generation++) {
      // Reference cases run in one process only.
      const taking = generation === 0 ? cases : cases.filter(({ reference }) => !reference)
      const workers = await preparedWorkers(taking, found, options)
      const best = new Map()
      for (let round = 0; round < options.rounds; round++) await runRound(workers, cases, found, round, best)
      note(best, cases, found)
      for (const worker of workers) worker.end()
    }
  }
  return new Map([...found].map(([id, figures]) => [id, resultOf(id, figures)]))
}

/** A floor with the cases that are compared with it; what is compared with nothing is one group more. */
function groupsOf({ cases }) {
  const floors = new Set(cases.map(({ floor }) => floor))
  const groups = new Map()
  for (const entry of cases) {
    const key = entry.floor ?? (floors.has(entry.id) ? entry.id : undefined)
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return groups.values()
}

/** The processes of some cases, warmed up; a case that cannot run, or that measures by itself, leaves its outcome in `found`. */
async function preparedWorkers(cases, found, { node, suite, batchMs, warmUpMs, quick }) {
  const workers = []
  const waiting = cases.filter(({ id }) => !found.get(id).skipped && !found.get(id).probe)
  async function prepareNext() {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      const figures = found.get(entry.id)
      const worker = new Worker(node, { suite: suite.id, id: entry.id, batchMs, warmUpMs, quick })
      const started = await worker.ready()
      const response = started.error ? started : await worker.ask('prepare')
      if (response.error) {
        figures.skipped = response.error
        if (process.env.BENCH_DEBUG) console.error(response.stack ?? worker.stderr)
      }
      if (response.probe) figures.probe = response.probe
      if (response.error || response.probe) worker.end()
      else workers.push(worker)
    }
  }
  // Probes measure while they prepare, so nothing else may run then.
  const lanes = cases.some(({ probe }) => probe !== undefined) ? 1 : PREPARING
  await Promise.all(Array.from({ length: lanes }, prepareNext))
  return workers
}

/** Measures each case once, and keeps its fastest time in `best`. */
async function runRound(workers, cases, found, round, best) {
  const rare = new Set(cases.filter((entry) => entry.rare).map(({ id }) => id))
  // Each round begins elsewhere, so that no case always follows the same one.
  for (let index = 0; index < workers.length; index++) {
    const worker = workers[(index + round) % workers.length]
    if (rare.has(worker.id) && round % RARELY !== 0) continue
    const { us, error } = await worker.ask('run')
    if (error) found.get(worker.id).skipped = error
    else best.set(worker.id, Math.min(us, best.get(worker.id) ?? us))
  }
}

/** Adds the fastest times of one generation to the figures. */
function note(best, cases, found) {
  for (const { id, floor } of cases) {
    const us = best.get(id)
    if (us === undefined) continue
    found.get(id).us.push(us)
    if (floor !== undefined && best.has(floor)) found.get(id).ratios.push(us / best.get(floor))
  }
}

function resultOf(id, { us, ratios, skipped, probe }) {
  if (skipped !== undefined) return { id, skipped }
  if (probe !== undefined) return { id, probe }
  if (us.length === 0) return { id, skipped: 'its floor could not run' }
  return { id, us: summary(us), ratio: ratios.length === 0 ? undefined : summary(ratios) }
}
