// Every printed line is obeyed: what a start asks for is pasted as it is printed, and what is then served and sent is valid.
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { judgeOf } from '../support/ajv'
import { documentOf } from '../support/documents'
import { json, list, object, ref, text } from '../support/parts'
import { type Places, toldBy } from '../support/pasted'
import { property, RUNS } from '../support/property'

type Json = Record<string, unknown>

// Some worlds have schemas that look a little like a user.
beforeAll(() => void jest.spyOn(process, 'emitWarning').mockReturnValue())

const OF_USER = ['id', 'given', 'family', 'email', 'role', 'town']
const OTHERS = ['password', 'terms', 'page']

const namesOf = (all: readonly string[]) => fc.subarray([...all], { minLength: 1 })
/** An object with some properties of a user, and some of its own. */
const copy = fc
  .record({ names: namesOf(OF_USER), more: fc.subarray(OTHERS), isStrict: fc.boolean() })
  .map(({ names, more, isStrict }) => {
    const all = [...names, ...more]
    return object(Object.fromEntries(all.map((name) => [name, text])), ...(isStrict ? all : []))
  })
/** A user, a DTO, or a copy that is written in its place. */
const thing = fc.oneof(fc.constantFrom(ref('User'), ref('Dto'), ref('Other')), copy)
const whole = fc.oneof(
  { weight: 4, arbitrary: thing },
  { weight: 2, arbitrary: thing.map(list) },
  { weight: 2, arbitrary: thing.map((data) => object({ data }, 'data')) },
  { weight: 1, arbitrary: thing.map((items) => object({ items: list(items), page: text }, 'items')) },
  { weight: 1, arbitrary: fc.tuple(thing, thing).map((anyOf) => ({ anyOf })) },
  { weight: 1, arbitrary: copy.map((part) => ({ allOf: [ref('User'), part] })) },
  { weight: 1, arbitrary: copy.map((part) => ({ allOf: [part, { required: part.required ?? [] }] })) },
)
const operation = fc.record({
  response: whole,
  isTwice: fc.boolean(),
  body: fc.option(whole),
  query: fc.option(namesOf(OF_USER)),
})
const world = fc.record({
  user: fc.constantFrom(OF_USER, OF_USER.slice(0, 4), OF_USER.slice(0, 3)),
  dto: copy,
  other: copy,
  operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
  renamed: fc.subarray(['given', 'family'], { minLength: 1 }),
  isRemoved: fc.boolean(),
  isStep: fc.boolean(),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
})
type World = typeof world extends fc.Arbitrary<infer Made> ? Made : never

function documentIn({ user, dto, other, operations }: World) {
  const User = object(Object.fromEntries(user.map((name) => [name, text])), 'id')
  const paths = operations.map(({ response, isTwice, body, query }, at) => {
    const content = {
      ...json(response),
      ...(isTwice && { 'text/json': { schema: { ...response, description: 'The same.' } } }),
    }
    const parameters = (query ?? []).map((name) => ({ name, in: 'query', schema: text }))
    return [
      `/${at}`,
      {
        post: {
          parameters,
          ...(body === null ? {} : { requestBody: { required: true, content: json(body) } }),
          responses: { 200: { description: 'OK', content } },
        },
      },
    ]
  })
  return documentOf(Object.fromEntries(paths), { schemas: { User, Dto: dto, Other: other } })
}

/** Users of version 1 have other names, which may be a step; and may have a `nick`. */
function changesIn({ user, renamed, isRemoved, isStep }: World) {
  const names = renamed.filter((name) => user.includes(name))
  const older = (name: string) => (names.includes(name) ? `old_${name}` : name)
  const entriesOf = (value: object, rename: (name: string) => string) =>
    Object.fromEntries(Object.entries(value).map(([name, one]) => [rename(name), one]))
  const User = isStep
    ? shape<Json, Json>(object(Object.fromEntries(user.map((name) => [older(name), text])), 'id'), {
        response: (value) => entriesOf(value as object, older),
        request: (value) => entriesOf(value, (name) => name.replace(/^old_/, '')),
      })
    : fields({
        renamed: Object.fromEntries(names.map((name) => [older(name), name])),
        ...(isRemoved && { removed: { nick: { schema: text, value: 'n' } } }),
      })
  return versionHistory('1').version('2', change('Names.', { User } as never))
}

/** Makes a value of a schema. It reads the schema as a client would, and shares nothing with the package. */
function sampleOf(schema: Json, document: Json, pick: () => number): unknown {
  const { $ref, allOf, anyOf, type, items } = schema
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const required = (schema.required ?? []) as string[]
  const inner = (one: Json) => sampleOf(one, document, pick)
  if (typeof $ref === 'string') return inner(schemaAt(document, $ref.slice(2)) as Json)
  const choices = anyOf as Json[] | undefined
  if (choices !== undefined) return inner(choices[pick() % choices.length] as Json)
  const own = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name) || pick() % 2 === 0)
      .map(([name, one]) => [name, inner(one)]),
  )
  if (allOf !== undefined) {
    const parts = (allOf as Json[]).map(inner)
    const needed = [schema, ...(allOf as Json[])].flatMap((part) => (part.required as string[]) ?? [])
    const all = Object.assign(own, ...parts)
    for (const name of needed) all[name] ??= 'needed'
    return all
  }
  if (type === 'array') return [inner(items as Json), inner(items as Json)]
  return type === 'string' ? 'x' : own
}

const schemaAt = (document: Json, pointer: string) =>
  pointer
    .split('/')
    .reduce<Json | undefined>((at, step) => at?.[step.replaceAll('~1', '/')] as Json | undefined, document)

let started = 0
let asked = 0
let served = 0
property(
  'each printed line is accepted as printed, and what is then served and sent is valid in both versions',
  fc.property(world, (made) => {
    const document = documentIn(made)
    const changes = changesIn(made)
    const optionsWith = (places: Places) => ({
      scheme: HeaderVersioning,
      defaultVersion: '1',
      changes,
      routes: routesOf(document, { places }),
    })
    let places: Places = {}
    let told = toldBy(() => versioning(optionsWith(places)))
    for (let round = 1; told.message !== 'starts'; round++) {
      const lines = Object.keys(told.places)
      // Without lines, the message says what in the document or the change would start it.
      if (lines.length === 0) {
        expect(told.message).toMatch(/cannot be converted|is in two schemas/)
        return
      }
      asked++
      expect({ told, again: lines.filter((line) => Object.hasOwn(places, line)) }).toMatchObject({ again: [] })
      expect(round).toBeLessThanOrEqual(3)
      places = { ...places, ...told.places }
      told = toldBy(() => versioning(optionsWith(places)))
    }
    started++
    const options = optionsWith(places)
    const bound = changes.for(options)
    const docs = openapi(options)
    const [older, newest] = ['1', '2'].map((version) => docs.document<Json>(version)) as [Json, Json]
    const [judgeOlder, judgeNewest] = [judgeOf(older), judgeOf(newest)]
    let at = 0
    const pick = () => made.picks[at++ % made.picks.length] as number
    for (const index of made.operations.keys()) {
      const name = `POST /${index}` as never
      const response = `~1${index}/post/responses/200/content/application~1json/schema`
      const body = `~1${index}/post/requestBody/content/application~1json/schema`
      const sent = sampleOf(schemaAt(newest, `paths/${response}`) as Json, newest, pick)
      judgeNewest(response, sent)
      const converted = converting(() => bound.response(name, sent, '1'))
      if (converted !== REJECTED) {
        judgeOlder(response, converted)
        served++
      }
      const written = schemaAt(older, `paths/${body}`)
      if (written === undefined) continue
      const given = sampleOf(written, older, pick)
      judgeOlder(body, given)
      const obeyed = converting(() => bound.request(name, given, '1'))
      if (obeyed === REJECTED) continue
      judgeNewest(body, obeyed)
      expect(JSON.stringify(obeyed)).not.toContain('old_')
    }
  }),
  () => {
    expect([started / RUNS > 0.3, asked / RUNS > 0.2, served / RUNS > 0.3]).toEqual([true, true, true])
  },
)

const REJECTED = Symbol('rejected')

/** Runs a conversion by hand. A value whose branch nobody tells is rejected. */
function converting(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    expect((error as Error).message).not.toContain('Cannot read')
    return REJECTED
  }
}
