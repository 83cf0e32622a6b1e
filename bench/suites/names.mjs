import { packageWith } from './apps.mjs'

const COUNTS = [10, 1000, 10_000]
const SPOTS = { first: () => 0, middle: (count) => count >> 1, last: (count) => count - 1 }

const path = (index) => `/resource-${index}/:id/items/:item`
const url = (index) => `/resource-${index}/7/items/12`

/** A new string for each call, as a request brings one: what a string was looked up for before it remembers. */
function fresh(text) {
  const bytes = Buffer.from(text, 'latin1')
  return () => bytes.latin1Slice()
}

function looping(text, look) {
  const next = fresh(text)
  return (n) => {
    let found = 0
    for (let index = 0; index < n; index++) if (look(next()) !== null) found++
    if (found !== n) throw new Error(`found ${found} of ${n}`)
  }
}

async function ours(count, index) {
  const { namedRoutes } = await packageWith('namedRoutes')
  const table = namedRoutes(Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, path(at)])))
  return looping(url(index), (text) => table.resolve(text))
}

async function findMyWay(count, index) {
  const router = (await import('find-my-way')).default()
  for (let at = 0; at < count; at++) router.on('GET', path(at), () => {})
  return looping(url(index), (text) => router.find('GET', text))
}

/** Every pattern in turn, compiled once: what most named-route packages do. */
async function linear(count, index) {
  const { match } = await import('path-to-regexp')
  const matchers = Array.from({ length: count }, (_, at) => match(path(at)))
  return looping(url(index), (text) => {
    for (const matcher of matchers) {
      const found = matcher(text)
      if (found !== false) return found
    }
    return null
  })
}

export const names = {
  id: 'names',
  generations: 1,
  title: 'Resolving a path among named routes',
  about: 'CPU time of `resolve(pathname)`, two parameters. The target is an absolute one: at most 1 us.',
  cases: [
    ...COUNTS.flatMap((count) =>
      Object.entries(SPOTS).map(([spot, at]) => ({
        id: `resolve-${count}-${spot}`,
        label: `**table.resolve()**, ${count} names, the ${spot}`,
        targetUs: 1,
        prepare: () => ours(count, at(count)),
      })),
    ),
    {
      id: 'find-my-way',
      label: 'find-my-way, 10,000 routes, the last',
      prepare: () => findMyWay(10_000, 9999),
    },
    {
      id: 'linear',
      label: 'one compiled pattern after the other, 10,000, the last',
      rare: true,
      prepare: () => linear(10_000, 9999),
    },
  ],
}
