import { packageWith, versionNames } from './apps.mjs'

const COUNTS = [10, 1000, 10_000]
const LIMITS = { us: 0.5 }
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

/** A table of routes with one path each, as the function gives it. */
async function tableOf(count, pathAt) {
  const { namedRoutes } = await packageWith('namedRoutes')
  return namedRoutes(Object.fromEntries(Array.from({ length: count }, (_, at) => [`r${at}`, pathAt(at)])))
}

async function ours(count, index) {
  const table = await tableOf(count, path)
  return looping(url(index), (text) => table.resolve(text))
}

/** Ten namespaces of a thousand names each. */
async function namespaced() {
  const { namedRoutes } = await packageWith('namedRoutes')
  const table = namedRoutes({})
  const child = await tableOf(1000, path)
  for (const version of versionNames(10)) table.include(`/${version}`, child, { namespace: version })
  return looping(`/v10${url(999)}`, (text) => table.resolve(text))
}

async function shaped(pathAt, text) {
  const table = await tableOf(10_000, pathAt)
  return looping(text, (fresh) => table.resolve(fresh))
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
  about:
    'CPU time of `resolve(pathname)`, two parameters. The limit is an absolute one; the ratio, over find-my-way with 10,000 routes, says as much on a machine that is busy. Every call gets a new string.',
  cases: [
    {
      id: 'find-my-way',
      label: 'find-my-way, 10,000 routes, the last',
      prepare: () => findMyWay(10_000, 9999),
    },
    ...[
      ...COUNTS.flatMap((count) =>
        Object.entries(SPOTS).map(([spot, at]) => ({
          id: `resolve-${count}-${spot}`,
          label: `**table.resolve()**, ${count} names, the ${spot}`,
          limits: LIMITS,
          // A small table is no question of its own: it is there to be compared with.
          reference: count < 10_000,
          prepare: () => ours(count, at(count)),
        })),
      ),
      {
        id: 'resolve-namespaces',
        label: '**table.resolve()**, 10 namespaces of 1,000 names, the last',
        // Two tables are searched.
        limits: { us: 1 },
        prepare: namespaced,
      },
      {
        id: 'resolve-static',
        label: '**table.resolve()**, 10,000 paths without a parameter, the last',
        limits: LIMITS,
        prepare: () => shaped((index) => `/things/${index}`, '/things/9999'),
      },
      {
        id: 'resolve-format',
        label: '**table.resolve()**, 10,000 paths with `{.:format}`, the last',
        limits: LIMITS,
        prepare: () => shaped((index) => `/resource-${index}/:id{.:format}`, '/resource-9999/7.json'),
      },
      {
        id: 'linear',
        label: 'one compiled pattern after the other, 10,000, the last',
        rare: true,
        reference: true,
        prepare: () => linear(10_000, 9999),
      },
    ].map((entry) => ({ ...entry, floor: 'find-my-way' })),
  ],
}
