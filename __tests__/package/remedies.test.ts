// The remedies that messages print, obeyed: each line is lifted as a user would copy it, pasted, and starts.
import { Ajv2020 } from 'ajv/dist/2020'
import type { Request } from 'express'
import {
  BaseVersioning,
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { change, convertRequest, fields, shape, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { appOf, dispatch } from '../support/dispatch'
import { documentOf } from '../support/documents'
import { json, list, object, ref, text } from '../support/parts'
import { catchWarnings } from '../support/warnings'

const warned = catchWarnings()

const ok = (schema: unknown) => ({ responses: { 200: { description: 'OK', content: json(schema) } } })
const send = (schema: unknown, responses: object = { 204: { description: '' } }) => ({
  requestBody: { content: json(schema) },
  responses,
})
const User = object({ id: text, given: text, family: text }, 'id')
const renamed = fields({ renamed: { forename: 'given' } })
const HISTORY = versionHistory('1').version('2', change('Given.', { User: renamed }))
const usersIn = (paths: object, schemas: object = {}) => documentOf(paths as never, { schemas: { User, ...schemas } })

/** Reads a printed line as options, with the names that it has. */
const optionsOf = (line: string, values: object = {}): object =>
  new Function(...Object.keys(values), `return ${line.startsWith('{') ? line : `{${line}}`}`)(...Object.values(values))
const start = (document: object, table: object = {}, changes: unknown = HISTORY, more: object = {}) => {
  const routes = routesOf(document, table)
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes, routes, ...more } as never
  versioning(options)
  return options
}
/** Starts a table with the lines of the option `places`. */
const placed = (document: object, changes?: unknown) => (line: string) => start(document, optionsOf(line), changes)

const PLACES = /\n(places: \{\n[\s\S]*\n\})$/
const dto = object({ given: text, family: text, terms: text })
const cat = object({ wing: text })
const animals = usersIn(
  { '/animals': { post: send(ref('Animal')) } },
  {
    Animal: { oneOf: [ref('Cat'), ref('Dog'), ref('Owl')] },
    Cat: cat,
    Dog: object({ bone: text }),
    Owl: object({ eye: text }),
  },
)
const olderAnimals = versionHistory('1').version(
  '2',
  change('There are owls.', {
    Animal: shape({ oneOf: [ref('Cat'), ref('Dog')] }, { request: (animal: object) => animal }),
    Cat: fields({ renamed: { plume: 'wing' } }),
  } as never),
)
const twoTypes = (other: object) => ({
  ...ok(ref('User')),
  responses: { 200: { description: 'OK', content: { ...json(other), 'text/json': { schema: ref('User') } } } },
})
const telegrams = usersIn({ '/users': { get: ok(ref('User')) }, '/telegrams': { get: ok(text) } })
const clashing = (...paths: string[]) =>
  usersIn(Object.fromEntries(paths.map((path) => [path, { get: ok(ref('User')) }])))
/** Starts with a property that is a list now, whose older version requires an item. */
const listed = (list: object, options: object) =>
  start(
    usersIn(
      { '/books': { get: ok(ref('Book')) } },
      { Book: object({ authors: { type: 'array', items: text, ...list } }, 'authors') },
    ),
    {},
    versionHistory('1').version(
      '2',
      change('Authors.', { Book: fields({ listed: { author: 'authors' }, ...options }) }),
    ),
  )
class Numbered extends BaseVersioning {
  override readVersion = (req: Request) => req.get('X-Version')
}

test.each<[title: string, printed: RegExp, program: (pasted: string) => unknown]>([
  ['a copy of a component', PLACES, placed(usersIn({ '/a': { get: ok(ref('User')) }, '/b': { get: ok(dto) } }))],
  [
    'a body of an operation that responds with a component',
    PLACES,
    placed(usersIn({ '/a': { post: send(ref('Dto'), ok(ref('User')).responses) } }, { Dto: object({ given: text }) })),
  ],
  [
    'bodies that only another suspect shows',
    PLACES,
    placed(
      usersIn(
        { '/a': { post: send(ref('Dto'), ok(list(ref('Copy'))).responses) }, '/b': { get: ok(ref('User')) } },
        { Dto: object({ given: text }), Copy: dto },
      ),
    ),
  ],
  ['unions of both versions', PLACES, placed(animals, olderAnimals)],
  [
    'media types that differ',
    PLACES,
    placed(usersIn({ '/a': { get: twoTypes(ref('Bot')) } }, { Bot: object({ model: text }) })),
  ],
  [
    'a union under one of two media types',
    PLACES,
    placed(usersIn({ '/a': { get: twoTypes({ anyOf: [ref('User'), dto] }) } })),
  ],
  [
    'a reference to the document',
    PLACES,
    placed(usersIn({ '/a': { get: ok(object({ u: ref('User'), sub: { $ref: '#' } })) } })),
  ],
  [
    'a recursive reference outside of components',
    PLACES,
    placed(usersIn({ '/a': { get: ok(object({ u: ref('User'), sub: { $recursiveRef: '#' } })) } })),
  ],
  [
    'a look-alike',
    PLACES,
    placed(
      usersIn({ '/a': { get: ok(ref('User')) }, '/b': { get: ok(ref('Name')) } }, { Name: object({ given: text }) }),
    ),
  ],
  ...[{ content: json(object({ u: ref('User') })) }, { explode: false, schema: ref('User') }].map(
    (parameter): [string, RegExp, (pasted: string) => unknown] => [
      `a parameter that is one string: ${Object.keys(parameter)}`,
      PLACES,
      placed(
        usersIn({ '/a': { get: { ...ok(ref('User')), parameters: [{ name: 'f', in: 'query', ...parameter }] } } }),
      ),
    ],
  ),
  [
    'a path without a version that is one of an operation',
    /Describe a path that is another operation: (.*)\.$/,
    (pasted) => {
      const document = usersIn({ '/users/{id}': { get: ok(ref('User')) } })
      const routes = new Function('routesOf', 'document', `return ${pasted || 'routesOf(document)'}`)(
        routesOf,
        document,
      )
      return start(document, {}, HISTORY, { routes, neutral: ['/users/new'] })
    },
  ],
  [
    'an operation of an older document',
    /(\{ removed: \[olderDocument\] \})/,
    (pasted) =>
      start(
        clashing('/users'),
        optionsOf(pasted, { olderDocument: telegrams }),
        versionHistory('1').version('2', change('No telegrams.', { 'GET /telegrams': 'removed' })),
      ),
  ],
  [
    'paths that differ by a slash',
    /set (\{ strict: true \})/,
    (pasted) => start(clashing('/a', '/a/'), optionsOf(pasted)),
  ],
  [
    'paths that differ by case',
    /set (\{ caseSensitive: true \})/,
    (pasted) => start(clashing('/a', '/A'), optionsOf(pasted)),
  ],
  [
    'errors without a description',
    /(routes\.describe\('\*', .*? \} \}\))/,
    (pasted) => {
      const responses = {
        200: { description: 'OK', content: json(text) },
        404: { description: 'No', content: json(ref('User')) },
      }
      const routes = routesOf(usersIn({ '/a': { get: { responses } }, '/b': { get: ok(text) } }))
      new Function('routes', pasted)(routes)
      return versioning({ scheme: HeaderVersioning, defaultVersion: '2', changes: HISTORY, routes })
    },
  ],
  [
    'paths without a version',
    /(neutral: \['GET [^\]]*\])/,
    (pasted) => {
      const more = pasted === '' ? { neutral: ['/:any'] } : optionsOf(pasted)
      return start(clashing('/users'), {}, HISTORY, more)
    },
  ],
  [
    'a mount that documents do not show',
    /(openapi\(options, .*? \}\))/,
    (pasted) => {
      const options = start(clashing('/users'), {}, HISTORY, { scheme: URLPathVersioning })
      return (
        pasted === '' ? openapi(options) : new Function('openapi', 'options', `return ${pasted}`)(openapi, options)
      ).document('1')
    },
  ],
  [
    'versions that anybody may name',
    /(allowedVersions: \[.*?\])/,
    (pasted) =>
      versioning({ scheme: class extends QueryParameterVersioning {}, defaultVersion: 'v1', ...optionsOf(pasted) }),
  ],
  [
    'a scheme that no document shows',
    /(carry\(version\) \{.*\})\.$/,
    (pasted) => {
      const routes = namedRoutes({ a: '/a' })
      routes.route('a').get((_req, res) => void res.json(1))
      const own = new Function('Numbered', `return class extends Numbered { ${pasted} }`)(Numbered)
      return openapi({ scheme: own, allowedVersions: ['1', '2'], defaultVersion: '1', routes }).document('2')
    },
  ],
  [
    'a history without its table',
    /Use (history\.for\(options\)\.\w+)\(/,
    (pasted) => {
      const convert = new Function('history', 'options', `return (...all) => ${pasted || 'history.request'}(...all)`)
      return convert(HISTORY, start(usersIn({ '/a': { post: send(ref('User')) } })))('POST /a', { forename: 'A' }, '1')
    },
  ],
  ['a list that may be empty: minItems', /Write (\{ minItems: 1 \})/, (pasted) => listed(optionsOf(pasted), {})],
  [
    'a list that may be empty: a value for older versions',
    /such as (\{ optional: \{ .*? \} \})/,
    (pasted) => listed({}, optionsOf(pasted)),
  ],
  [
    'a step for the response of an operation that streams',
    /Write ("item") instead/,
    (pasted) => {
      const routes = routesOf(
        documentOf({
          '/feed': {
            get: { responses: { 200: { description: '', content: { 'application/jsonl': { itemSchema: text } } } } },
          },
        } as never),
      )
      const steps = { [pasted === '' ? 'response' : JSON.parse(pasted)]: (value: unknown) => value }
      const changes = versionHistory('1').version('2', change('Items.', { 'GET /feed': steps } as never))
      return versioning({ scheme: HeaderVersioning, defaultVersion: '2', changes, routes } as never)
    },
  ],
  [
    'a pattern that only compiles without the flag u',
    /set (\{ unicodeRegExp: false \}) of Ajv/,
    (pasted) => {
      const schema = { type: 'string', pattern: '^[\\w-.]+$' }
      // Ajv is obeyed, not the start: what the warning says of it is true.
      if (pasted !== '') return new Ajv2020(optionsOf(pasted)).compile(schema)
      expect(() => new Ajv2020().compile(schema)).toThrow('Invalid regular expression')
      return start(usersIn({ '/a': { get: ok(object({ u: ref('User'), name: schema })) } }))
    },
  ],
  [
    'a place that says a copy of another kind',
    /Write (null), and name/,
    (pasted) => {
      const changes = versionHistory('1').version(
        '2',
        change('Given.', { User: shape(User, { request: (user: object) => user, response: (user: object) => user }) }),
      )
      const document = usersIn({ '/a': { get: ok(ref('User')) }, '/b': { get: ok(object({ given: text })) } })
      return start(document, { places: { 'GET /b 200': pasted === '' ? 'User' : null } }, changes)
    },
  ],
  ...(['neutral: [', 'undocumented: '] as const).map((option): [string, RegExp, (pasted: string) => unknown] => [
    `an operation that the document does not have: ${option}`,
    option === 'neutral: [' ? /(neutral: \['\/health', .*?\])/ : /(undocumented: '\w+')/,
    (pasted) => {
      const own = optionsOf(pasted)
      const options = start(
        clashing('/users'),
        option === 'neutral: [' ? {} : own,
        HISTORY,
        option === 'neutral: [' ? own : {},
      )
      const app = appOf((one) => void one.use(versioning(options), convertRequest))
      return dispatch(app, { url: '/health', headers: { 'x-api-version': '1' } })
    },
  ]),
  [
    'a response without a schema',
    /In YAML: "schema" at "(.*)"/,
    (pasted) => {
      const content = pasted === '' ? { 'application/json': {} } : json(text)
      expect(['', '/paths/~1a/get/responses/200/content/application~1json/schema']).toContain(pasted)
      return start(usersIn({ '/a': { get: { responses: { 200: { description: 'OK', content } } } } }))
    },
  ],
])('%s: what is printed is obeyed', (_, printed, program) => {
  const told = (pasted: string): string => {
    warned.length = 0
    try {
      program(pasted)
    } catch (error) {
      return (error as Error).message
    }
    return String(warned[0]?.[0] ?? 'starts')
  }
  const message = told('')
  expect(message).toMatch(printed)
  let [, line = ''] = printed.exec(message) ?? []
  // A copy in a union makes another question of it.
  for (let rounds = 0, next = told(line); next !== 'starts'; next = told(line)) {
    expect([next, ++rounds < 3]).toEqual([expect.stringMatching(printed), true])
    const [, more = ''] = printed.exec(next) ?? []
    line = line.replace(/\n\}$/, more.replace(/^places: \{/, ''))
  }
})
