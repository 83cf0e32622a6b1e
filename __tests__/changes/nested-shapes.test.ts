import express, { type RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { type Served, serve } from '../support/serve'

type Json = Record<string, unknown>
const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const to = ($ref: string) => ({ $ref })
const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
type Steps = { response?: (value: never) => unknown; request?: (value: never) => unknown }
const changed = (name: string, older: object, newer: object, steps: Steps) =>
  change(`${name}.`, { [name]: shape<object, object>(older as never, newer as never, steps as never) })

const renamed =
  (from: string, name: string) =>
  ({ [from]: inner, ...rest }: Json): object =>
    inner === undefined ? rest : { ...rest, [name]: inner }
const Chain = { $id: 'Chain', ...object({ v: text, next: nullable(to('#')), peer: to('#') }) }
const ChainV1 = object({ v: text, following: nullable(to('#')), peer: to('#') })
const same = (value: object) => ({ ...value })
const chains = [
  changed('Chain', ChainV1, Chain, { response: renamed('next', 'following'), request: renamed('following', 'next') }),
  changed('Chain', Chain, Chain, { response: same, request: same }),
]
const chain = (name: string, depth: number) => {
  let made: object = { v: 'x' }
  for (let index = 0; index < depth; index++) made = { v: 'x', [name]: made }
  return made
}

/** Serves an echo of `POST /other`, whose body and response a schema describes. */
function serveEcho(schema: object, changes: readonly Change[], response?: unknown) {
  return serve((app) => {
    const routes = tableOf()
    const query = object(
      { one: to('Level'), many: { type: 'array', items: to('Level') }, nr: nullable(to('Level')) },
      { $defs: { Level: { type: 'integer' } } },
    )
    routes.describe('POST other', { body: schema as never, response: {}, query })
    routes.describe('GET other', { response: schema as never })
    const echo: RequestHandler = ({ body, query }, res) => void res.json({ body, query })
    routes
      .route('other')
      .post(echo)
      .get((_req, res) => void res.json(response))
    const options = { scheme: HeaderVersioning, changes: historyOf(...changes.map((one) => [one])), routes }
    app.use(versioning(options), express.json({ limit: '1mb' }), routes)
  })
}

/** Sends a body of v1, and returns what the handler got. */
const echoed = async (server: Served, body: unknown) =>
  (await ask(server, 'v1', '/other', { method: 'POST', body })).json as { body: Json }

test('a chain of 2,500 values is converted, both ways', async () => {
  const server = await serveEcho(Chain, chains, chain('next', 2500))
  const { status, text } = await ask(server, 'v1', '/other')
  expect([status, text === JSON.stringify(chain('following', 2500))]).toEqual([200, true])
  const sent = await ask(server, 'v1', '/other', { method: 'POST', body: chain('following', 2500) })
  expect([sent.status, sent.text === JSON.stringify({ body: chain('next', 2500), query: {} })]).toEqual([200, true])
})

/** Counts what a run reads: the characters of JSON, and the properties that are listed. */
async function workOf(run: () => Promise<unknown>): Promise<number> {
  let work = 0
  const spyOn = (owner: object, name: string, size: (given: unknown, result: unknown) => number) => {
    const real = owner[name as never] as (...args: unknown[]) => unknown
    return jest.spyOn(owner, name as never).mockImplementation(((...args: unknown[]) => {
      const result = real(...args)
      work += size(args[0], result)
      return result
    }) as never)
  }
  const spies = [
    spyOn(JSON, 'parse', (text) => String(text).length),
    spyOn(JSON, 'stringify', (_value, text) => String(text).length),
    ...['keys', 'values', 'entries'].map((name) => spyOn(Object, name, (_value, list) => (list as unknown[]).length)),
  ]
  try {
    await run()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return work
}

// JSON reads `__proto__` as an own property, and a plain assignment of it would set the prototype.
test.each([
  ['as the client or the handler gave it', same],
  ['of the step without a prototype', (value: object) => Object.assign(Object.create(null), value)],
])('values with a property named __proto__ cost no more than others, %s', async (_title, step) => {
  const made = changed('Chain', Chain, Chain, { response: step, request: step })
  const worked = async (depth: number) => {
    const text = `${'{"__proto__":{"a":1},"next":'.repeat(depth)}{"v":"x"}${'}'.repeat(depth)}`
    const server = await serveEcho(Chain, [made], JSON.parse(text))
    return workOf(async () => {
      expect((await ask(server, 'v1', '/other')).text).toBe(text)
      const sent = await ask(server, 'v1', '/other', { method: 'POST', body: text })
      expect(sent.text).toBe(`{"body":${text},"query":{}}`)
    })
  }
  const [few, many] = [await worked(100), await worked(400)]
  expect(many / few).toBeLessThan(5)
})

// JSON reads a value once for each copy.
test('what a step brings is copied once for each change, whatever the nesting', async () => {
  const counted = async (depth: number) => {
    let copies = 0
    const mark = { toJSON: () => ++copies }
    const leaf = { v: 'x', mark, items: Array.from({ length: 100 }, () => mark) }
    let made: object = leaf
    for (let index = 0; index < depth; index++) made = { v: 'x', next: made }
    const response = (value: { v: string }) => (value.v === 'root' ? made : value)
    const brings = changed('Chain', ChainV1, Chain, { request: same, response })
    const server = await serveEcho(Chain, [brings], { v: 'root' })
    expect((await ask(server, 'v1', '/other')).status).toBe(200)
    return copies
  }
  expect(await counted(50)).toBe(await counted(5))
})

test('a request that is nested too deep for the stack is 400, a response is 500', async () => {
  const deep = (value: object): object => ({ ...value, next: value })
  const full = ({ v, ...rest }: { v?: string }) => {
    if (v === 'deep') throw new RangeError('Maximum call stack size exceeded')
    return rest
  }
  const endless = changed('Chain', Chain, Chain, { response: deep, request: full })
  const server = await serveEcho(Chain, [endless], { v: 'x' })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
  const body = `${'{"next":'.repeat(20_000)}{}${'}'.repeat(20_000)}`
  for (const sent of [body, { v: 'deep' }]) {
    const rejected = { status: 400, json: { code: 'ERR_VERSION_BODY' } }
    expect(await ask(server, 'v1', '/other', { method: 'POST', body: sent })).toMatchObject(rejected)
  }
})

const Item = { $id: 'Item', ...object({ n: text }) }
const Box = {
  $id: 'Box',
  $defs: { Item },
  ...object({ items: { type: 'array', items: to('Item') }, one: to('Item'), more: {} }),
}
/** Makes a step that changes the value which it gets. */
const seeing =
  (to: string) =>
  (value: Json): Json => {
    value.seen = Number(value.seen ?? 0) + 1
    return { [to]: value.n ?? value.m, seen: value.seen }
  }
const item = shape<object, object>(
  object({ m: text }) as never,
  Item as never,
  { response: seeing('m'), request: seeing('n') } as never,
)
const BoxV1 = { ...Box, $id: undefined }
const both = (steps: Steps) =>
  change('Both.', { Item: item, Box: shape<object, object>(BoxV1 as never, Box as never, steps as never) })
type Boxed = { items: { n: string }[]; one?: { n: string } }
const constant = Object.freeze({ n: 'constant' })
const M = (m: string) => ({ m, seen: 1 })
class Made {
  readonly n = 'made'
  readonly of = 'class'
}

// No step sees a value that another one has changed, and nothing that belongs to a step is changed.
test.each<[title: string, step: (box: Boxed) => unknown, expected: object]>([
  ['as it is', (box) => box, { items: [M('a'), M('b')] }],
  [
    'one value twice',
    ({ items }) => ({ items: [items[0], items[0]], one: items[0] }),
    { items: [M('a'), M('a')], one: M('a') },
  ],
  [
    'a list twice',
    ({ items }) => ({ items, more: items }),
    { items: [M('a'), M('b')], more: [{ n: 'a' }, { n: 'b' }] },
  ],
  [
    'a constant of its own',
    () => ({ items: [constant, constant], one: constant }),
    { items: [M('constant'), M('constant')], one: M('constant') },
  ],
  ['an object of a class', () => ({ items: [new Made()] }), { items: [M('made')] }],
  ['an object with toJSON', () => ({ items: [{ toJSON: () => ({ n: 'json' }) }] }), { items: [M('json')] }],
  ['a list with toJSON', () => ({ items: { toJSON: () => [{ n: 'json' }] } }), { items: [M('json')] }],
  ['a property that is undefined', ({ items }) => ({ items, one: undefined }), { items: [M('a'), M('b')] }],
  [
    'a changed part',
    (box) => Object.assign(box, { items: box.items.slice(1), more: new Date(0) }),
    { items: [M('b')], more: '1970-01-01T00:00:00.000Z' },
  ],
])('a step of an outer shape gives %s', async (_title, response, expected) => {
  const given = { items: [{ n: 'a' }, { n: 'b' }] }
  const [made, again] = [both({ response, request: same }), changed('Box', Box, Box, { response: same, request: same })]
  for (const changes of [[made], [again, made]]) {
    const server = await serveEcho(Box, changes, given)
    for (let time = 0; time < 2; time++) expect((await ask(server, 'v1', '/other')).json).toEqual(expected)
  }
  expect([constant, given]).toEqual([{ n: 'constant' }, { items: [{ n: 'a' }, { n: 'b' }] }])
})

const A = { n: 'a', seen: 1 }
test.each<[title: string, step: (box: { items: object[] }) => unknown, items: unknown, kinds: string[]]>([
  ['one value twice', ({ items }) => ({ items: [items[0], items[0]] }), [A, A], ['undefined', 'undefined']],
  [
    'a changed part',
    ({ items }) => ({ items: items.map((one) => Object.assign(one, { at: new Date(0) })) }),
    [{ ...A, at: '1970-01-01T00:00:00.000Z' }],
    ['string'],
  ],
])('a request step of an outer shape gives %s', async (_title, request, items, kinds) => {
  const kindsOf = (box: { items: { at: unknown }[] }) => ({ ...box, kinds: box.items.map(({ at }) => typeof at) })
  const again = changed('Box', Box, Box, { response: same, request: kindsOf })
  const server = await serveEcho(Box, [both({ response: same, request }), again], {})
  expect((await echoed(server, { items: [{ m: 'a' }] })).body).toEqual({ items, kinds })
})

test.each<[title: string, step: () => unknown]>([
  ['a map instead of an object', () => ({ items: new Map() })],
  ['a number that JSON does not have', () => ({ one: Number.NaN })],
  ['a map of a shape', () => ({ one: new Map() })],
])('an outer step that gives %s is a failure', async (_title, response) => {
  const server = await serveEcho(Box, [both({ response, request: same })], { items: [] })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
})

const Name = { $id: 'Name', type: 'string' }
const steps = { response: (name: string | null) => name ?? 'nobody', request: (name: string | null) => name ?? 'none' }
const Page = (name: object) =>
  object({ list: { type: 'array', items: name }, map: object({}, { additionalProperties: name }), name })
test.each<[older: object, newer: object, place: object, response: string | null, body: string | null]>([
  [{ type: 'string' }, Name, to('Name'), null, null],
  [{ type: ['string', 'null'] }, Name, to('Name'), 'nobody', 'none'],
  [{ type: 'string' }, { $id: 'Name', type: ['string', 'null'] }, to('Name'), 'nobody', 'none'],
  [{ type: ['string', 'null'] }, { $id: 'Name', type: ['string', 'null'] }, to('Name'), null, null],
  [{ type: ['string', 'null'] }, Name, nullable(to('Name')), null, null],
  [{ type: ['string', 'null'] }, Name, { anyOf: [to('Name'), { type: 'number' }] }, 'nobody', 'none'],
])('null where %j becomes %j, at %j: %j and %j', async (older, newer, place, response, body) => {
  const page = (name: unknown) => ({ list: [name], map: { name }, name })
  const schema = { ...Page(place), $defs: { Name: newer } }
  const server = await serveEcho(schema, [changed('Name', older, newer, steps)], page(null))
  expect((await ask(server, 'v1', '/other')).json).toEqual(page(response))
  expect((await echoed(server, page(null))).body).toEqual(page(body))
  expect((await echoed(server, { map: null })).body).toEqual({ map: null })
})

test.each<[asked: string, query: object | undefined]>([
  ['?one=1', { one: '2' }],
  ['?many=1', { many: '2' }],
  ['?many=1&many=2', { many: ['2', '3'] }],
  ['?nr=1&other=1', { nr: '2', other: '1' }],
  // It is rejected.
  ['?one=1&one=2', undefined],
])('a query has strings instead of numbers: %s', async (asked, query) => {
  const Level = { type: 'integer' }
  const level = changed('Level', Level, Level, { request: (text: string) => String(Number(text) + 1) })
  const { status, json } = await ask(await serveEcho(Chain, [level]), 'v1', `/other${asked}`, {
    method: 'POST',
    body: {},
  })
  expect([status, Object(json).query]).toEqual([query === undefined ? 400 : 200, query])
})

test('a step may lift an inner value out of another one; a shape may be a string', async () => {
  const lifted = changed('Chain', ChainV1, Chain, {
    request: same,
    response: ({ next, ...rest }: { next?: { next?: object } }) => ({ ...rest, following: next, peer: next?.next }),
  })
  const server = await serveEcho(Chain, [lifted], { v: '1', next: { v: '2', next: { v: '3' } } })
  const three = { v: '3' }
  const response = { v: '1', following: { v: '2', following: three }, peer: three }
  expect((await ask(server, 'v1', '/other')).json).toEqual(response)
})

test('values of one place may be objects or lists, of shapes that are strings then', async () => {
  const Any = { $id: 'Any', properties: { of: to('#') }, items: to('#') }
  const AnyV1 = { properties: { of: to('#') }, items: to('#') }
  const steps = {
    response: (value: object | string) => (typeof value === 'string' ? `${value}!` : value),
    request: (value: { text?: string }) => value.text ?? value,
  }
  const server = await serveEcho(Any, [changed('Any', AnyV1, Any, steps)], [{ of: ['a'] }, 'b', null, 1])
  expect((await ask(server, 'v1', '/other')).json).toEqual([{ of: ['a!'] }, 'b!', null, 1])
  expect((await echoed(server, [{ of: { text: 'a' } }, null])).body).toEqual([{ of: 'a' }, null])
})
