import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import express from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { faultyOf } from '../support/lint-openapi'
import { listen } from '../support/serve'
import { casesIn, type GivenDocument, history, type Json, olderBody, operationsIn, placesFor } from './support/github'
import { judgeOf } from './support/judge'
import { install, temporary } from './support/projects'

// GitHub's own OpenAPI document: 1,200 operations, 969 schemas, and what a document that nobody may edit leaves open.

const temp = temporary()
const NEWEST = '2025-01-01'

/** There, a copy of a label has less than a label. */
const ODD = ['/search/issues']

let given: GivenDocument
let cases: ReturnType<typeof casesIn>
let options: ReturnType<typeof start>
const published = new Map<string, GivenDocument>()

const start = (places = {}) => {
  const routes = routesOf(given, { places })
  const made = { scheme: HeaderVersioning, defaultVersion: NEWEST, changes: history, routes }
  return { ...made, handler: versioning(made) }
}

/** Runs a function and prints the CPU time that it took. A quadratic step would take minutes. */
function timed<T>(name: string, run: () => T): T {
  const begun = process.cpuUsage()
  const made = run()
  const { user, system } = process.cpuUsage(begun)
  const milliseconds = (user + system) / 1000
  process.stdout.write(`GitHub's document: ${name} took ${Math.round(milliseconds)} ms\n`)
  expect(milliseconds).toBeLessThan(10_000)
  return made
}

beforeAll(async () => {
  await install(temp, { '@octokit/openapi': '23.0.2' })
  const file = join(temp, 'node_modules/@octokit/openapi/generated/api.github.com.json')
  given = JSON.parse(readFileSync(file, 'utf8'))
  const judge = judgeOf(given)
  const isFit = (example?: { pointer: string; value: unknown }) =>
    example === undefined || judge(example.pointer, example.value).length === 0
  cases = casesIn(given).filter(({ path, body, response }) => !ODD.includes(path) && isFit(body) && isFit(response))
  const before = JSON.stringify(given)
  jest.spyOn(process, 'emitWarning').mockReturnValue()
  let message = ''
  try {
    start()
  } catch (error) {
    message = (error as Error).message
  }
  const places = placesFor(message, given)
  process.stdout.write(`GitHub's document: ${Object.keys(places).length} places are open\n`)
  options = timed('the start', () => start(places))
  const { handler: _, ...others } = options
  const documents = openapi(others)
  for (const version of history.versions) {
    const document = timed(`that of ${version}`, () => documents.document(version))
    published.set(version, document as unknown as GivenDocument)
  }
  expect(JSON.stringify(given)).toBe(before)
})

const documentOf = (version: string) => published.get(version) as GivenDocument

test('the newest document is the given one, with its version and its carrier', () => {
  const newest: GivenDocument = JSON.parse(JSON.stringify(documentOf(NEWEST)))
  expect(newest.info.version).toBe(NEWEST)
  newest.info.version = given.info.version
  const operations = operationsIn(newest)
  expect(operations.length).toBeGreaterThan(1000)
  for (const { path, method, operation } of operations) {
    const parameters = operation.parameters as Json[]
    expect(parameters.pop()).toMatchObject({ in: 'header', name: 'X-API-Version', schema: { enum: [NEWEST] } })
    if (given.paths[path]?.[method]?.parameters === undefined && parameters.length === 0) delete operation.parameters
  }
  expect(isDeepStrictEqual(newest, given)).toBe(true)
})

test('each document is as valid as the given one', async () => {
  const [first, ...others] = await faultyOf([given, ...published.values()])
  expect(others.map(({ faults }) => faults)).toEqual(history.versions.map(() => first?.faults))
})

test.each([
  ['2022-01-01', 289],
  ['2023-01-01', 280],
  ['2024-01-01', 29],
])('the examples of requests and responses in %s are as its document says', async (version, converted) => {
  const older = judgeOf(documentOf(version))
  const bodies: unknown[] = []
  const app = express().use(options.handler, express.json({ strict: false }), convertRequest, (req, res) => {
    const index = Number(req.headers['x-case'])
    const { status, response } = cases[index] as (typeof cases)[0]
    bodies[index] = req.body
    res.status(status).type(response.type).send(JSON.stringify(response.value))
  })
  const { send } = await listen(app)
  const wrong: unknown[] = []
  let [changed, sent] = [0, 0]
  for (const [index, { title, method, path, body, status, response }] of cases.entries()) {
    const headers = { 'X-API-Version': version, 'X-Case': String(index), 'Content-Type': body?.type ?? 'text/plain' }
    const old = body && olderBody(body.value)
    const text = body === undefined ? '' : JSON.stringify(old)
    // No path of the document has such a step.
    const url = path.replaceAll(/\{.*?\}/g, `~${index}`)
    const got = await send(method.toUpperCase(), url, headers, Buffer.from(text).toString('latin1'))
    const faults = got.status === status ? older(response.pointer, got.json) : [`${got.status} ${got.text}`]
    if (body !== undefined) faults.push(...older(body.pointer, old))
    if (body !== undefined && !isDeepStrictEqual(bodies[index], body.value)) faults.push(JSON.stringify(bodies[index]))
    if (faults.length > 0) wrong.push({ title, index, faults })
    if (!isDeepStrictEqual(got.json, response.value)) changed++
    if (!isDeepStrictEqual(old, body?.value)) sent++
  }
  expect(wrong).toEqual([])
  expect([cases.length, changed, sent]).toEqual([778, converted, 4])
})
