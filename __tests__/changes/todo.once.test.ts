import { versioning } from 'express-versioning'
import { change, fields, shape, todo } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { checkHistory } from 'express-versioning/testing'
import { describing, released, told } from '../support/described'

const text = { type: 'string' }
const Pet = {
  $id: 'Pet',
  type: 'object',
  properties: { name: text, kind: { enum: ['cat', 'dog', 'fox'] }, tag: text, age: text, home: text },
  required: ['name', 'kind', 'home'],
}
const User = { $id: 'User', type: 'object', properties: { id: text } }
const routes = () =>
  describing({ 'POST other': { body: Pet, response: Pet }, 'GET user-list': { response: User, query: User } })

const CHANGES = [
  change('Pets have grown.', {
    Pet: fields({
      removed: { size: { schema: text, value: todo('a size') } },
      added: { home: todo('a home'), tag: 'x' },
      values: { kind: { fox: todo('for foxes') } },
      removedValues: { kind: { bird: todo('for birds') } },
      converted: { age: { schema: { type: 'integer' }, response: todo('older age'), request: todo('newer age') } },
    }),
  }),
  change('Users have changed.', {
    User: shape({ type: 'object', properties: { uid: text } }, { response: todo('older user') }),
    'GET user-list': { query: todo('newer query'), headers: { Total: todo('a total') }, older: { query: text } },
  }),
]

test('what is to do is listed at once, by the middleware and by hand; documents need none of it', () => {
  const options = released(routes(), ...CHANGES)
  const list = ['a size', 'a home', 'for foxes', 'for birds', 'older age', 'newer age']
  const lines = [
    ...list.map((what) => `- ${what} (version 'v2')`),
    ...['older user', 'newer query', 'a total'].map((what) => `- ${what} (version 'v3')`),
  ]
  const message = `the changes have 9 todo() that must be written first:\n${lines.join('\n')}`
  expect(told(() => versioning(options))).toBe(`versioning(): ${message}`)
  expect(told(() => options.changes.for(options))).toBe(`for(): ${message}`)
  expect(openapi(options).document('v1').info.version).toBe('v1')
})

test('one that is called fails, and so does one that a step returns', async () => {
  expect(todo('the rest')).toThrow(new Error('To do: the rest'))
  const later = change('Later.', { 'POST other': { response: (() => ({ a: todo('the rest') })) as never } })
  const { changes } = released(routes(), later)
  expect(() => changes.response('POST other' as never, {}, 'v1' as never)).toThrow('its "response" of "POST other"')
  const known = released(routes(), change('Pets.', { Pet: fields({ added: { home: todo('a home') } }) }))
  const problems = await checkHistory(known, { runs: 1 })
  expect(problems.map(({ kind, message }) => `${kind}: ${message}`)).toContain('throws: throws: To do: a home')
})

test.each([undefined, '', 7])('todo(%j) says nothing', (what) => {
  expect(told(() => todo(what as never))).toMatch(/^todo\(\): option "what" takes the task as a string; got/)
})
