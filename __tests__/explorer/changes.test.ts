import type express from 'express'
import { HeaderVersioning, type NamedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, events, fields, shape, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { type ApiChanges, type ChangesOptions, changesOf, explorer } from 'express-versioning/explorer'
import { openapi, routesOf } from 'express-versioning/openapi'
import { serve } from '../support/serve'
import { table } from '../support/tables'

const text = { type: 'string' }
const integer = { type: 'integer' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const required = (properties: object, more: object = {}) =>
  object(properties, { required: Object.keys(properties), ...more })

const optionsOf = (routes: NamedRoutes, changes: VersionHistory, more: Partial<VersioningOptions> = {}) =>
  ({ scheme: HeaderVersioning, routes, changes, ...more }) as VersioningOptions
const flat = ({ versions }: ApiChanges) => versions.flatMap(({ changes }) => changes)

const Ferry = required({ harbour: text, decks: integer }, { $id: 'Ferry', examples: [{ harbour: 'Oban', decks: 3 }] })
/** A harbour whose ferries had a port and funnels. */
function ferries(): VersioningOptions {
  const routes = table({ ferry: '/ferries/:id' }).add('ferries', '/ferries')
  routes.describe('GET ferry', { response: Ferry }).describe('POST ferries', { body: Ferry, response: { 201: Ferry } })
  routes.route('ferries').post((req, res) => void res.status(201).json(req.body))
  const funnels = { schema: integer, value: 1 }
  const ported = change('Harbours.', {
    Ferry: fields({ renamed: { port: 'harbour' }, removed: { funnels } }),
    'POST ferries': { status: { 201: 200 } },
  })
  const priced = change('Ferries have a fare.', { Ferry: fields({ added: { decks: 1 } }) })
  return optionsOf(routes, versionHistory('v1').version('v2', ported).version('v3', priced))
}

test('sentences come from the data, and examples are those of the server', () => {
  const options = ferries()
  expect(changesOf(options, { from: 'v1', to: 'v2' })).toEqual({
    versions: [
      {
        version: 'v2',
        changes: [
          {
            description: 'Harbours.',
            shapes: [
              {
                name: 'Ferry',
                sentences: [
                  'Do not send `funnels` any more.',
                  'Responses have no `funnels` any more.',
                  'Send `harbour` instead of `port`.',
                  'Responses have `harbour` instead of `port`.',
                ],
                before: { port: 'Oban', funnels: 1 },
                after: { harbour: 'Oban' },
                operations: ['GET ferry', 'POST ferries'],
              },
            ],
            operations: [
              {
                ...{ method: 'POST', name: 'ferries', path: '/ferries', kind: 'changed' },
                parts: [{ part: 'status', sentences: ['201 instead of 200.'], before: 200, after: 201 }],
              },
            ],
          },
        ],
      },
    ],
  })
  const whole = { version: 'v1', changes: [] }
  expect(changesOf(options).versions.map(({ version }) => version)).toEqual(['v1', 'v2', 'v3'])
  expect(changesOf(options).versions[0]).toEqual(whole)
  expect(changesOf(options, { from: 'v3' })).toEqual({ versions: [] })
})

// What each option of fields() says to those who send a shape, and to those who get it.
const Thing = required(
  {
    size: { enum: ['s', 'm', 'l'] },
    name: text,
    tag: text,
    owner: required({ id: text, mail: text }),
    list: { type: 'array', items: text, minItems: 1 },
    marks: { type: 'array', items: text },
  },
  { $id: 'Thing' },
)
const to = (value: unknown) => () => value
test.each<[option: string, given: object, sent: string[], received: string[]]>([
  [
    'removed',
    { removed: { old: { schema: text, value: 'x' } } },
    ['Do not send `old` any more.'],
    ['Responses have no `old` any more.'],
  ],
  [
    'renamed',
    { renamed: { title: 'name' } },
    ['Send `name` instead of `title`.'],
    ['Responses have `name` instead of `title`.'],
  ],
  ['added', { added: { tag: 'x' } }, ['Send `tag` too.'], ['Responses have `tag` too.']],
  ['values', { values: { size: { l: 'm' } } }, ['You can send `l` as `size` too.'], ['`size` can be `l` too.']],
  ['converted', { converted: { name: { schema: integer, response: to(1), request: to('1') } } }, ['X.'], ['X.']],
  [
    'nested',
    { nested: { owner: ['id', 'mail'] } },
    ['Send `id`, `mail` in `owner`.'],
    ['Responses have `id`, `mail` in `owner`.'],
  ],
  ['required', { required: { tag: 'x' } }, ['Always send `tag`.'], ['Responses always have `tag`.']],
  [
    'renamedValues',
    { renamedValues: { size: { small: 's' } } },
    ['Send `s` instead of `small` as `size`.'],
    ['`size` in responses is `s` instead of `small`.'],
  ],
  [
    'removedValues',
    { removedValues: { size: { xl: 'l' } } },
    ['Do not send `xl` as `size` any more. Send `l` instead.'],
    ['`size` is never `xl` any more.'],
  ],
  [
    'removedValues by a function',
    { removedValues: { size: { xl: to('l') } } },
    ['Do not send `xl` as `size` any more.'],
    ['`size` is never `xl` any more.'],
  ],
  [
    'listed',
    { listed: { one: 'list' } },
    ['Send the list `list` instead of `one`.'],
    ['Responses have the list `list` instead of `one`.'],
  ],
  [
    'listed, with a value for empty lists',
    { listed: { mark: 'marks' }, optional: { mark: 'none' } },
    ['Send the list `marks` instead of `mark`.'],
    ['Responses have the list `marks` instead of `mark`.'],
  ],
  [
    'a name with a backtick',
    { renamed: { 'a`b': 'name' } },
    ['Send `name` instead of `` a`b ``.'],
    ['Responses have `name` instead of `` a`b ``.'],
  ],
])('%s', (_option, given, sent, received) => {
  for (const [isSent, isReceived] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const routes = table({ thing: '/thing' })
    routes.describe('GET thing', { response: isReceived ? Thing : null })
    if (isSent)
      routes
        .describe('POST thing', { body: Thing, response: { 204: null } })
        .route('thing')
        .post((_req, res) => void res.end())
    const changes = versionHistory('v1').version('v2', change('X.', { Thing: fields(given) }))
    const [told] = flat(changesOf(optionsOf(routes, changes)))
    const all = [...(isSent ? sent : []), ...(isReceived ? received : [])]
    expect(told?.shapes[0]?.sentences.toSorted()).toEqual([...new Set(all)].toSorted())
    expect([told?.shapes[0]?.before, told?.shapes[0]?.after].map((value) => typeof value)).toEqual(['object', 'object'])
  }
})

test('a property that may be left out can be sent, and one that is not required any more need not be', () => {
  const Loose = object({ tag: text }, { $id: 'Loose' })
  const routes = table({ loose: '/loose' }).describe('GET loose', { response: Loose })
  routes.describe('POST loose', { body: Loose, response: { 204: null } })
  routes.route('loose').post((_req, res) => void res.end())
  const alone = (given: object) =>
    flat(changesOf(optionsOf(routes, versionHistory('v1').version('v2', change('X.', { Loose: fields(given) })))))[0]
      ?.shapes[0]?.sentences
  expect(alone({ added: ['tag'] })).toEqual(['You can send `tag` too.', 'Responses have `tag` too.'])
  expect(alone({ optional: { tag: '' } })).toEqual([
    'You need not send `tag` any more.',
    'Responses may have no `tag`.',
  ])
})

/** An API whose operations came, went, moved and changed in each of their parts. */
function manifold(more: Partial<VersioningOptions> = {}): VersioningOptions {
  const routes = table({
    lamps: '/lamps',
    wicks: '/wicks',
    bulbs: '/bulbs/:id',
    feed: '/feed',
    log: '/log',
    old: '/old',
  })
  const Lamp = required({ watts: integer })
  const Failed = required({ code: text })
  const operation = { responses: { 200: { content: { 'application/json': { example: { watts: 60 } } } } } }
  routes
    .describe('GET lamps', { query: object({ page: integer }), response: { 200: Lamp, '4XX': Failed }, operation })
    .describe('PUT lamps', { body: Lamp, response: { 204: null } })
    .describe('GET feed', { response: { content: { 'text/event-stream': { itemSchema: events({ on: Lamp }) } } } })
    .describe('GET log', { response: { content: { 'application/x-ndjson': { itemSchema: Lamp } } } })
  routes.describe('PUT old', { body: Lamp, response: { 204: null } })
  for (const name of ['lamps', 'old'] as const) routes.route(name).put((_req, res) => void res.status(204).end())
  const watts = ({ watts }: { watts: number }) => ({ power: watts })
  const power = ({ power }: { power: number }) => ({ watts: power })
  const wicks = change('Nobody sells wicks any more.', { 'GET wicks': 'removed' })
  const many = change('Power is in `watts`.', {
    '*': { error: (error) => error },
    'GET lamps': {
      query: ({ from, ...rest }: { from?: number }) => (from === undefined ? rest : { ...rest, page: from }),
      response: watts,
      error: ({ code }: { code: string }) => ({ error: code }),
      headers: { 'X-Total': null, 'X-Power': () => 'x' },
      older: { query: object({ from: integer }) },
    },
    'PUT lamps': { request: power, older: { body: required({ power: integer }) } },
    'GET feed': { item: ({ data, ...rest }: { data: { watts: number } }) => ({ ...rest, data: watts(data) }) },
    'GET log': { item: watts },
    'GET old': { older: { response: text } },
    'PUT old': { request: (body) => body },
  })
  const moved = change('Bulbs were pears.', { 'GET bulbs': { path: '/pears/:id' } })
  const changes = versionHistory('2019').version('2020', moved).version('2021', wicks).version('2023', many)
  return optionsOf(routes, changes, more)
}

test('each part of an operation has its sentences and its examples', () => {
  const [moved, wicks, many] = flat(changesOf(manifold(), { mount: '/api' }))
  const bulbs = { method: 'GET', name: 'bulbs', path: '/api/bulbs/:id', olderPath: '/api/pears/:id', kind: 'moved' }
  expect(moved?.operations).toEqual([{ ...bulbs, parts: [] }])
  expect(wicks?.operations).toEqual([{ method: 'GET', name: 'wicks', path: '/api/wicks', kind: 'removed', parts: [] }])
  const sentences = ['Power is in `watts`.']
  const [watts, power] = [{ watts: 1 }, { power: 1 }]
  const told = (method: string, name: string, ...parts: object[]) => {
    const path = name === '*' ? name : `/api/${name}`
    return { method, name, path, kind: 'changed', parts: parts.map((part) => ({ sentences, ...part })) }
  }
  const event = (data: object) => ({ event: 'on', data })
  expect(many?.operations).toEqual([
    told('*', '*', { part: 'error' }),
    told(
      'GET',
      'lamps',
      { part: 'query', before: { from: 1 }, after: { page: 1 } },
      // The example of the description.
      { part: 'response', before: { power: 60 }, after: { watts: 60 } },
      { part: 'error', before: { error: 'text' }, after: { code: 'text' } },
      { part: 'headers', sentences: ['Responses have the header field `X-Total`.', ...sentences] },
    ),
    told('PUT', 'lamps', { part: 'body', before: power, after: watts }),
    told('GET', 'feed', { part: 'item', before: event(power), after: event(watts) }),
    told('GET', 'log', { part: 'item', before: power, after: watts }),
    told('GET', 'old', { part: 'response' }),
    // Nobody says the older body.
    told('PUT', 'old', { part: 'body', after: watts }),
  ])
})

test('a body that came, or that a step rejects, has no example of both', () => {
  const Lamp = required({ watts: integer }, { $id: 'Lamp' })
  const routes = table({ lamp: '/lamp', lost: '/lost' }).describe('GET lamp', { response: Lamp })
  routes.describe('PUT lamp', { body: Lamp, response: { 204: null } }).describe('GET lost', { response: { 204: null } })
  routes.route('lamp').put((_req, res) => void res.end())
  const throwing = () => {
    throw new Error('no')
  }
  const made = change('Made.', { 'PUT lamp': { request: () => ({ watts: 1 }), older: { body: null } } })
  const thrown = change('Thrown.', { Lamp: shape(Lamp, { response: throwing, request: throwing }) })
  const gone = change('Gone.', { 'GET lost': { status: { 204: 200 }, response: () => ({}) } })
  const bare = change('Bare.', { 'GET lamp': { status: { 200: 204 }, response: () => ({}) } })
  const [first, second, third, fourth] = flat(
    changesOf(
      optionsOf(
        routes,
        versionHistory('v1').version('v2', made).version('v3', thrown).version('v4', gone).version('v5', bare),
      ),
    ),
  )
  // The older response has no body.
  expect(fourth?.operations[0]?.parts[0]).toEqual({ part: 'response', sentences: ['Bare.'], after: { watts: 1 } })
  expect(first?.operations[0]?.parts).toEqual([{ part: 'body', sentences: ['Made.'], after: { watts: 1 } }])
  expect(second?.shapes).toEqual([{ name: 'Lamp', sentences: ['Thrown.'], operations: ['PUT lamp'] }])
  expect(third?.operations[0]?.parts).toEqual([
    { part: 'response', sentences: ['Gone.'] },
    { part: 'status', sentences: ['204 instead of 200.'], before: 200, after: 204 },
  ])
})

test('the examples of a document are those of its responses, by reference too', () => {
  const response = (media: object) => ({ 200: { description: 'x', content: { 'application/json': media } } })
  const schema = { $ref: '#/components/schemas/Lamp' }
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Lamps', version: '1' } },
    paths: {
      '/lamps/{id}': { get: { responses: { 200: { $ref: '#/components/responses/Lamp' } } } },
      '/best': { get: { responses: response({ schema, examples: { one: { value: { watts: 9 } } } }) } },
      '/any': { get: { responses: response({ schema }) } },
    },
    components: {
      schemas: { Lamp: required({ watts: integer }) },
      responses: { Lamp: response({ schema, example: { watts: 7 } })[200] },
    },
  }
  const step = { response: ({ watts }: { watts: number }) => ({ power: watts }) }
  const all = change('Watts.', { 'GET /lamps/{id}': step, 'GET /best': step, 'GET /any': step })
  const routes = routesOf(document as never) as never
  const [told] = flat(changesOf(optionsOf(routes, versionHistory('v1').version('v2', all))))
  expect(told?.operations.map(({ parts }) => [parts[0]?.before, parts[0]?.after])).toEqual([
    [{ power: 7 }, { watts: 7 }],
    [{ power: 9 }, { watts: 9 }],
    [{ power: 1 }, { watts: 1 }],
  ])
})

test('versions that are not accepted give their changes to the next one; previews are told where they are asked for', () => {
  const options = manifold({ allowedVersions: ['2019', '2021', '2023'], lifecycle: { 2023: { preview: true } } })
  const told = (given?: ChangesOptions) =>
    changesOf(options, given).versions.map(({ version, changes }) => [
      version,
      ...changes.map((one) => one.description),
    ])
  const ofWicks = ['2021', 'Bulbs were pears.', 'Nobody sells wicks any more.']
  expect(told()).toEqual([['2019'], ofWicks])
  expect(told({ from: '2021', to: '2023' })).toEqual([['2023', 'Power is in `watts`.']])
  // The oldest one that is accepted is an older one's successor.
  const late = manifold({ allowedVersions: ['2021', '2023'] })
  expect(changesOf(late).versions[0]?.changes.map((one) => one.description)).toEqual(['Nobody sells wicks any more.'])
})

test('an API without a history has versions without changes; dates are ISO 8601', () => {
  const lifecycle = { v1: { deprecated: '2020-01-01', sunset: '2021-01-01', afterSunset: 'gone' as const } }
  const options = { scheme: HeaderVersioning, routes: table({ x: '/x' }), allowedVersions: ['v1', 'v2'], lifecycle }
  const dates = { deprecated: '2020-01-01T00:00:00.000Z', sunset: '2021-01-01T00:00:00.000Z', gone: true }
  expect(changesOf(options)).toEqual({
    versions: [
      { version: 'v1', ...dates, changes: [] },
      { version: 'v2', changes: [] },
    ],
  })
})

test.each<[given: object, message: string]>([
  [{ from: 'v' }, `changesOf(): option "from" takes a version of the API; got 'v'. Did you mean "v1" or "v2" or "v3"?`],
  [{ to: 9 }, 'changesOf(): option "to" takes a version of the API; got 9.'],
  [{ from: 'v3', to: 'v1' }, `changesOf(): option "from" takes a version before 'v1'; got 'v3'.`],
  [{ since: 'v1' }, 'changesOf(): unknown option "since".'],
])('%j is a TypeError', (given, message) => {
  expect(() => changesOf(ferries(), given)).toThrow(expect.objectContaining({ name: 'TypeError' }))
  expect(() => changesOf(ferries(), given)).toThrow(message)
})

test('the page of changes is HTML, Markdown, text or JSON, between any two versions, and takes no version itself', async () => {
  const options = { ...ferries(), lifecycle: { v1: { deprecated: '2020-01-01', info: 'https://a.test/ends' } } }
  const { get, send } = await serve((app) => {
    app.use('/docs', explorer(options, { title: 'Harbour' }))
    app.use(versioning(options), (_req, res) => void res.status(299).end())
    app.use((error: { status: number; message: string }, _req: unknown, res: express.Response, _next: unknown) =>
      res.status(error.status).json(error.message),
    )
  })
  const page = await get('/docs/changes', { Accept: 'text/html,*/*;q=0.1' })
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'Accept' })
  expect(String(page.headers['content-security-policy'])).toContain("default-src 'none'; style-src 'sha256-")
  for (const part of ['id="v2"', 'id="change-1"', '<a href="#v3">v3</a>', '<li>Send <code>harbour</code> instead of'])
    expect(page.text).toContain(part)
  expect((await get('/docs/')).text).toContain('<a href="/docs/changes">What changed</a>')
  const markdown = await get('/docs/changes?from=v1&to=v2', { Accept: 'text/markdown' })
  expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(markdown.text).toBe(`# Harbour: changes from v1 to v2

## v2 <a id="v2"></a>

### Harbours. <a id="change-1"></a>

- \`POST /ferries\`: 201 instead of 200.

It is about \`Ferry\` in \`GET /ferries/:id\`, \`POST /ferries\`.

- Do not send \`funnels\` any more.
- Responses have no \`funnels\` any more.
- Send \`harbour\` instead of \`port\`.
- Responses have \`harbour\` instead of \`port\`.

\`Ferry\` before:

\`\`\`json
{
  "port": "Oban",
  "funnels": 1
}
\`\`\`

\`Ferry\` now:

\`\`\`json
{
  "harbour": "Oban"
}
\`\`\`
`)
  const plain = await get('/docs/changes', { Accept: 'text/plain' })
  expect(plain.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(plain.text).toMatch(
    /\n## v1 <a id="v1"><\/a>\n\nDeprecated since 2020-01-01\.\n\nMore: https:\S+\n\nThe oldest version\.\n$/,
  )
  const json = await get('/docs/changes?from=v1&to=v2', { Accept: 'application/json' })
  expect(json.json).toEqual(changesOf(options, { from: 'v1', to: 'v2' }))
  expect((await get('/docs/changes', { Accept: 'image/png' })).headers['content-type']).toContain('text/html')
  for (const query of ['from=v', 'to=v9', 'from=v2&to=v1'])
    expect(await get(`/docs/changes?${query}`)).toMatchObject({
      status: 404,
      json: 'No changes between these versions.',
    })
  expect((await send('POST', '/docs/changes', { 'X-API-Version': 'v1' })).status).toBe(299)
})

test('the changelog tells a preview, a version without changes, and a shape in no operation', async () => {
  const Lamp = required({ watts: integer }, { $id: 'Lamp' })
  const routes = table({ lamp: '/lamp' }).describe('GET lamp', { response: Lamp })
  const came = change('Lamps are new.', { 'GET lamp': 'added', Lamp: fields({ renamed: { power: 'watts' } }) })
  const changes = versionHistory('v 1').version('v2').version('v3', came)
  const options = optionsOf(routes, changes, { lifecycle: { v3: { preview: true } } })
  const { get } = await serve((app) => void app.use('/docs', explorer(options)))
  expect((await get('/docs/changes?to=v3', { Accept: 'text/markdown' })).text).toBe(`# API: changes to v3

## v3 <a id="v3"></a>

Preview.

### Lamps are new. <a id="change-1"></a>

\`GET /lamp\` is new.

It is about \`Lamp\`.

## v2 <a id="v2"></a>

Nothing changed.

## v 1 <a id="v%201"></a>

The oldest version.
`)
})

test('the changelog tells what became of each operation', async () => {
  const options = manifold({ lifecycle: { 2019: { sunset: '2020-01-01', afterSunset: 'gone' } } })
  const { get } = await serve((app) => void app.use('/docs', explorer(options, { mount: '/api' })))
  const { text } = await get('/docs/changes', { Accept: 'text/markdown' })
  const lines = text
    .split('\n')
    .filter((line) => /^[`A-Z-]/.test(line) && !line.startsWith('```') && !line.endsWith(':'))
  expect(lines).toEqual([
    'It is about all operations.',
    '- `GET /api/lamps`: Responses have the header field `X-Total`.',
    'It is about `PUT /api/lamps`.',
    'It is about `GET /api/feed`.',
    'It is about `GET /api/log`.',
    'It is about `GET /api/old`.',
    'It is about `PUT /api/old`.',
    '`GET /api/wicks` is removed.',
    '`GET /api/pears/:id` is `GET /api/bulbs/:id` now.',
    'Gone since 2020-01-01.',
    'The oldest version.',
  ])
  const html = (await get('/docs/changes')).text
  expect(html).toContain('<figcaption>Query of <code>GET /api/lamps</code> before</figcaption><pre>{\n')
})

test('documents tell the same', () => {
  const documents = openapi(ferries())
  expect(documents.document<{ info: object }>('v2').info).toEqual({
    title: 'API',
    version: 'v2',
    description:
      'Changes in this version:\n\n- Harbours.\n  - `POST /ferries`: 201 instead of 200.\n  - `Ferry`: Do not send `funnels` any more.\n  - `Ferry`: Responses have no `funnels` any more.\n  - `Ferry`: Send `harbour` instead of `port`.\n  - `Ferry`: Responses have `harbour` instead of `port`.',
  })
})

test('the examples of schemas that lead to each other are small', () => {
  const names = Array.from({ length: 12 }, (_, index) => `Node${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
  const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties, required: names }]))
  const routes = table({ graph: '/graph' }).describe('GET graph', { response: { $ref: '#/$defs/Node0', $defs } })
  const changes = versionHistory('v1').version('v2', change('X.', { 'GET graph': { response: (graph) => graph } }))
  const [told] = flat(changesOf(optionsOf(routes, changes)))
  const { length } = JSON.stringify(told?.operations[0]?.parts[0]?.after)
  expect([length > 1_000, length < 100_000]).toEqual([true, true])
})
