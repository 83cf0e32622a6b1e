import { namedRoutes, type RequestChanges } from 'express-versioning'
import { change } from 'express-versioning/changes'
import { historyOf } from '../support/changes'

// `versioning()`, documents and surveys check a history that is tied to a table.

const step = (value: unknown) => value
const early = change('Early.', {
  'POST user-list': { request: step },
  'GET user-list': { query: step },
  'GET user-detail': { response: step, error: step },
})
const late = change('Late.', { 'GET user-new': 'added', 'GET user-old': 'removed' })
const names = { 'user-list': '/', 'user-detail': '/:id', 'user-new': '/new', 'user-old': '/old' }
const bound: RequestChanges = historyOf([early], [late]).bind(namedRoutes(names))

test.each([
  ['v1', true],
  ['v3', true],
  [null, true],
  [undefined, true],
  ['v4', false],
])('knows %j: %j', (version, known) => {
  expect(bound.knows(version)).toBe(known)
})

test.each([
  ['GET', 'user-new', 'v2', false],
  ['GET', 'user-new', 'v3', true],
  ['HEAD', 'user-new', 'v2', false],
  ['POST', 'user-new', 'v2', true],
  ['GET', 'user-new', 'v4', true],
])('has %s %s in %s: %j', (method, viewName, version, has) => {
  expect(bound.hasOperation(method, viewName, version)).toBe(has)
})

test.each([
  ['POST', 'user-list', 'v1', true],
  ['POST', 'user-list', 'v2', false],
  ['GET', 'user-list', 'v1', true],
  ['PUT', 'user-list', 'v1', false],
  ['POST', 'user-list', 'v4', false],
])('converts requests for %s %s in %s: %j', (method, viewName, version, converts) => {
  expect(bound.convertsRequests(method, viewName, version)).toBe(converts)
})

test.each([
  { description: 'Early.', asked: early, version: 'v1', has: false },
  { description: 'Early.', asked: early, version: 'v2', has: true },
  { description: 'Early.', asked: early, version: 'v3', has: true },
  { description: 'Late.', asked: late, version: 'v2', has: false },
  { description: 'Early.', asked: early, version: 'v4', has: undefined },
])('has the change "$description" in $version: $has', ({ asked, version, has }) => {
  expect(bound.has(asked, version)).toBe(has)
})
