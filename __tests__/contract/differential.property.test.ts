import express, { type Application, type ErrorRequestHandler } from 'express'
import { HeaderVersioning, namedRoutes, type Schema, versioning } from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
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
const ArticleV1 = z.object({
  name: z.string().max(20),
  author: AuthorV1,
  tags: z.array(z.string()).optional(),
  image: z.url().nullable().optional(),
  size: z.union([
    z.object({ kind: z.literal('small') }),
    z.object({ kind: z.literal('custom'), width: z.int().min(1) }),
  ]),
})
const QueryV1 = z.object({ offset: z.coerce.number().int().min(0).optional(), tag: z.string().optional() })

function oldApp(stored: unknown[]): Application {
  const app = express().use(parse)
  app.get('/articles', (req, res) => {
    const query = QueryV1.safeParse(req.query)
    if (query.success) res.json({ from: query.data.offset ?? 0, tag: query.data.tag ?? null })
    else res.status(400).json({ rejected: true })
  })
  app.post('/articles', (req, res) => {
    const body = ArticleV1.safeParse(req.body)
    if (!body.success) return void res.status(400).json({ rejected: true })
    stored.push(body.data)
    res.status(200).json(body.data)
  })
  app.patch('/articles', (req, res) => {
    const body = ArticleV1.partial().safeParse(req.body)
    if (!body.success) return void res.status(400).json({ rejected: true })
    stored.push(body.data)
    res.json(body.data)
  })
  app.post('/authors', (req, res) => {
    const body = AuthorV1.safeParse(req.body)
    if (!body.success) return void res.status(400).json({ told: toldOf(body.error.issues) })
    stored.push(body.data)
    res.json(body.data)
  })
  return app.use(refuse)
}

// Today: articles have a title and a status, authors two names, and the image is an object.
const Author = z.object({ given: z.string(), family: z.string() }).meta({ id: 'Author' })
const parts = {
  title: z.string().max(20),
  author: Author,
  tags: z.array(z.string()).optional(),
  image: z.object({ url: z.string() }).nullable().optional(),
  size: z.union([
    z.object({ kind: z.literal('small') }),
    z.object({ kind: z.literal('custom'), width: z.int().min(1) }),
  ]),
}
const Article = z.object({ ...parts, status: z.enum(['draft', 'public']) }).meta({ id: 'Article' })
const Patch = z
  .object({ ...parts, status: z.enum(['draft', 'public']) })
  .partial()
  .meta({ id: 'ArticlePatch' })

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
const data = fields({ renamed: { name: 'title' }, added: { status: 'public' }, converted: { image } })
const patched = fields({ renamed: { name: 'title' }, added: ['status'], converted: { image } })
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
  const inV1 = (name: string, value: unknown) => {
    byHand ??= changes.for({ routes })
    return byHand.shape(name, value, 'v1')
  }
  routes
    .route('article-list')
    .get((req, res) => {
      const { cursor = 'c0', tag = null } = req.query
      res.json({ from: Number(String(cursor).slice(1)), tag })
    })
    .post((req, res) => {
      stored.push(inV1('Article', req.body))
      res.json(req.body)
    })
    .patch((req, res) => {
      stored.push(inV1('ArticlePatch', req.body))
      res.json(req.body)
    })
  routes.route('author-list').post((req, res) => {
    stored.push(inV1('Author', req.body))
    res.json(req.body)
  })
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
const bodies = withMore(
  fc.record(
    {
      name: oddly(fc.string({ maxLength: 20 })),
      author: oddly(author),
      tags: oddly(fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })),
      image: oddly(fc.option(fc.constantFrom('https://a.example/i', 'http://a.example'))),
      size: oddly(size),
    },
    { requiredKeys: [] },
  ),
)
const full = withMore(
  fc.record(
    {
      name: oddly(fc.string({ maxLength: 20 })),
      author,
      size,
      tags: fc.constant(['a']),
      image: oddly(fc.constant(null)),
    },
    { requiredKeys: ['name', 'author', 'size'] },
  ),
)
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

async function send({ send }: Served, { method, path, body }: { method: string; path: string; body: unknown }) {
  const text = body === undefined ? '' : Buffer.from(JSON.stringify(body)).toString('latin1')
  const headers = { 'X-API-Version': 'v1', ...(text === '' ? {} : { 'Content-Type': 'application/json' }) }
  const { status, json } = await send(method, path, headers, text)
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  return { status, json }
}

property(
  'a client of v1 finds today what it found in the app of v1, and its messages where its own schema judges',
  fc.asyncProperty(fc.array(asked, { minLength: 5, maxLength: 5 }), async (all) => {
    apps ??= await Promise.all([
      listen(oldApp(before)),
      ...MODES.map(({ standard, stored }) => listen(newApp(stored, standard))),
    ])
    const [old, ...others] = apps as [Served, ...Served[]]
    for (const request of all) {
      const { status, json } = await send(old, request)
      const isTold = Object.hasOwn(Object(json), 'told')
      for (const [index, { standard }] of MODES.entries()) {
        const expected = isTold && !standard ? { rejected: true } : json
        expect(await send(others[index] as Served, request)).toEqual({ status, json: expected })
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
