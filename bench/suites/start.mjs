// The start: the loading of the package, beside that of Express; and that of an API that exists, a table of a large OpenAPI document
// with a history of three changes.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packageWith } from './apps.mjs'
import { cpuOf } from './cost.mjs'

/** Paths of a document. Each has five operations and two components. */
const SIZES = [125, 250, 500]
const ROUNDS = 5

const reference = (name) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema) => ({ content: { 'application/json': { schema } } })
const ok = (schema) => ({ description: 'OK', ...json(schema) })
const text = { type: 'string' }

/** Makes a document whose components hold each other: every thing has an owner, and up to nine parents. */
function documentOf(count) {
  const paths = {}
  const schemas = {
    Owner: { type: 'object', properties: { id: text, login: text, site: text }, required: ['id', 'login'] },
  }
  for (let index = 0; index < count; index++) {
    const [thing, body] = [`Thing${index}`, `NewThing${index}`]
    const properties = { id: text, [`field${index}`]: text, [`other${index}`]: text, owner: reference('Owner') }
    if (index % 10 > 0) properties.parent = reference(`Thing${index - 1}`)
    schemas[thing] = { type: 'object', properties, required: ['id'] }
    schemas[body] = { type: 'object', properties: { [`body${index}`]: text }, required: [`body${index}`] }
    const write = { requestBody: json(reference(body)), responses: { 200: ok(reference(thing)) } }
    paths[`/things-${index}`] = {
      get: { responses: { 200: ok({ type: 'array', items: reference(thing) }) } },
      post: write,
    }
    paths[`/things-${index}/{id}`] = {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { responses: { 200: ok(reference(thing)) } },
      put: write,
      delete: { responses: { 204: { description: 'Gone' } } },
    }
  }
  return { openapi: '3.1.0', info: { title: 'Things', version: '2' }, paths, components: { schemas } }
}

/** Returns what is measured, for a document of a size. */
async function worksOn(count) {
  const { change, fields, versionHistory } = await import('express-versioning/changes')
  const { openapi, routesOf } = await import('express-versioning/openapi')
  const { versioning, HeaderVersioning } = await packageWith('HeaderVersioning')
  const changes = versionHistory('1')
    .version('2', change('Owners have a `site`.', { Owner: fields({ added: ['site'] }) }))
    .version('3', change('Owners have `login` instead of `name`.', { Owner: fields({ renamed: { name: 'login' } }) }))
    .version('4', change('One of many.', { Thing0: fields({ renamed: { old: 'field0' } }) }))
  const document = documentOf(count)
  const started = () => {
    const options = { scheme: HeaderVersioning, defaultVersion: '1', changes, routes: routesOf(document) }
    versioning(options)
    return options
  }
  const options = started()
  return { started, document: () => openapi(options).document('1') }
}

/** The ratio of CPU time for a doubling of the document; the least of some rounds counts. */
async function growth(name, { quick }) {
  const works = []
  for (const size of SIZES) works.push((await worksOn(size))[name])
  const times = works.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < (quick ? 3 : ROUNDS); round++) {
    for (const [index, work] of works.entries()) times[index] = Math.min(times[index], cpuOf(work))
  }
  const ratio = Math.max(...times.slice(1).map((time, index) => time / times[index]))
  const listed = times.map((time, index) => `${SIZES[index] * 5} operations: ${Math.round(time / 1000)} ms`)
  return { value: ratio, text: ratio.toFixed(2), detail: listed.join('; ') }
}

/** The package itself: there, as in an app, both have the same dependencies. */
const FOLDER = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the CPU milliseconds in which a fresh process loads modules. */
function loadTime(modules) {
  const program = `const begun = process.cpuUsage()
${modules.map((name) => `require('${name}')`).join('\n')}
const { user, system } = process.cpuUsage(begun)
console.log((user + system) / 1000)`
  return Number(execFileSync(process.execPath, ['-e', program], { cwd: FOLDER, encoding: 'utf8' }))
}

/** What entries add to the loading of Express, as a part of it; the least of some rounds counts. */
function loading(entries, { quick }) {
  const times = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < (quick ? 10 : 30); round++) {
    for (const [index, more] of [[], entries].entries())
      times[index] = Math.min(times[index], loadTime(['express', ...more]))
  }
  const [express, all] = times
  const value = all / express - 1
  return { value, text: value.toFixed(2), detail: `Express ${express.toFixed(1)} ms, together ${all.toFixed(1)} ms` }
}

const MAIN = 'express-versioning'

export const start = {
  id: 'start',
  generations: 1,
  title: 'The start',
  about:
    'The loading of entries, as a part of that of Express; and the worst ratio of CPU time per doubling of an OpenAPI document (2 is linear), with a history of three changes.',
  cases: [
    {
      id: 'load',
      label: 'loading **express-versioning**, over loading Express',
      limits: { value: 0.2, text: '<= 0.20' },
      probe: (settings) => loading([MAIN], settings),
    },
    {
      id: 'load-all',
      label: 'loading it with **/changes** and **/openapi**',
      limits: { value: 0.5, text: '<= 0.50' },
      probe: (settings) => loading([MAIN, `${MAIN}/changes`, `${MAIN}/openapi`], settings),
    },
    {
      id: 'versioning',
      label: '**routesOf()** and **versioning()** together',
      limits: { value: 2.5, text: '<= 2.5' },
      probe: (settings) => growth('started', settings),
    },
    {
      id: 'document',
      label: 'the document of the oldest version',
      limits: { value: 2.5, text: '<= 2.5' },
      probe: (settings) => growth('document', settings),
    },
  ],
}
