import { HeaderVersioning, type OperationDescription, type VersioningOptions, versioning } from 'express-versioning'
import { type Change, change, type FieldChanges, fields, shape } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import { type OpenApiOperation, openapi } from 'express-versioning/openapi'
import { z } from 'zod'
import { Ajv } from '../support/ajv'
import { ask, historyOf, tableOf } from '../support/changes'
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

/** Makes an object with a property of that name. */
const ofProto = (value: unknown) => Object.fromEntries([['__proto__', value]])

/** Describes `/other` by the shape: its responses, and unless `body` is `null` its bodies. */
function optionsOf(schema: object, changes: Change[], body: object | null = schema) {
  const routes = tableOf()
  const seen: { body?: unknown; response?: unknown } = {}
  routes.describe('POST other', { body, response: schema } as OperationDescription)
  routes.route('other').post((req, res) => {
    seen.body = req.body
    res.json(seen.response)
  })
  const history = historyOf(...changes.map((one) => [one]))
  const options = { scheme: HeaderVersioning, changes: history, routes } satisfies VersioningOptions
  return { options, routes, history, seen }
}

const schemasIn = ({ components }: { components?: { schemas?: object } }) => components?.schemas as Record<string, Json>

/** Serves the shape. The result sends a body in a version, and tells what the handler got and what the client got. */
async function serveShape(schema: object, changes: Change[], body?: object | null) {
  const { options, routes, history, seen } = optionsOf(schema, changes, body)
  const express = await import('express')
  const api = await serve((app) => void app.use(versioning(options), express.default.json(), routes))
  const send = async (version: string, sent: unknown, response: unknown) => {
    seen.response = response
    const { text, status } = await ask(api, version, '/other', { method: 'POST', body: sent })
    return { body: seen.body, response: status === 200 ? text : status }
  }
  const judge = (version: string) => {
    const document = openapi(options).document(version)
    const ajv = new Ajv()
    ajv.addSchema({ $id: 'd', components: JSON.parse(JSON.stringify(document.components).replaceAll('"#/', '"d#/')) })
    const { requestBody, responses } = (document.paths['/other'] as { post: OpenApiOperation }).post
    const schemaOf = (one: unknown) =>
      JSON.parse(JSON.stringify((one as { content: Json }).content['application/json']).replaceAll('"#/', '"d#/'))
        .schema
    const schemas = { body: schemaOf(requestBody), response: schemaOf(responses['200']) }
    return (part: 'body' | 'response', value: unknown) => ajv.validate(schemas[part], value) || ajv.errorsText()
  }
  return { send, judge, history, options }
}

const article = named(object({ id: text, title: text, language: text }, ['id', 'title', 'language']))
const Contact = object({ email: text, phone: text }, ['email'])
const both = { $id: 'Both', ...object({ mail: to('#/properties/own'), own: text }) }
/** A schema that refers to itself without a name. */
const tree = ({ $defs, ...of }: Json) => ({
  ...object({ of, kids: { type: 'array', items: to('#/properties/own') }, own: object({ of }) }),
  dependencies: { odd: ['of'] },
  ...($defs === undefined ? {} : { $defs }),
})
const reversed = (value: string) => [...value].reverse().join('')
const moved: FieldChanges = {
  removed: { title: { schema: text, value: (newer: { name: string }) => `${newer.name}?` } },
  renamed: { name: 'title', title2: 'name' },
}

type Row = [
  title: string,
  newer: object,
  given: FieldChanges,
  newest: unknown,
  older: string,
  sent: Json,
  got: Json | number,
  rejected?: unknown,
]
const ROWS: Row[] = [
  [
    'renamed, in the place of the old name',
    article,
    { renamed: { name: 'title' } },
    { id: '1', title: 'T', language: 'en' },
    '{"id":"1","name":"T","language":"en"}',
    { id: '1', name: 'T', language: 'en', title: 'sent beside it' },
    { id: '1', title: 'T', language: 'en' },
    { id: '1', title: 'T', language: 'en' },
  ],
  [
    'renamed, while the old name is a property that nobody described',
    article,
    { renamed: { name: 'title' } },
    { id: '1', name: 'odd', title: 'T', language: 'en', more: 1 },
    '{"id":"1","name":"T","language":"en","more":1}',
    { id: '1', name: 'T', language: 'en', more: 1 },
    { id: '1', title: 'T', language: 'en', more: 1 },
  ],
  [
    'renamed at once, so that two names swap',
    article,
    { renamed: { id: 'title', title: 'id' } },
    { id: '1', title: 'T', language: 'en' },
    '{"title":"1","id":"T","language":"en"}',
    { title: '1', id: 'T', language: 'en' },
    { id: '1', title: 'T', language: 'en' },
  ],
  [
    'added with a value, which the newer definition requires',
    article,
    { added: { language: 'en', title: 'none' } },
    { id: '1', title: 'T', language: 'de' },
    '{"id":"1"}',
    { id: '1', language: 'sent' },
    { id: '1', language: 'en', title: 'none' },
  ],
  [
    'added, where nothing is required',
    named(object({ id: text, language: text, tags: { type: 'array' } })),
    { added: { language: 'en', tags: [] } },
    { language: 'de' },
    '{}',
    { id: '1', language: 'sent' },
    { id: '1' },
  ],
  [
    'added, as a list of names',
    named(object({ id: text, language: text }, ['id'])),
    { added: ['language'] },
    { id: '1', language: 'de' },
    '{"id":"1"}',
    { id: '1', language: 'sent' },
    { id: '1' },
  ],
  [
    'removed, at the end',
    named(object({ id: text }, ['id'])),
    { removed: { sales: { schema: number, value: 0 }, tags: { schema: true, value: ['x'], optional: true } } },
    { id: '1' },
    '{"id":"1","sales":0,"tags":["x"]}',
    { id: '1', sales: 7 },
    { id: '1' },
    { id: '1' },
  ],
  [
    'removed, in the place of the first added one',
    named(object({ id: text, given: text, family: text, tier: text }, ['id', 'given', 'family'])),
    {
      removed: { name: { schema: text, value: (user: Json) => `${user.given} ${user.family}` } },
      added: { given: '', family: '' },
    },
    { id: '1', given: 'Ada', family: 'L', tier: 'x' },
    '{"id":"1","name":"Ada L","tier":"x"}',
    { id: '1', name: 'Ada L', tier: 'x' },
    { id: '1', tier: 'x', given: '', family: '' },
  ],
  [
    'removed, optional, and there is none',
    article,
    { removed: { sales: { schema: number, optional: true, value: () => undefined } } },
    { id: '1', title: 'T', language: 'en' },
    '{"id":"1","title":"T","language":"en"}',
    { id: '1', title: 'T', language: 'en' },
    { id: '1', title: 'T', language: 'en' },
  ],
  [
    'removed, where the newer definition requires nothing',
    named(object({ title: text })),
    { removed: { sales: { schema: number, value: 0 } } },
    { title: 'T' },
    '{"title":"T","sales":0}',
    {},
    {},
  ],
  [
    'a name that is free once it is removed',
    named(object({ name: text, title: text }, ['name', 'title'])),
    moved,
    { name: 'N', title: 'T' },
    '{"title2":"N","name":"T","title":"N?"}',
    { title2: 'N', name: 'T', title: 'N?' },
    { name: 'N', title: 'T' },
  ],
  [
    'a name that is removed and added',
    named(object({ price: object({ cents: number }) }, ['price'])),
    { removed: { price: { schema: text, value: 'free' } }, added: { price: { cents: 0 } } },
    { price: { cents: 1 } },
    '{"price":"free"}',
    { price: '1.00' },
    { price: { cents: 0 } },
  ],
  [
    'values, of which several are one older value',
    named(object({ tier: { enum: ['basic', 'gold', 'platinum', 'titan', null] } }, ['tier'])),
    { values: { tier: { platinum: 'gold', titan: 'gold' } } },
    { tier: 'titan' },
    '{"tier":"gold"}',
    { tier: 'gold' },
    { tier: 'gold' },
    { tier: 'titan' },
  ],
  [
    'values, of which null is a newer one',
    named(object({ tier: { enum: ['basic', 'gold', null] } })),
    { values: { tier: { null: 'basic' } } },
    { tier: null },
    '{"tier":"basic"}',
    { tier: 'gold' },
    { tier: 'gold' },
    { tier: null },
  ],
  [
    'values, of constants in a union, with null',
    named(
      object({
        level: { anyOf: [{ const: 1 }, { oneOf: [{ const: 2 }, { const: 3 }] }, { const: 4 }, { type: 'null' }] },
        other: to('#/$defs/alias1'),
      }),
    ),
    { values: { level: { 3: 1, 4: 2 }, other: { c: 'a' } } },
    { level: 4, other: 'c' },
    '{"level":2,"other":"a"}',
    { level: null, other: 'a' },
    { level: null, other: 'a' },
    { level: 3 },
  ],
  [
    'converted, and then values of the older schema',
    named(object({ tier: number })),
    {
      converted: {
        tier: {
          schema: { enum: ['a', 'b', 'c'] },
          response: (tier: number) => 'abc'[tier],
          request: ((tier: string) => 'abc'.indexOf(tier)) as never,
        },
      },
      values: { tier: { c: 'b' } },
    },
    { tier: 2 },
    '{"tier":"b"}',
    { tier: 'b' },
    { tier: 1 },
    { tier: 'c' },
  ],
  [
    'converted, in both directions',
    article,
    { converted: { title: { schema: text, response: reversed as never, request: reversed as never } } },
    { id: '1', title: 'abc', language: 'en' },
    '{"id":"1","title":"cba","language":"en"}',
    { id: '1', title: 'cba', language: 'en' },
    { id: '1', title: 'abc', language: 'en' },
  ],
  [
    'nested properties',
    named(object({ id: text, contact: Contact, at: text }, ['id', 'contact'])),
    { nested: { contact: ['email', 'phone'] } },
    { email: 'not described', id: '1', contact: { email: 'a@b', odd: 1, phone: '7' }, at: 'x' },
    '{"id":"1","email":"a@b","phone":"7","at":"x"}',
    { id: '1', email: 'a@b', at: 'x', phone: '7', contact: 'sent' },
    { id: '1', contact: { email: 'a@b', phone: '7' }, at: 'x' },
    { id: '1', at: 'x' },
  ],
  [
    'nested properties of null',
    named(object({ id: text, contact: { anyOf: [Contact, { type: 'null' }] } }, ['id', 'contact'])),
    { nested: { contact: ['email', 'phone'] } },
    { id: '1', contact: null },
    '{"id":"1"}',
    { id: '1' },
    { id: '1', contact: null },
  ],
  [
    'all at once',
    named(
      object(
        {
          id: text,
          title: text,
          price: object({ cents: number }, ['cents']),
          contact: object({ mail: text, fax: text, tier: { enum: ['a', 'b'] } }, ['mail', 'fax']),
        },
        ['id', 'title', 'contact'],
      ),
    ),
    {
      removed: { sales: { schema: number, value: 1 } },
      renamed: { name: 'title', email: 'mail' },
      added: { fax: 'none' },
      values: { tier: { b: 'a' } },
      converted: {
        price: {
          schema: text,
          response: (price: { cents: number }) => String(price.cents),
          request: (price: string) => ({ cents: Number(price) }),
        },
        mail: { schema: text, response: reversed as never, request: reversed as never },
      },
      nested: { contact: ['tier', 'fax', 'mail'] },
    },
    { id: '1', title: 'T', price: { cents: 5 }, contact: { mail: 'b@a', fax: '0', tier: 'b' } },
    '{"id":"1","name":"T","price":"5","email":"a@b","sales":1,"tier":"a"}',
    { id: '1', name: 'T', price: '5', email: 'a@b', sales: 3, tier: 'a', fax: 'sent' },
    { id: '1', title: 'T', price: { cents: 5 }, contact: { mail: 'b@a', tier: 'a', fax: 'none' } },
  ],
  [
    'a required property of an optional nested object',
    named(object({ contact: object({ mail: text, fax: text }, ['mail', 'fax']) }), 'Article'),
    { added: { fax: 'none' }, nested: { contact: ['mail', 'fax'] } },
    { contact: { mail: 'a', fax: 'b' } },
    '{"mail":"a"}',
    { mail: 'a' },
    { contact: { mail: 'a', fax: 'none' } },
  ],
  [
    'a required property of an optional nested object that is not there',
    named(object({ contact: object({ mail: text, fax: text }, ['mail', 'fax']) }), 'Article'),
    { added: { fax: 'none' }, nested: { contact: ['mail', 'fax'] } },
    {},
    '{}',
    { fax: 'sent' },
    {},
  ],
  [
    'a required property of a nested object of which nothing else was sent',
    named(object({ contact: object({ mail: text, fax: text }, ['fax']) }, ['contact']), 'Article'),
    { added: { fax: 'none' }, nested: { contact: ['mail', 'fax'] } },
    { contact: { fax: 'b' } },
    '{}',
    {},
    { contact: { fax: 'none' } },
  ],
  [
    'nested properties that an optional object requires together',
    named(object({ id: text, contact: object({ mail: text, fax: text, more: text }, ['mail', 'fax']) }, ['id'])),
    { nested: { contact: ['mail', 'fax', 'more'] } },
    { id: '1', contact: { mail: 'a', fax: 'b' } },
    '{"id":"1","mail":"a","fax":"b"}',
    { id: '1', mail: 'a', fax: 'b' },
    { id: '1', contact: { mail: 'a', fax: 'b' } },
    { id: '1', mail: 'a' },
  ],
  [
    'nested properties that an object requires, which may be null, under other names',
    named(
      object({ contact: { ...object({ mail: text, fax: text }, ['mail']), type: ['object', 'null'] } }, ['contact']),
    ),
    { nested: { contact: ['mail', 'fax'] }, renamed: { email: 'mail', telefax: 'fax' } },
    { contact: null },
    '{}',
    { email: 'a', telefax: 'b' },
    { contact: { mail: 'a', fax: 'b' } },
    { telefax: 'b' },
  ],
  [
    'properties that need each other: one is added, and others need it',
    named(object({ a: text, b: text, c: text, d: text }, [], { dependentRequired: { a: ['b'], b: ['c'] } })),
    { added: { b: 'none' }, renamed: { x: 'c', y: 'a' } },
    { a: '1', b: '2', c: '3' },
    '{"y":"1","x":"3"}',
    { y: '1', x: '3' },
    { a: '1', c: '3', b: 'none' },
    { y: '1' },
  ],
  [
    'properties that need each other: the added one is not needed',
    named(object({ a: text, b: text, c: text }, [], { dependentRequired: { a: ['b', 'c'] } })),
    { added: { b: 'none' } },
    { c: '3' },
    '{"c":"3"}',
    { c: '3', b: 'sent' },
    { c: '3' },
    { a: '1' },
  ],
  [
    'properties that need a property that is required, and one that nobody described',
    named(
      object({ id: text, a: text, b: text }, ['id', 'a', 'x'], { dependentRequired: { a: ['b'], b: ['id', 'y'] } }),
    ),
    { renamed: { c: 'b' } },
    { id: '1', a: '2', b: '3', x: 4, y: 5 },
    '{"id":"1","a":"2","c":"3","x":4,"y":5}',
    { id: '1', a: '2', c: '3', x: 4, y: 5 },
    { id: '1', a: '2', b: '3', x: 4, y: 5 },
    { id: '1', a: '2', x: 4, y: 5 },
  ],
  [
    'a property that needs a nested object, whose properties are required',
    named(
      object({ id: text, contact: object({ mail: text }, ['mail']) }, [], { dependentRequired: { id: ['contact'] } }),
    ),
    { nested: { contact: ['mail'] } },
    { id: '1', contact: { mail: 'a' } },
    '{"id":"1","mail":"a"}',
    { id: '1', mail: 'a' },
    { id: '1', contact: { mail: 'a' } },
    { id: '1' },
  ],
  [
    'a property that needs a nested object, which may be empty',
    named(object({ id: text, contact: Contact }, [], { dependentRequired: { id: ['contact'], contact: ['id'] } })),
    { nested: { contact: ['email', 'phone'] }, added: { email: 'none' } },
    {},
    '{}',
    { id: '1' },
    { id: '1', contact: { email: 'none' } },
    { phone: '7' },
  ],
  [
    'a property that needs a nested object, which may be null',
    named(
      object({ id: text, contact: { anyOf: [Contact, { type: 'null' }] } }, [], {
        dependentRequired: { id: ['contact'] },
      }),
    ),
    { nested: { contact: ['email', 'phone'] } },
    { id: '1', contact: null },
    '{"id":"1"}',
    { id: '1' },
    { id: '1', contact: null },
    { phone: '7' },
  ],
  [
    'nested properties that are objects with nested properties',
    named(object({ a: object({ b: object({ c: text }, ['c']), d: text }, ['b']) }, ['a'])),
    { nested: { a: ['b', 'd'], b: ['c'] } },
    { a: { b: { c: '1' }, d: '2' } },
    '{"c":"1","d":"2"}',
    { c: '1', d: '2' },
    { a: { b: { c: '1' }, d: '2' } },
    { d: '2' },
  ],
  [
    'a nested object behind names, which must be there',
    named(object({ contact: to('#/$defs/Both') }, ['contact'])),
    { nested: { contact: ['mail', 'own'] }, renamed: { email: 'mail' } },
    { contact: { own: 'x', mail: 'b' } },
    '{"own":"x","email":"b"}',
    {},
    { contact: {} },
    { email: 7 },
  ],
  [
    'a nested object that may be null, and is not',
    named(object({ contact: { ...Contact, type: ['object', 'null'] }, at: text }, ['contact'])),
    { nested: { contact: ['email', 'phone'] } },
    { contact: { email: 'a' }, at: 'x' },
    '{"email":"a","at":"x"}',
    { at: 'x', phone: '7', email: 'a' },
    { at: 'x', contact: { phone: '7', email: 'a' } },
    { email: 7 },
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
    { both: { own: 'a' }, more: {} },
    { both: { own: 'a' } },
    { tree: { of: 'x', kids: [{ of: 7 }] } },
  ],
  [
    'required, with a value',
    named(object({ id: text, phone: text }, ['phone'])),
    { required: { phone: 'none' }, renamed: { telephone: 'phone' } },
    { id: '1', phone: '7' },
    '{"id":"1","telephone":"7"}',
    { id: '1' },
    { id: '1', phone: 'none' },
  ],
  [
    'required, with a function, which others needed',
    named(object({ id: text, phone: text }, ['phone'], { dependentRequired: { id: ['phone'] } })),
    { required: { phone: (body: Json) => `of ${body.id}` } },
    { id: '1', phone: '7' },
    '{"id":"1","phone":"7"}',
    { id: '1' },
    { id: '1', phone: 'of 1' },
    { id: 1 },
  ],
  [
    'required, where the newer definition requires nothing',
    named(object({ id: text, phone: text })),
    { required: { phone: 'none' } },
    { id: '1' },
    '{"id":"1"}',
    { id: '1' },
    { id: '1' },
  ],
  [
    'optional, with a value, which comes in front of removed properties',
    named(object({ id: text, email: text }, ['id'])),
    { optional: { email: '' }, renamed: { mail: 'email' }, removed: { sales: { schema: number, value: 0 } } },
    { id: '1' },
    '{"id":"1","mail":"","sales":0}',
    { id: '1', mail: 'a', sales: 7 },
    { id: '1', email: 'a' },
    { id: '1', sales: 7 },
  ],
  [
    'optional, with a function, and the value is there',
    named(object({ id: text, email: text }, ['id'])),
    { optional: { email: (newer: Json) => `${newer.id}@b` } },
    { id: '1', email: 'a' },
    '{"id":"1","email":"a"}',
    { email: 'a', id: '1' },
    { email: 'a', id: '1' },
    { id: '1' },
  ],
  [
    'optional, where the newer definition requires nothing',
    named(object({ id: text, email: text })),
    { optional: { email: (newer: Json) => `${newer.id}@b` } },
    { id: '1' },
    '{"id":"1","email":"1@b"}',
    { id: '1' },
    { id: '1' },
  ],
  [
    'optional objects whose properties are nested, and converted values',
    named(object({ contact: object({ mail: text, fax: number }, ['mail', 'fax']), id: text }, ['id'])),
    {
      optional: { contact: { mail: 'none', fax: 7 } },
      nested: { contact: ['mail', 'fax'] },
      converted: { fax: { schema: text, response: String, request: Number } },
    },
    { id: '1' },
    '{"id":"1","mail":"none","fax":"7"}',
    { id: '1', mail: 'a', fax: '8' },
    { id: '1', contact: { mail: 'a', fax: 8 } },
    { id: '1', mail: 'a' },
  ],
  [
    'required objects whose properties are nested',
    named(object({ contact: object({ mail: text, fax: text }, ['mail']), id: text }, ['id', 'contact'])),
    { required: { contact: { mail: 'none' } }, nested: { contact: ['mail', 'fax'] } },
    { id: '1', contact: { mail: 'a' } },
    '{"id":"1","mail":"a"}',
    { id: '1' },
    { id: '1', contact: { mail: 'none' } },
    { id: '1', fax: 'b' },
  ],
  [
    'renamed values, of which two swap',
    named(object({ status: { type: 'string', enum: ['active', 'a', 'b'] }, code: { enum: [1, 2, null] } }, ['status'])),
    { renamedValues: { status: { on: 'active', a: 'b', b: 'a' }, code: { 10: 1, none: null } } },
    { status: 'active', code: null },
    '{"status":"on","code":"none"}',
    { status: 'b', code: 10 },
    { status: 'a', code: 1 },
    { status: 'active' },
  ],
  [
    'renamed values of a union, and a removed one',
    named(
      object({ level: { oneOf: [{ const: true }, { const: false }, { type: 'null' }] }, other: to('#/$defs/alias1') }),
    ),
    { renamedValues: { other: { z: 'c' } }, removedValues: { other: { y: 'b' }, level: { unknown: false } } },
    { level: true, other: 'c' },
    '{"level":true,"other":"z"}',
    { level: 'unknown', other: 'y' },
    { level: false, other: 'b' },
    { other: 'c' },
  ],
  [
    'removed values, with a function',
    named(
      object({ id: text, tier: { enum: ['basic', 'gold'] }, is: { enum: [true] }, nr: { type: 'integer', enum: [1] } }),
    ),
    {
      removedValues: {
        tier: { silver: (body: Json) => (body.id === '1' ? 'gold' : 'basic') },
        is: { false: true, null: true },
        nr: { 2: 1, '': 1 },
      },
    },
    { tier: 'gold' },
    '{"tier":"gold"}',
    { id: '1', tier: 'silver', is: false, nr: 2 },
    { id: '1', tier: 'gold', is: true, nr: 1 },
    { tier: 'bronze' },
  ],
  [
    'removed values, where null alone is left',
    named(object({ tier: { enum: [null] } })),
    { removedValues: { tier: { gold: null } } },
    { tier: null },
    '{"tier":null}',
    { tier: 'gold' },
    { tier: null },
    { tier: 'silver' },
  ],
  [
    'listed, where the list is required, and null is an item',
    named(object({ authors: { type: 'array', items: { type: ['string', 'null'] } } }, ['authors'])),
    { listed: { author: 'authors' } },
    { authors: [] },
    '{"author":null}',
    { author: null },
    { authors: [] },
    {},
  ],
  [
    'listed, where the list may be away, under the same name',
    named(object({ id: text, tags: { type: 'array', items: text, uniqueItems: true, title: 'Tags' } }, ['id'])),
    { listed: { tags: 'tags' } },
    { id: '1', tags: [] },
    '{"id":"1"}',
    { id: '1', tags: 'a' },
    { id: '1', tags: ['a'] },
    { id: '1', tags: null },
  ],
  [
    'listed, behind names, where the list may be null',
    named(object({ authors: { anyOf: [to('#/$defs/Names'), { type: 'null' }] } }, ['authors'], {})),
    { listed: { author: 'authors' }, renamed: { by: 'author' } },
    { authors: ['a', 'b'] },
    '{"by":"a"}',
    { by: null },
    { authors: [] },
    {},
  ],
  [
    'listed, where the list may be null, and is, and is never empty',
    named(object({ authors: { anyOf: [{ type: 'array', items: text, minItems: 1 }, { type: 'null' }] } }, ['authors'])),
    { listed: { author: 'authors' } },
    { authors: null },
    '{"author":null}',
    { author: null },
    { authors: null },
    { author: 7 },
  ],
  [
    'listed, where an item may be null, and the list is never empty',
    named(object({ authors: { type: 'array', items: { type: ['string', 'null'] }, minItems: 1 } })),
    { listed: { author: 'authors' } },
    { authors: ['a'] },
    '{"author":"a"}',
    { author: null },
    { authors: [null] },
  ],
  [
    'listed objects, optional before, whose properties are nested',
    named(object({ contacts: { type: 'array', items: Contact }, id: text }, ['id'])),
    {
      listed: { contact: 'contacts' },
      optional: { contact: { email: 'none' } },
      nested: { contact: ['email', 'phone'] },
    },
    { id: '1', contacts: [] },
    '{"id":"1","email":"none"}',
    { id: '1', email: 'a' },
    { id: '1', contacts: [{ email: 'a' }] },
    { id: '1' },
  ],
  [
    'listed objects, optional in both versions, whose properties are nested',
    named(object({ contacts: { type: 'array', items: Contact }, id: text })),
    { listed: { contact: 'contacts' }, nested: { contact: ['email', 'phone'] } },
    { id: '1', contacts: [] },
    '{"id":"1"}',
    { id: '1' },
    { id: '1' },
    { phone: '7' },
  ],
  [
    'listed, with renamed values, and converted from what is away',
    named(object({ tags: { type: 'array', items: { enum: ['a', 'b'] } }, id: text })),
    {
      listed: { tag: 'tags' },
      renamedValues: { tag: { x: 'a' } },
      converted: {
        tag: { schema: object({ of: text }), response: (of) => ({ of }), request: ((tag: Json) => tag.of) as never },
      },
    },
    { id: '1', tags: [] },
    '{"id":"1"}',
    { tag: { of: 'x' } },
    { tags: ['a'] },
    { tag: 'x' },
  ],
  [
    'all five, on one property',
    named(object({ states: { type: 'array', items: { enum: ['active', 'off'] }, minItems: 1 }, id: text }, ['states'])),
    {
      required: { state: 'on' },
      renamedValues: { state: { on: 'active' } },
      removedValues: { state: { paused: 'off' } },
      listed: { state: 'states' },
    },
    { states: ['active', 'off'] },
    '{"state":"on"}',
    { id: '1' },
    { id: '1', states: ['active'] },
    { state: 'active' },
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
    { before: 'x', ...ofProto({ a: 7 }) },
    ofProto('x'),
  ],
]

test.each(ROWS)('%s', async (_title, newer, given, newest, older, sent, got, ...[rejected]) => {
  const schema = {
    ...newer,
    $defs: { alias1: { anyOf: [{ enum: ['a', 'b', 'c'], default: 'c' }] }, Both: both, Names: { type: 'array' } },
  }
  const { send, judge, history, options } = await serveShape(schema, [change('X.', { Article: fields(given) })])
  const found = await send('v1', sent, newest)
  expect(found).toEqual({ body: got, response: older })
  expect(JSON.stringify(found.body)).toBe(JSON.stringify(got))
  const judged = judge('v1')
  expect([judged('body', sent), judged('response', JSON.parse(older))]).toEqual([true, true])
  if (rejected !== undefined) expect(judged('response', rejected)).not.toBe(true)
  expect(judge('v2')('body', got)).toBe(true)
  // The newest version stays as it is, and by hand is the same.
  expect(await send('v2', got, newest)).toEqual({ body: got, response: JSON.stringify(newest) })
  const byHand = history.for(options)
  expect(JSON.stringify(byHand.shape('Article', newest, 'v1'))).toBe(older)
  expect(byHand.request('POST other', sent, 'v1')).toEqual(got)
})

const nullable = (schema: Json, ...more: Json[]) => ({ anyOf: [schema, { type: 'null' }, ...more] })
/** Tells a null that a function got. */
const told = (value: unknown) => (value === null ? 'got null' : value)
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
    change('X.', { Article: fields({ converted: { tier: { schema, response: told, request: told } } }) }),
  ])
  expect(await send('v1', { tier: null }, { tier: null })).toEqual({
    body: { tier: body },
    response: JSON.stringify({ tier: response }),
  })
})

const of = (schema: object, given: FieldChanges, more: object = {}) => ({ schema: named(schema), given, ...more })
const must = ['id', 'title', 'language']
const plain = object({ id: text, title: text, language: { enum: ['en', 'de'] } }, must)
const whole = { contact: Contact, level: { anyOf: [number, { $ref: 'Level' }] }, list: { type: 'array', items: text } }
const level = named({ enum: ['low', 'high'] }, 'Level')
const CHANGE_IT = 'change the schema together with them: descriptions, or the document, must have the newest form.'
const swapped = (owner: string, older: string, newer: string) =>
  `It has "${older}". If the handlers have "${newer}" now, ${CHANGE_IT} If "${older}" is the newer one, write { "${newer}": "${older}" }: ${owner} takes { older: newer }.`
const NOT_THERE = 'which its newer definition does not have'
const ALREADY = `of the older version, but its newer definition has that property already. Change that one too. If the handlers do not have it any more, ${CHANGE_IT}`
const UNION = 'fields() cannot follow its'

test.each<[message: string, { schema: object; given: FieldChanges; body?: null; responses?: false }]>([
  [`"renamed" says "titl", ${NOT_THERE}. Did you mean "title"?`, of(plain, { renamed: { name: 'titl' } })],
  [
    `"renamed" says "name", ${NOT_THERE}. ${swapped('"renamed"', 'title', 'name')}`,
    of(plain, { renamed: { title: 'name' } }),
  ],
  [`"renamed" says "id" ${ALREADY}`, of(plain, { renamed: { id: 'title' } })],
  [
    'has no value for the added "title", which bodies require, but stands in the body of "POST other".',
    of(object({ id: text, title: text }, [], { dependentRequired: { id: ['title'] } }), { added: ['title'] }),
  ],
  ['"renamed" has "title" twice.', of(plain, { renamed: { a: 'title', b: 'title' } })],
  [`"removed" says "title" ${ALREADY}`, of(plain, { removed: { title: { schema: text, value: '' } } })],
  [`"added" says "languag", ${NOT_THERE}. Did you mean "language"?`, of(plain, { added: { languag: 'en' } })],
  [
    'has no value for the added "language", which bodies require, but stands in the body of "POST other".',
    of(plain, { added: ['language'] }),
  ],
  ['"added" gives "language" a value that its schema rejects.', of(plain, { added: { language: 'fr' } })],
  [
    '"added" gives "language" a value that its schema rejects.',
    of(plain, { added: { language: 'fr' } }, { body: null }),
  ],
  ['"added" gives "id" a value that its schema rejects.', of(plain, { added: { id: 7 } })],
  ['"added" gives "level" a value that its schema rejects.', of(object(whole), { added: { level: 0.5 } })],
  ['"added" gives "level" a value that its schema rejects.', of(object(whole), { added: { level: 'mid' } })],
  [
    '"added" gives "all" a value that its schema rejects.',
    of(object({ all: { allOf: [text, { const: 'a' }] } }), { added: { all: 'b' } }),
  ],
  [`"values" says "langage", ${NOT_THERE}. Did you mean "language"?`, of(plain, { values: { langage: {} } })],
  [
    '"values" takes properties with an "enum" or "const", and "title" has none.',
    of(plain, { values: { title: { a: 'b' } } }),
  ],
  [
    '"values" takes properties with an "enum" or "const", and "level" has none. Of the shape "Level", say shape(older, steps).',
    of(object({ level: to('Level') }), { values: { level: { high: 'low' } } }),
  ],
  [
    '"values" of "language" has "enn", which its newer definition lacks. Did you mean "en"?',
    of(plain, { values: { language: { enn: 'de' } } }),
  ],
  [
    '"values" of "language" gives "dee", which its older definition lacks. Did you mean "de"?',
    of(plain, { values: { language: { en: 'dee' } } }),
  ],
  [
    '"values" of "language" gives "en", which its older definition lacks.',
    of(plain, { values: { language: { en: 'en' } } }),
  ],
  [
    `"converted" says "titl", ${NOT_THERE}. Did you mean "title"?`,
    of(plain, { converted: { titl: { schema: text } } }),
  ],
  [
    'has no "request" for the converted "title", but stands in the body of "POST other".',
    of(plain, { converted: { title: { schema: text, response: String } } }),
  ],
  [
    'has no "response" for the converted "title", but stands in the response 200 of "POST other".',
    of(plain, { converted: { title: { schema: text, request: String } } }),
  ],
  [
    'has no "value" for the removed "sales", but stands in the response 200 of "POST other".',
    of(plain, { removed: { sales: { schema: text } } }),
  ],
  [
    'the schema of "at" cannot be expressed in JSON Schema: Date cannot be represented in JSON Schema; it stands in',
    of(plain, { removed: { at: { schema: z.date(), value: '' } } }),
  ],
  [
    `"nested" says "contat", ${NOT_THERE}. Did you mean "contact"?`,
    of(object(whole), { nested: { contat: ['email'] } }),
  ],
  [
    `"nested" says "emil", ${NOT_THERE}. Did you mean "email"?`,
    of(object(whole), { nested: { contact: ['emil', 'email', 'phone'] } }),
  ],
  ['"nested" leaves out "phone" of "contact".', of(object(whole), { nested: { contact: ['email'] } })],
  [
    `"nested" says "email" ${ALREADY}`,
    of(object({ ...whole, email: text }), { nested: { contact: ['email', 'phone'] } }),
  ],
  [
    '"nested" takes objects with "properties" alone, and "list" is none.',
    of(object(whole), { nested: { list: ['a'] } }),
  ],
  [
    '"nested" takes objects with "properties" alone, and "level" is none.',
    of(object(whole), { nested: { level: ['a'] } }),
  ],
  [`"required" says "titl", ${NOT_THERE}. Did you mean "title"?`, of(plain, { required: { titl: '' } })],
  [
    '"required" says "phone", which its newer definition does not require.',
    of(object({ phone: text, id: text }, ['id']), { required: { phone: '' } }),
  ],
  ['"required" gives "title" a value that its schema rejects.', of(plain, { required: { title: 7 } })],
  [`"optional" says "titl", ${NOT_THERE}. Did you mean "title"?`, of(plain, { optional: { titl: '' } })],
  ['"optional" says "title", which its newer definition requires.', of(plain, { optional: { title: '' } })],
  [
    '"optional" says "id", with which its newer definition requires "title".',
    of(object({ id: text, title: text }, [], { dependentRequired: { id: ['title'] } }), { optional: { id: '' } }),
  ],
  [
    '"optional" gives "title" a value that its schema rejects.',
    of(object({ title: text }), { optional: { title: 7 } }),
  ],
  [`"added" says "subtitle", ${NOT_THERE}. If the handlers have it, ${CHANGE_IT}`, of(plain, { added: ['subtitle'] })],
  [`"renamedValues" says "lang", ${NOT_THERE}.`, of(plain, { renamedValues: { lang: {} } })],
  [
    '"renamedValues" takes properties with an "enum" or "const", and "title" has none.',
    of(plain, { renamedValues: { title: { a: 'b' } } }),
  ],
  [
    '"renamedValues" of "language" gives "enn", which its newer definition lacks. Did you mean "en"?',
    of(plain, { renamedValues: { language: { english: 'enn' } } }),
  ],
  [
    `"renamedValues" of "language" gives "english", which its newer definition lacks. ${swapped('the option', 'en', 'english')}`,
    of(plain, { renamedValues: { language: { en: 'english' } } }),
  ],
  [
    '"renamedValues" of "language" has "en" twice.',
    of(plain, { renamedValues: { language: { english: 'en', british: 'en' } } }),
  ],
  [
    '"renamedValues" of "language" has the older "de", which its newer definition has already.',
    of(plain, { renamedValues: { language: { de: 'en' } } }),
  ],
  [`"removedValues" says "lang", ${NOT_THERE}.`, of(plain, { removedValues: { lang: {} } })],
  [
    '"removedValues" takes properties with an "enum" or "const", and "title" has none.',
    of(plain, { removedValues: { title: { a: 'b' } } }),
  ],
  [
    `"removedValues" of "language" has "de", which its newer definition still has. If the handlers do not have it any more, ${CHANGE_IT}`,
    of(plain, { removedValues: { language: { de: 'en' } } }),
  ],
  [
    '"removedValues" of "language" gives "enn", which its newer definition lacks. Did you mean "en"?',
    of(plain, { removedValues: { language: { fr: 'enn' } } }),
  ],
  [`"listed" says "contat", ${NOT_THERE}. Did you mean "contact"?`, of(object(whole), { listed: { one: 'contat' } })],
  [
    `"listed" says "one", ${NOT_THERE}. ${swapped('"listed"', 'list', 'one')}`,
    of(object(whole), { listed: { list: 'one' } }),
  ],
  [`"listed" says "level" ${ALREADY}`, of(object(whole), { listed: { level: 'list' } })],
  ...[{ type: 'array', minItems: 2 }, { prefixItems: [text], type: 'array' }, { type: 'array', items: false }, {}].map(
    (list): [string, ReturnType<typeof of>] => [
      '"listed" takes lists of "items" that may have one, and "list" is none.',
      of(object({ list }), { listed: { one: 'list' } }),
    ],
  ),
  [
    `its newer definition is no object with "properties" alone: ${UNION} "anyOf".`,
    of({ anyOf: [plain, text] }, { added: ['id'] }),
  ],
  [
    `its newer definition is no object with "properties" alone: ${UNION} "allOf".`,
    of({ ...plain, allOf: [{}] }, { added: ['id'] }),
  ],
  [
    `its newer definition is no object with "properties" alone: ${UNION} "allOf".`,
    of({ allOf: [plain, object({ other: text })] }, { added: ['id'] }),
  ],
  [
    `its newer definition is no object with "properties" alone: ${UNION} "enum".`,
    of({ enum: ['a'] }, { values: { a: {} } }),
  ],
  [`its newer definition is no object with "properties" alone: ${UNION} "type".`, of(text, { added: ['id'] })],
])('versioning() finds a mistake: %s', (message, { schema, given, ...more }) => {
  const described = { ...schema, $defs: { Level: level } }
  const { options } = optionsOf(
    described,
    [change('X.', { Article: fields(given) })],
    'body' in more ? null : described,
  )
  const make = () => versioning(options)
  expect(make).toThrow(expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }))
  expect(make).toThrow(/shape "Article" (in version 'v2' \("X\."\)|of the change "X\.")/)
})

const SCHEMA = 'JSON Schema 2020-12, or a Standard Schema with "~standard.jsonSchema" (zod 4, arktype, Joi 18)'
test.each<[message: string, given: unknown]>([
  ['fields() takes an object of options; got undefined.', undefined],
  [
    'fields() says nothing: it takes "removed", "renamed", "added", "values", "converted", "nested", "required", "optional", "renamedValues", "removedValues", "listed".',
    { required: {} },
  ],
  [
    'fields(): option "required.a" takes a value that JSON can express, or a function; got undefined.',
    { required: { a: undefined } },
  ],
  ['fields(): option "optional.a" takes a value that JSON can express; got NaN.', { optional: { a: Number.NaN } }],
  ['fields(): option "listed.a" takes the newer name; got 7.', { listed: { a: 7 } }],
  [
    'fields(): option "renamedValues.a.b" takes a string, a number, a boolean or null; got [].',
    { renamedValues: { a: { b: [] } } },
  ],
  [
    'fields(): option "removedValues.a.b" takes a string, a number, a boolean or null; got undefined.',
    { removedValues: { a: { b: undefined } } },
  ],
  [
    'fields(): "added" and "listed" both say "a", but the older version lacks what is added.',
    { added: ['a'], listed: { a: 'as' } },
  ],
  ['fields(): unknown option "rename". Did you mean "renamed"?', { rename: {} }],
  ['fields(): option "removed" takes an object by property; got [].', { removed: [] }],
  ['fields(): option "nested" takes an object by property; got null.', { nested: null }],
  ['fields(): "removed.a" takes an object of options; got 7.', { removed: { a: 7 } }],
  [`fields(): "removed.a": option "schema" takes ${SCHEMA}; got undefined.`, { removed: { a: {} } }],
  [
    'fields(): "removed.a": option "optional" takes true or false; got 1.',
    { removed: { a: { schema: {}, optional: 1 } } },
  ],
  [
    'fields(): "removed.a": option "value" takes a value that JSON can express; got 1n.',
    { removed: { a: { schema: {}, value: 1n } } },
  ],
  ['fields(): option "renamed.a" takes the newer name; got 7.', { renamed: { a: 7 } }],
  ['fields(): option "renamed.a" takes the newer name; got \'\'.', { renamed: { a: '' } }],
  ['fields(): option "added" takes a list of names; got [ 7 ].', { added: [7] }],
  ['fields(): option "added.a" takes a value that JSON can express; got NaN.', { added: { a: Number.NaN } }],
  ['fields(): option "added.a" takes a value that JSON can express; got [Function', { added: { a: () => 1 } }],
  ['fields(): option "values.a" takes an object by property; got 7.', { values: { a: 7 } }],
  [`fields(): "converted.a": option "schema" takes ${SCHEMA}; got 7.`, { converted: { a: { schema: 7 } } }],
  [
    'fields(): "converted.a": option "request" takes a function; got 7.',
    { converted: { a: { schema: {}, request: 7 } } },
  ],
  [
    'fields(): "added" and "values" both say "a", but the older version lacks what is added.',
    { added: ['a'], values: { a: { b: 'c' } } },
  ],
  [
    'fields(): "added" and "renamed" both say "b", but the older version lacks what is added.',
    { added: ['b'], renamed: { a: 'b' } },
  ],
  ['fields(): option "nested.a" takes a list of names; got [].', { nested: { a: [] } }],
  ['fields(): option "nested.a" takes a list of names; got \'b\'.', { nested: { a: 'b' } }],
])('%s', (message, given) => {
  expect(() => fields(given as never)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
  )
})

const TITLED = fields({ renamed: { name: 'title' } })

test('fields() and shape() take turns, and a later change touches nothing before it', async () => {
  const [body, steps] = [
    object({ head: text }, ['head']),
    {
      response: ({ name }: Json) => ({ head: name }),
      request: ({ head }: Json) => ({ name: head }),
    },
  ]
  const Named = object({ name: text }, ['name'])
  const Both = named(object({ title: text, language: text }, ['title', 'language']))
  const Titled = { ...Both, properties: { title: text }, required: ['title'] }
  const absolute = shape<Json, Json>(Titled as never, Both as never, {
    response: ({ title }) => ({ title }),
    request: ({ title }) => ({ title, language: 'en' }),
  })
  const later = change('Later.', { Article: fields({ added: { language: 'en' } }) })
  for (const last of [later, change('Later.', { Article: absolute })]) {
    const changes = [change('Head.', { Article: shape(body, steps) }), change('Title.', { Article: TITLED }), last]
    const { send, judge, history, options } = await serveShape(Both, changes)
    const newest = { title: 'T', language: 'de' }
    const [first, second, third] = [{ head: 'T' }, { name: 'T' }, { title: 'T' }]
    for (const [index, older] of [first, second, third].entries()) {
      const version = `v${index + 1}`
      expect(await send(version, older, newest)).toEqual({
        body: { title: 'T', language: 'en' },
        response: JSON.stringify(older),
      })
      expect(judge(version)('response', older)).toBe(true)
      expect(history.for(options).shape('Article', newest, version)).toEqual(older)
    }
    const page = await serve((app) => void app.use('/docs', explorer(options)))
    const { text: told } = await page.get('/docs', { Accept: 'text/html' })
    for (const sample of ['{"head":"text"}', '{"name":"text"}', '{"title":"text"}']) {
      expect(told.replaceAll('&quot;', '"')).toContain(`-d '${sample}'`)
    }
    expect(() => history.for(options).shape('Artcle' as never, newest, 'v1')).toThrow('Did you mean "Article"?')
  }
  // The sides of one change must still be those of the next.
  const odd = [change('Title.', { Article: TITLED }), change('Later.', { Article: absolute })]
  const wrong = change('Odd.', { Article: shape(Named, object({ headline: text }), steps) })
  expect(() => versioning(optionsOf(Both, [wrong, ...odd]).options)).toThrow(
    `the "newer" of the shape "Article" in version 'v2' ("Odd.") is not its "older" in version 'v3': they differ at`,
  )
})

test('without a table, a side that the next version decides is unknown', () => {
  const older = object({ name: text })
  const changes = [TITLED, shape(older, { response: (value: Json) => value })]
  for (const Article of changes) {
    const history = historyOf([change('X.', { Article })])
    expect(() => history.shape('Article', {}, 'v1')).toThrow(TypeError)
    expect(() => history.shape('Article', {}, 'v1')).toThrow('use history.for(options)')
    expect(() => history.response('POST other', {}, 'v1')).toThrow('Use history.for(options).response(...)')
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
  const { send, judge, options } = await serveShape(schema, changes)
  const newest = [{ title: 'T', tier: 'b' }, { title: 'P' }]
  const older = [{ name: 'T', tier: 'a', sales: ['a'] }, { name: 'P' }]
  expect(await send('v1', older, newest)).toEqual({
    body: [{ title: 'T', tier: 'a' }, { title: 'P' }],
    response: JSON.stringify(older),
  })
  expect([judge('v1')('response', older), judge('v2')('response', older)]).toEqual([
    true,
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
  const sales = { schema: text, value: 'x' }
  const [inResponses] = [
    change('X.', { Article: fields({ removed: { sales }, converted: { title: { schema: text, response: String } } }) }),
  ]
  const own = await serveShape(article, [inResponses], null)
  const response = '{"id":"1","title":"T","language":"en","sales":"x"}'
  expect((await own.send('v1', {}, { id: '1', title: 'T', language: 'en' })).response).toBe(response)
  const definitions = schemasIn(openapi(own.options).document('v1'))
  expect(definitions.Article?.required).toEqual(['id', 'title', 'language', 'sales'])
  const routes = tableOf()
  routes.describe('PUT other', { body: article, response: null })
  routes.route('other').put((_req, res) => void res.end())
  const changes = historyOf(
    [change('X.', { Article: TITLED })],
    [change('Y.', { Article: fields({ added: { id: '' } }) })],
  )
  const documents = openapi({ scheme: HeaderVersioning, changes, routes })
  const required = changes.versions.map((one) => {
    return schemasIn(documents.document(one)).Article?.required
  })
  expect(required).toEqual([
    ['name', 'language'],
    ['title', 'language'],
    ['id', 'title', 'language'],
  ])
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
  expect(await send('v1', { author: 'a' }, { authors: ['b', 'c'] })).toEqual({
    body: { authors: ['a'] },
    response: '{"author":"b"}',
  })
  expect((await send('v1', { author: 'a' }, { authors: [] })).response).toBe(500)
  expect((await send('v1', { author: 'a' }, { authors: 'b' })).response).toBe(500)
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
  const { send, judge } = await serveShape(newer, [change('X.', { Article: given })])
  expect((await send('v1', {}, newest)).response).toBe(response)
  expect(judge('v1')('response', { label: 'b' })).not.toBe(true)
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
