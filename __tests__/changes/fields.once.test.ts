import express from 'express'
import { versioning } from 'express-versioning'
import { type Change, change, type FieldChanges, fields, shape } from 'express-versioning/changes'
import { type OpenApiDocuments, type OpenApiOperation, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { ask, historyOf } from '../support/changes'
import { describing, misfit, released, told } from '../support/described'
import { serve } from '../support/serve'

type Json = Record<string, unknown>
const text = { type: 'string' }
const number = { type: 'integer' }
const object = (properties: Json, required: string[] = [], more: Json = {}) => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...more,
})
const to = ($ref: string) => ({ $ref })
const named = (schema: object, $id = 'Article') => ({ $id, ...schema })
const nullable = (schema: Json) => ({ anyOf: [schema, { type: 'null' }] })

/** Makes an object with a property of that name. */
const ofProto = (value: unknown) => Object.fromEntries([['__proto__', value]])

/** Describes `/other` by the shape: its responses, and unless `body` is `null` its bodies. */
function optionsOf(schema: object, changes: Change[], body: object | null = schema) {
  const seen: { body?: unknown; response?: unknown } = {}
  const routes = describing({ 'POST other': { body, response: schema } }, (req, res) => {
    seen.body = req.body
    res.json(seen.response)
  })
  const options = released(routes, ...changes)
  return { options, history: options.changes, seen }
}

const schemasIn = ({ components }: { components?: { schemas?: object } }) => components?.schemas as Record<string, Json>

/** Serves the shape. The result sends a body in a version, and tells what the handler got and what the client got. */
async function serveShape(schema: object, changes: Change[], body?: object | null) {
  const { options, history, seen } = optionsOf(schema, changes, body)
  const api = await serve((app) => void app.use(versioning(options), express.json(), options.routes))
  const send = async (version: string, sent: unknown, response: unknown) => {
    seen.response = response
    const { text, status } = await ask(api, version, '/other', { method: 'POST', body: sent })
    return { body: seen.body, response: status === 200 ? text : status }
  }
  let documents: OpenApiDocuments | undefined
  /** Tells what is wrong with a body or response by the document of a version. */
  const faultIn = (version: string, part: 'body' | 'response', value: unknown) => {
    documents ??= openapi(options)
    const document = documents.document(version)
    const { requestBody, responses } = (document.paths['/other'] as { post: OpenApiOperation }).post
    return misfit(document, part === 'body' ? requestBody : responses['200'], value)
  }
  return { send, faultIn, history, options }
}

const article = named(object({ id: text, title: text, language: text }, ['id', 'title', 'language']))
const Contact = object({ email: text, phone: text }, ['email'])
const homes = { type: 'array', title: 'All', items: object({ town: text, zip: text }, ['town']) }
const NAMES = { type: 'array', items: text }
const both = { $id: 'Both', ...object({ mail: to('#/properties/own'), own: text }) }
/** A schema that refers to itself without a name. */
const tree = ({ $defs, ...of }: Json) => ({
  ...object({ of, kids: { type: 'array', items: to('#/properties/own') }, own: object({ of }) }),
  dependencies: { odd: ['of'] },
  ...($defs === undefined ? {} : { $defs }),
})

type Row = [
  title: string,
  newer: object,
  given: FieldChanges,
  newest: unknown,
  older: string,
  /** Without them, a body is as the older response, and becomes the newest value. */
  bodies?: { sent?: Json; got?: Json; rejected?: unknown[] },
]
// The property of `fields()` generates the options, plain schemas and values. Here is what it does not have.
const ROWS: Row[] = [
  [
    'all in its place, beside properties that nobody described',
    named(
      object(
        { id: text, title: text, contact: object({ mail: text, fax: text }, ['mail']), language: text, at: text },
        ['id', 'title', 'contact'],
      ),
    ),
    {
      removed: { sales: { schema: number, value: 1 }, gone: { schema: text, optional: true, value: () => undefined } },
      renamed: { name: 'title', email: 'mail' },
      added: ['fax', 'language'],
      nested: { contact: ['fax', 'mail'] },
    },
    { email: 'odd', id: '1', name: 'odd', title: 'T', contact: { mail: 'a', odd: 1, fax: '0' }, at: 'x', more: 1 },
    '{"id":"1","name":"T","email":"a","sales":1,"at":"x","more":1}',
    {
      sent: { more: 1, id: '1', name: 'T', title: 'odd', email: 'a', contact: 'odd', language: 'odd', sales: 3 },
      got: { more: 1, id: '1', title: 'T', contact: { mail: 'a' } },
      rejected: [{ name: 'T' }],
    },
  ],
  [
    'values of enumerations, of unions, of names and of converted properties, with null',
    named(
      object({
        tier: { enum: ['basic', 'gold', null] },
        level: { anyOf: [{ const: 1 }, { oneOf: [{ const: 2 }, { const: 3 }] }, { const: 4 }, { type: 'null' }] },
        other: to('#/$defs/alias1'),
        letter: number,
      }),
    ),
    {
      converted: {
        letter: {
          schema: { enum: ['a', 'b', 'c'] },
          response: (letter: number) => 'abc'[letter],
          request: ((letter: string) => 'abc'.indexOf(letter)) as never,
        },
      },
      values: { tier: { null: 'basic' }, level: { 3: 1, 4: 1 }, other: { c: 'a' }, letter: { c: 'b' } },
    },
    { tier: null, level: 4, other: 'c', letter: 2 },
    '{"tier":"basic","level":1,"other":"a","letter":"b"}',
    {
      sent: { tier: 'gold', level: null, other: 'a', letter: 'b' },
      got: { tier: 'gold', level: null, other: 'a', letter: 1 },
      rejected: [{ tier: null }, { level: 3 }, { other: 'c' }, { letter: 'c' }],
    },
  ],
  [
    'added properties and values that functions make of the body, and of the response',
    named(object({ first: text, last: text, tier: { enum: ['a', 'b', 'c'] } }, ['first', 'last'])),
    {
      renamed: { name: 'first' },
      added: { last: ({ name }, { version }) => `${name} ${version}` },
      values: { tier: { c: ({ first }: Json) => (first === 'A' ? 'a' : 'b') } },
    },
    { first: 'A', last: 'A v1', tier: 'c' },
    '{"name":"A","tier":"a"}',
    { got: { first: 'A', tier: 'a', last: 'A v1' }, rejected: [{ name: 'A', tier: 'c' }] },
  ],
  [
    'properties that need each other: one is added, and others need it',
    named(object({ a: text, b: text, c: text, d: text }, [], { dependentRequired: { a: ['b'], b: ['c'] } })),
    { added: { b: 'none' }, renamed: { x: 'c', y: 'a' } },
    { a: '1', b: '2', c: '3' },
    '{"y":"1","x":"3"}',
    { got: { a: '1', c: '3', b: 'none' }, rejected: [{ y: '1' }] },
  ],
  [
    'properties that need a property that is required, and one that nobody described',
    named(
      object({ id: text, a: text, b: text }, ['id', 'a', 'x'], { dependentRequired: { a: ['b'], b: ['id', 'y'] } }),
    ),
    { renamed: { c: 'b' } },
    { id: '1', a: '2', b: '3', x: 4, y: 5 },
    '{"id":"1","a":"2","c":"3","x":4,"y":5}',
    {
      rejected: [
        { id: '1', a: '2', x: 4, y: 5 },
        { id: '1', y: 5 },
        { id: '1', a: '2', c: '3', x: 4 },
      ],
    },
  ],
  [
    'a property that needs a nested object, whose properties are required',
    named(
      object({ id: text, contact: object({ mail: text }, ['mail']) }, [], { dependentRequired: { id: ['contact'] } }),
    ),
    { nested: { contact: ['mail'] } },
    { id: '1', contact: { mail: 'a' } },
    '{"id":"1","mail":"a"}',
    { rejected: [{ id: '1' }] },
  ],
  [
    'a property that needs a nested object, which may be empty',
    named(object({ id: text, contact: Contact }, [], { dependentRequired: { id: ['contact'], contact: ['id'] } })),
    { nested: { contact: ['email', 'phone'] }, added: { email: 'none' } },
    {},
    '{}',
    { sent: { id: '1' }, got: { id: '1', contact: { email: 'none' } }, rejected: [{ phone: '7' }] },
  ],
  [
    'a property that needs a nested object, which may be null',
    named(object({ id: text, contact: nullable(Contact) }, [], { dependentRequired: { id: ['contact'] } })),
    { nested: { contact: ['email', 'phone'] } },
    { id: '1', contact: null },
    '{"id":"1"}',
    { rejected: [{ phone: '7' }] },
  ],
  [
    'nested properties that are objects with nested properties',
    named(object({ a: object({ b: object({ c: text }, ['c']), d: text }, ['b']) }, ['a'])),
    { nested: { a: ['b', 'd'], b: ['c'] } },
    { a: { b: { c: '1' }, d: '2' } },
    '{"c":"1","d":"2"}',
    { rejected: [{ d: '2' }] },
  ],
  [
    'several nested objects beside a schema without a name',
    named(object({ a: object({ b: to('#/properties/own') }), c: object({ d: text }), own: object({ of: text }) })),
    { nested: { a: ['b'], c: ['d'] } },
    { a: { b: { of: '1' } }, c: { d: '2' }, own: { of: '3' } },
    '{"b":{"of":"1"},"d":"2","own":{"of":"3"}}',
    { rejected: [{ b: { of: 7 } }] },
  ],
  [
    'a nested object behind names, which must be there',
    named(object({ contact: to('#/$defs/Both') }, ['contact'])),
    { nested: { contact: ['mail', 'own'] }, renamed: { email: 'mail' } },
    { contact: { own: 'x', mail: 'b' } },
    '{"own":"x","email":"b"}',
    { sent: {}, got: { contact: {} }, rejected: [{ email: 7 }] },
  ],
  [
    'a nested object that may be null by a list of types',
    named(object({ contact: { ...Contact, type: ['object', 'null'] }, at: text }, ['contact'])),
    { nested: { contact: ['email', 'phone'] } },
    { contact: { email: 'a' }, at: 'x' },
    '{"email":"a","at":"x"}',
    { sent: { at: 'x' }, got: { at: 'x', contact: null }, rejected: [{ email: 7 }] },
  ],
  [
    'removed properties whose schemas refer to themselves, to each other and to names',
    named(object({ both: to('#/$defs/Both') })),
    {
      removed: {
        tree: { schema: tree(text), value: { of: 'x', kids: [{ of: 'y' }] }, optional: true },
        trees: { schema: tree(number), value: { of: 1, kids: [{ of: 2 }] } },
        more: { schema: tree({ $ref: '#/$defs/Both', $defs: { Both: both } }), value: { of: { own: 'x' } } },
      },
    },
    { both: { own: 'a' } },
    '{"both":{"own":"a"},"tree":{"of":"x","kids":[{"of":"y"}]},"trees":{"of":1,"kids":[{"of":2}]},"more":{"of":{"own":"x"}}}',
    { rejected: [{ tree: { of: 'x', kids: [{ of: 7 }] } }] },
  ],
  [
    'functions, which get the whole value, also for a property that others needed',
    named(
      object({ id: text, phone: text, mail: text, tier: { enum: ['basic', 'gold'] } }, ['id', 'phone'], {
        dependentRequired: { id: ['phone'] },
      }),
    ),
    {
      required: { phone: ({ id }: Json) => `of ${id}` },
      optional: { mail: ({ id }: Json) => `${id}@b` },
      removedValues: { tier: { silver: ({ id }: Json) => (id === '1' ? 'gold' : 'basic') } },
      removed: { sales: { schema: text, value: ({ phone }: Json) => `to ${phone}` } },
    },
    { id: '1', phone: '7' },
    '{"id":"1","phone":"7","mail":"1@b","sales":"to 7"}',
    {
      sent: { id: '1', tier: 'silver', mail: 'a', sales: 'x' },
      got: { id: '1', tier: 'gold', mail: 'a', phone: 'of 1' },
      rejected: [{ id: '1', tier: 'bronze', mail: 'a', sales: 'x' }],
    },
  ],
  [
    'renamed values that swap, and removed ones, of numbers, unions and names, with null',
    named(
      object({
        status: { type: 'string', enum: ['active', 'a', 'b'] },
        code: { enum: [1, 2, null] },
        level: { oneOf: [{ const: true }, { const: false }, { type: 'null' }] },
        other: to('#/$defs/alias1'),
        is: { enum: [true] },
        nr: { type: 'integer', enum: [1] },
        none: { enum: [null] },
        some: { enum: ['a'] },
      }),
    ),
    {
      renamedValues: { status: { on: 'active', a: 'b', b: 'a' }, code: { 10: 1, none: null }, other: { z: 'c' } },
      removedValues: {
        level: { unknown: false },
        other: { y: 'b' },
        is: { false: true },
        nr: { 2: 1, '': 1 },
        none: { gold: null },
        some: { null: 'a' },
      },
    },
    { status: 'active', code: null, level: true, other: 'c', none: null },
    '{"status":"on","code":"none","level":true,"other":"z","none":null}',
    {
      sent: { status: 'b', code: 10, level: 'unknown', other: 'y', is: false, nr: '', none: 'gold', some: null },
      got: { status: 'a', code: 1, level: false, other: 'b', is: true, nr: 1, none: null, some: 'a' },
      rejected: [{ status: 'active' }, { other: 'c' }, { none: 'silver' }],
    },
  ],
  [
    'listed, where the list or an item may be null, behind names, and where it is never empty',
    named(
      object(
        {
          authors: nullable(to('#/$defs/Names')),
          tags: nullable({ type: 'array', items: text, minItems: 1 }),
          notes: { type: 'array', items: { type: ['string', 'null'] }, minItems: 1 },
          marks: { type: 'array', items: { type: ['string', 'null'] } },
        },
        ['authors', 'tags', 'marks'],
      ),
    ),
    { listed: { author: 'authors', tag: 'tags', note: 'notes', mark: 'marks' }, renamed: { by: 'author' } },
    { authors: ['a', 'b'], tags: null, notes: ['c'], marks: [] },
    '{"by":"a","tag":null,"note":"c","mark":null}',
    {
      sent: { by: null, tag: null, note: null, mark: null },
      got: { authors: [], tags: null, notes: [null], marks: [] },
      rejected: [
        { by: null, tag: null },
        { tag: null, mark: null },
        { by: null, tag: 7, mark: null },
      ],
    },
  ],
  [
    'listed objects whose properties are nested, of which one was required before, and a converted item',
    named(
      object({ id: text, contacts: { type: 'array', items: Contact, uniqueItems: true }, homes, kinds: NAMES }, ['id']),
    ),
    {
      listed: { contact: 'contacts', home: 'homes', kind: 'kinds' },
      optional: { contact: { email: 'none' } },
      nested: { contact: ['email', 'phone'], home: ['town', 'zip'] },
      converted: {
        kind: { schema: object({ of: text }), response: (of) => ({ of }), request: ((kind: Json) => kind.of) as never },
      },
    },
    { id: '1', contacts: [], homes: [], kinds: [] },
    '{"id":"1","email":"none"}',
    {
      sent: { id: '1', email: 'a', kind: { of: 'x' } },
      got: { id: '1', contacts: [{ email: 'a' }], kinds: ['x'] },
      rejected: [{ id: '1' }, { id: '1', email: 'a', zip: '7' }, { id: '1', email: 'a', kind: 'x' }],
    },
  ],
  [
    'properties that are called __proto__',
    named(object(ofProto(text), ['__proto__'])),
    {
      renamed: { before: '__proto__' },
      removed: ofProto({ schema: object({ a: number }), value: { a: 1 } }) as FieldChanges['removed'],
    },
    ofProto('x'),
    '{"before":"x","__proto__":{"a":1}}',
  ],
]

test.each(ROWS)('%s', async (_title, newer, given, newest, older, bodies = {}) => {
  const { sent = JSON.parse(older) as Json, got = newest, rejected = [] } = bodies
  const schema = {
    ...newer,
    $defs: { alias1: { anyOf: [{ enum: ['a', 'b', 'c'], default: 'c' }] }, Both: both, Names: { type: 'array' } },
  }
  const { send, faultIn, history, options } = await serveShape(schema, [change('X.', { Article: fields(given) })])
  const found = await send('v1', sent, newest)
  expect(found).toEqual({ body: got, response: older })
  expect(JSON.stringify(found.body)).toBe(JSON.stringify(got))
  expect([faultIn('v1', 'body', sent), faultIn('v1', 'response', JSON.parse(older))]).toEqual(['', ''])
  for (const one of rejected) expect(faultIn('v1', 'response', one)).not.toBe('')
  expect(faultIn('v2', 'body', got)).toBe('')
  // The newest version stays as it is, and by hand is the same.
  expect(await send('v2', got, newest)).toEqual({ body: got, response: JSON.stringify(newest) })
  const byHand = history.for(options)
  expect(JSON.stringify(byHand.shape('Article', newest, 'v1'))).toBe(older)
  expect(byHand.request('POST other', sent, 'v1')).toEqual(got)
})

/** Tells a null that a function got. */
const toldNull = (value: unknown) => (value === null ? 'got null' : value)
test.each<[newer: Json, older: Json, response: unknown, body: unknown]>([
  [nullable(text), nullable(text), null, null],
  [nullable(text), text, 'got null', 'got null'],
  [text, nullable(text), 'got null', 'got null'],
  [text, text, 'got null', 'got null'],
  [{ enum: ['a', null] }, {}, null, null],
  [to('#/$defs/Tier'), { ...to('#/$defs/Own'), $defs: { Own: { type: ['string', 'null'] } } }, null, null],
  [to('#/$defs/Tier'), to('Tier'), null, null],
  [to('#/$defs/Tier'), { ...to('#/$defs/Own'), $defs: { Own: text } }, 'got null', 'got null'],
])('converted: null where %j was %j', async (tier, schema, response, body) => {
  const newer = { ...named(object({ tier })), $defs: { Tier: { $id: 'Tier', enum: ['a', null] } } }
  const { send } = await serveShape(newer, [
    change('X.', { Article: fields({ converted: { tier: { schema, response: toldNull, request: toldNull } } }) }),
  ])
  expect(await send('v1', { tier: null }, { tier: null })).toEqual({
    body: { tier: body },
    response: JSON.stringify({ tier: response }),
  })
})

const of = (schema: object, given: FieldChanges, isResponse = false) => ({ schema, given, isResponse })
const must = ['id', 'title', 'language']
const plain = object({ id: text, title: text, language: { enum: ['en', 'de'] } }, must)
const inPlain = (given: FieldChanges) => of(plain, given)
const whole = { contact: Contact, level: { anyOf: [number, { $ref: 'Level' }] }, list: { type: 'array', items: text } }
const inWhole = (given: FieldChanges) => of(object(whole), given)
const level = named({ enum: ['low', 'high'] }, 'Level')
const needing = object({ id: text, title: text }, [], { dependentRequired: { id: ['title'] } })
const ofList = (list: object) => of(object({ list }), { listed: { one: 'list' } })
const NOT_THERE = 'which its newer definition does not have'
const CHANGE_IT = 'change the schema together with them: descriptions, or the document, must have the newest form.'
const IF_GONE = `If the handlers do not have it any more, ${CHANGE_IT}`
const ALREADY = `of the older version, but its newer definition has that property already. Change that one too. ${IF_GONE}`
const LACKS = 'which its newer definition lacks'
const swapped = (owner: string, older: string, newer: string) =>
  `It has "${older}". If the handlers have "${newer}" now, ${CHANGE_IT} If "${older}" is the newer one, write { "${newer}": "${older}" }: ${owner} takes { older: newer }.`
const IN_BODY = 'but is in the body of "POST other".'
const IN_RESPONSE = 'but is in the response 200 of "POST other".'
const [ofResponse, ofBody] = [
  { schema: text, response: String },
  { schema: text, request: String },
]
const BAD_VALUE = 'a value that its schema rejects.'
const OF_VALUES = 'takes properties with an "enum" or "const", and'
const NO_LIST = '"listed" takes lists of "items" that may have one, and "list" is none.'
const NO_OBJECT = 'its newer definition is no object with "properties" alone: fields() cannot follow its'

const UNKNOWN = [
  { renamed: { name: 'titl' } },
  { added: ['titl'] },
  { values: { titl: {} } },
  { converted: { titl: { schema: text } } },
  { nested: { titl: ['a'] } },
  { required: { titl: '' } },
  { optional: { titl: '' } },
  { renamedValues: { titl: {} } },
  { removedValues: { titl: {} } },
  { listed: { one: 'titl' } },
].map(
  (given): Mistake => [
    `"${Object.keys(given)}" says "titl", ${NOT_THERE}. Did you mean "title"?`,
    inPlain(given as FieldChanges),
  ],
)

const OF_LANGUAGE = (
  [
    ['values', { enn: 'de' }, `has "enn", ${LACKS}. Did you mean "en"?`],
    ['values', { en: 'dee' }, 'gives "dee", which its older definition lacks. Did you mean "de"?'],
    ['values', { en: 'en' }, 'gives "en", which its older definition lacks.'],
    ['renamedValues', { english: 'enn' }, `gives "enn", ${LACKS}. Did you mean "en"?`],
    ['renamedValues', { en: 'english' }, `gives "english", ${LACKS}. ${swapped('the option', 'en', 'english')}`],
    ['renamedValues', { english: 'en', british: 'en' }, 'has "en" twice.'],
    ['renamedValues', { de: 'en' }, 'has the older "de", which its newer definition has already.'],
    ['removedValues', { de: 'en' }, `has "de", which its newer definition still has. ${IF_GONE}`],
    ['removedValues', { fr: 'enn' }, `gives "enn", ${LACKS}. Did you mean "en"?`],
  ] as const
).map(([option, language, says]): Mistake => [`"${option}" of "language" ${says}`, inPlain({ [option]: { language } })])

type Mistake = [message: string, ReturnType<typeof of>]
test.each<Mistake>([
  ...UNKNOWN,
  ...OF_LANGUAGE,
  [`has no "request" for the converted "title", ${IN_BODY}`, inPlain({ converted: { title: ofResponse } })],
  [`has no "response" for the converted "title", ${IN_RESPONSE}`, inPlain({ converted: { title: ofBody } })],
  [`has no "value" for the removed "sales", ${IN_RESPONSE}`, inPlain({ removed: { sales: { schema: text } } })],
  [
    `"renamed" says "name", ${NOT_THERE}. ${swapped('"renamed"', 'title', 'name')}`,
    inPlain({ renamed: { title: 'name' } }),
  ],
  [`"renamed" says "id" ${ALREADY}`, inPlain({ renamed: { id: 'title' } })],
  [`"added" says "subtitle", ${NOT_THERE}. If the handlers have it, ${CHANGE_IT}`, inPlain({ added: ['subtitle'] })],
  ['"renamed" has "title" twice.', inPlain({ renamed: { a: 'title', b: 'title' } })],
  [`"removed" says "title" ${ALREADY}`, inPlain({ removed: { title: { schema: text, value: '' } } })],
  [`has no value for the added "title", which bodies require, ${IN_BODY}`, of(needing, { added: ['title'] })],
  [`has no value for the added "language", which bodies require, ${IN_BODY}`, inPlain({ added: ['language'] })],
  [`"added" gives "language" ${BAD_VALUE}`, of(plain, { added: { language: 'fr' } }, true)],
  [`"added" gives "id" ${BAD_VALUE}`, inPlain({ added: { id: 7 } })],
  [`"added" gives "level" ${BAD_VALUE}`, inWhole({ added: { level: 0.5 } })],
  [`"added" gives "level" ${BAD_VALUE}`, inWhole({ added: { level: 'mid' } })],
  [`"added" gives "all" ${BAD_VALUE}`, of(object({ all: { allOf: [text, { const: 'a' }] } }), { added: { all: 'b' } })],
  [`"required" gives "title" ${BAD_VALUE}`, inPlain({ required: { title: 7 } })],
  [`"optional" gives "title" ${BAD_VALUE}`, of(object({ title: text }), { optional: { title: 7 } })],
  [`"values" ${OF_VALUES} "title" has none.`, inPlain({ values: { title: { a: 'b' } } })],
  [`"renamedValues" ${OF_VALUES} "title" has none.`, inPlain({ renamedValues: { title: { a: 'b' } } })],
  [`"removedValues" ${OF_VALUES} "title" has none.`, inPlain({ removedValues: { title: { a: 'b' } } })],
  [
    `"values" ${OF_VALUES} "level" has none. Of the shape "Level", say shape(older, steps).`,
    of(object({ level: to('Level') }), { values: { level: { high: 'low' } } }),
  ],
  [
    'the schema of "at" cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema; it is in',
    inPlain({ removed: { at: { schema: z.date(), value: '' } } }),
  ],
  [
    `"nested" says "emil", ${NOT_THERE}. Did you mean "email"?`,
    inWhole({ nested: { contact: ['emil', 'email', 'phone'] } }),
  ],
  ['"nested" leaves out "phone" of "contact".', inWhole({ nested: { contact: ['email'] } })],
  [
    `"nested" says "email" ${ALREADY}`,
    of(object({ ...whole, email: text }), { nested: { contact: ['email', 'phone'] } }),
  ],
  ['"nested" takes objects with "properties" alone, and "list" is none.', inWhole({ nested: { list: ['a'] } })],
  ['"nested" takes objects with "properties" alone, and "level" is none.', inWhole({ nested: { level: ['a'] } })],
  [
    '"required" says "phone", which its newer definition does not require.',
    of(object({ phone: text, id: text }, ['id']), { required: { phone: '' } }),
  ],
  ['"optional" says "title", which its newer definition requires.', inPlain({ optional: { title: '' } })],
  ['"optional" says "id", with which its newer definition requires "title".', of(needing, { optional: { id: '' } })],
  [`"listed" says "one", ${NOT_THERE}. ${swapped('"listed"', 'list', 'one')}`, inWhole({ listed: { list: 'one' } })],
  [`"listed" says "level" ${ALREADY}`, inWhole({ listed: { level: 'list' } })],
  [NO_LIST, ofList({ type: 'array', minItems: 2 })],
  [NO_LIST, ofList({ type: 'array', prefixItems: [text] })],
  [NO_LIST, ofList({ type: 'array', items: false })],
  [NO_LIST, ofList({})],
  [`${NO_OBJECT} "anyOf".`, of({ anyOf: [plain, text] }, { added: ['id'] })],
  [`${NO_OBJECT} "allOf".`, of({ ...plain, allOf: [{}] }, { added: ['id'] })],
  [`${NO_OBJECT} "allOf".`, of({ allOf: [plain, object({ other: text })] }, { added: ['id'] })],
  [`${NO_OBJECT} "enum".`, of({ enum: ['a'] }, { values: { a: {} } })],
  [`${NO_OBJECT} "type".`, of(text, { added: ['id'] })],
])('versioning() finds a mistake: %s', (message, { schema, given, isResponse }) => {
  const described = { ...named(schema), $defs: { Level: level } }
  const { options } = optionsOf(described, [change('X.', { Article: fields(given) })], isResponse ? null : described)
  const found = told(() => versioning(options))
  expect(found).toContain(message)
  expect(found).toMatch(/shape "Article" (in version 'v2' \("X\."\)|of the change "X\.")/)
})

const SCHEMA = 'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'
const SCALAR = 'takes a string, a number, a boolean or null'
const IS_ADDED = 'but the older version lacks what is added.'
test.each<[message: string, given: unknown]>([
  ['fields() takes an object of options; got undefined.', undefined],
  [
    'fields() says nothing: it takes "removed", "renamed", "added", "values", "converted", "nested", "required", "optional", "renamedValues", "removedValues", "listed".',
    { required: {} },
  ],
  [
    'option "required.a" takes a value that JSON can express, or a function; got undefined.',
    { required: { a: undefined } },
  ],
  ['option "optional.a" takes a value that JSON can express; got NaN.', { optional: { a: Number.NaN } }],
  [`option "renamedValues.a.b" ${SCALAR}; got [].`, { renamedValues: { a: { b: [] } } }],
  [`option "removedValues.a.b" ${SCALAR}; got undefined.`, { removedValues: { a: { b: undefined } } }],
  ['unknown option "rename". Did you mean "renamed"?', { rename: {} }],
  ['option "removed" takes an object by property; got [].', { removed: [] }],
  ['option "nested" takes an object by property; got null.', { nested: null }],
  ['"removed.a" takes an object of options; got 7.', { removed: { a: 7 } }],
  [`"removed.a": option "schema" takes ${SCHEMA}; got undefined.`, { removed: { a: {} } }],
  ['"removed.a": option "optional" takes true or false; got 1.', { removed: { a: { schema: {}, optional: 1 } } }],
  [
    '"removed.a": option "value" takes a value that JSON can express; got 1n.',
    { removed: { a: { schema: {}, value: 1n } } },
  ],
  ['option "renamed.a" takes the newer name; got 7.', { renamed: { a: 7 } }],
  ['option "renamed.a" takes the newer name; got \'\'.', { renamed: { a: '' } }],
  ['option "added" takes a list of names; got [ 7 ].', { added: [7] }],
  ['option "added.a" takes a value that JSON can express; got NaN.', { added: { a: Number.NaN } }],
  ['option "values.a" takes an object by property; got 7.', { values: { a: 7 } }],
  [`"converted.a": option "schema" takes ${SCHEMA}; got 7.`, { converted: { a: { schema: 7 } } }],
  ['"converted.a": option "request" takes a function; got 7.', { converted: { a: { schema: {}, request: 7 } } }],
  [`"added" and "values" both say "a", ${IS_ADDED}`, { added: ['a'], values: { a: { b: 'c' } } }],
  [`"added" and "renamed" both say "b", ${IS_ADDED}`, { added: ['b'], renamed: { a: 'b' } }],
  ['option "nested.a" takes a list of names; got [].', { nested: { a: [] } }],
  ['option "nested.a" takes a list of names; got \'b\'.', { nested: { a: 'b' } }],
])('%s', (message, given) => {
  expect(told(() => fields(given as never))).toMatch(/^fields\(\)/)
  expect(told(() => fields(given as never))).toContain(message)
})

const TITLED = fields({ renamed: { name: 'title' } })

test('fields() and shape() take turns, and a later change touches nothing before it', async () => {
  const steps = {
    response: ({ name }: Json) => ({ head: name }),
    request: ({ head }: Json) => ({ name: head }),
  }
  const Both = named(object({ title: text, language: text }, ['title', 'language']))
  const Titled = { ...Both, properties: { title: text }, required: ['title'] }
  const absolute = shape<Json, Json>(Titled as never, Both as never, {
    response: ({ title }) => ({ title }),
    request: ({ title }) => ({ title, language: 'en' }),
  })
  const head = change('Head.', { Article: shape(object({ head: text }, ['head']), steps) })
  const title = change('Title.', { Article: TITLED })
  const later = change('Later.', { Article: fields({ added: { language: 'en' } }) })
  for (const last of [later, change('Later.', { Article: absolute })]) {
    const { send, faultIn, history, options } = await serveShape(Both, [head, title, last])
    const newest = { title: 'T', language: 'de' }
    for (const [version, older] of Object.entries({ v1: { head: 'T' }, v2: { name: 'T' }, v3: { title: 'T' } })) {
      const body = { title: 'T', language: 'en' }
      expect(await send(version, older, newest)).toEqual({ body, response: JSON.stringify(older) })
      expect(faultIn(version, 'response', older)).toBe('')
      expect(history.for(options).shape('Article', newest, version)).toEqual(older)
    }
  }
  // The sides of one change must still be those of the next.
  const wrong = change('Odd.', { Article: shape(object({ name: text }, ['name']), object({ headline: text }), steps) })
  const odd = [wrong, title, change('Later.', { Article: absolute })]
  expect(() => versioning(optionsOf(Both, odd).options)).toThrow(
    `the "newer" of the shape "Article" in version 'v2' ("Odd.") is not its "older" in version 'v3': they differ at`,
  )
})

test('without a table, a side that the next version decides is unknown', () => {
  const unknown = shape(object({ name: text }), { response: (value: Json) => value })
  for (const Article of [TITLED, unknown]) {
    const history = historyOf([change('X.', { Article })])
    expect(told(() => history.shape('Article', {}, 'v1'))).toContain('use history.for(options)')
    expect(told(() => history.response('POST other', {}, 'v1'))).toContain('Use history.for(options).response(...)')
  }
  // A later shape tells it.
  const Later = shape<Json, Json>(object({ title: text }) as never, object({ head: text }) as never, {
    response: ({ head }) => ({ title: head }),
  })
  const both = historyOf([change('X.', { Article: TITLED })], [change('Y.', { Article: Later })])
  expect(both.shape('Article', { head: 'T' }, 'v1')).toEqual({ name: 'T' })
  const last = historyOf([change('Y.', { Article: Later })], [change('X.', { Article: TITLED })])
  expect(() => last.shape('Article', { head: 'T' }, 'v1')).toThrow('use history.for(options)')
})

test('one fields() stands under several names, and is nested where they are', async () => {
  const Article = {
    $id: 'Article',
    ...object({ title: text, tier: { $ref: 'Tier' } }, ['title']),
    examples: [{ title: 'new' }],
  }
  const Patch = { $id: 'ArticlePatch', ...object({ title: text, language: text }) }
  const Tier = { $id: 'Tier', enum: ['a', 'b'] }
  const schema = {
    type: 'array',
    prefixItems: [to('#/$defs/Article'), to('#/$defs/ArticlePatch')],
    $defs: { Article, ArticlePatch: Patch, Tier },
  }
  const Older = shape({ enum: ['a'] }, { response: () => 'a', request: (tier: unknown) => tier })
  const sales = {
    schema: { type: 'array', items: to('#/$defs/Tier'), $defs: { Tier: { enum: ['a'] } } },
    value: () => ['b'],
  }
  const changes = [
    change('X.', { Article: TITLED, ArticlePatch: TITLED, Tier: Older }),
    change('Y.', { Article: fields({ removed: { sales } }) }),
  ]
  const { send, faultIn, options } = await serveShape(schema, changes)
  const newest = [{ title: 'T', tier: 'b' }, { title: 'P' }]
  const older = [{ name: 'T', tier: 'a', sales: ['a'] }, { name: 'P' }]
  expect(await send('v1', older, newest)).toEqual({
    body: [{ title: 'T', tier: 'a' }, { title: 'P' }],
    response: JSON.stringify(older),
  })
  expect([faultIn('v1', 'response', older), faultIn('v2', 'response', older)]).toEqual([
    '',
    expect.stringContaining('title'),
  ])
  const document = openapi(options).document('v1')
  const schemas = schemasIn(document)
  // The example was written for the newest version.
  expect(schemas.Article).toEqual(
    object({ name: text, tier: to('#/components/schemas/Tier'), sales: expect.anything() }, ['name', 'sales']),
  )
  expect(schemas.Tier).toEqual({ enum: ['a'] })
})

test('responses alone, and bodies alone', async () => {
  const removed = { sales: { schema: text, value: 'x' } }
  const Article = fields({ removed, converted: { title: { schema: text, response: String } } })
  const own = await serveShape(article, [change('X.', { Article })], null)
  const response = '{"id":"1","title":"T","language":"en","sales":"x"}'
  expect((await own.send('v1', {}, { id: '1', title: 'T', language: 'en' })).response).toBe(response)
  const definitions = schemasIn(openapi(own.options).document('v1'))
  expect(definitions.Article?.required).toEqual(['id', 'title', 'language', 'sales'])
  const added = change('Y.', { Article: fields({ added: { id: '' } }) })
  const routes = describing({ 'PUT other': { body: article, response: null } })
  const { document } = openapi(released(routes, change('X.', { Article: TITLED }), added))
  const required = ['v1', 'v2', 'v3'].map((one) => schemasIn(document(one)).Article?.required as string[])
  expect(required.map((names) => names.join())).toEqual(['name,language', 'title,language', 'id,title,language'])
})

test('values are fresh for each body, and steps that give nothing fail', async () => {
  const newer = named(object({ id: text, tags: { type: 'array' }, price: true }, ['tags']))
  const tags: string[] = ['x']
  const undefinedOnce = (value: unknown) => (value === 'none' ? undefined : value)
  const given = fields({
    removed: { old: { schema: true, value: (value: Json) => undefinedOnce(value.id) } },
    added: { tags },
    converted: { price: { schema: true, response: undefinedOnce, request: undefinedOnce } },
  })
  tags.push('changed later')
  const { send, history, options } = await serveShape(newer, [change('X.', { Article: given })])
  const first = await send('v1', { price: 1 }, { id: '1', tags: [], price: 2 })
  expect(first).toEqual({ body: { price: 1, tags: ['x'] }, response: '{"id":"1","old":"1","price":2}' })
  ;(first.body as { tags: string[] }).tags.push('by the handler')
  expect((await send('v1', {}, { id: '1', tags: [] })).body).toEqual({ tags: ['x'] })
  expect((await send('v1', { price: 'none' }, {})).response).toBe(400)
  expect((await send('v1', {}, { price: 'none', id: '1' })).response).toBe(500)
  expect((await send('v1', {}, { id: 'none' })).response).toBe(500)
  expect((await send('v1', { price: null }, { id: '1', tags: [], price: null })).response).toBe(
    '{"id":"1","old":"1","price":null}',
  )
  const failed = 'The change "X." failed: its "response" of "Article" threw.'
  expect(() => history.for(options).shape('Article', { id: 'none' }, 'v1')).toThrow(failed)
})

test('what the definition does not describe: nested strings are rejected, and other types stay', async () => {
  const loose = named({ properties: { contact: Contact, tier: { enum: ['a', 'b'] } } })
  const { send } = await serveShape(loose, [
    change('X.', { Article: fields({ nested: { contact: ['email', 'phone'] }, values: { tier: { b: 'a' } } }) }),
  ])
  expect((await send('v1', {}, { tier: ['b'] })).response).toBe('{"tier":["b"]}')
  expect((await send('v1', {}, { tier: 'a' })).response).toBe('{"tier":"a"}')
  expect(await send('v1', ['a list'], ['a list'])).toEqual({ body: ['a list'], response: '["a list"]' })
  expect((await send('v1', {}, { contact: 'text' })).response).toBe(500)
  expect(await send('v1', {}, { contact: { email: 'a' } })).toEqual({ body: {}, response: '{"email":"a"}' })
})

test('a list without an item fails where older versions require one, and so does what is no list', async () => {
  const newer = named(object({ authors: { type: 'array', items: text } }, ['authors']))
  const given = fields({ listed: { author: 'authors' } })
  const { send } = await serveShape(newer, [change('X.', { Article: given })])
  for (const authors of [[], 'b']) expect((await send('v1', {}, { authors })).response).toBe(500)
})

test.each<[what: string, list: Json, given: FieldChanges, warned: boolean, response: string | number]>([
  ['a list that may be empty', {}, {}, true, 500],
  ['a list of at least one', { minItems: 1 }, {}, false, 500],
  ['a value', {}, { optional: { author: 'nobody' } }, false, '{"author":"nobody"}'],
  ['a value of a function', {}, { optional: { author: () => 'x' } }, false, '{"author":"x"}'],
  ['an item that may be null', { items: { type: ['string', 'null'] } }, {}, false, '{"author":null}'],
])('a start tells of lists that older versions need an item of: %s', async (_, list, more, warned, response) => {
  const warnings = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const newer = named(object({ authors: { ...several(text), ...list } }, ['authors']))
  const given = fields({ listed: { author: 'authors' }, ...more })
  const { send } = await serveShape(newer, [change('X.', { Article: given })])
  const told = warnings.mock.calls.map(([text]) => text)
  const line = '\n- "author" of the shape "Article", in version \'v2\' ("X.")'
  expect(told).toEqual(warned ? [expect.stringContaining(line)] : [])
  expect((await send('v1', {}, { authors: [] })).response).toBe(response)
  expect((await send('v1', { author: 'a' }, {})).body).toEqual({ authors: ['a'] })
  warnings.mockRestore()
})

const several = (items: Json) => ({ type: 'array', items })
test.each<[newest: Json, response: string | number]>([
  [{ tags: ['a'], labels: ['b'], note: 'n' }, '{"tag":"a","label":"b","note":"n"}'],
  [{ tags: [], labels: [] }, '{}'],
  [{ tags: ['a'], labels: [] }, '{"tag":"a"}'],
  // As the handler sent it.
  [{ note: 'n' }, '{"note":"n"}'],
  [{ tags: [], labels: ['b'] }, 500],
  [{ tags: [], labels: [], note: 'n' }, 500],
])('a list without an item fails where another property needs it: %j', async (newest, response) => {
  const together = { labels: ['tags'], note: ['tags'] }
  const lists = { tags: several(text), labels: several(text), note: text }
  const newer = { ...named(object(lists)), dependentRequired: together }
  const given = fields({ listed: { tag: 'tags', label: 'labels' } })
  const { send, faultIn } = await serveShape(newer, [change('X.', { Article: given })])
  expect((await send('v1', {}, newest)).response).toBe(response)
  expect(faultIn('v1', 'response', { label: 'b' })).not.toBe('')
})

test('an older schema has the name of today, and no body has it', async () => {
  const $defs = { Tier: { $id: 'Tier', enum: ['a', 'b'] } }
  const newer = { ...named(object({ name: text, tier: to('#/$defs/Tier') }, ['name'])), $defs }
  const older = { ...object({ title: text, tier: to('#/$defs/Tier') }, ['title']), $defs }
  const Article = shape(older, { response: ({ name, ...rest }: Json) => ({ title: name, ...rest }) })
  const Tier = shape({ enum: ['a'] }, { response: () => 'a' })
  const { send } = await serveShape(newer, [change('X.', { Article }), change('Y.', { Tier })], null)
  expect((await send('v1', {}, { name: 'N', tier: 'b' })).response).toBe('{"title":"N","tier":"a"}')
})
