// This suite compares the cost of a hostile `Accept` with the cost of Express's own negotiation.
import { heldRequest } from '../lib/dispatch.mjs'
import { median } from '../lib/statistics.mjs'
import { expressOf, packageWith } from './apps.mjs'
import { cpuOf, SHAPES } from './cost.mjs'

// Node rejects 16 KB of all headers together.
const SIZE = 16_000

/** A request that has come through Express, whose `Accept` the caller then sets. */
async function arrived() {
  const express = await expressOf(5)
  return heldRequest(
    (hold) => {
      const app = express()
      app.use(hold)
      return app
    },
    { url: '/users' },
  )
}

function deciding(scheme, req) {
  return () => {
    try {
      scheme.determineVersion(req, [], {})
    } catch (error) {
      // A rejection is a response, and has its price too.
      if (error.code === undefined) throw error
    }
  }
}

function batched(work, settings) {
  let batch = 1
  const budget = settings.quick ? 1000 : 5000
  while (cpuOf(() => repeat(batch, work)) < budget) batch *= 2
  return () => cpuOf(() => repeat(batch, work)) / batch
}

function repeat(count, work) {
  for (let index = 0; index < count; index++) work()
}

/** The worst ratio of all shapes; the two sides take turns. */
async function worstRatio(makeScheme, settings) {
  const scheme = makeScheme(await packageWith('AcceptHeaderVersioning', 'MediaTypeVersioning'))
  const req = await arrived()
  const ratios = Object.entries(SHAPES.accept).map(([name, shape]) => {
    // One flat text, as the parser makes them.
    req.headers.accept = Buffer.from(shape(SIZE), 'latin1').latin1Slice()
    const ours = batched(deciding(scheme, req), settings)
    const theirs = batched(() => req.accepts('json'), settings)
    const rounds = Array.from({ length: settings.quick ? 5 : 31 }, () => [ours(), theirs()])
    return { name, ratio: median(rounds.map(([a, b]) => a / b)), us: median(rounds.map(([a]) => a)) }
  })
  const worst = Math.max(...ratios.map(({ ratio }) => ratio))
  const detail = ratios
    .map(({ name, ratio, us }) => `${name} ${ratio.toFixed(2)} of ${(us / ratio).toFixed(0)} us`)
    .join(', ')
  return { value: worst, text: worst.toFixed(2), detail }
}

const settings = { allowedVersions: ['1', '2'], defaultVersion: '1' }

const SCHEMES = {
  accept: ['AcceptHeaderVersioning', (p) => new p.AcceptHeaderVersioning(settings)],
  types: [
    'AcceptHeaderVersioning, `mediaTypes`',
    (p) => new p.AcceptHeaderVersioning({ ...settings, mediaTypes: ['application/json', 'text/plain'] }),
  ],
  vendor: [
    'MediaTypeVersioning',
    (p) => new p.MediaTypeVersioning({ ...settings, template: 'application/vnd.acme.{version}+json' }),
  ],
}

export const hostile = {
  id: 'hostile',
  generations: 1,
  title: "A hostile `Accept` of 16 KB, over Express's own `req.accepts`",
  about:
    'The worst of eight shapes; deciding the version, over `req.accepts("json")` of the same header, whose time stands beside it.',
  cases: Object.entries(SCHEMES).map(([id, [label, make]]) => ({
    id,
    label: `**${label}**`,
    limits: { value: 6, text: '<= 6' },
    probe: (given) => worstRatio(make, given),
  })),
}
