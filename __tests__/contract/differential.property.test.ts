import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type Schema, versioning } from 'express-versioning'
import { change, fields as changed, shape, versionHistory } from 'express-versioning/changes'
import { type ContractOptions, contract } from 'express-versioning/contract'
import fc from 'fast-check'
import { z } from 'zod'
import { Ajv } from '../support/ajv'
import { property } from '../support/property'
import { listen, type Served } from '../support/serve'

// The app of v1, as it was, against that of today with a history and a contract. The old one knows nothing of this package: its
// own zod schemas strip, check and coerce. Equal requests must give equal statuses, responses and stored values.

const parse = express.json()
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ rejected: true })
}

const toldOf = (issues: readonly { path: readonly PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => [path.map(String), message])

const AuthorV1 = z.object({ name: z.string('A name, please.').min(1, 'Some name, please.') })
const Size = z.union([
  z.object({ kind: z.literal('small') }),
  z.object({ kind: z.literal('custom'), width: z.int().min(1) }),
])
const ArticleV1 = z.object({
  name: z.string().max(20),
  author: AuthorV1,
  tags: z.array(z.string()).optional(),
  image: z.url().nullable().optional(),
  size: Size,
})
const QueryV1 = z.object({ offset: z.coerce.number().int().min(0).optional(), tag: z.string().optional() })

function oldApp(stored: unknown[]): Application {
  const taking =
    (schema: z.ZodType, tells = false): RequestHandler =>
    (req, res) => {
      const { success, data, error } = schema.safeParse(req.body)
      if (!success) return void res.status(400).json(tells ? { told: toldOf(error.issues) } : { rejected: true })
      stored.push(data)
      res.json(data)
    }
  const listing: RequestHandler = (req, res) => {
    const { success, data } = QueryV1.safeParse(req.query)
    if (success) res.json({ from: data.offset ?? 0, tag: data.tag ?? null })
    else res.status(400).json({ rejected: true })
  }
  const app = express().use(parse)
  app.get('/articles', listing).post('/articles', taking(ArticleV1)).patch('/articles', taking(ArticleV1.partial()))
  return app.post('/authors', taking(AuthorV1, true)).use(refuse)
}

// Today: articles have a title and a status, authors two names, and the image is an object.
const Author = z.object({ given: z.string(), family: z.string() }).meta({ id: 'Author' })
const parts = {
  title: z.string().max(20),
  author: Author,
  tags: z.array(z.string()).optional(),
  image: z.object({ url: z.string() }).nullable().optional(),
  size: Size,
}
const today = z.object({ ...parts, status: z.enum(['draft', 'public']) })
const Article = today.meta({ id: 'Article' })
const Patch = today.partial().meta({ id: 'ArticlePatch' })

const image = {
  schema: { anyOf: [{ type: 'string', format: 'uri', pattern: '^https?:' }, { type: 'null' }] },
  response: (value: unknown) => (value as { url: string } | null)?.url ?? null,
  request: (value: unknown) => (value === null ? null : { url: value }),
}
const split = change('Authors have `given` and `family` instead of `name`.', {
  Author: shape(AuthorV1, {
    response: ({ given, family }: { given: string; family: string }) => ({
      name: `${given}${family === '' ? '' : ` ${family}`}`,
    }),
    request: ({ name }: { name: string }) => {
      const [given = '', ...family] = name.split(' ')
      return { given, family: family.join(' ') }
    },
  }),
})
const data = changed({ renamed: { name: 'title' }, added: { status: 'public' }, converted: { image } })
const patched = changed({ renamed: { name: 'title' }, added: ['status'], converted: { image } })
const titledWith = (query: Schema) =>
  change('Articles have `title` instead of `name`.', {
    Article: data,
    ArticlePatch: patched,
    'GET article-list': {
      query: ({ offset, ...query }: { offset?: string }) =>
        offset === undefined ? query : { ...query, cursor: `c${Number(offset)}` },
      older: { query },
    },
  })

const JSON_QUERY = { type: 'object', properties: { offset: { type: 'integer', minimum: 0 }, tag: { type: 'string' } } }

/** @param standard `true` if the schemas of zod judge what they were written for. */
function newApp(stored: unknown[], standard: boolean): Application {
  const titled = titledWith(standard ? QueryV1 : JSON_QUERY)
  const routes = namedRoutes({ 'article-list': '/articles', 'author-list': '/authors' })
  routes
    .describe('GET article-list', {
      query: z.object({ cursor: z.string().optional(), tag: z.string().optional() }),
      response: z.object({ from: z.int(), tag: z.string().nullable() }),
    })
    .describe('POST article-list', { body: Article, response: Article })
    .describe('PATCH article-list', { body: Patch, response: Patch })
    .describe('POST author-list', { body: Author, response: Author })
  const changes = versionHistory('v1').version('v2', split).version('v3', titled)
  const [body, query] = [{}, { coerceTypes: 'array' as const }].map(
    (own) => new Ajv({ validateFormats: false, ...own }),
  ) as [Ajv, Ajv]
  body.addFormat('uri', URL.canParse)
  let byHand: ReturnType<typeof changes.for> | undefined
  /** Stores a body as that of v1. */
  const storing =
    (name: string): RequestHandler =>
    (req, res) => {
      byHand ??= changes.for({ routes })
      stored.push(byHand.shape(name, req.body, 'v1'))
      res.json(req.body)
    }
  const listing: RequestHandler = ({ query: { cursor = 'c0', tag = null } }, res) =>
    void res.json({ from: Number(String(cursor).slice(1)), tag })
  routes.route('article-list').get(listing).post(storing('Article')).patch(storing('ArticlePatch'))
  routes.route('author-list').post(storing('Author'))
  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes, routes }
  const compile: ContractOptions['compile'] = (schema, part) => (part === 'query' ? query : body).compile(schema)
  const tell: ErrorRequestHandler = (error, req, res, next) => {
    if (!standard || req.path !== '/authors' || error.issues === undefined) return void next(error)
    res.status(400).json({ told: toldOf(error.issues) })
  }
  const checked = contract({ compile, standard })
  return express().use(versioning({ ...options, contract: checked }), parse, routes, tell, refuse)
}

/** Values as clients send them: mostly right, often with more, sometimes wrong. */
const wrong = fc.constantFrom(7, '', null, [], {}, true, 'x'.repeat(25))
const oddly = <Value>(values: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: wrong })
const more = fc.dictionary(
  fc.constantFrom('status', 'title', 'given', 'family', 'width', 'url', 'id', '__proto__', 'constructor', 'extra'),
  fc.constantFrom<unknown>('draft', 7, null, { name: 'x' }, ['y']),
  { maxKeys: 2 },
)
const withMore = (values: fc.Arbitrary<object>) =>
  fc.tuple(more, values).map(([others, own]) => ({ ...others, ...own }))
const author = withMore(fc.record({ name: oddly(fc.constantFrom('Ada', 'Ada Lovelace', 'A B C')) }))
const size = fc.oneof(
  withMore(fc.record({ kind: fc.constant('small') })),
  withMore(fc.record({ kind: fc.constant('custom'), width: oddly(fc.integer({ min: 0, max: 3 })) })),
  fc.record({ kind: fc.constant('other') }),
)
const fields = {
  name: oddly(fc.string({ maxLength: 20 })),
  author: oddly(author),
  tags: oddly(fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })),
  image: oddly(fc.option(fc.constantFrom('https://a.example/i', 'http://a.example'))),
  size: oddly(size),
}
const bodies = withMore(fc.record(fields, { requiredKeys: [] }))
const whole = { ...fields, author, size, tags: fc.constant(['a']), image: oddly(fc.constant(null)) }
const full = withMore(fc.record(whole, { requiredKeys: ['name', 'author', 'size'] }))
const queries = fc
  .array(fc.tuple(fc.constantFrom('offset', 'tag', 'cursor', 'x'), fc.constantFrom('3', 'x', '-1', '1.5', 'a b')), {
    maxLength: 3,
  })
  .map((pairs) => new Map(pairs))
  .map((query) => `/articles?${new URLSearchParams([...query])}`)

const asked = fc.oneof(
  fc.record({ method: fc.constant('POST'), path: fc.constant('/articles'), body: fc.oneof(full, bodies) }),
  fc.record({ method: fc.constant('PATCH'), path: fc.constant('/articles'), body: bodies }),
  fc.record({ method: fc.constant('POST'), path: fc.constant('/authors'), body: oddly(author) }),
  fc.record({ method: fc.constant('GET'), path: queries, body: fc.constant(undefined) }),
)

const before: unknown[] = []
const statuses = new Map<number, number>()
const MODES = [false, true].map((standard) => ({ standard, stored: [] as unknown[] }))
let apps: readonly Served[] | undefined

const agent = new Agent({ keepAlive: true })
afterAll(() => agent.destroy())

async function send({ port }: Served, { method, path, body }: { method: string; path: string; body: unknown }) {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const headers = { 'X-API-Version': 'v1', ...type }
  const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }).end(JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode: status = 0 } = response
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  return { status, json: JSON.parse(await text(response)) }
}

property(
  'a client of v1 finds today what it found in the app of v1, and its messages where its own schema judges',
  fc.asyncProperty(fc.array(asked, { minLength: 5, maxLength: 5 }), async (all) => {
    apps ??= await Promise.all([
      listen(oldApp(before)),
      ...MODES.map(({ standard, stored }) => listen(newApp(stored, standard))),
    ])
    const [old, ...others] = apps as [Served, ...Served[]]
    for (const one of all) {
      const { status, json } = await send(old, one)
      const isTold = Object.hasOwn(Object(json), 'told')
      for (const [index, { standard }] of MODES.entries()) {
        const expected = isTold && !standard ? { rejected: true } : json
        expect(await send(others[index] as Served, one)).toEqual({ status, json: expected })
      }
    }
    // Only the last ones are new.
    const kept = before.splice(0)
    for (const { stored } of MODES) expect(stored.splice(0)).toEqual(kept)
  }),
  () => {
    const [good = 0, bad = 0] = [statuses.get(200), statuses.get(400)]
    expect([good > bad / 3, bad > good / 3, statuses.size]).toEqual([true, true, 2])
  },
)
