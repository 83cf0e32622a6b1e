// Random pairs of documents: what a draft says to be complete means the same.
import { HeaderVersioning, versioning } from 'express-versioning'
import { draftHistory } from 'express-versioning/testing'
import fc from 'fast-check'
import { differencesOf } from '../../src/openapi/document-differences'
import { alone, type Document, drafted, givenBy, isComplete } from '../support/drafts'
import { property } from '../support/property'
import { catchWarnings } from '../support/warnings'
import { type Json, json, ref } from './api-documents'

/** Random choices (mulberry32), of which fast-check keeps the seed. */
class Draw {
  constructor(private state: number) {}

  /** Returns a number between 0 and 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  int(below: number): number {
    return Math.floor(this.next() * below)
  }

  of<Item>(list: readonly Item[]): Item {
    return list[this.int(list.length)] as Item
  }

  chance(share: number): boolean {
    return this.next() < share
  }
}

const NAMES = ['id', 'name', 'title', 'email', 'phone', 'tier', 'owner', 'tags', 'price', 'note', 'constructor', 'a-b']
const EXAMPLE = 'an example'
const SHAPES = ['User', 'Post', 'Money', 'Error']

function scalar(draw: Draw, isOld: boolean): Json {
  const schema: Json = draw.of([
    { type: 'string' },
    { type: 'string', minLength: draw.int(3) },
    { type: 'integer' },
    { type: 'boolean' },
    { type: 'string', enum: ['a', 'b', 'c'].slice(draw.int(2)) },
    { type: 'string', format: 'date-time' },
    { type: 'integer', default: draw.int(3) },
    { type: 'string', example: EXAMPLE },
  ])
  if (!draw.chance(0.15)) return schema
  if (isOld)
    return { ...schema, nullable: true, ...(schema.enum === undefined ? {} : { enum: [...(schema.enum as []), null] }) }
  return schema.enum === undefined ? { ...schema, type: [schema.type, 'null'] } : schema
}

function schemaOf(draw: Draw, isOld: boolean, depth = 0): Json {
  const kind = draw.int(depth > 1 ? 3 : 20)
  if (kind > 16) return ref(draw.of(SHAPES))
  if (kind > 13) return { type: 'array', items: schemaOf(draw, isOld, depth + 1) }
  if (kind === 13) return objectOf(draw, isOld, depth + 1)
  if (kind === 12) return { allOf: [ref(draw.of(SHAPES))] }
  return scalar(draw, isOld)
}

function objectOf(draw: Draw, isOld: boolean, depth = 0): Json {
  // Objects without a name must not look like those that have one.
  const names = NAMES.filter(() => draw.chance(0.35)).map((name) => (depth === 0 ? name : `inner_${name}`))
  const required = names.filter(() => draw.chance(0.5))
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(draw, isOld, depth)])),
    ...(required.length === 0 ? {} : { required }),
    ...(draw.chance(0.05) ? { additionalProperties: false } : {}),
  }
}

function bodyOf(draw: Draw, isOld: boolean): Json {
  const kind = draw.int(10)
  if (kind < 6) return ref(draw.of(SHAPES))
  if (kind < 8) return { type: 'array', items: ref(draw.of(SHAPES)) }
  return objectOf(draw, isOld, 1)
}

function operationOf(draw: Draw, method: string, isOld: boolean, path: string): Json {
  const response = draw.chance(0.1) ? {} : json(bodyOf(draw, isOld))
  const parameters = ['page', 'limit', 'sort']
    .filter(() => draw.chance(0.3))
    .map((name) => ({ name, in: 'query', required: draw.chance(0.2), schema: scalar(draw, isOld) }))
  const hasBody = method !== 'get' && method !== 'delete'
  const id = path.replace(/\W/g, '_')
  return {
    ...draw.of([
      {},
      { operationId: `${method}${id}` },
      { operationId: `Controller${id}Controller_${method}` },
      { operationId: `read${id}_${method}` },
    ]),
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: { required: true, ...json(bodyOf(draw, isOld)) } }),
    responses: {
      [method === 'post' ? 201 : 200]: { description: 'Done.', ...response },
      ...(draw.chance(0.5) ? { 404: { description: 'None.', ...json(ref('Error')) } } : {}),
    },
  }
}

function pathsOf(draw: Draw, isOld: boolean): Json {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const items = ['/users', '/users/{id}', '/posts', '/posts/{id}/notes', '/users/me'].filter(() => draw.chance(0.6))
  return Object.fromEntries(
    items.map((path) => {
      const methods = ['get', 'post', 'put', 'patch', 'delete'].filter(() => draw.chance(0.4))
      const own = methods.map((method) => [method, operationOf(draw, method, isOld, path)])
      return [path, { ...(path.includes('{') ? { parameters: [id] } : {}), ...Object.fromEntries(own) }]
    }),
  )
}

function documentOf(draw: Draw): Json {
  const isOld = draw.chance(0.5)
  const schemas = Object.fromEntries(SHAPES.map((name) => [name, objectOf(draw, isOld)]))
  return {
    openapi: isOld ? '3.0.3' : '3.1.0',
    info: { title: 'API', version: '1.0.0' },
    servers: [{ url: 'https://example.com/1.0.0' }],
    paths: pathsOf(draw, isOld),
    components: { schemas },
  }
}

type Shape = { properties: Json; required?: string[]; [key: string]: unknown }
/** Makes a later document by what teams do. */
function edited(document: Json, draw: Draw, version: string): Json {
  const copy = structuredClone(document) as Json & { info: Json; paths: Json; components: { schemas: Json } }
  copy.info.version = version
  copy.servers = [{ url: `https://example.com/${version}` }]
  const isOld = String(copy.openapi).startsWith('3.0')
  const { schemas } = copy.components
  const one = () => draw.of(Object.values(schemas)) as Shape
  const operations = () =>
    Object.values(copy.paths).flatMap((item) => Object.entries(item as Json).filter(([key]) => key !== 'parameters'))
  const named = (shape: Shape) => draw.of([...Object.keys(shape.properties), 'id'])
  const free = (shape: Shape) => draw.of(NAMES.filter((name) => !Object.hasOwn(shape.properties, name)))
  const forget = (shape: Shape, name: string) => {
    delete shape.properties[name]
    if (shape.required !== undefined) shape.required = shape.required.filter((other) => other !== name)
  }
  const demand = (shape: Shape, name: string) => {
    shape.required = [...(shape.required ?? []), name]
  }
  /** Edits a property of a shape, if it has the property. */
  const change = (edit: (shape: Shape, name: string) => unknown) => () => {
    const shape = one()
    const name = named(shape)
    if (Object.hasOwn(shape.properties, name)) edit(shape, name)
  }
  const edits: readonly (() => unknown)[] = [
    change((shape, from) => {
      const to = free(shape)
      shape.properties[to] = shape.properties[from]
      if (shape.required?.includes(from)) demand(shape, to)
      forget(shape, from)
    }),
    change(forget),
    () => {
      const shape = one()
      const name = free(shape)
      shape.properties[name] = schemaOf(draw, isOld, 1)
      if (draw.chance(0.4)) demand(shape, name)
    },
    change((shape, name) => Object.assign(shape.properties, { [name]: schemaOf(draw, isOld, 1) })),
    () => {
      for (const schema of Object.values(one().properties) as Json[]) {
        if (Array.isArray(schema.enum)) schema.enum = draw.of([['a', 'b', 'c'], ['a'], ['a', 'x'], ['b', 'c', 'd']])
      }
    },
    () => {
      const shape = one()
      const names = Object.keys(shape.properties).filter(() => draw.chance(0.5))
      if (names.length > 0) shape.required = names
    },
    () => {
      const shape = one()
      const inner = Object.keys(shape.properties).filter(() => draw.chance(0.4))
      if (inner.length === 0) return
      const required = inner.filter((name) => shape.required?.includes(name))
      const properties = Object.fromEntries(inner.map((name) => [name, shape.properties[name]]))
      for (const name of inner) forget(shape, name)
      const name = free(shape)
      shape.properties[name] = { type: 'object', properties, ...(required.length > 0 && { required }) }
      if (required.length > 0) demand(shape, name)
    },
    change(({ properties }, name) => Object.assign(properties, { [name]: { type: 'array', items: properties[name] } })),
    () => {
      for (const [path, own] of Object.entries(pathsOf(draw, isOld)).slice(0, 1)) copy.paths[path] ??= own
    },
    () => {
      const path = draw.of([...Object.keys(copy.paths), '/users'])
      if (draw.chance(0.5)) delete copy.paths[path]
      else delete (copy.paths[path] as Json | undefined)?.[draw.of(['get', 'post'])]
    },
    () => {
      for (const [method, own] of operations()) {
        const { responses } = own as { responses: Json }
        if (method !== 'post' || responses[201] === undefined || draw.chance(0.5)) continue
        responses[200] = responses[201]
        delete responses[201]
      }
    },
    () => {
      const found = operations()
      if (found.length === 0) return
      const [method, own] = draw.of(found)
      Object.assign(own as Json, operationOf(draw, method, isOld, '/other'))
    },
    () => {
      schemas.Extra = objectOf(draw, isOld)
      const shape = one()
      shape.properties[free(shape)] = ref('Extra')
    },
    // A segment gets another name, in one path or in all, with the names that frameworks make of it or without them.
    () => {
      const path = draw.of([...Object.keys(copy.paths), '/users'])
      const from = draw.of(path.split('/').filter((segment) => /^\w/.test(segment)))
      const [to, isEverywhere, isMade] = [draw.of(['people', 'things', 'users']), draw.chance(0.5), draw.chance(0.5)]
      const moved = Object.entries(copy.paths).map(([key, item]): [string, unknown] => {
        const other = isEverywhere || key === path ? key.replace(`/${from}`, `/${to}`) : key
        const isTaken = other !== key && Object.hasOwn(copy.paths, other)
        if (isTaken || !isMade) return [isTaken ? key : other, item]
        const [was, is] = [key, other].map((one) => one.replace(/\W/g, '_')) as [string, string]
        return [other, JSON.parse(JSON.stringify(item).replaceAll(`read${was}_`, `read${is}_`))]
      })
      copy.paths = Object.fromEntries(moved)
    },
    () => {
      const name = draw.of(SHAPES)
      const text = JSON.stringify(copy.paths).replaceAll(`"${ref(name).$ref}"`, `"${ref('Renamed').$ref}"`)
      copy.paths = JSON.parse(text)
      schemas.Renamed ??= structuredClone(schemas[name])
    },
  ]
  for (let count = draw.int(4); count >= 0; count--) draw.of(edits)()
  return copy
}

/** Returns a document without servers, and without the names of operations that frameworks made. */
function comparable(document: object): unknown {
  const isMade = (key: string, value: unknown) => key === 'operationId' && /Controller_|^read_/.test(String(value))
  return JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'servers' || isMade(key, value) ? undefined : value)),
  )
}

/** Returns the number of parts that `versioning()` asks for in a draft. */
function todosOf({ history, tableOf }: ReturnType<typeof drafted>, documents: readonly Document[]): number {
  const newest = documents.at(-1) as Document
  const routes = tableOf(documents)
  try {
    versioning({ scheme: HeaderVersioning, defaultVersion: newest.info.version, changes: history, routes })
    return 0
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    const [, count, list = ''] =
      /^versioning\(\): the changes have (\d+) todo\(\)[^\n]*\n(.*)$/s.exec((error as Error).message) ?? []
    expect(list.split('\n- ')).toHaveLength(Number(count))
    return Number(count)
  }
}

// Drafts are bound to their table as an app binds them.
catchWarnings()

const totals = { drafts: 0, compared: 0, complete: 0, moved: 0 }

property(
  'the documents of a complete draft mean the same as the given ones',
  fc.property(fc.noShrink(fc.integer()), (seed) => {
    const draw = new Draw(seed)
    const documents = [documentOf(draw)]
    for (let count = 1 + draw.int(2); count > 0; count--) {
      documents.push(edited(documents.at(-1) as Json, draw, `${documents.length + 1}.0.0`))
    }
    const all = documents as unknown as Document[]
    const text = draftHistory(all)
    totals.drafts++
    const isAllRead = !/^\/\/ - /m.test(text)
    expect(isComplete(text)).toBe(isAllRead && !text.includes('todo('))
    const module = drafted(text)
    if (!isAllRead) return
    totals.compared++
    totals.moved += Number(/^ *path: '/m.test(text))
    expect(text.replaceAll(`example: '${EXAMPLE}'`, '')).not.toContain(EXAMPLE)
    expect(todosOf(module, all)).toBe(text.match(/todo\('/g)?.length ?? 0)
    totals.complete += Number(isComplete(text) && text.includes('change('))
    for (const given of all.slice(0, -1)) {
      const [before, after] = [alone(given, module), givenBy(module, all, given.info.version)].map(comparable)
      expect(differencesOf(before, after)).toEqual([])
    }
  }),
  () => {
    expect(totals.complete).toBeGreaterThan(totals.drafts * 0.05)
    expect(totals.compared).toBeGreaterThan(totals.drafts * 0.3)
    expect(totals.moved).toBeGreaterThan(totals.drafts * 0.02)
  },
)
