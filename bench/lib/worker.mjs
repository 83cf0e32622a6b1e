// One case in a process of its own: prepares it, warms it up, and measures a batch whenever it is asked to.
import { suiteNamed } from '../suites/index.mjs'
import { dispatching } from './dispatch.mjs'

const settings = JSON.parse(process.argv[2])
const suite = suiteNamed(settings.suite)
const entry = suite.cases.find(({ id }) => id === settings.id)

let op
let batch = 1

/** CPU time of this process, garbage collection and compilation included, in microseconds. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function measured(n) {
  const before = cpu()
  await op(n)
  return cpu() - before
}

// The compiler counts calls, and how long it is about it depends on the machine: so many operations, but no shorter than this
// where one is short, and no longer than the settings allow where one is long.
const WARM_OPERATIONS = 40_000
const WARM_AT_LEAST_US = 250_000

/** The batches of a round. The fastest one counts: another program can only make a batch slower. */
const BATCHES = 3

/** Runs until the optimizing compiler has settled, and finds how many operations fill a batch. */
async function warmUp() {
  const begun = cpu()
  let used = 0
  for (let done = 0; used < settings.warmUpMs * 1000; done += batch) {
    if (done >= WARM_OPERATIONS && used >= WARM_AT_LEAST_US) return
    const wanted = Math.round((batch * settings.batchMs * 1000) / Math.max(1, await measured(batch)))
    batch = Math.max(1, Math.min(wanted, batch * 8))
    used = cpu() - begun
  }
}

const commands = {
  async prepare() {
    if (entry.probe) return { probe: await entry.probe(settings) }
    const made = await entry.prepare()
    const drive = suite.driver ?? dispatching
    op = typeof made === 'function' ? made : await drive(made.handler, made.spec)
    await warmUp()
    return { batch }
  },
  async run() {
    let fastest = Number.POSITIVE_INFINITY
    for (let time = 0; time < BATCHES; time++) fastest = Math.min(fastest, await measured(batch))
    return { us: fastest / batch }
  },
}

process.on('message', async (command) => {
  try {
    process.send(await commands[command]())
  } catch (error) {
    process.send({ error: `${error?.message ?? error}`.split('\n')[0], stack: `${error?.stack}` })
  }
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
