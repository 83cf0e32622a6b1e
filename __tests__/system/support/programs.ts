import manifest from '../../../package.json'

const { name, exports: subpaths } = manifest

/** The subpaths of the package that users can import: all but its package.json. */
export const entries = Object.keys(subpaths)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => name + subpath.slice(1))

/** A list of expressions, one for each entry. */
const each = (expression: (entry: string, index: number) => string) => `[${entries.map(expression).join(', ')}]`

// One server, of parts: what it imports, in each module system; what is typed, or not; and what all have in common. It uses what
// is exported in either module system: `here` as the program itself does, `there` as the other one.

const USED = {
  [name]: ['byVersion', 'namedRoutes', 'QueryParameterVersioning', 'VersioningError', 'versioning'],
  [`${name}/changes`]: ['change', 'versionHistory'],
}

const used = (declare: (names: string, entry: string) => string) =>
  Object.entries(USED)
    .map(([entry, names]) => `${declare(names.join(', '), entry)}\n`)
    .join('')

export const required = `
const express = require('express')
${used((names, entry) => `const { ${names} } = require('${entry}')`)}
const here = ${each((entry) => `require('${entry}')`)}
`

const importedEntries = `
${used((names, entry) => `import { ${names} } from '${entry}'`)}
${entries.map((entry, index) => `import * as entry${index} from '${entry}'\n`).join('')}
const here = ${each((_, index) => `entry${index}`)}
`

export const imported = `import express from 'express'${importedEntries}`

/** As TypeScript's users wrote it before `esModuleInterop`. */
export const classic = `import express = require('express')${importedEntries}`

export const thenImport = `const there = () => Promise.all(${each((entry) => `import('${entry}')`)})\n`

export const thenRequire = `
import { createRequire } from 'node:module'
const requireHere = createRequire(import.meta.url)
const there = async () => ${each((entry) => `requireHere('${entry}')`)}
`

/** For bundlers, which find a plain \`require\` in an ES module, too. */
export const thenBundled = `const there = async () => ${each((entry) => `require('${entry}')`)}\n`

/** Helpers, which have types in TypeScript. */
const helpers = (named: string, body: string, port: string, version: string) => `
const toV1 = ({ name, ...user }${named}) => ({ title: name, ...user })
const unfit = (body${body} => {
  throw new Error('unfit: ' + typeof body)
}
const get = (port${port}, query${version}) => fetch('http://127.0.0.1:' + port + '/user?version=' + query)
`
export const untyped = `${helpers('', ')', '', '')}const everything = () => there()\n`

export const typed = `
import type { LinkOptions } from '${name}'
declare module '${name}' {
  interface Register { versions: 'v1' | 'v2' }
}
${helpers(': { name: string }', ': object): object', ': number', ': string')}
const everything = (): Promise<Record<string, unknown>[]> => there()
export const typedRoute = express.Router().get('/typed', (req, res) => {
  const version: 'v1' | 'v2' | null | undefined = req.version
  const link: LinkOptions = { version: 'v2' }
  // @ts-expect-error a version that was not registered
  const mistyped: LinkOptions = { version: 'v3' }
  res.json([version, link, mistyped])
})
`

/** The app, and `findings()`, which sends it requests and inspects the imports. */
export const server = `
const routes = namedRoutes({ user: '/user' })
routes.route('user').get((req, res) => void res.json({ name: 'Ada', of: req.version }))
routes.route('user').post(byVersion({ v2: (req, res) => void res.json(req.version) }))
const changes = versionHistory('v1').version(
  'v2',
  change('Users have a name.', { 'GET user': { response: toV1 }, 'POST user': { request: unfit } }),
)
const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, changes, routes }), routes)

function refusal() {
  try {
    return changes.request('POST user', {}, 'v1')
  } catch (error) {
    return error
  }
}

async function findings() {
  const others = await everything()
  const same = here.map((entry, at) => {
    const other = { ...others[at] }
    const values = Object.entries(entry)
    return values.length > 0 && values.every(([name, value]) => other[name] === value)
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  const [older, newest, unknown] = [await get(port, 'v1'), await get(port, 'v2'), await get(port, 'x')]
  server.close()
  const answers = { older: await older.json(), newest: await newest.json(), unknown: unknown.status }
  return { ...answers, thrownBySubpath: refusal() instanceof VersioningError, same }
}
`

/** The expected result of `findings()`. */
export const found = {
  older: { title: 'Ada', of: 'v1' },
  newest: { name: 'Ada', of: 'v2' },
  unknown: 404,
  thrownBySubpath: true,
  same: entries.map(() => true),
}

export const printed = 'findings().then((found) => console.log(JSON.stringify(found)))'

const javascript = untyped + server + printed
const typescript = typed + server + printed

/** The same program in each language and module system; `classic` is that of resolvers that know no `exports`. */
export const programs = {
  'main.cjs': required + thenImport + javascript,
  'main.mjs': imported + thenRequire + javascript,
  'main.cts': imported + thenImport + typescript,
  'main.mts': imported + thenRequire + typescript,
  'classic.ts': classic + thenImport + typescript,
} as const
