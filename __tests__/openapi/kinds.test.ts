// Documents as they come: the same meaning in other spellings, read and converted on both majors of Express.
import { HeaderVersioning, versioning } from 'express-versioning'
import { change, convertRequest, fields, versionHistory } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import { appOf, dispatch } from '../support/dispatch'
import { documentOf } from '../support/documents'
import { type Json, json, list, object, ref, text } from '../support/parts'

const HISTORY = versionHistory('1').version('2', change('Given.', { User: fields({ renamed: { forename: 'given' } }) }))
const schemas = {
  User: object({ given: text, age: text }),
  Nothing: { nullable: true },
  Loop: { type: 'object', properties: { page: text }, allOf: [ref('Loop')] },
  Left: object({ user: ref('User') }),
  Right: object({ user: ref('User') }),
}
const bind = (operation: object) => {
  const document = documentOf({ '/': { post: operation } }, { schemas }, '3.0.3')
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: HISTORY, routes: routesOf(document) }
  return { options, decide: versioning(options) }
}
const both = { allOf: [ref('User'), object({ town: text })] }
const deep = (schema: object, more: object = {}) => ({ schema, style: 'deepObject', ...more })

test.each<[title: string, parameter: object, sent: string, arrived: string]>([
  ['a component that is several parameters', { schema: ref('User') }, 'forename=a&age=1', 'age=1&given=a'],
  ['the same, required', { schema: ref('User'), required: true }, 'forename=a', 'given=a'],
  ['parts that are several parameters', { schema: both }, 'forename=a&town=t', 'town=t&given=a'],
  ['a part that leads back to itself', { schema: ref('Loop') }, 'page=1', 'page=1'],
  ['a deep object', deep(ref('User')), 'q[forename]=a&q[age]=1', 'q[age]=1&q[given]=a'],
  ['one that says so', deep(both, { explode: true }), 'q[forename]=a&q[town]=t', 'q[town]=t&q[given]=a'],
  ['a deep object in another', deep(object({ user: ref('User') })), 'q[user][forename]=a', 'q[user][given]=a'],
  ['a deep list', deep(list(ref('User'))), 'q[0][forename]=a&q[1][forename]=b', 'q[0][given]=a&q[1][given]=b'],
  ['a deep list of one', deep(list(ref('User'))), 'q[0][forename]=a', 'q[0][given]=a'],
])('a query with %s', (_, parameter, sent, arrived) => {
  const parameters = [{ name: 'q', in: 'query', ...parameter }]
  const { decide } = bind({ parameters, responses: { 204: { description: '' } } })
  const app = appOf((one) => void one.set('query parser', 'extended').use(decide, convertRequest))
  const { req, errors } = dispatch(app, { method: 'POST', url: `/?${sent}`, headers: { 'x-api-version': '1' } })
  expect([decodeURIComponent(req.url), errors]).toStrictEqual([`/?${arrived}`, []])
})

const user = { given: 'a' }
const older = { forename: 'a' }
test.each<[title: string, content: object, sent: unknown, arrived: unknown]>([
  ['null behind a reference', json({ oneOf: [ref('User'), ref('Nothing')] }), user, older],
  ['null itself', json({ oneOf: [ref('Nothing'), ref('User')] }), null, null],
  [
    'components that are converted alike under two media types',
    { ...json(ref('Left')), 'text/json': { schema: ref('Right') } },
    { user },
    { user: older },
  ],
  ['branches that are converted alike', json({ anyOf: [ref('Left'), ref('Right')] }), { user }, { user: older }],
])('a response with %s', (_, content, sent, arrived) => {
  const { options } = bind({ responses: { 200: { description: 'OK', content } } })
  expect(HISTORY.for(options).response('POST /' as never, sent, '1')).toStrictEqual(arrived)
})

test('a query that is another thing, and a media type without a schema', () => {
  const content = { ...json(ref('User')), 'text/json': {} }
  const parameters = [{ name: 'q', in: 'query', schema: ref('User') }]
  const document = documentOf(
    { '/': { post: { parameters, responses: { 200: { description: 'OK', content } } } } },
    { schemas },
  )
  jest.spyOn(process, 'emitWarning').mockReturnValue()
  const routes = routesOf(document, { places: { 'POST / query': null } })
  const decide = versioning({ scheme: HeaderVersioning, defaultVersion: '2', changes: HISTORY, routes })
  const app = appOf((one) => void one.use(decide, convertRequest))
  const { req } = dispatch(app, { method: 'POST', url: '/?forename=a', headers: { 'x-api-version': '1' } })
  expect(req.url).toBe('/?forename=a')
  jest.restoreAllMocks()
})

test('a component that only webhooks have changes in their documents', () => {
  const webhook = { post: { requestBody: { content: json(ref('User')) }, responses: { 200: { description: 'OK' } } } }
  const given = { ...documentOf({}, { schemas }), webhooks: { joined: webhook } }
  const options = { scheme: HeaderVersioning, defaultVersion: '2', changes: HISTORY, routes: routesOf(given) }
  const propertiesIn = (version: string) => {
    const { components } = openapi(options).document<Json>(version)
    return Object.keys(components.schemas.User.properties)
  }
  expect([propertiesIn('1'), propertiesIn('2')]).toStrictEqual([
    ['forename', 'age'],
    ['given', 'age'],
  ])
})
