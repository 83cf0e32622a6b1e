// Random tables of changes against a model that rewrites one property after the other. Ajv holds the results against documents.
import { Ajv2020 } from 'ajv/dist/2020'
import { HeaderVersioning, namedRoutes } from 'express-versioning'
import { change, type FieldChanges, fields } from 'express-versioning/changes'
import { type OpenApiOperation, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { historyOf } from '../support/changes'
import { property } from '../support/property'

type Json = Record<string, unknown>
type Make = fc.GeneratorValue
interface Property {
  kind: 'text' | 'number' | 'choice' | 'object' | 'list'
  isRequired: boolean
  isNullable?: boolean
  choices?: string[]
  properties?: Shape
  /** The items of a list. */
  item?: Property
  mayBeEmpty?: boolean
  /** The optional properties that must be there if this one is. */
  needs?: string[]
}
type Shape = Map<string, Property>

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'toString']
const schemaOf = ({ kind, choices, properties, isNullable, item }: Property): Json => {
  const plain = {
    text: { type: 'string' },
    number: { type: 'number' },
    choice: { enum: choices },
    object: properties && objectOf(properties),
    list: item && { type: 'array', items: schemaOf(item) },
  }[kind] as Json
  return isNullable ? { anyOf: [plain, { type: 'null' }] } : plain
}
const objectOf = (shape: Shape): Json => {
  const required = [...shape].filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  const properties = Object.fromEntries([...shape].map(([name, property]) => [name, schemaOf(property)]))
  const needs = [...shape].flatMap(([name, { needs = [] }]) => (needs.length === 0 ? [] : [[name, needs] as const]))
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(needs.length === 0 ? {} : { dependentRequired: Object.fromEntries(needs) }),
  }
}
const valueIn = (make: Make, { kind, choices, properties, isNullable, item, mayBeEmpty }: Property): unknown => {
  if (isNullable && make(fc.boolean)) return null
  if (item) {
    const length = make(fc.integer, { min: mayBeEmpty ? 0 : 1, max: 2 })
    return Array.from({ length }, () => valueIn(make, item))
  }
  if (kind === 'text') return make(fc.string)
  if (kind === 'number') return make(fc.nat)
  return kind === 'choice' ? make(fc.constantFrom, ...(choices as string[])) : recordOf(make, properties as Shape)
}
const recordOf = (make: Make, shape: Shape): Json => {
  const chosen = [...shape].filter(([, { isRequired }]) => isRequired || make(fc.boolean))
  const names = chosen.map(([name]) => name)
  const whole = chosen.filter(([, { needs = [] }]) => needs.every((name) => names.includes(name)))
  return Object.fromEntries(whole.map(([name, property]) => [name, valueIn(make, property)]))
}

/** Makes the newest shape. `isPatch`: it requires nothing. */
function shapeOf(make: Make, isPatch: boolean): Shape {
  const names = make(fc.shuffledSubarray, NAMES.slice(0, 6), { minLength: 2, maxLength: 5 })
  const flip = () => make(fc.boolean)
  const text = (): Property => ({ kind: 'text', isRequired: flip() })
  const choices = ['x', 'y', 'z']
  return new Map(
    names.map((name): [string, Property] => {
      const item = { kind: 'text', choices, isRequired: false, isNullable: flip(), ...(flip() && { kind: 'choice' }) }
      const kinds = {
        text: {},
        number: {},
        choice: { choices },
        object: { isNullable: flip(), properties: new Map(['one', 'two', 'three'].map((one) => [name + one, text()])) },
        list: { item: item as Property, isNullable: flip(), mayBeEmpty: flip() },
      }
      const kind: keyof typeof kinds = make(fc.constantFrom, ...(Object.keys(kinds) as (keyof typeof kinds)[]))
      return [name, { kind, isRequired: !isPatch && flip(), ...kinds[kind] }]
    }),
  )
}

interface Step {
  newer: Shape
  /** The shape between the last five options and the others. */
  middle: Shape
  older: Shape
  given: { [Option in keyof FieldChanges]-?: Exclude<FieldChanges[Option], readonly string[] | undefined> }
}

/** Makes a change that ends in a shape, and the shape before it. */
function changeOf(make: Make, newer: Shape): Step {
  const given: Step['given'] = {
    ...{ removed: {}, renamed: {}, added: {}, values: {}, converted: {}, nested: {} },
    ...{ required: {}, optional: {}, renamedValues: {}, removedValues: {}, listed: {} },
  }
  const is = () => make(fc.integer, { min: 0, max: 2 }) === 0
  const define = (of: object, name: string, value: unknown) =>
    Object.defineProperty(of, name, { value, enumerable: true, configurable: true, writable: true })
  const middle: Shape = new Map()
  const isPartial = isPartialOf(newer)
  const taken = new Set(newer.keys())
  /** The names of which the last five options speak. */
  const said = new Set<string>()
  for (const [newest, newestProperty] of newer) {
    let [name, property] = [newest, newestProperty]
    const { item } = property
    const isNull = property.isNullable === true || item?.isNullable === true
    if (item && is() && !(property.isRequired && property.mayBeEmpty && !isNull)) {
      const free = make(fc.boolean) ? NAMES.find((one) => !taken.has(one)) : undefined
      name = free ?? name
      taken.add(name)
      define(given.listed, name, newest)
      property = { ...item, isRequired: property.isRequired, isNullable: isNull }
      said.add(name)
    }
    const { kind, choices = [] } = property
    if (kind === 'choice' && is()) {
      const value = `${choices.length}r`
      define(given.removedValues, name, { [value]: make(fc.constantFrom, ...choices) })
      property = { ...property, choices: [...choices, value] }
      said.add(name)
    }
    if (kind === 'choice' && is()) {
      const [one, other] = property.choices as [string, string]
      const isSwap = other !== undefined && make(fc.boolean)
      const older: Names = { [one]: isSwap ? other : `${one}n`, ...(isSwap && { [other]: one }) }
      define(given.renamedValues, name, backOf(older))
      property = { ...property, choices: property.choices?.map((choice) => older[choice] ?? choice) ?? [] }
      said.add(name)
    }
    const made = valueIn(make, property)
    const value = make(fc.boolean) ? made : () => made
    if (!property.isRequired && !property.needs?.length && is()) {
      define(given.optional, name, value)
      property = { ...property, isRequired: !isPartial }
      said.add(name)
    } else if ((property.isRequired || isPartial) && is()) {
      define(given.required, name, value)
      property = { ...property, isRequired: false }
      said.add(name)
    }
    middle.set(name, property)
  }
  for (const [name, property] of middle) {
    const isKept = (one: string) =>
      middle.get(one)?.isRequired === false && (isPartial || !Object.hasOwn(given.required, one))
    if (property.needs) middle.set(name, { ...property, needs: property.needs.filter(isKept) })
  }
  let older: Shape = new Map()
  for (const [name, property] of middle) {
    const { kind, isRequired, isNullable, properties = new Map<string, Property>() } = property
    if (kind !== 'object' || !is()) older.set(name, property)
    else {
      define(given.nested, name, make(fc.shuffledSubarray, [...properties.keys()], { minLength: properties.size }))
      for (const [inner, one] of properties) {
        const needs = [...properties].flatMap(([other, { isRequired: isNeeded }]) =>
          isNeeded && other !== inner && !(isRequired && !isNullable) ? [other] : [],
        )
        older.set(inner, { ...one, isRequired: isRequired && !isNullable && one.isRequired, needs })
      }
    }
  }
  const changed = new Set<string>()
  for (const [name, property] of [...older]) {
    const { kind, choices = [] } = property
    const before = older.get(name)
    if (kind === 'text' && !property.isNullable && is()) {
      const response = (value: string) => value.length
      const request = (value: number) => `#${value}`
      define(given.converted, name, { schema: { type: 'number' }, response, request })
      older.set(name, { ...property, kind: 'number' })
    } else if (kind === 'choice' && choices.length > 1 && is()) {
      define(given.values, name, { [choices.at(-1) as string]: choices[0] })
      older.set(name, { ...property, choices: choices.slice(0, -1) })
    }
    if (older.get(name) !== before) changed.add(name)
  }
  for (const [name, property] of [...older]) {
    if (!is() || changed.has(name) || said.has(name)) continue
    const isNeeded = property.isRequired || [...older.values()].some(({ needs }) => needs?.includes(name))
    define(given.added, name, isNeeded || make(fc.boolean) ? valueIn(make, property) : undefined)
    older.delete(name)
    for (const [other, one] of older) {
      if (one.needs) older.set(other, { ...one, needs: one.needs.filter((needed) => needed !== name) })
    }
  }
  const names = [...older.keys()]
  const moved = names.filter(is)
  const free = [...NAMES.filter((name) => !older.has(name)), ...moved]
  const targets = make(fc.shuffledSubarray, free, { minLength: moved.length, maxLength: moved.length })
  const olderNames = new Map(moved.map((name, index) => [name, targets[index] as string]))
  for (const [to, from] of olderNames) define(given.renamed, from, to)
  const olderName = (name: string) => olderNames.get(name) ?? name
  older = new Map(
    [...older].map(([name, property]) => [
      olderName(name),
      property.needs ? { ...property, needs: property.needs.map(olderName) } : property,
    ]),
  )
  for (const name of NAMES.filter((one) => !older.has(one) && is()).slice(0, 1)) {
    const [optional, isMade] = [make(fc.boolean), make(fc.boolean)]
    const value = isMade ? (of: Json) => Object.keys(of).sort().join() : 'gone'
    define(given.removed, name, { schema: { type: 'string' }, value, optional })
    older.set(name, { kind: 'text', isRequired: !optional && !isPartial })
  }
  if (Object.values(given).every((of) => Object.keys(of).length === 0))
    define(given.removed, 'g', { schema: { type: 'string' }, value: 'g', optional: true })
  if (Object.hasOwn(given.removed, 'g')) older.set('g', { kind: 'text', isRequired: false })
  return { newer, middle, older, given }
}

function isPartialOf(shape: Shape): boolean {
  return [...shape.values()].every(({ isRequired }) => !isRequired)
}

/** The model: one option after the other, on a list of properties. */
type Entries = Map<string, unknown>
type Names = { readonly [from: string]: string }
const only = (entries: Entries, own: Shape, others: Shape): Entries =>
  new Map([...entries].filter(([name]) => own.has(name) || !others.has(name)))
const call = (step: unknown, value: unknown) => (step as (value: unknown) => unknown)(value)

const madeOf = (said: unknown, whole: Json) => (typeof said === 'function' ? call(said, whole) : said)
const renamedIn = (now: Entries, names: Names): Entries => {
  const to = new Map(Object.entries(names))
  return new Map([...now].map(([name, one]) => [to.get(name) ?? name, one]))
}
const backOf = (names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([older, newer]) => [newer, older]))

function modelOlder({ newer, middle, older, given }: Step, value: Json): Json {
  let now = only(new Map(Object.entries(value)), newer, older)
  now = renamedIn(now, backOf(given.listed))
  for (const name of Object.keys(given.listed)) {
    const list = now.get(name) as unknown[] | null | undefined
    if (list?.length) now.set(name, list[0])
    else if (list && !middle.get(name)?.isNullable) now.delete(name)
    else if (list) now.set(name, null)
  }
  for (const [name, values] of Object.entries(given.renamedValues)) {
    const found = Object.entries(values).find(([, to]) => to === now.get(name))
    if (found) now.set(name, found[0])
  }
  for (const [name, said] of Object.entries(given.optional)) if (!now.has(name)) now.set(name, madeOf(said, value))
  for (const [name, properties] of Object.entries(given.nested)) {
    const inner = now.get(name)
    now.delete(name)
    for (const property of properties) {
      if (inner && Object.hasOwn(inner, property)) now.set(property, (inner as Json)[property])
    }
  }
  for (const [name, { response }] of Object.entries(given.converted)) {
    if (now.has(name)) now.set(name, call(response, now.get(name)))
  }
  for (const [name, values] of Object.entries(given.values)) {
    if (now.has(name))
      now.set(name, Object.entries(values).find(([from]) => from === now.get(name))?.[1] ?? now.get(name))
  }
  for (const name of Object.keys(given.added)) now.delete(name)
  now = renamedIn(now, backOf(given.renamed))
  for (const [name, { value: said }] of Object.entries(given.removed)) now.set(name, madeOf(said, value))
  return Object.fromEntries(now)
}

function modelNewer({ newer, middle, older, given }: Step, value: Json): Json {
  let now = only(new Map(Object.entries(value)), older, newer)
  for (const name of Object.keys(given.removed)) now.delete(name)
  now = renamedIn(now, given.renamed)
  const sent = new Set(now.keys())
  for (const [name, said] of Object.entries(given.added)) {
    if (isNeeded(name, middle, given.nested, sent)) now.set(name, said)
  }
  for (const [name, { request }] of Object.entries(given.converted)) {
    if (now.has(name)) now.set(name, call(request, now.get(name)))
  }
  for (const [name, properties] of Object.entries(given.nested)) {
    const found = properties.filter((property) => now.has(property))
    const inner = Object.fromEntries(found.map((property) => [property, now.get(property)]))
    for (const property of properties) now.delete(property)
    const { isRequired, isNullable } = middle.get(name) as Property
    if (found.length > 0) now.set(name, inner)
    else if (isRequired) now.set(name, isNullable ? null : {})
  }
  for (const [name, said] of Object.entries(given.required)) {
    if (!now.has(name) && !isPartialOf(newer)) now.set(name, madeOf(said, value))
  }
  for (const values of [given.renamedValues, given.removedValues]) {
    for (const [name, of] of Object.entries(values)) {
      const found = Object.entries(of).find(([from]) => from === now.get(name))
      if (found) now.set(name, found[1])
    }
  }
  for (const name of Object.keys(given.listed)) {
    if (now.has(name)) now.set(name, now.get(name) === null ? [] : [now.get(name)])
  }
  now = renamedIn(now, given.listed)
  return Object.fromEntries(now)
}

/** Tells whether a body must have an added property, behind `middle`. */
function isNeeded(name: string, middle: Shape, nested: Step['given']['nested'], sent: ReadonlySet<string>): boolean {
  const isThere = (one: string) => sent.has(one)
  const own = middle.get(name)
  if (own) return own.isRequired || [...middle].some(([other, { needs }]) => needs?.includes(name) && isThere(other))
  const [object, properties] = Object.entries(nested).find(([, names]) => names.includes(name)) as [string, string[]]
  const around = middle.get(object) as Property
  if (around.properties?.get(name)?.isRequired !== true) return false
  return (around.isRequired && !around.isNullable) || properties.some(isThere)
}

property(
  'fields() does what a model does, and both fit the documents of their versions',
  fc.property(fc.gen(), (make) => {
    const newest = shapeOf(make, make(fc.boolean))
    const steps: Step[] = []
    for (let count = make(fc.integer, { min: 1, max: 3 }); count > 0; count--) {
      steps.unshift(changeOf(make, steps[0]?.older ?? newest))
    }
    const routes = namedRoutes({ thing: '/things' })
    const schema = { $id: 'Thing', ...objectOf(newest) }
    routes.describe('POST thing', { body: schema, response: schema } as never)
    routes.route('thing').post(() => {})
    const history = historyOf(...steps.map(({ given }) => [change('X.', { Thing: fields(given) })]))
    const options = { scheme: HeaderVersioning, changes: history, routes }
    const byHand = history.for(options)
    const documents = openapi(options)
    // Only one version is judged because compiling takes most of the time.
    const judgedAt = make(fc.nat, steps.length - 1)
    for (const [at, version] of history.versions.slice(0, -1).entries()) {
      const behind = steps.slice(at)
      const own = behind[0]?.older as Shape
      /** Adds properties that only the other side of the change has. */
      const withOthers = (value: Json, names: Iterable<string>, described: Shape) => {
        const others = [...names].filter((name) => !described.has(name) && make(fc.boolean))
        return Object.fromEntries([...Object.entries(value), ...others.map((name) => [name, { odd: 1 }] as const)])
      }
      const given = recordOf(make, newest)
      const response = withOthers(given, behind.at(-1)?.older.keys() ?? [], newest)
      const older = byHand.response('POST thing', response, version) as Json
      expect(older).toEqual(behind.reduceRight((value, step) => modelOlder(step, value), response))
      const sent = recordOf(make, own)
      const body = withOthers(sent, behind[0]?.newer.keys() ?? [], own)
      const newer = byHand.request('POST thing', body, version) as Json
      expect(newer).toEqual(behind.reduce((value, step) => modelNewer(step, value), body))
      if (at !== judgedAt) continue
      const judge = judgeOf(documents.document(version), own)
      expect([judge(older), judge(sent)]).toEqual(['', ''])
      expect(judgeOf(documents.document(history.versions.at(-1) as string), newest)(newer)).toBe('')
    }
  }),
)

/** Makes a judge of values by the document of a version, which must say what the model's shape says. */
function judgeOf(document: object, shape: Shape) {
  const { components, paths } = JSON.parse(JSON.stringify(document))
  const { requestBody, responses } = paths['/things'].post as OpenApiOperation
  const { Thing } = components.schemas
  const sets = ({ required, dependentRequired = {}, ...said }: Json) => ({
    ...said,
    required: new Set(required as string[]),
    needs: new Map(Object.entries(dependentRequired as object).map(([name, names]) => [name, new Set(names)])),
  })
  expect(sets(Thing)).toEqual(sets(JSON.parse(JSON.stringify(objectOf(shape)))))
  expect(JSON.stringify([requestBody, responses?.['200']])).toContain('"#/components/schemas/Thing"')
  const ajv = new Ajv2020({ strict: false, ownProperties: true, validateSchema: false, meta: false })
  const validate = ajv.compile(Thing)
  return (value: unknown) => (validate(value) ? '' : ajv.errorsText(validate.errors))
}
