// The remedies that messages print, obeyed: each line is lifted as a user would copy it, pasted, and starts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
import { CHANGES } from '../support/remedies/changes'
import { COMMANDS } from '../support/remedies/commands'
import { evaluated, optionsOf, type Remedy } from '../support/remedies/obeyed'
import { OPTIONS } from '../support/remedies/options'
import { hasTexts, type PrintedCode, printedCode } from '../support/remedies/printed-code'
import { SETUPS } from '../support/remedies/setups'
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

const started = (routes: object, changes: unknown = HISTORY, more: object = {}) => {
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes, routes, ...more } as never
  versioning(options)
  return options
}
const start = (document: object, table: object = {}, changes?: unknown, more?: object) =>
  started(routesOf(document, table), changes, more)
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

const DOCUMENTS: readonly Remedy[] = [
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
    (parameter): Remedy => [
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
      const routes = evaluated(pasted || 'routesOf(document)', { routesOf, document })
      return started(routes, HISTORY, { neutral: ['/users/new'] })
    },
  ],
  [
    'an operation of an older document',
    /(routesOf\(document, \{ removed: \[olderDocument\] \}\))/,
    (pasted) =>
      started(
        evaluated(pasted || 'routesOf(document)', { routesOf, document: clashing('/users'), olderDocument: telegrams }),
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
  ...(['neutral: [', 'undocumented: '] as const).map(
    (option): Remedy => [
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
    ],
  ),
  [
    'a parameter without a name',
    /Write one: (\{id\})\./,
    (pasted) => routesOf(usersIn({ [`/a/${pasted || '{}'}`]: {} })),
  ],
  [
    'two parameters beside each other',
    /such as "(-)"/,
    (pasted) => routesOf(usersIn({ [`/a/{one}${pasted}{other}`]: {} })),
  ],
  ...['"200"', '"2XX"', '"default"'].map(
    (status): Remedy => [
      `what is no status: ${status}`,
      new RegExp(`such as .*?(${status})`),
      (pasted) => {
        const responses = { [pasted === '' ? 'ok' : JSON.parse(pasted)]: { description: '' } }
        return routesOf(usersIn({ '/a': { get: { responses } } }))
      },
    ],
  ),
  [
    'a response without a schema',
    /In YAML: "schema" at "(.*)"/,
    (pasted) => {
      const content = pasted === '' ? { 'application/json': {} } : json(text)
      expect(['', '/paths/~1a/get/responses/200/content/application~1json/schema']).toContain(pasted)
      return start(usersIn({ '/a': { get: { responses: { 200: { description: 'OK', content } } } } }))
    },
  ],
]

/** What each row has seen: the message, and the part of it that was copied. */
const seen: { readonly message: string; readonly copied: string }[] = []

test.each([...DOCUMENTS, ...OPTIONS, ...CHANGES, ...SETUPS, ...COMMANDS])(
  '%s: what is printed is obeyed',
  async (_, printed, program) => {
    const told = async (pasted: string): Promise<string> => {
      warned.length = 0
      let failure: string[] = []
      try {
        await program(pasted)
      } catch (error) {
        failure = [(error as Error).message]
      }
      const all = [...failure, ...warned.map(([warning]) => String(warning))]
      return all.find((one) => printed.test(one)) ?? all[0] ?? 'starts'
    }
    const message = await told('')
    expect(message).toMatch(printed)
    let [copied = '', line = ''] = printed.exec(message) ?? []
    seen.push({ message, copied })
    // A copy in a union makes another question of it.
    for (let rounds = 0, next = await told(line); next !== 'starts'; next = await told(line)) {
      expect([next, ++rounds < 3]).toEqual([expect.stringMatching(printed), true])
      const [, more = ''] = printed.exec(next) ?? []
      line = line.replace(/\n\}$/, more.replace(/^places: \{/, ''))
    }
  },
)

/**
 * Texts with code that other tests execute, by these tests: a part of each text.
 *
 * Most of them are parts of modules that commands write, which are then loaded.
 */
const EXECUTED: Readonly<Record<string, readonly string[]>> = {
  'command-line/command.once.test.ts': ['the demo needs Express'],
  'command-line/draft.once.test.ts': ['which needs the package "yaml"'],
  'command-line/gateway.once.test.ts': ['exports no options with routes'],
  'command-line/init.once.test.ts': [
    ...[
      'Use @nestjs/platform-express',
      'has neither express nor',
      'comes from @nestjs/swagger',
      'needed in production',
    ],
    ...['has not written', 'npm install --save-prod', 'npm install', '/NEXT: mount', 'Rejections are errors'],
    ...['To try the steps', 'const { ', ' --target ', 'app.use(gateway(', 'convertRequest.with('],
    ...['VersioningModule.setup(', 'SwaggerModule.createDocument(', 'When you make a breaking change'],
    ...[
      'namedRoutes({}).include(',
      'The versions of the API',
      'require.resolve(',
      'readFileSync(',
      ".replace('\\uFEFF'",
    ],
    ...['scheme: new ', "versionParam: 'api-version'"],
  ],
  'package/command-line.once.test.ts': ['Usage: express-versioning'],
  'package/loads.test.ts': ['npm ls express-versioning'],
  'system/remedies.system.test.ts': ['ApiProperty(', '@ApiBody(', '({ type: ... })'],
  'testing/check-history.once.test.ts': ['needs two packages'],
  'testing/draft.once.test.ts': [
    ...[
      'routesOf(document',
      'versioning({ scheme, defaultVersion: ',
      'export const history',
      '.version(',
      'change(',
      'todo(',
    ],
    '.includes(',
  ],
  'explorer/explorer.test.ts': ['SwaggerUIBundle(', "require('swagger-ui-dist')"],
  'usage/usage.once.test.ts': ['_over_time(', 'changes('],
}
/** Texts that nobody pastes: styles, scripts of pages, and the owners of messages. */
const NEVER_COPIED = [
  'box-sizing',
  ':nth-child(',
  'clip-path',
  'clamp(',
  'color-scheme',
  'querySelectorAll',
  'version(',
]

test('each text with code in it is printed by a row, which copies the code', () => {
  const isObeyed = ({ texts, code }: PrintedCode) =>
    code.every((start) => seen.some(({ message, copied }) => hasTexts(message, texts) && copied.includes(start)))
  const others = printedCode().filter((one) => !isObeyed(one))
  const known = [...Object.values(EXECUTED).flat(), ...NEVER_COPIED]
  const isKnown = ({ texts }: PrintedCode) => known.some((part) => texts.join('').includes(part))
  expect(others.filter((one) => !isKnown(one))).toStrictEqual([])
  // Nothing is listed that a row copies, or that is gone.
  expect(known.filter((part) => !others.some(({ texts }) => texts.join('').includes(part)))).toStrictEqual([])
  expect(Object.keys(EXECUTED).filter((file) => !existsSync(join(__dirname, '..', file)))).toStrictEqual([])
})
