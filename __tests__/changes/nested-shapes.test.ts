import express, { type RequestHandler } from 'express'
import { HeaderVersioning, versioning } from 'express-versioning'
import { type Change, change, shape } from 'express-versioning/changes'
import { ask, historyOf, tableOf } from '../support/changes'
import { serve } from '../support/serve'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const to = ($ref: string) => ({ $ref })
type Steps = { response?: (value: never) => unknown; request?: (value: never) => unknown }
const changed = (name: string, older: object, newer: object, steps: Steps) =>
  change(`${name}.`, { [name]: shape<object, object>(older as never, newer as never, steps as never) })

type Rename = (value: Record<string, unknown>) => object
const renamed =
  (from: string, name: string): Rename =>
  ({ [from]: inner, ...rest }) =>
    inner === undefined ? rest : { ...rest, [name]: inner }
const Chain = { $id: 'Chain', ...object({ v: text, next: { anyOf: [to('#'), { type: 'null' }] }, peer: to('#') }) }
const ChainV1 = object({ v: text, following: { anyOf: [to('#'), { type: 'null' }] }, peer: to('#') })
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
    const query = object({
      one: to('Level'),
      many: { type: 'array', items: to('Level') },
      nr: { anyOf: [to('Level'), { type: 'null' }] },
    })
    const defs = { $defs: { Level: { type: 'integer' } } }
    routes.describe('POST other', { body: schema as never, response: {}, query: { ...query, ...defs } })
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
  const spies = [
    ...(['parse', 'stringify'] as const).map((name) => {
      const real = JSON[name] as (...args: unknown[]) => unknown
      return jest.spyOn(JSON, name).mockImplementation((...args: unknown[]) => {
        const result = real(...args)
        work += String(name === 'parse' ? args[0] : result).length
        return result as never
      })
    }),
    ...(['keys', 'values', 'entries'] as const).map((name) => {
      const real = Object[name]
      return jest.spyOn(Object, name).mockImplementation((object: object) => {
        const result = real(object)
        work += result.length
        return result as never
      })
    }),
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
  const [made] = [changed('Chain', Chain, Chain, { response: step, request: step })] as const
  const bodyOf = (depth: number) => {
    const text = `${'{"__proto__":{"a":1},"next":'.repeat(depth)}{"v":"x"}${'}'.repeat(depth)}`
    return { text, value: JSON.parse(text) }
  }
  const worked = async (depth: number) => {
    const { text, value } = bodyOf(depth)
    const server = await serveEcho(Chain, [made], value)
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
    const [brings] = [
      changed('Chain', ChainV1, Chain, {
        request: same,
        response: (value: { v: string }) => (value.v === 'root' ? made : value),
      }),
    ]
    const server = await serveEcho(Chain, [brings as Change], { v: 'root' })
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
const item = {
  Item: shape<object, object>(
    object({ m: text }) as never,
    Item as never,
    {
      response: (value: { n: string; seen?: number }) => {
        value.seen = (value.seen ?? 0) + 1
        return { m: value.n, seen: value.seen }
      },
      request: (value: { m: string; seen?: number }) => {
        value.seen = (value.seen ?? 0) + 1
        return { n: value.m, seen: value.seen }
      },
    } as never,
  ),
}
type Boxed = { items: { n: string }[]; one?: { n: string } }
const constant = Object.freeze({ n: 'constant' })
const boxOf = (response: (box: Boxed) => unknown) => ({ response: response as never, request: same as never })
const M = (m: string) => ({ m, seen: 1 })
class Made {
  readonly n = 'made'
  readonly of = 'class'
}

// No step sees a value that another one has changed, and nothing that belongs to a step is changed.
test.each<[title: string, step: (box: Boxed) => unknown, response: object]>([
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
])('a step of an outer shape gives %s', async (_title, step, response) => {
  const BoxV1 = { ...Box, $id: undefined }
  const both = change('Both.', { ...item, Box: shape<object, object>(BoxV1 as never, Box as never, boxOf(step)) })
  const again = change('Again.', { Box: shape<object, object>(Box as never, Box as never, boxOf(same as never)) })
  const given = { items: [{ n: 'a' }, { n: 'b' }] }
  for (const changes of [[both], [again, both]]) {
    const server = await serveEcho(Box, changes, given)
    for (let time = 0; time < 2; time++) expect((await ask(server, 'v1', '/other')).json).toEqual(response)
  }
  expect([constant, given]).toEqual([{ n: 'constant' }, { items: [{ n: 'a' }, { n: 'b' }] }])
})

test.each<[title: string, step: (box: { items: object[] }) => unknown, items: unknown]>([
  [
    'one value twice',
    ({ items }) => ({ items: [items[0], items[0]] }),
    [
      { n: 'a', seen: 1 },
      { n: 'a', seen: 1 },
    ],
  ],
  [
    'a changed part',
    ({ items }) => ({ items: items.map((one) => Object.assign(one, { at: new Date(0) })) }),
    [{ n: 'a', seen: 1, at: '1970-01-01T00:00:00.000Z' }],
  ],
])('a request step of an outer shape gives %s', async (_title, request, items) => {
  const BoxV1 = { ...Box, $id: undefined }
  const both = change('Both.', {
    ...item,
    Box: shape<object, object>(BoxV1 as never, Box as never, { response: same, request } as never),
  })
  const again = changed('Box', Box, Box, {
    response: same,
    request: (box: { items: { at: unknown }[] }) => ({ ...box, kinds: box.items.map(({ at }) => typeof at) }),
  })
  const server = await serveEcho(Box, [both, again], {})
  const { json } = await ask(server, 'v1', '/other', { method: 'POST', body: { items: [{ m: 'a' }] } })
  expect((json as { body: { items: unknown } }).body.items).toEqual(items)
  expect(JSON.stringify(json)).not.toContain('"object"')
})

test.each<[title: string, step: () => unknown]>([
  ['a map instead of an object', () => ({ items: new Map() })],
  ['a number that JSON does not have', () => ({ one: Number.NaN })],
  ['a map of a shape', () => ({ one: new Map() })],
])('an outer step that gives %s is a failure', async (_title, step) => {
  const BoxV1 = { ...Box, $id: undefined }
  const both = change('Both.', { ...item, Box: shape<object, object>(BoxV1 as never, Box as never, boxOf(step)) })
  const server = await serveEcho(Box, [both], { items: [] })
  expect(await ask(server, 'v1', '/other')).toMatchObject({ status: 500, json: { code: 'ERR_VERSION_CHANGE' } })
})

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
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
  const server = await serveEcho(
    { ...Page(place), $defs: { Name: newer } },
    [changed('Name', older, newer, steps)],
    page(null),
  )
  expect((await ask(server, 'v1', '/other')).json).toEqual(page(response))
  const sent = await ask(server, 'v1', '/other', { method: 'POST', body: page(null) })
  expect((sent.json as { body: object }).body).toEqual(page(body))
  const without = await ask(server, 'v1', '/other', { method: 'POST', body: { map: null } })
  expect((without.json as { body: object }).body).toEqual({ map: null })
})

test.each([
  ['?one=1', { one: '2' }],
  ['?many=1', { many: '2' }],
  ['?many=1&many=2', { many: ['2', '3'] }],
  ['?nr=1&other=1', { nr: '2', other: '1' }],
])('a query has strings instead of numbers: %s', async (asked, query) => {
  const level = changed(
    'Level',
    { type: 'integer' },
    { type: 'integer' },
    { request: (text: string) => String(Number(text) + 1) },
  )
  const server = await serveEcho(Chain, [level])
  const { json } = await ask(server, 'v1', `/other${asked}`, { method: 'POST', body: {} })
  expect((json as { query: object }).query).toEqual(query)
})

test('a step may lift an inner value out of another one; a shape may be a string', async () => {
  const lifted = changed('Chain', ChainV1, Chain, {
    request: same,
    response: ({ next, ...rest }: { next?: { next?: object } }) => ({ ...rest, following: next, peer: next?.next }),
  })
  const server = await serveEcho(Chain, [lifted], { v: '1', next: { v: '2', next: { v: '3' } } })
  const three = { v: '3' }
  const response = { v: '1', following: { v: '2', following: three, peer: undefined }, peer: three }
  expect((await ask(server, 'v1', '/other')).json).toEqual(JSON.parse(JSON.stringify(response)))
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
  const { json } = await ask(server, 'v1', '/other', { method: 'POST', body: [{ of: { text: 'a' } }, null] })
  expect((json as { body: object }).body).toEqual([{ of: 'a' }, null])
})
