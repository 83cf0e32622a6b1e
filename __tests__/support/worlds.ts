// Random documents as teams write them, with random changes of their users.
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { documentOf } from './documents'
import { json, list, object, ref, text } from './parts'

type Json = Record<string, unknown>

const OF_USER = ['id', 'given', 'family', 'email', 'role', 'town']
const OTHERS = ['password', 'terms', 'page']
const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text]))

const namesOf = (all: readonly string[]) => fc.subarray([...all], { minLength: 1 })
/** An object with some properties of a user, and some of its own. */
const copy = fc
  .record({ names: namesOf(OF_USER), more: fc.subarray(OTHERS), isStrict: fc.boolean() })
  .map(({ names, more, isStrict }) => object(named([...names, ...more]), ...(isStrict ? [...names, ...more] : [])))
/** A user, a component that was made of it, a DTO of its own, a union, or a copy that is written in its place. */
const thing = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ref('User'), ref('Dto'), ref('Other'), ref('Derived')) },
  { weight: 1, arbitrary: fc.constantFrom(ref('Heir'), ref('Party')) },
  { weight: 2, arbitrary: copy },
)
const whole = fc.oneof(
  { weight: 4, arbitrary: thing },
  { weight: 2, arbitrary: thing.map(list) },
  { weight: 2, arbitrary: thing.map((data) => object({ data }, 'data')) },
  { weight: 1, arbitrary: thing.map((items) => object({ items: list(items), page: text }, 'items')) },
  { weight: 1, arbitrary: fc.tuple(thing, thing).map((anyOf) => ({ anyOf })) },
  { weight: 1, arbitrary: copy.map((part) => ({ allOf: [ref('User'), part] })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('Dto', 'Other', 'Derived').map((name) => ({ allOf: [ref('User'), ref(name)] })),
  },
  // A property in two parts: an envelope, and a part that types it.
  {
    weight: 1,
    arbitrary: thing.map((data) => ({ allOf: [object({ data: { type: 'object' }, page: text }), object({ data })] })),
  },
  {
    weight: 1,
    arbitrary: thing.map((one) => ({
      allOf: [object({ data: list(one) }), object({ data: list(one), page: text }, 'data')],
    })),
  },
  { weight: 1, arbitrary: copy.map((part) => ({ allOf: [part, { required: part.required ?? [] }] })) },
)
/** The objects that queries have: several parameters, or `filter[name]`. */
const filter = fc.record({
  schema: fc.oneof(fc.constantFrom(ref('User'), ref('Dto'), ref('Heir')), copy),
  written: fc.constantFrom(
    { style: 'form' },
    { style: 'deepObject' },
    { style: 'deepObject', explode: true },
    { style: 'form', explode: false },
    { style: 'json' },
  ),
})
const operation = fc.record({
  response: whole,
  /** The second media type: none, the same schema, or another one. */
  second: fc.constantFrom('none', 'none', 'same', 'other'),
  other: whole,
  /** Another success, and an error. */
  accepted: fc.option(whole, { freq: 4 }),
  error: fc.option(whole, { freq: 12 }),
  body: fc.option(whole),
  query: fc.option(namesOf(OF_USER)),
  filter: fc.option(filter, { freq: 3 }),
})
export const world = fc.record({
  user: fc.constantFrom(OF_USER, OF_USER.slice(0, 4), OF_USER.slice(0, 3)),
  dto: copy,
  other: copy,
  /** A component as Nest makes it of a class. */
  derived: fc.record({
    kind: fc.constantFrom('pick', 'omit', 'partial', 'intersection'),
    names: namesOf(OF_USER),
  }),
  heir: copy,
  /** The kinds of a union, whose older one may have fewer. */
  party: fc.record({ isTold: fc.boolean(), isOlder: fc.boolean() }),
  operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
  renamed: fc.subarray(['given', 'family'], { minLength: 1 }),
  isRemoved: fc.boolean(),
  // Steps convert whole values, so parts of objects are no places for them.
  isStep: fc.nat(4).map((one) => one === 0),
  isTwice: fc.boolean(),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
})
export type World = typeof world extends fc.Arbitrary<infer Made> ? Made : never

/** Makes a component of a user: PickType, OmitType, PartialType, and IntersectionType with a class of two properties. */
function derivedOf({ kind, names }: World['derived'], user: readonly string[]) {
  if (kind === 'partial') return object(named(user))
  if (kind === 'intersection') return object(named([...user, 'password', 'terms']), 'id', 'password')
  const kept = user.filter((name) => names.includes(name) === (kind === 'pick'))
  return object(named(kept), ...kept.filter((name) => name === 'id'))
}

const unionOf = ({ isTold }: World['party'], ...names: string[]) => ({ [isTold ? 'oneOf' : 'anyOf']: names.map(ref) })

type Filter = NonNullable<World['operations'][number]['filter']>

/** Tells whether the properties of a filter are parameters of their own. */
export const isExploded = ({ written }: Filter) => written.style === 'form' && !('explode' in written)

/** Tells whether a filter is one string. */
export const isText = ({ written }: Filter) =>
  written.style === 'json' || (written.style === 'form' && 'explode' in written)

const parameterOf = ({ schema, written }: Filter) =>
  written.style === 'json'
    ? { name: 'filter', in: 'query', content: json(schema) }
    : { name: 'filter', in: 'query', schema, ...written }

export function documentIn({ user, dto, other, derived, heir, party, operations }: World) {
  const kind = (name: string) => (party.isTold ? { properties: { kind: { const: name } }, required: ['kind'] } : {})
  const Bot = { ...object({ ...kind('bot').properties, model: text }), required: kind('bot').required ?? [] }
  const Group = { ...object({ ...kind('group').properties, members: text }), required: kind('group').required ?? [] }
  const schemas = {
    User: object(named(user), 'id'),
    Dto: dto,
    Other: other,
    Derived: derivedOf(derived, user),
    Heir: { allOf: [ref('User'), heir] },
    Bot,
    Group,
    Party: unionOf(party, 'User', 'Bot', 'Group'),
  }
  const paths = operations.map((one, at) => {
    const { response, second, other, accepted, error, body, query, filter } = one
    const same = second === 'same' ? { ...response, description: 'The same.' } : other
    const content = { ...json(response), ...(second !== 'none' && { 'text/json': { schema: same } }) }
    const parameters = [
      ...(filter === null ? [] : [parameterOf(filter)]),
      ...(filter !== null && isExploded(filter) ? [] : (query ?? [])).map((name) => ({
        name,
        in: 'query',
        schema: text,
      })),
    ]
    const requestBody = body === null ? {} : { requestBody: { required: true, content: json(body) } }
    const said = (schema: unknown) => ({ description: 'Said.', content: json(schema) })
    const responses = {
      200: { description: 'OK', content },
      ...(accepted !== null && { 202: said(accepted) }),
      ...(error !== null && { 404: said(error) }),
    }
    return [`/${at}`, { post: { parameters, ...requestBody, responses } }]
  })
  return documentOf(Object.fromEntries(paths), { schemas })
}

/** Users of version 1 have other names, which may be a step; and may have a `nick`. A later version may rename again. */
export function changesIn({ user, renamed, isRemoved, isStep, party, isTwice }: World) {
  const names = renamed.filter((name) => user.includes(name))
  const older = (name: string) => (names.includes(name) ? `old_${name}` : name)
  const entriesOf = (value: object, rename: (name: string) => string) =>
    Object.fromEntries(Object.entries(value).map(([name, one]) => [rename(name), one]))
  const User = isStep
    ? shape<Json, Json>(object(named(user.map(older)), 'id'), {
        response: (value) => entriesOf(value as object, older),
        request: (value) => entriesOf(value, (name) => name.replace(/^old_/, '')),
      })
    : fields({
        renamed: Object.fromEntries(names.map((name) => [older(name), name])),
        ...(isRemoved && { removed: { nick: { schema: text, value: 'n' } } }),
      })
  const isGroup = (one: Json) => 'members' in one || one.kind === 'group'
  const Party = shape<Json, Json>(unionOf(party, 'User', 'Bot'), {
    // There were no groups.
    response: (one) => (isGroup(one as Json) ? { ...(party.isTold && { kind: 'bot' }) } : (one as Json)),
    request: (one) => one,
  })
  const again = fields({ renamed: { [`old_${older(user[0] as string)}`]: older(user[0] as string) } })
  const start = isTwice ? versionHistory('0').version('1', change('Again.', { User: again })) : versionHistory('1')
  return start.version('2', change('Names.', { User, ...(party.isOlder && { Party }) } as never) as never)
}

/** What schemas say together of one value. */
interface Said {
  type: unknown
  value: unknown
  readonly properties: Map<string, Json[]>
  readonly required: Set<string>
  readonly items: Json[]
}

/** Makes a value of a schema. It reads the schema as a client would, and shares nothing with the package. */
export function sampleOf(schema: Json, document: Json, pick: () => number): unknown {
  const said: Said = { type: undefined, value: undefined, properties: new Map(), required: new Set(), items: [] }
  const read = ({
    $ref,
    allOf = [],
    anyOf,
    oneOf,
    type,
    const: value,
    properties = {},
    required = [],
    items,
  }: Json) => {
    said.type ??= type
    said.value ??= value
    for (const name of required as string[]) said.required.add(name)
    for (const [name, one] of Object.entries(properties as Json)) {
      said.properties.set(name, [...(said.properties.get(name) ?? []), one as Json])
    }
    if (items !== undefined) said.items.push(items as Json)
    if (typeof $ref === 'string') read(schemaAt(document, $ref.slice(2)) as Json)
    for (const part of allOf as Json[]) read(part)
    const choices = (anyOf ?? oneOf) as Json[] | undefined
    if (choices !== undefined) read(choices[pick() % choices.length] as Json)
  }
  read(schema)
  const inner = (allOf: Json[]) => sampleOf({ allOf }, document, pick)
  if (said.value !== undefined) return said.value
  if (said.type === 'array') return [inner(said.items), inner(said.items)]
  if (said.type === 'string') return 'x'
  const needed = [...said.required].filter((name) => !said.properties.has(name)).map((name) => [name, 'needed'])
  const own = [...said.properties].filter(([name]) => said.required.has(name) || pick() % 2 === 0)
  return Object.fromEntries([...own.map(([name, all]) => [name, inner(all)]), ...needed])
}

export const schemaAt = (document: Json, pointer: string) =>
  pointer
    .split('/')
    .reduce<Json | undefined>((at, step) => at?.[step.replaceAll('~1', '/')] as Json | undefined, document)
