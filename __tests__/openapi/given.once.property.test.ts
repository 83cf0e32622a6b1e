import { HeaderVersioning, versioning } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { documentOf } from '../support/documents'
import { json, object, ref, text } from '../support/parts'
import { property } from '../support/property'

const REFERENCES = [
  ...['User', 'Loop', 'Odd', 'User/properties/id', 'a~1b', '', '%7'].map((name) => `#/components/schemas/${name}`),
  ...['#', '#/', '#/paths/~1a/get', '#/components/responses/R', '#x', 'User', 'x.json#/y', 'https://a.example/User'],
  ...['#/%', '%', 'http://[', '##', '#/components/responses/R/content/application~1json/schema'],
]
const reference = fc.constantFrom(...REFERENCES).map(($ref) => ({ $ref }))
const KEYS =
  '$ref $id $anchor $defs $dynamicRef $dynamicAnchor type nullable enum const items properties allOf oneOf anyOf required ' +
  'dependencies not exclusiveMinimum minimum schema content application/json responses parameters 200 default requestBody ' +
  '__proto__ discriminator prefixItems additionalProperties patternProperties toJSON constructor a/b~%'
const keys = fc.constantFrom('', ...KEYS.split(' '))
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 'string', 'object', 'x', '#x', undefined, Number.NaN, [], {}),
  fc.constantFrom<unknown>(() => {}, Symbol('x'), 1n, new Date(0), new Map(), new Error('x')),
  fc.constantFrom(...REFERENCES),
)
const odd = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...[leaf, reference, tie('list'), tie('object'), tie('object')],
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
})).value

const SOUND = () => {
  // Each place has an object of its own, because cases put values into them.
  const content = () => json(ref('User'))
  const get = { responses: { 200: { $ref: '#/components/responses/R' } } }
  const anything = { responses: { default: { content: json({ type: 'object' }) } } }
  const parameters = [{ name: 'q', in: 'query', schema: text }]
  return documentOf(
    {
      '/a': { parameters, get, post: { requestBody: { content: content() }, responses: {} } },
      '/a/{id}': { get: anything },
    },
    {
      schemas: { User: object({ id: text }, 'id'), Loop: { items: ref('Loop') }, Odd: {} },
      responses: { R: { content: content() } },
    },
  )
}

/** Lists the ways to all values of a document. */
const waysIn = (value: unknown, way: readonly string[] = []): (readonly string[])[] => [
  ...(way.length > 0 ? [way] : []),
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => waysIn(inner, [...way, key]))
    : []),
]
const WAYS = waysIn(SOUND())

/** Puts a value at a way. */
function put(document: object, way: readonly string[], value: unknown): void {
  let at = document as Record<string, unknown>
  for (const key of way.slice(0, -1)) {
    const next = at[key]
    if (typeof next !== 'object' || next === null) return
    at = next as Record<string, unknown>
  }
  if (!Object.isFrozen(at)) at[way.at(-1) as string] = value
}

const renamed = change('x', { User: fields({ renamed: { uid: 'id' } }) })
const history = versionHistory('1').version('2', renamed) as VersionHistory

property(
  'an odd document is a TypeError, or a table; it never hangs, and the stack never overflows',
  fc.property(fc.array(fc.tuple(fc.constantFrom(...WAYS), odd), { minLength: 1, maxLength: 3 }), (changes) => {
    const document = SOUND()
    for (const [way, value] of changes) put(document, way, value)
    jest.spyOn(process, 'emitWarning').mockImplementation()
    try {
      const routes = routesOf(document)
      for (const facts of routes.facts()) for (const method of facts.methods) facts.describedAs(method)
      versioning({ scheme: HeaderVersioning, defaultVersion: '2', changes: history, routes })
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      expect((error as Error).message).toMatch(/^(?:routesOf|versioning)\(\)[: ]/)
    }
  }),
)

test('objects that hang in each other by references take no stack', () => {
  const all = Array.from({ length: 50_000 }, (_, index) => [`S${index}`, ref(`S${index + 1}`)])
  const schemas = Object.fromEntries(all)
  const end = { S50000: { type: 'object' } }
  expect(() => routesOf(documentOf({}, { schemas: { ...schemas, ...end } }))).not.toThrow()
})
