import { VersioningError } from 'express-versioning'
import { type Change, change, versionHistory } from 'express-versioning/changes'
import { historyOf } from '../support/changes'

const toV1 = ({ given, family }: { given: string; family: string }) => ({ name: `${given} ${family}` })
const operations = {
  'GET user-detail': { response: toV1 },
  'POST user-list': {
    request({ name }: { name: string }) {
      const [given, family] = name.split(' ')
      return { given, family }
    },
    response: toV1,
  },
}
const splitName = change('Split.', operations)
const shout = change('Loud.', {
  'GET v1:user-detail': { response: (user): unknown => ({ loud: user }) },
  'GET user-detail': 'added',
})
const history = versionHistory('2024').version('2025', splitName).version('2026')

describe('change() refuses', () => {
  const say = (description: unknown, operations: unknown) => () => change(description as string, operations as never)
  const step = () => 1

  test.each<[title: string, description: unknown, operations: unknown, message: string]>([
    ['no description', undefined, {}, 'change() takes a description of what changed, for people; got undefined.'],
    ['an empty one', ' ', { 'GET a': 'added' }, "for people; got ' '."],
    ['no operations', 'X', undefined, 'change() takes an object of operations; got undefined.'],
    ['null', 'X', null, 'change() takes an object of operations; got null.'],
    ['a list', 'X', ['GET a'], "change() takes an object of operations; got [ 'GET a' ]."],
    ['a function', 'X', step, 'change() takes an object of operations; got [Function: step].'],
    ['what says nothing', 'X', {}, 'change(): the change "X" says nothing: it takes one operation at least.'],
    ['an operation that is undefined', 'X', { 'GET a': undefined }, 'says nothing'],
    [
      'no steps',
      'X',
      { 'GET a': {} },
      `change(): the change "X" says nothing of "GET a": it takes 'added', 'removed', or an object of steps such as { response: (user) => ... } (request, query, response, error, status, headers).`,
    ],
    ['a step that is undefined', 'X', { 'GET a': { response: undefined } }, 'says nothing of "GET a"'],
    ['a mistyped step', 'X', { 'GET a': { reponse: step } }, 'unknown option "reponse". Did you mean "response"?'],
    ['a step that is no function', 'X', { 'GET a': { query: 1 } }, '"query" of "GET a" takes a function; got 1.'],
    ['another word', 'X', { 'GET a': 'moved' }, `"GET a" takes 'added', 'removed', or an object of steps`],
    ['null for steps', 'X', { 'GET a': null }, 'got null.'],
    ["'*' added", 'X', { '*': 'added' }, 'change(): the change "X": "*" takes { error, status, headers } alone.'],
    ["'*' removed", 'X', { '*': 'removed' }, '"*" takes { error, status, headers } alone.'],
    [
      "'*' with a response",
      'X',
      { '*': { response: step } },
      'unknown option "response". It takes "error", "status", "headers".',
    ],
    ["'*' without anything", 'X', { '*': {} }, 'says nothing of "*"'],
    [
      'no method',
      'X',
      { 'user-list': { response: step } },
      `change(): the change "X" takes an operation, such as 'GET user-detail': a method in capitals, a space, and a view name; got 'user-list'.`,
    ],
    ['small letters', 'X', { 'get a': { response: step } }, "got 'get a'."],
    ['no name', 'X', { 'GET ': { response: step } }, "got 'GET '."],
    ['a mistyped method', 'X', { 'GTE a': { response: step } }, "got 'GTE a'."],
    ['HEAD', 'X', { 'HEAD a': { response: step } }, "GET covers HEAD; write 'GET a' in place of 'HEAD a'."],
  ])('%s', (_title, description, operations, message) => {
    expect(say(description, operations)).toThrow(TypeError)
    expect(say(description, operations)).toThrow(message)
  })
})

describe('a history refuses', () => {
  test.each<[title: string, build: () => unknown, message: string]>([
    [
      'no oldest version',
      () => versionHistory(undefined as never),
      'versionHistory() takes a version, a non-empty string; got undefined.',
    ],
    ['an empty one', () => versionHistory(''), "versionHistory() takes a version, a non-empty string; got ''."],
    ['a number', () => history.version(2027 as never), 'version() takes a version, a non-empty string; got 2027.'],
    ['a version twice', () => history.version('2025'), "version('2025'): the history already has this version."],
    ['its oldest again', () => history.version('2024'), "version('2024'): the history already has this version."],
    [
      'no change',
      () => history.version('2027', {} as never),
      "version('2027') takes changes made by change(); got {}.",
    ],
    [
      'a change again',
      () => history.version('2027', splitName as Change<object>),
      'version(\'2027\'): the history already has the change "Split.".',
    ],
    ['a change twice', () => history.version('2027', shout, shout), 'the history already has the change "Loud.".'],
  ])('%s', (_title, build, message) => {
    expect(build).toThrow(TypeError)
    expect(build).toThrow(message)
  })
})

test('a history never changes: a version more makes another', () => {
  const longer = history.version('2027', shout)
  expect(history.versions).toEqual(['2024', '2025', '2026'])
  expect(longer.versions).toEqual(['2024', '2025', '2026', '2027'])
  expect(() => (longer.versions as string[]).push('2028')).toThrow(TypeError)
  expect(() => history.version('2027', shout)).not.toThrow()
})

test('list() tells the versions and their changes, oldest first', () => {
  const list = history.version('2027', shout).list()
  expect(list).toEqual([
    { version: '2024', changes: [] },
    { version: '2025', changes: [{ description: 'Split.', operations }] },
    { version: '2026', changes: [] },
    { version: '2027', changes: [{ description: 'Loud.', operations: shout.operations }] },
  ])
  expect(list[1]?.changes[0]?.operations).toBe(operations)
  list.pop()
  expect(history.list()).toHaveLength(3)
})

describe('by hand', () => {
  const ada = { given: 'Ada', family: 'Lovelace' }
  const old = { name: 'Ada Lovelace' }

  test.each([
    ['GET user-detail', '2024', old],
    ['POST user-list', '2024', old],
    ['GET v1:user-detail', '2024', old],
    ['GET user-detail', '2025', ada],
    ['GET user-detail', '2026', ada],
  ])('response(%j, ..., %j): %j', (operation, to, expected) => {
    expect(history.response(operation, ada, to)).toEqual(expected)
  })

  test('steps get copies and the version, and what they give is as JSON gives it', () => {
    const seen: unknown[] = []
    const grow = change('Grown.', {
      'GET a': {
        response(list: unknown[], { version, req, res }) {
          seen.push(version, req, res, [...list])
          list.push({ at: new Date(0), none: undefined })
          return list
        },
        request: (list: unknown[], { version }) => [...list, version],
      },
    })
    const given = Object.freeze([new Date(0)])
    const grown = versionHistory('1').version('2', grow)
    const at = '1970-01-01T00:00:00.000Z'
    expect(grown.response('GET a', given, '1')).toStrictEqual([at, { at }])
    expect(seen).toEqual(['1', undefined, undefined, [at]])
    expect(grown.request('GET a', given, '1')).toStrictEqual([at, '1'])
  })

  test.each<[title: string, call: () => unknown, message: string]>([
    [
      'an unknown version',
      () => history.response('GET a', 1, '2023'),
      "response(): the history has no version '2023'. Did you mean",
    ],
    [
      'no version',
      () => history.request('GET a', 1, undefined as never),
      'request(): the history has no version undefined.',
    ],
    ['no operation', () => history.response('user-detail', 1, '2024'), 'response() takes an operation'],
    ['no text', () => history.request(7 as never, 1, '2024'), 'request() takes an operation'],
    [
      'no body',
      () => history.response('GET user-detail', undefined, '2024'),
      'response() takes a body that JSON can express; got undefined.',
    ],
    [
      'a body of no JSON',
      () => history.request('POST user-list', 1n, '2024'),
      'request() takes a body that JSON can express.',
    ],
  ])('%s is a TypeError', (_title, call, message) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })

  test('a step that fails throws what a request would come to', () => {
    expect(() => history.request('POST user-list', {}, '2024')).toThrow(VersioningError)
    expect(() => history.request('POST user-list', {}, '2024')).toThrow(
      expect.objectContaining({ status: 400, code: 'ERR_VERSION_BODY', version: '2024' }),
    )
    expect(() => history.response('GET user-detail', null, '2024')).toThrow(
      expect.objectContaining({ status: 500, code: 'ERR_VERSION_CHANGE' }),
    )
  })
})

describe('a step after another one gets a copy of what that gave, as JSON gives it', () => {
  const past = (newer: () => unknown, older: (value: never) => unknown) =>
    historyOf(
      [change('Older.', { 'GET other': { response: older as (value: unknown) => unknown } })],
      [change('Newer.', { 'GET other': { response: newer } })],
    ).response('GET other', {}, 'v1')

  test('dates are texts', () => {
    const since = new Date(0)
    expect(
      past(
        () => ({ since }),
        (value) => value,
      ),
    ).toEqual({ since: '1970-01-01T00:00:00.000Z' })
    expect(
      past(
        () => ({ since }),
        ({ since }: { since: string }) => since.slice(0, 4),
      ),
    ).toBe('1970')
  })

  test('what has a toJSON is what that says, whatever is in it', () => {
    const price = { amount: Number.NaN, rates: new Map(), toJSON: () => null }
    const newer = (): unknown => ({ price })
    expect(past(newer, (value) => value)).toEqual({ price: null })
    expect(historyOf([change('One.', { 'GET other': { response: newer } })]).response('GET other', {}, 'v1')).toEqual({
      price: null,
    })
  })
})
