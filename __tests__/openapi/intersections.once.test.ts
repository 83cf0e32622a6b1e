// `allOf` of objects is one object: its parts follow a changed shape beside them, and the part that holds a shape converts it.
import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { judgeOf } from '../support/ajv'
import { documentOf } from '../support/documents'
import { type Json, json, list, object, ok, ref, text } from '../support/parts'

const schemas = {
  Contact: object({ phone: text, city: text, language: text }),
  Page: object({ items: list({ type: 'object', properties: { any: text } }), cursor: text }),
  Book: object({ contacts: list(ref('Contact')), owner: ref('Contact') }),
  Called: { required: ['phone'] },
  Reached: { allOf: [ref('Called'), object({ phone: { minLength: 1 }, mail: text }, 'mail')], description: 'Reached.' },
  Child: { allOf: [ref('Contact'), object({ age: text }, 'age', 'phone')] },
}
const changes = versionHistory('1').version(
  '2',
  change('`phone` was `tel`.', { Contact: fields({ renamed: { tel: 'phone' }, added: { language: 'en' } }) }),
)
const [phone, tel] = [
  { phone: 'p', city: 'c', language: 'en' },
  { tel: 'p', city: 'c' },
]

test.each<[title: string, schema: Json, newer: unknown, older: unknown, document: Json]>([
  [
    'a part that requires',
    { allOf: [ref('Contact'), { required: ['phone'] }] },
    phone,
    tel,
    { allOf: [ref('Contact'), { required: ['tel'] }] },
  ],
  [
    'a part that requires what came later',
    { allOf: [ref('Contact'), { required: ['language'] }] },
    phone,
    tel,
    { allOf: [ref('Contact'), {}] },
  ],
  [
    'a part with properties of its own',
    { allOf: [ref('Contact'), object({ since: text }, 'phone', 'since')] },
    { ...phone, since: 's' },
    { ...tel, since: 's' },
    { allOf: [ref('Contact'), object({ since: text }, 'tel', 'since')] },
  ],
  [
    'a part that describes the property too',
    { allOf: [ref('Contact'), object({ phone: { description: 'With a +.' } })] },
    phone,
    tel,
    { allOf: [ref('Contact'), object({ tel: { description: 'With a +.' } })] },
  ],
  [
    'a list of names beside the parts',
    { allOf: [ref('Contact')], required: ['phone', 'city'] },
    phone,
    tel,
    { allOf: [ref('Contact')], required: ['tel', 'city'] },
  ],
  [
    'a part in a part',
    { allOf: [ref('Contact'), { allOf: [{ required: ['phone'] }] }] },
    phone,
    tel,
    { allOf: [ref('Contact'), { allOf: [{ required: ['tel'] }] }] },
  ],
  [
    'an envelope and a typed part',
    { allOf: [ref('Page'), object({ items: list(ref('Contact')) })] },
    { items: [phone], cursor: '' },
    { items: [tel], cursor: '' },
    { allOf: [ref('Page'), object({ items: list(ref('Contact')) })] },
  ],
  [
    'an envelope and a part that both have the shape',
    { allOf: [ref('Book'), object({ contacts: list(ref('Contact')), since: text })] },
    { contacts: [phone], owner: phone, since: 's' },
    { contacts: [tel], owner: tel, since: 's' },
    { allOf: [ref('Book'), object({ contacts: list(ref('Contact')), since: text })] },
  ],
  [
    'a component that requires',
    { allOf: [ref('Contact'), ref('Called')] },
    phone,
    tel,
    { allOf: [ref('Contact'), { required: ['tel'] }] },
  ],
  [
    'a component with parts',
    { allOf: [ref('Contact'), ref('Reached'), ref('Book'), ref('Child')] },
    { ...phone, mail: 'm', age: '1' },
    { ...tel, mail: 'm', age: '1' },
    {
      allOf: [
        ref('Contact'),
        {
          allOf: [{ required: ['tel'] }, object({ tel: { minLength: 1 }, mail: text }, 'mail')],
          description: 'Reached.',
        },
        ref('Book'),
        ref('Child'),
      ],
    },
  ],
  ['a derived schema', ref('Child'), { ...phone, age: '1' }, { ...tel, age: '1' }, ref('Child')],
  [
    'a schema derived of that',
    { allOf: [ref('Child'), { required: ['phone'] }] },
    { ...phone, age: '1' },
    { ...tel, age: '1' },
    { allOf: [ref('Child'), { required: ['tel'] }] },
  ],
])('%s', (_, schema, newer, older, expected) => {
  const operation = { requestBody: { required: true, content: json(schema) }, responses: { 200: ok(schema) } }
  const document = documentOf({ '/contacts': { post: operation } }, { schemas })
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes, routes: routesOf(document) }
  const bound = changes.for(options)
  expect(bound.response('POST /contacts', newer, '1')).toEqual(older)
  const made = openapi(options).document<Json>('1')
  expect(made.paths['/contacts'].post.responses[200].content['application/json'].schema).toEqual(expected)
  expect(made.components.schemas.Child.allOf[1]).toEqual(object({ age: text }, 'age', 'tel'))
  const at = '~1contacts/post/requestBody/content/application~1json/schema'
  judgeOf(made)(at, older)
  expect(bound.request('POST /contacts', older, '1')).toMatchObject(
    JSON.parse(JSON.stringify(newer).replaceAll(',"language":"en"', '')),
  )
})

test('copies of one shape that are parts of one object are converted once', () => {
  const parts = ['Contact', 'Owner', 'Caller'].map(ref)
  const all = { ...schemas, Owner: object({ phone: text, dog: text }), Caller: object({ phone: text, city: text }) }
  const operation = { requestBody: { content: json({ allOf: parts }) }, responses: { 200: ok({ allOf: parts }) } }
  const places = { Owner: 'Contact', Caller: 'Contact' }
  const routes = routesOf(documentOf({ '/contacts': { post: operation } }, { schemas: all }), { places })
  const price = fields({
    converted: { phone: { schema: text, response: (it) => `${it}!`, request: (it) => `${it}?` } },
  })
  const history = versionHistory('1').version('2', change('Numbers end.', { Contact: price }))
  const bound = history.for({ scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes })
  expect(bound.response('POST /contacts', { phone: '1', dog: 'Rex' }, '1')).toEqual({ phone: '1!', dog: 'Rex' })
  expect(bound.request('POST /contacts', { phone: '1', dog: 'Rex' }, '1')).toEqual({ phone: '1?', dog: 'Rex' })
})

const PARTS = { A: object({ a: text, x: text }), B: object({ a: text, y: text, z: text }) }
const A =
  'the property "a" is in two schemas of one value: write it in one of them, or change one of them and say by { places } that the other is its copy'
test.each<[title: string, b: Json, places: Json, older: Json | string]>([
  ['alike', { B: fields({ renamed: { was: 'a' } }) }, {}, { was: '1', x: '2' }],
  ['differently', { B: fields({ renamed: { old: 'a' } }) }, {}, A],
  ['and more of it', { B: fields({ renamed: { was: 'a', by: 'y' } }) }, {}, A],
  ['as a copy', {}, { B: 'A' }, { was: '1', x: '2' }],
])('two parts that rename one property: %s', (_, more, places, older) => {
  const schema = object({ both: { allOf: [ref('A'), ref('B')] } })
  const document = documentOf(
    { '/a': { post: { requestBody: { content: json(schema) }, responses: { 200: ok(schema) } } } },
    { schemas: PARTS },
  )
  const history = versionHistory('1').version(
    '2',
    change('`a`.', { A: fields({ renamed: { was: 'a' } }), ...more } as never),
  )
  const options = {
    scheme: HeaderVersioning,
    defaultVersion: '2',
    changes: history,
    routes: routesOf(document, { places }),
  }
  const convert = () => history.for(options as never)
  if (typeof older === 'string') return expect(convert).toThrow(older)
  const newer = { both: { a: '1', x: '2' } }
  expect(convert().response('POST /a' as never, newer, '1')).toEqual({ both: older })
  expect(convert().request('POST /a' as never, { both: older }, '1')).toEqual(newer)
  judgeOf(openapi(options as never).document('1'))('~1a/post/responses/200/content/application~1json/schema', {
    both: older,
  })
  return undefined
})

// As springdoc writes inheritance: the discriminator stands in the base alone, and the union has none.
const petsWith = (mapping?: Json) => ({
  Pet: { ...object({ kind: text }, 'kind'), discriminator: { propertyName: 'kind', ...(mapping && { mapping }) } },
  Cat: { allOf: [ref('Pet'), object({ lives: text })] },
  Dog: { allOf: [ref('Pet'), object({ bark: text })] },
})
test.each<[title: string, mapping: Json | undefined, kinds: [cat: string, dog: string]]>([
  ['names of schemas', undefined, ['Cat', 'Dog']],
  ['a mapping', { c: '#/components/schemas/Cat', d: 'Dog' }, ['c', 'd']],
])('the discriminator of a common base tells the branches of a union: %s', (_, mapping, [cat, dog]) => {
  const pet = { anyOf: [ref('Cat'), ref('Dog')] }
  const document = documentOf(
    { '/pets': { post: { requestBody: { content: json(pet) }, responses: { 200: ok(pet) } } } },
    { schemas: petsWith(mapping) },
  )
  const history = versionHistory('1').version('2', change('`lives`.', { Cat: fields({ renamed: { claws: 'lives' } }) }))
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes: routesOf(document) }
  const bound = history.for(options as never)
  const judge = judgeOf(openapi(options as never).document('1'))
  for (const [newer, older] of [
    [
      { kind: cat, lives: '9' },
      { kind: cat, claws: '9' },
    ],
    [
      { kind: dog, bark: 'wow' },
      { kind: dog, bark: 'wow' },
    ],
  ] as [Json, Json][]) {
    expect(bound.response('POST /pets', newer, '1')).toEqual(older)
    expect(bound.request('POST /pets', older, '1')).toEqual(newer)
    judge('~1pets/post/responses/200/content/application~1json/schema', older)
  }
  expect(() => bound.response('POST /pets', { kind: 'Cow', lives: '9' }, '1')).toThrow()
})

test('two branches without a common base still need a line', () => {
  const { Cat } = petsWith()
  const schemas = { ...petsWith(), Cow: object({ kind: text, moo: text }), Cat }
  const pet = { oneOf: [ref('Cat'), ref('Cow')] }
  const document = documentOf({ '/pets': { get: { responses: { 200: ok(pet) } } } }, { schemas })
  const history = versionHistory('1').version('2', change('`lives`.', { Cat: fields({ renamed: { claws: 'lives' } }) }))
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes: routesOf(document) }
  expect(() => history.for(options as never)).toThrow('its branch cannot be told from another one')
})
