// Random histories of described APIs over HTTP. Ajv holds each response against the document of its version.
import { gzipSync } from 'node:zlib'
import express, { type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { type Change, change, events, type OperationChanges, shape } from 'express-versioning/changes'
import { type OpenApiDocuments, type OpenApiOperation, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { judgeOf } from '../support/ajv'
import { historyOf } from '../support/changes'
import { property } from '../support/property'
import { listen, type Served } from '../support/serve'

type Json = Record<string, unknown>
/** A schema as a user writes it, and a value of the newest version. */
type Body = { schema: Json; value: unknown }
type Generate = fc.GeneratorValue

const NAMES = ['Alpha', 'Beta', 'Gamma'] as const
type Name = (typeof NAMES)[number]
const SPELLINGS: readonly ((name: Name) => string)[] = [
  (name) => name,
  (name) => `${name}.json`,
  (name) => `https://shop.example/schemas/${name}`,
  (name) => `https://shop.example/${name}.json#`,
  (name) => `#/components/schemas/${name}`,
]
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  '200': [200],
  '201': [201],
  '302': [302],
  '404': [404],
  '409': [409],
  '4XX': [400, 422],
  '5XX': [500, 503],
  default: [303],
}
const WAYS: readonly ((json: string) => RequestHandler)[] = [
  (json) => (_req, res) => void res.json(JSON.parse(json)),
  (json) => (_req, res) => void (json === 'null' ? res.json(null) : res.send(JSON.parse(json))),
  (json) => (_req, res) => void res.type('json').send(json),
  (json) => (_req, res) => void res.type('application/problem+json').end(Buffer.from(json)),
  (json) => (_req, res) => {
    res.writeHead(res.statusCode, { 'Content-Type': 'application/json', ETag: '"own"' })
    for (const letter of json) res.write(letter)
    res.end()
  },
  (json) => (_req, res) =>
    void res.set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(gzipSync(json)),
]

/** A world of three shapes, each with a string whose name changes from version to version, and perhaps another shape within. */
class World {
  readonly versions: number
  /** The name of the text by version. */
  readonly #fields: Record<Name, string[]>
  readonly #within: Partial<Record<Name, Name>> = {}
  readonly #isNullable: Partial<Record<Name, boolean>> = {}

  constructor(private readonly make: Generate) {
    this.versions = make(fc.integer, { min: 2, max: 4 })
    const flip = () => make(fc.boolean)
    const namesOf = (name: Name) => {
      const fields = [`${name.toLowerCase()}0`]
      for (let at = 1; at < this.versions; at++)
        fields.push(flip() ? `${name.toLowerCase()}${at}` : (fields[at - 1] as string))
      return fields
    }
    this.#fields = { Alpha: namesOf('Alpha'), Beta: namesOf('Beta'), Gamma: namesOf('Gamma') }
    for (const name of NAMES) {
      if (flip()) this.#within[name] = make(fc.constantFrom, ...NAMES)
      this.#isNullable[name] = flip()
    }
  }

  schema(name: Name, at = this.versions - 1): Json {
    const [field, within] = [this.#fields[name][at] as string, this.#within[name]]
    const inner = { $ref: within }
    const of = within && { of: this.#isNullable[name] ? { anyOf: [inner, { type: 'null' }] } : inner }
    const properties = { is: { const: name }, [field]: { type: 'string' }, ...of }
    return { type: 'object', properties, required: ['is', field], additionalProperties: false }
  }

  value(name: Name, depth = 0): Json {
    const within = this.#within[name]
    const of = () => (this.#isNullable[name] && this.make(fc.boolean) ? null : this.value(within as Name, depth + 1))
    const field = this.#fields[name][this.versions - 1] as string
    return { is: name, [field]: 'text', ...(within && depth < 3 && this.make(fc.boolean) ? { of: of() } : {}) }
  }

  isChanged(name: Name): boolean {
    return new Set(this.#fields[name]).size > 1
  }

  /** The changes of a version, which are steps by the names of the strings alone. */
  changesOf(at: number): OperationChanges {
    const said = NAMES.filter((name) => this.#fields[name][at] !== this.#fields[name][at - 1]).map((name) => {
      const [older, newer] = [this.#fields[name][at - 1] as string, this.#fields[name][at] as string]
      const renamed =
        (from: string, to: string) =>
        ({ [from]: text, ...rest }: Json) => ({ ...rest, [to]: text })
      const steps = { response: renamed(newer, older), request: renamed(older, newer) }
      return [
        name,
        shape<Json, Json>(this.schema(name, at - 1) as never, this.schema(name, at) as never, steps),
      ] as const
    })
    return Object.fromEntries(said)
  }

  /** Spells a reference as users do. */
  reference(name: Name): Json {
    const spelling = this.make(fc.integer, { min: -1, max: SPELLINGS.length - 1 })
    if (spelling === -1) return { $id: name, ...this.schema(name) }
    return { $ref: (SPELLINGS[spelling] as (typeof SPELLINGS)[number])(name) }
  }

  body(): Body {
    const name = this.make(fc.constantFrom, ...NAMES)
    const [schema, value] = [this.reference(name), this.value(name)]
    const kinds: Body[] = [
      { schema, value },
      { schema: { type: 'array', items: schema }, value: [value, this.value(name)] },
      { schema: { type: 'object', properties: { x: schema }, required: ['x'] }, value: { x: value, y: 1 } },
      { schema: { type: 'object', additionalProperties: schema }, value: { a: value, b: this.value(name) } },
      { schema: { type: 'array', prefixItems: [{ type: 'string' }, schema] }, value: ['a', value] },
      { schema: { anyOf: [schema, { type: 'null' }] }, value: this.make(fc.boolean) ? value : null },
      { schema: { oneOf: [{ type: 'string' }, schema] }, value },
    ]
    return this.make(fc.constantFrom, ...kinds)
  }
}

/** Removes a name, as `.extend()` and a spread do. */
const withoutName = (schema: Json): Json => ({ ...schema, $id: undefined })
const ORDERS = [
  ['asc', 'desc'],
  ['ascending', 'descending'],
] as const

/** The streams of an operation: their text, and the JSON in it with the keyword of its schema. */
type Item = { event?: string; data: string; id?: string }
const STREAMS: Readonly<Record<string, { write(json: string): string; read(text: string): Item[] }>> = {
  'text/event-stream': {
    write: (json: string) => `: hi\n\nevent: told\ndata: ${json}\nid: 7\n\ndata:${json}\n\n`,
    read: (text: string) =>
      [...text.matchAll(/(?:event: (\w+)\n)?data: ?(.*)\n(?:id: (\d)\n)?\n/g)].map(([, event, data, id]) => ({
        ...(event && { event }),
        data: String(data),
        ...(id && { id }),
      })),
  },
  'application/jsonl': {
    write: (json: string) => `${json}\n\n${json}\r\n`,
    read: (text: string) => text.split(/\s*\n/).flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
  },
}
type Branch = { properties: { event: { const: string }; data: { contentSchema: Json } } }
type Feed = { description: string; content: Record<string, { itemSchema: { oneOf: Branch[] } }> }
const inVersion = ({ document }: OpenApiDocuments, at: number) => document(`v${at}`) as object as Described
interface Described {
  paths: { '/thing': { get: OpenApiOperation }; '/feed': { get: { responses: { 200: Feed } } } }
}

let served: Served
let current: express.Application
beforeEach(async () => {
  served = await listen(express().use((...args) => current(...args)))
})

property(
  'each response fits the document of its version, whatever it is and however it is sent',
  fc.asyncProperty(fc.gen(), async (make) => {
    const world = new World(make)
    const keys = ['200', ...make(fc.subarray, Object.keys(STATUSES).slice(1))]
    const bodies = Object.fromEntries(keys.map((key) => [key, world.body()]))
    const bodyOf = (key: string) => bodies[key] as Body
    // A description of all other responses speaks of every status.
    const shared = make(fc.subarray, bodies.default ? [] : ['4XX', '5XX'].filter((key) => bodies[key]))
    const isLost = make(fc.integer, { min: 0, max: 9 }) === 0
    const wrapsAt = make(fc.integer, { min: 0, max: world.versions - 1 })
    const orderAt = make(fc.integer, { min: 1, max: world.versions - 1 })
    const inContent = make(fc.boolean)
    const written = (all: string[]) =>
      Object.fromEntries(
        all.map((key) => [
          key,
          inContent ? { content: { 'application/json': bodyOf(key).schema } } : bodyOf(key).schema,
        ]),
      )

    const routes = namedRoutes({ base: '/base', thing: '/thing', feed: '/feed' })
    const $defs = Object.fromEntries(NAMES.map((name) => [name, { $id: name, ...world.schema(name) }]))
    const all = { type: 'array', prefixItems: NAMES.map(($ref) => ({ $ref })), $defs }
    const items = isLost ? { items: withoutName(world.schema('Alpha')) } : {}
    routes.describe('GET base', { response: { ...all, ...items } })
    const order = { $id: 'Order', type: 'string', enum: ORDERS[1] }
    const query = { type: 'object', properties: { order }, additionalProperties: true }
    routes.describe('GET thing', { query, response: written(keys.filter((key) => !shared.includes(key))) })
    // Where errors with changed shapes are described, the others must be too.
    routes.describe('*', { response: { '4XX': {}, '5XX': {}, 599: {}, ...written(shared) } })
    const item = world.body()
    const streams = {
      'text/event-stream': { itemSchema: events({ told: item.schema, message: item.schema }) },
      'application/jsonl': { itemSchema: item.schema },
    }
    routes.describe('GET feed', { response: { 200: { content: streams } } })
    routes.route('feed').get((req, res) => {
      const type = String(req.query.type)
      const text = STREAMS[type]?.write(JSON.stringify(item.value)) ?? ''
      res.type(type)
      for (const byte of Buffer.from(text)) res.write(Buffer.of(byte))
      res.end()
    })
    routes.route('base').get((_req, res) => void res.json([]))
    routes.route('thing').get((req, res, next) => {
      const { status = '200', way = '0' } = req.headers as Record<string, string>
      const key = keys.find((one) => STATUSES[one]?.includes(Number(status)))
      res.status(Number(status)).set('X-Order', String(req.query.order))
      const json = JSON.stringify(bodyOf(key as string).value)
      void (WAYS[Number(way)] as (typeof WAYS)[number])(json)(req, res, next)
    })

    const wrap = ({ schema }: Body) => ({ type: 'object', properties: { wrapped: schema }, required: ['wrapped'] })
    const errors = Object.fromEntries(
      keys.filter((key) => /[45]|default/.test(key)).map((key) => [key, wrap(bodyOf(key))]),
    )
    const wraps = { '*': { error: (wrapped: unknown) => ({ wrapped }), older: { error: { ...errors, 599: {} } } } }
    const ordered = shape<string, string>({ type: 'string', enum: ORDERS[0] } as never, order as never, {
      request: (older) => `${older}ending`,
      response: (newer) => newer,
    })
    const releases = Array.from({ length: world.versions - 1 }, (_, index): Change[] => {
      const at = index + 1
      const said = { ...world.changesOf(at), ...(at === orderAt ? { Order: ordered } : {}) }
      const changes = Object.keys(said).length === 0 ? [] : [change(`Of ${at}.`, said as OperationChanges)]
      return at === wrapsAt ? [change('Errors are bare.', wraps), ...changes] : changes
    })
    const options = { scheme: HeaderVersioning, changes: historyOf(...releases), routes }
    if (isLost && world.isChanged('Alpha')) {
      expect(() => versioning(options)).toThrow(TypeError)
      return
    }
    current = express().use(versioning(options), routes)
    const documents = openapi(options, { info: { title: 'T' }, openapi: '3.2.0' })
    const inWords = openapi(options, { info: { title: 'T' } })
    const newest = `v${world.versions}`
    const judges = new Map<number, ReturnType<typeof judgeOf>>()
    for (let time = 0; time < 3; time++) {
      const key = make(fc.constantFrom, ...keys)
      const status = make(fc.constantFrom, ...(STATUSES[key] as readonly number[]))
      const way = make(fc.integer, { min: 0, max: WAYS.length - 1 })
      const at = make(fc.integer, { min: 1, max: world.versions })
      const sent = { Status: String(status), Way: String(way) }
      const [older, newer] = ORDERS.map((words) => words[0])
      const word = at <= orderAt ? older : newer
      const { headers: fields, text } = await served.send('GET', '/thing', { ...sent, 'X-API-Version': newest })
      expect(way === 5 || text === JSON.stringify(bodyOf(key).value)).toBe(true)
      const asked = { ...sent, 'X-API-Version': `v${at}` }
      const response = await served.send('GET', `/thing?order=${word}`, asked)
      const conditional = await served.send('GET', `/thing?order=${word}`, {
        ...asked,
        'If-None-Match': `${fields.etag}`,
      })
      // Only the same bytes are not modified.
      if (conditional.status === 304) expect(response.text).toBe(text)
      else expect(conditional.status).toBe(status)
      expect([response.status, response.headers['x-order']]).toEqual([status, newer])
      if (at === world.versions) continue
      const [{ paths, ...rest }, told] = [inVersion(documents, at), inVersion(inWords, at)]
      const judge = judges.get(at) ?? judgeOf({ paths, ...rest })
      judges.set(at, judge)
      const isEncoded = response.headers['content-encoding'] !== undefined
      // Bytes stay encoded where nothing is converted.
      if (isEncoded) expect(response.text).toBe(text)
      const json = isEncoded ? JSON.stringify(bodyOf(key).value) : response.text
      const { responses, parameters = [] } = paths['/thing'].get
      const described = [status, `${String(status)[0]}XX`, 'default'].find((one) => responses[one] !== undefined)
      judge(`~1thing/get/responses/${described}/content/application~1json/schema`, JSON.parse(json))
      const type: string = make(fc.constantFrom, ...Object.keys(STREAMS))
      const stream = await served.send('GET', `/feed?type=${encodeURIComponent(type)}`, { 'X-API-Version': `v${at}` })
      const { itemSchema } = paths['/feed'].get.responses[200].content[type] as { itemSchema: { oneOf: Branch[] } }
      expect(told.paths['/feed'].get.responses[200].description).toContain(JSON.stringify(itemSchema, undefined, 2))
      const items = STREAMS[type]?.read(stream.text) ?? []
      expect([stream.status, items.length]).toEqual([200, 2])
      const schema = `~1feed/get/responses/200/content/${type.replace('/', '~1')}/itemSchema`
      for (const one of items) {
        judge(schema, one)
        if (type !== 'text/event-stream') continue
        const { event = 'message', data } = one
        const branch = itemSchema.oneOf.findIndex(({ properties }) => properties.event.const === event)
        judge(`${schema}/oneOf/${branch}/properties/data/contentSchema`, JSON.parse(data))
      }
      judge(`~1thing/get/parameters/${parameters.findIndex(({ name }) => name === 'order')}/schema`, word)
    }
  }),
)
