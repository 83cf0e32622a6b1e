// The option `places`: what schemas leave open, as the user tells it, for tables of documents and of descriptions.
import { HeaderVersioning, type NamedRoutesOptions, namedRoutes, versioning } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { historyOf } from '../support/changes'
import { documentOf } from '../support/documents'
import { serve } from '../support/serve'

type Places = NonNullable<NamedRoutesOptions['places']>

const text = { type: 'string' }
const label = { type: 'object', properties: { name: text, color: text } }
const copy = { type: 'object', properties: { name: text, color: text, id: text } }
const team = { type: 'object', properties: { members: text } }
const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const responding = (schemas: Record<string, object>) => ({
  get: { responses: { 200: { description: '', content: schemas } } },
})

/** A document with a copy of a label, a thing that looks like one, and a union that values do not tell. */
const document = documentOf(
  {
    '/issue': responding({ 'application/json': { schema: $ref('Issue') } }),
    '/either': responding({
      'application/json': { schema: $ref('label') },
      'application/x+json': { schema: $ref('team') },
    }),
  },
  {
    schemas: {
      label,
      team,
      Issue: { properties: { label: copy, flag: copy, owner: { oneOf: [$ref('label'), $ref('team')] } } },
    },
  },
)
const changes = historyOf([change('Labels have a `name`.', { label: fields({ renamed: { title: 'name' } }) })])
const isLabel = (value: unknown) => Object.hasOwn(value as object, 'name')
const PLACES: Places = {
  'Issue#/properties/label': 'label',
  'Issue#/properties/flag': null,
  'Issue#/properties/owner': (value) => (isLabel(value) ? 'label' : 1),
  'GET /either 200': (value) => (isLabel(value) ? 0 : undefined),
}
const VALUE = { label: { name: 'a' }, flag: { name: 'b', color: '' }, owner: { name: 'c' } }
const OLDER = { label: { title: 'a' }, flag: VALUE.flag, owner: { title: 'c' } }
const V1 = { 'X-API-Version': 'v1' }
const FAILED = { status: 500, json: { code: 'ERR_VERSION_CHANGE' } }

function start(places: Places) {
  const routes = routesOf(document, { places })
  routes
    .route('/issue')
    .get((req, res) => void res.json({ ...VALUE, ...(req.get('Team') && { owner: { members: 'd' } }) }))
  routes.route('/either').get((req, res) => void res.json(req.get('Team') ? { members: 'e' } : { name: 'f' }))
  const handler = versioning({ scheme: HeaderVersioning, changes, routes })
  return serve((app) => void app.use(handler, routes))
}

test('a copy, another thing and the branch of a union', async () => {
  const { get } = await start(PLACES)
  expect((await get('/issue', V1)).json).toEqual(OLDER)
  expect((await get('/issue', { ...V1, Team: '1' })).json).toMatchObject({ owner: { members: 'd' } })
  expect((await get('/either', V1)).json).toEqual({ title: 'f' })
  expect(await get('/either', { ...V1, Team: '1' })).toMatchObject(FAILED)
  expect((await get('/issue', { 'X-API-Version': 'v2' })).json).toEqual(VALUE)
})

test('the error of a function is one of the conversion', async () => {
  const { get } = await start({ ...PLACES, 'Issue#/properties/owner': () => JSON.parse('{') })
  expect(await get('/issue', V1)).toMatchObject(FAILED)
})

test('messages end with the lines to paste', () => {
  const lines = [
    '  "Issue#/properties/owner": (value) => undefined /* the name or the index of its branch */,',
    '  "Issue#/properties/label": "label" /* null: it is another thing */,',
    '  "Issue#/properties/flag": "label" /* null: it is another thing */,',
    '  "GET /either 200": (value) => undefined /* the name or the index of its branch */,',
  ]
  expect(() => start({})).toThrow(`places: {\n${lines.join('\n')}\n}`)
})

const Label = { ...label, $id: 'label' }
const Team = { ...team, $id: 'team' }
const Owner = { $id: 'Owner', oneOf: [Label, Team, { type: 'null' }] }

function described(places: Places) {
  const routes = namedRoutes({ issue: '/issue' }, { places })
  routes.describe('PUT issue', {
    body: { properties: { flag: copy } },
    query: { properties: { flag: text } },
    response: {
      200: { properties: { flag: copy, owner: Owner, list: { items: { $ref: '#/$defs/T4' } } }, $defs: { T4: copy } },
      204: null,
    },
  })
  routes
    .route('issue')
    .put((req, res) => void res.json({ flag: VALUE.flag, owner: req.get('None') ? null : VALUE.owner }))
  return { scheme: HeaderVersioning, changes, routes }
}

const TOLD: Places = {
  'PUT issue 200#/properties/flag': null,
  'PUT issue 200#/properties/list/items': null,
  'PUT issue 200#/properties/list/items/properties': null,
  'PUT issue body#/properties/flag': null,
  'PUT issue query#/properties/flag': null,
  Owner: (value) => (isLabel(value) ? 'label' : 'team'),
}

test('places of descriptions', async () => {
  const options = described(TOLD)
  const { send } = await serve((app) => void app.use(versioning(options), options.routes))
  const { flag, owner } = OLDER
  expect((await send('PUT', '/issue', V1)).json).toEqual({ flag, owner })
  // The function gets no null.
  expect((await send('PUT', '/issue', { ...V1, None: '1' })).json).toEqual({ flag, owner: null })
})

test.each([
  ['PUT issue 200 odd', null, 'but no description has it.'],
  ['PUT issue 201', null, 'but no description has it.'],
  ['Labal', null, 'but no description has it. Did you mean "label"?'],
  ['PUT issue 200#/properties/flog', null, 'but there is no schema at "/properties/flog".'],
  ['PUT issue 200#/properties/flag/type', null, 'but there is no schema at "/properties/flag/type".'],
  ['PUT issue 204#/x', null, 'but there is no schema at "/x".'],
  ['Owner#/oneOf/0', 'label', 'give the schema its name in describe(), "$id": "label".'],
  ['PUT issue 200#/properties/flag', 'label', 'give the schema its name in describe(), "$id": "label".'],
])('versioning() rejects the place %s', (place, meaning, told) => {
  expect(() => versioning(described({ ...TOLD, [place]: meaning }))).toThrow(told)
})

test('a place in a schema that a change has written has the version in front', async () => {
  const owner = { oneOf: [{ $ref: 'label' }, { $ref: 'team' }] }
  const thing = shape<object, object>(
    { type: 'object', properties: { owner } },
    { $id: 'Thing', type: 'object', properties: { name: text } } as never,
    { response: ({ name }: { name: string }) => ({ owner: { name } }) } as never,
  )
  const late = historyOf(
    [change('Labels have a `name`.', { label: fields({ renamed: { title: 'name' } }) })],
    [change('A thing is its owner.', { Thing: thing })],
  )
  const start = (places: Places) =>
    serve((app) => {
      const routes = namedRoutes({ issue: '/issue' }, { places })
      routes.describe('GET issue', { response: { type: 'object', properties: { a: Label, b: Team, of: thing.newer } } })
      routes.route('issue').get((_req, res) => void res.json({ of: { name: 'c' } }))
      app.use(versioning({ scheme: HeaderVersioning, changes: late, routes }), routes)
    })
  await expect(start({})).rejects.toThrow(
    'the shape "label" cannot be converted at "/properties/owner/oneOf" of "Thing"',
  )
  const { get } = await start({ 'v2 Thing#/properties/owner': (value) => (isLabel(value) ? 'label' : 'team') })
  expect((await get('/issue', V1)).json).toEqual({ of: { owner: { title: 'c' } } })
  await expect(start({ 'v2 Thing#/properties/own': null })).rejects.toThrow(
    'but there is no schema at "/properties/own".',
  )
})

test('they hold for shapes by hand', async () => {
  const options = { scheme: HeaderVersioning, changes, routes: routesOf(document, { places: PLACES }) }
  expect(changes.for(options).shape('Issue', VALUE, 'v1')).toEqual(OLDER)
  expect(changes.for(options).shape('Issue', { owner: { members: 'd' } }, 'v1')).toEqual({ owner: { members: 'd' } })
})
