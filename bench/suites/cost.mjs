// This suite finds costs that a hostile client can cause: time that grows faster than its request, and memory that stays.
import { dispatching } from '../lib/dispatch.mjs'
import { expressOf, packageWith, responseOne } from './apps.mjs'

const SIZES = [1024, 2048, 4096, 8192, 16_384]
const ROUND_US = 2000
const roundsOf = ({ quick }) => (quick ? 5 : 21)

// Never cut within a part: a value that is cut is another value, and a rejection has a cost of its own.
const repeated = (part) => (size) => part.repeat(Math.floor(size / part.length))

/** Inputs of a size that look like trouble for a parser of that kind. */
export const SHAPES = {
  accept: {
    ranges: repeated('application/json;version=1,'),
    semicolons: repeated('a/b;;;;;;;;'),
    spaces: (size) => `a/b;version${' '.repeat(size - 13)}=1`,
    quotes: (size) => `a/b;version="${'\\"'.repeat((size - 13) >> 1)}`,
    parameters: repeated('a/b;a=b;c="d";version=1;'),
    commas: repeated(','),
    'one long parameter': (size) => `a/b;version=${'1'.repeat(size - 12)}`,
    'distinct types': (size) => {
      let text = ''
      for (let index = 0; text.length < size; index++) text += `a${index}/b;q=0.${index % 10},`
      return text.slice(0, size)
    },
  },
  query: {
    pairs: repeated('a=1&'),
    versions: repeated('version=1&'),
    escapes: (size) => `version=${'%31'.repeat(size / 3)}`,
    ampersands: repeated('&'),
    'keys without =': repeated('abcdefgh&'),
    'escaped keys': repeated('%76ersion=1&'),
    hashes: repeated('a?b#'),
  },
  host: {
    letters: repeated('a'),
    dots: repeated('a.'),
    'letters and a dot': (size) => `${'a'.repeat(size - 4)}.b.-`,
    colons: repeated('a:'),
  },
  header: { commas: repeated('1,'), spaces: (size) => `1,${' '.repeat(size - 3)}1`, letters: repeated('a') },
  vendor: {
    ranges: repeated('application/vnd.acme.1+json,'),
    pluses: (size) => `application/vnd.acme.${'+'.repeat(size - 26)}+json`,
  },
}

function requestOf(carrier, text) {
  if (carrier === 'query') return { url: `/?${text}`, headers: {}, params: {} }
  const header = { accept: 'accept', vendor: 'accept', host: 'host', header: 'x-api-version' }[carrier]
  return { url: '/', headers: { [header]: text }, params: {} }
}

async function schemeOf(carrier) {
  const names = {
    accept: 'AcceptHeaderVersioning',
    query: 'QueryParameterVersioning',
    host: 'HostNameVersioning',
    header: 'HeaderVersioning',
    vendor: 'MediaTypeVersioning',
  }
  const exported = await packageWith(names[carrier])
  const settings = { allowedVersions: ['1', '2'], defaultVersion: '1' }
  if (carrier === 'vendor') settings.template = 'application/vnd.acme.{version}+json'
  return new exported[names[carrier]](settings)
}

function decide(scheme, request) {
  try {
    scheme.determineVersion(request, [], {})
  } catch (error) {
    if (error.code === undefined) throw error
  }
}

/** The least CPU time of one decision, for each size: whatever else the machine or the compiler does only adds to it. */
function timesBySize(scheme, carrier, shape, rounds) {
  const requests = SIZES.map((size) => requestOf(carrier, shape(size)))
  const batches = requests.map((request) => {
    let batch = 1
    for (let used = 0; used < ROUND_US; batch *= 2) used = cpuOf(() => repeat(batch, scheme, request))
    return batch
  })
  const times = SIZES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, request] of requests.entries()) {
      times[index].push(cpuOf(() => repeat(batches[index], scheme, request)) / batches[index])
    }
  }
  return times.map((all) => Math.min(...all))
}

function repeat(count, scheme, request) {
  for (let index = 0; index < count; index++) decide(scheme, request)
}

export function cpuOf(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function growth(carrier, settings) {
  const scheme = await schemeOf(carrier)
  let worst = { ratio: 0 }
  let longest = 0
  for (const [name, shape] of Object.entries(SHAPES[carrier])) {
    const times = timesBySize(scheme, carrier, shape, roundsOf(settings))
    longest = Math.max(longest, times.at(-1))
    for (let index = 1; index < times.length; index++) {
      const ratio = times[index] / times[index - 1]
      if (ratio > worst.ratio) worst = { ratio, name, size: SIZES[index] }
    }
  }
  return {
    value: worst.ratio,
    text: `${worst.ratio.toFixed(2)}`,
    detail: `worst: ${worst.name}, at ${worst.size / 1024} KB; slowest 16 KB: ${longest.toFixed(0)} us`,
  }
}

/** Bytes that the heap has grown by after 10^6 requests with distinct headers. */
async function heapGrowth({ quick }) {
  const { versioning, AcceptHeaderVersioning } = await packageWith('AcceptHeaderVersioning')
  const express = await expressOf(5)
  const app = express()
  app.use(versioning({ scheme: AcceptHeaderVersioning }))
  app.get('/users', responseOne)
  let count = 0
  const distinct = (req, res) => {
    req.headers.accept = `application/json; version=${count++}`
    app(req, res)
  }
  const op = await dispatching(distinct, { url: '/users' })
  await op(20_000)
  const before = await settledHeap()
  await op(quick ? 50_000 : 1_000_000)
  const grown = (await settledHeap()) - before
  return { value: grown, text: `${(grown / 1024).toFixed(0)} KB`, detail: `${count} distinct headers` }
}

async function settledHeap() {
  for (let index = 0; index < 4; index++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}

const LABELS = {
  accept: '`Accept` (version as a parameter)',
  vendor: '`Accept` (version in the media type)',
  query: 'query',
  host: 'host',
  header: '`X-API-Version`',
}

export const cost = {
  id: 'cost',
  generations: 1,
  title: 'The cost of an attack',
  about:
    'The worst ratio of CPU time per doubling of a hostile value, from 1 KB to 16 KB (2 is linear), and what the heap keeps of 10^6 distinct headers.',
  cases: [
    ...Object.keys(SHAPES).map((carrier) => ({
      id: carrier,
      label: `${LABELS[carrier]}, ${Object.keys(SHAPES[carrier]).length} shapes`,
      limits: { value: 2.5, text: '<= 2.5' },
      probe: (settings) => growth(carrier, settings),
    })),
    { id: 'heap', label: 'heap growth', limits: { value: 2 ** 20, text: '< 1 MB' }, probe: heapGrowth },
  ],
}
