import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { parse } from 'yaml'
import { describedFrom, type Places, toldBy } from '../support/pasted'
import { install, temporary } from './support/projects'

// Real documents of five makers. The components that each uses most are renamed, one at a time, and what a start prints is obeyed.

const PACKAGES = {
  '@blockfrost/openapi': '0.1.93',
  '@digdir/dialogporten-schema': '1.118.6',
  '@octokit/openapi': '23.0.2',
  '@readme/oas-examples': '8.2.2',
  '@scalar/galaxy': '0.2.20',
}
const README = [
  '3.0/json/complex-nesting',
  '3.0/json/discriminators',
  '3.0/json/petstore',
  '3.0/json/polymorphism',
  '3.0/json/star-trek',
  '3.1/json/schema-types',
  '3.1/json/train-travel',
  '3.1/json/webhooks',
].map((name) => `@readme/oas-examples/${name}.json`)
/** The documents, each with the CPU time in milliseconds that a start may take. On a busy machine, it takes longer. */
const DOCUMENTS: [file: string, limit: number][] = [
  ['@blockfrost/openapi/openapi.yaml', 5000],
  ['@digdir/dialogporten-schema/swagger.verified.json', 5000],
  ['@octokit/openapi/generated/api.github.com.json', 10_000],
  ['@scalar/galaxy/dist/latest.json', 5000],
  ...README.map((file): [string, number] => [file, 5000]),
]
const RENAMES = 3
const ROUNDS = 3

type Json = Record<string, unknown>
interface Component extends Json {
  readonly properties?: Json
}

const temp = temporary()
beforeAll(async () => {
  await install(temp, PACKAGES)
  jest.spyOn(process, 'emitWarning').mockReturnValue()
})

/** Reads a document, and lists the components that it uses most, each with a property to rename. */
function read(file: string): { document: Json; renames: [component: string, property: string][] } {
  const text = readFileSync(join(temp, 'node_modules', file), 'utf8').replace(/^\uFEFF/, '')
  const document: Json = file.endsWith('.yaml') ? parse(text) : JSON.parse(text)
  const { schemas } = document.components as { schemas: Record<string, Component> }
  const uses = new Map<string, number>()
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') uses.set(value, (uses.get(value) ?? 0) + 1)
    return value
  })
  const usesOf = (name: string) => uses.get(`#/components/schemas/${name}`) ?? 0
  const renames = Object.entries(schemas).flatMap(([name, { properties = {} }]): [string, string][] => {
    const property = Object.keys(properties).find((one) => one !== 'id' && one !== 'type')
    return property === undefined || usesOf(name) === 0 ? [] : [[name, property]]
  })
  return { document, renames: renames.toSorted(([a], [b]) => usesOf(b) - usesOf(a)).slice(0, RENAMES) }
}

test.each(DOCUMENTS)('%s: renames start within three rounds of pasting what was printed', (file, limit) => {
  const { document, renames } = read(file)
  expect(renames.length).toBeGreaterThan(0)
  for (const [component, property] of renames) {
    const older = `older_${property}`
    const changes = versionHistory('1').version(
      '2',
      change('A name.', { [component]: fields({ renamed: { [older]: property } }) }),
    )
    let places: Places = {}
    let describe = describedFrom('')
    let started: Parameters<typeof openapi>[0] | undefined
    const start = () => {
      const routes = routesOf(document, { places })
      describe(routes)
      const options = { scheme: HeaderVersioning, defaultVersion: '1', changes, routes }
      versioning(options)
      started = options
    }
    const begun = process.cpuUsage()
    let told = toldBy(start)
    const milliseconds = process.cpuUsage(begun).user / 1000
    expect({ component, milliseconds, isQuick: milliseconds < limit }).toMatchObject({ isQuick: true })
    for (let round = 1; told.message !== 'starts'; round++) {
      expect({ component, ...told, isInTime: round <= ROUNDS }).toMatchObject({ isInTime: true })
      places = { ...places, ...told.places }
      const { message } = told
      if (Object.keys(told.places).length === 0) describe = describedFrom(message)
      told = toldBy(start)
      expect(told.message).not.toBe(message)
    }
    const documents = openapi(started as NonNullable<typeof started>)
    const [before, since] = ['1', '2'].map((version) => JSON.stringify(documents.document(version)))
    expect(before).toContain(`"${older}"`)
    expect(since).not.toContain(`"${older}"`)
  }
})
