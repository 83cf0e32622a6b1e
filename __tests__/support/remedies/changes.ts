// Changes that are wrong, or that ask for more, and what their messages say to write.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { change, fields, shape, versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../documents'
import { json, object, ok, ref, text } from '../parts'
import { evaluated, optionsOf, type Remedy } from './obeyed'

const User = { $id: 'User', ...object({ name: text }) }
const Older = object({ title: text })
const same = (value: unknown) => value
const renamed = shape(Older, User, { request: same, response: same } as never)
const historyOf = (changes: object) => versionHistory('1').version('2', change('Changed.', changes as never))
const start = (routes: object, changes: object, more: object = {}) =>
  versioning({ scheme: HeaderVersioning, defaultVersion: '2', routes, changes, ...more } as never)
const tableOf = (description: object = {}) => {
  const routes = namedRoutes({ users: '/users' })
  routes.route('users').get((_req, res) => void res.json([]))
  return routes.describe('GET users', description)
}
/** What `change()` takes of an operation. */
const saying = (title: string, printed: RegExp, make: (pasted: string) => unknown): Remedy => [
  title,
  printed,
  (pasted) => historyOf({ 'GET users': make(pasted) }),
]
const documented = (schemas: object, paths?: object) =>
  documentOf((paths ?? { '/users': { get: { responses: { 200: ok(ref('User')) } } } }) as never, { schemas })
const choices = documented({
  User: object({ state: ref('State') }),
  State: { type: 'object', properties: { on: text } },
})
const streaming = (content: object) => ({ '/feed': { get: { responses: { 200: { description: '', content } } } } })
const items = { 'text/event-stream': { schema: text } }

export const CHANGES: readonly Remedy[] = [
  ['an operation', /such as ('GET user-detail')/, (pasted) => historyOf({ [String(evaluated(pasted))]: 'added' })],
  saying('steps', /such as (\{ response: \(user\) => \.\.\. \})/, (pasted) => evaluated(pasted.replace('...', 'user'))),
  saying('a path', /such as ('\/people\/:id')/, (pasted) => ({ path: evaluated(pasted) })),
  saying('a status', /such as (\{ 201: 200 \})/, (pasted) => ({
    status: pasted === '' ? { 201: 7 } : evaluated(pasted),
  })),
  saying('an older response', /such as (\{ 200: User, 204: null \})/, (pasted) => ({
    response: same,
    older: { response: evaluated(pasted, { User }) },
  })),
  saying('older items', /write (\{ older: \{ item: \.\.\. \} \})/, (pasted) =>
    pasted === ''
      ? { item: same, older: { response: { content: { 'text/event-stream': { itemSchema: User } } } } }
      : { item: same, ...evaluated(pasted.replace('...', 'User'), { User }) },
  ),
  saying('a body that only the older version has', /(\{ response: \(\) => \(\{\}\) \})/, (pasted) => ({
    status: { 204: 200 },
    older: { response: User },
    ...(pasted === '' ? {} : evaluated(pasted)),
  })),
  [
    'steps of an operation that is removed before',
    /(\{ removed: true, response: \.\.\. \})/,
    (pasted) => {
      const marked = pasted === '' ? 'removed' : evaluated(pasted.replace('...', '(user) => user'))
      const steps = pasted === '' ? { 'GET users': { response: same } } : { '*': { error: same } }
      const changes = versionHistory('1')
        .version('2', change('Removed.', { 'GET users': marked } as never))
        .version('3', change('Steps.', steps as never))
      return start(tableOf(), changes, { defaultVersion: '3' })
    },
  ],
  [
    'an own step over a shape that changed',
    /no (\{ older: \{ response \} \})/,
    (pasted) => {
      const own = pasted === '' ? {} : evaluated(pasted, { response: Older })
      return start(tableOf({ response: User }), historyOf({ User: renamed, 'GET users': { response: same, ...own } }))
    },
  ],
  [
    'a shape whose newer side only a table tells',
    /(history\.for\(options\)) with/,
    (pasted) => {
      const history = historyOf({ User: fields({ renamed: { title: 'name' } }) })
      const options = { scheme: HeaderVersioning, defaultVersion: '2', routes: tableOf({ response: User }) }
      return evaluated(`${pasted || 'history'}.shape('User', { name: 'A' }, '1')`, { history, options })
    },
  ],
  [
    'a renaming that is reversed',
    /write (\{ "title": "name" \}): "renamed" takes \{ older: newer \}/,
    (pasted) =>
      start(
        tableOf({ response: User }),
        historyOf({ User: fields({ renamed: pasted === '' ? { name: 'title' } : evaluated(pasted) }) }),
      ),
  ],
  [
    'values of a property that is a shape',
    /say (shape\(older, steps\))/,
    (pasted) => {
      const step =
        pasted === ''
          ? { User: fields({ renamedValues: { state: { off: 'on' } } }) }
          : { State: evaluated(pasted, { shape, older: Older, steps: { request: same, response: same } }) }
      return start(routesOf(choices), historyOf(step))
    },
  ],
  [
    'fields of a union',
    /write (shape\(older, steps\))/,
    (pasted) => {
      const union = documented({ User: { anyOf: [object({ name: text }), object({ nick: text })] } })
      const step =
        pasted === ''
          ? fields({ renamed: { title: 'name' } })
          : evaluated(pasted, { shape, older: Older, steps: { request: same, response: same } })
      return start(routesOf(union), historyOf({ User: step }))
    },
  ],
  [
    'a step for the items of what is no stream by describe()',
    /"item": (\{ response: .* \})\./,
    (pasted) =>
      start(
        tableOf(pasted === '' ? { response: User } : evaluated(pasted, { itemSchema: text })),
        historyOf({ 'GET users': { item: same } }),
      ),
  ],
  [
    'a step for the items of what is no stream by the document',
    /("content": \{ "text\/event-stream": \{ "itemSchema": \.\.\. \} \})\.$/,
    (pasted) => {
      const given = pasted === '' ? { content: items } : optionsOf(pasted.replace('...', '{ type: "string" }'))
      const { content } = given as { content: object }
      return start(routesOf(documentOf(streaming(content) as never)), historyOf({ 'GET /feed': { item: same } }))
    },
  ],
  ...['(\\{ oneOf: \\[\\{ \\$ref: .*? discriminator: \\{ \\.\\.\\. \\} \\})', 'or without the "(discriminator)"'].map(
    (printed): Remedy => [
      `values that a discriminator tells: ${printed}`,
      new RegExp(printed),
      (pasted) => {
        const discriminator = { propertyName: 'kind' }
        const Pet = object({ kind: text }, 'kind')
        const Cat = { allOf: [ref('Pet'), object({ name: text })] }
        const Dog = { allOf: [ref('Pet'), object({ bone: text })] }
        const all = pasted
          .replace(', ...]', ", { $ref: '#/components/schemas/Dog' }]")
          .replace("'Cat'", "'#/components/schemas/Cat'")
          .replace('discriminator: { ... }', 'discriminator')
        const pet = pasted.startsWith('{') ? evaluated(all, { discriminator }) : ref('Pet')
        const own = pasted === '' ? { discriminator } : {}
        const paths = { '/pets': { get: { responses: { 200: ok(pet) } } } }
        const document = documented({ Pet: { ...Pet, ...own }, Cat, Dog }, paths)
        return start(routesOf(document), historyOf({ Cat: fields({ renamed: { title: 'name' } }) }))
      },
    ],
  ),
  [
    'a parameter that is one string: a step',
    /with (\{ older: \{ query \} \})/,
    (pasted) => {
      const parameter = { name: 'f', in: 'query', content: json(ref('User')) }
      const paths = { '/users': { get: { parameters: [parameter], responses: { 200: ok(ref('User')) } } } }
      const document = documented({ User: object({ name: text }) }, paths)
      const steps = pasted === '' ? {} : { 'GET /users': { query: same, ...evaluated(pasted, { query: Older }) } }
      return start(routesOf(document), historyOf({ User: fields({ renamed: { title: 'name' } }), ...steps }))
    },
  ],
]
