import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import { change, fields, shape } from 'express-versioning/changes'
import { checkHistory } from 'express-versioning/testing'
import { historyOf, tableOf } from '../support/changes'

const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  ...more,
})
const Article = {
  $id: 'Article',
  ...object({ id: { type: 'integer' }, title: text, language: text, tags: { type: 'array', items: text } }),
}
const end = () => {}

function optionsOf(...changes: ReturnType<typeof change>[]): VersioningOptions {
  const routes = tableOf()
  routes
    .describe('GET user-list', { response: { type: 'array', items: Article } })
    .describe('GET user-detail', { response: Article })
    .describe('PUT user-detail', { body: Article, response: Article })
    .describe('PATCH user-detail', { body: { ...Article, $id: 'ArticlePatch', required: [] }, response: Article })
    .describe('GET other', {
      query: { type: 'object', properties: { cursor: text } },
      response: object({ a: { type: 'integer' } }),
    })
  routes.route('user-list').get(end)
  routes.route('user-detail').get(end).put(end).patch(end)
  routes.route('other').get(end)
  return { scheme: HeaderVersioning, changes: historyOf(changes), routes }
}

const titled = fields({ renamed: { name: 'title' } })
const clean = change('Titles.', { Article: titled, ArticlePatch: titled })

test('a clean history has no problems', async () => {
  expect(await checkHistory(optionsOf(clean), { runs: 20 })).toEqual([])
})

test('a member that a full PUT erases', async () => {
  const options = optionsOf(
    change('Languages.', {
      Article: fields({ added: { language: 'en' } }),
      ArticlePatch: fields({ added: ['language'] }),
    }),
  )
  const [problem, ...others] = await checkHistory(options)
  expect(others).toEqual([])
  expect(problem).toMatchObject({
    kind: 'lost',
    version: 'v1',
    shape: 'Article',
    direction: 'response',
    path: ['language'],
    got: 'en',
  })
  expect(await checkHistory(options, { lossy: { Article: ['language'] } })).toEqual([])
  await expect(checkHistory(options, { lossy: { Articel: [] } })).rejects.toThrow('Did you mean "Article"?')
})
