import manifest from '../../../package.json'

const { name, exports: subpaths } = manifest

/** The subpaths of the package that users can import: all but its package.json. */
export const entries = Object.keys(subpaths)
  .filter((subpath) => subpath !== './package.json')
  .map((subpath) => name + subpath.slice(1))

const lines = (line: (entry: string, index: number) => string) => entries.map(line).join('\n')
const list = (expression: (entry: string, index: number) => string) => `[${entries.map(expression).join(', ')}]`

// One server, of parts: what it imports, in each module system; and what all have in common. It uses what is exported in either
// module system: `entry0` and so on as the program itself does, `there` as the other one.
export const required = `const express = require('express')
${lines((entry, index) => `const entry${index} = require('${entry}')`)}
`
const importedEntries = lines((entry, index) => `import * as entry${index} from '${entry}'`)
export const imported = `import express from 'express'\n${importedEntries}\n`
/** As TypeScript's users wrote it before `esModuleInterop`. */
const classic = `import express = require('express')\n${importedEntries}\n`

const thenImport = `const there = () => Promise.all(${list((entry) => `import('${entry}')`)})\n`
export const thenRequire = `import { createRequire } from 'node:module'
const requireHere = createRequire(import.meta.url)
const there = async () => ${list((entry) => `requireHere('${entry}')`)}
`
/** For bundlers, which find a plain `require` in an ES module, too. */
export const thenBundled = `const there = async () => ${list((entry) => `require('${entry}')`)}\n`

export const typed = `import type { LinkOptions } from '${name}'
declare module '${name}' {
  interface Register { versions: 'v1' | 'v2' }
}
export const typedRoute = express.Router().get('/typed', (req, res) => {
  const version: 'v1' | 'v2' | null | undefined = req.version
  const link: LinkOptions = { version: 'v2' }
  // @ts-expect-error a version that was not registered
  const mistyped: LinkOptions = { version: 'v3' }
  res.json([version, link, mistyped])
})
`

/** The app, and `findings()`, which asks it and inspects the imports. Its defaults are its types in TypeScript. */
export const server = `
const { byVersion, namedRoutes, QueryParameterVersioning, VersioningError, versioning } = entry0
const { change, versionHistory } = entry1
const toV1 = ({ name, ...user } = { name: '' }) => ({ title: name, ...user })
const unfit = (body = {}) => {
  if (typeof body === 'object') throw new Error('unfit')
  return body
}
const routes = namedRoutes({ user: '/user' })
routes.route('user').get((req, res) => void res.json({ name: 'Ada', of: req.version }))
routes.route('user').post(byVersion({ v2: (req, res) => void res.json(req.version) }))
const steps = { 'GET user': { response: toV1 }, 'POST user': { request: unfit } }
const changes = versionHistory('v1').version('v2', change('Users have a name.', steps))
const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, changes, routes }), routes)

async function fetched(version = '') {
  const server = app.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', () => done(0)))
  const response = await fetch('http://127.0.0.1:' + Object(server.address()).port + '/user?version=' + version)
  server.close()
  return response.ok ? response.text() : String(response.status)
}

async function findings(ask = fetched) {
  const responses = await Promise.all(['v1', 'v2', 'x'].map((version) => ask(version)))
  const rejected = Promise.resolve({}).then((body) => changes.request('POST user', body, 'v1'))
  const thrownBySubpath = (await rejected.catch((error) => error)) instanceof VersioningError
  const others = await there()
  const same = ${list((_, index) => `entry${index}`)}.map((entry, at) => {
    const other = new Map(Object.entries(others[at] ?? {}))
    return other.size > 0 && Object.entries(entry).every(([name, value]) => other.get(name) === value)
  })
  return { responses, thrownBySubpath, same }
}
`

/** The expected result of `findings()`. */
export const found = {
  responses: ['{"title":"Ada","of":"v1"}', '{"name":"Ada","of":"v2"}', '404'],
  ...{ thrownBySubpath: true, same: entries.map(() => true) },
}

export const printed = 'findings().then((found) => console.log(JSON.stringify(found)))'

/** The same program in each language and module system; `classic` is that of resolvers that know no `exports`. */
export const programs: Record<string, string> = {
  'main.cjs': required + thenImport + server + printed,
  'main.mjs': imported + thenRequire + server + printed,
  'main.cts': imported + thenImport + typed + server + printed,
  'main.mts': imported + thenRequire + typed + server + printed,
  'classic.ts': classic + thenImport + typed + server + printed,
}
