// This suite compares the cost of shapes with steps of the operation that do the same by hand.
import { expressOf, packageWith, responding } from './apps.mjs'

const userOf = (id) => ({
  id,
  given: 'Ada',
  family: 'Lovelace',
  email: 'ada@example.com',
  active: true,
  since: '1843-09-01T00:00:00.000Z',
})
const toOld = ({ given, family, ...user }) => ({ ...user, name: `${given} ${family}` })

const postOf = (id) => ({
  id,
  title: 'Notes by the translator',
  text: 'The Analytical Engine weaves algebraical patterns.',
  author: userOf(id),
})
const crowded = (id) => ({ ...postOf(id), likedBy: Array.from({ length: 5 }, (_, index) => userOf(index)) })

const text = { type: 'string' }
const objectOf = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
const user = (names) => objectOf(Object.fromEntries([...names, 'email', 'since'].map((name) => [name, text])))
const NEW_USER = user(['given', 'family'])
const OLD_USER = user(['name'])
const $ref = '#/$defs/User'
/** Returns the schema of the responses for a schema of users. */
const postsWith = (User) => ({
  type: 'array',
  items: objectOf({ title: text, text, author: { $ref }, likedBy: { type: 'array', items: { $ref } } }),
  $defs: { User },
})

const ROUTES = { 'post-list': '/posts', about: '/about' }
const ABOUT = { name: 'Posts', count: 100, contact: 'posts@example.com' }

/** @returns an app that responses posts to the oldest version of a history, or to all alike without one */
async function appWith(major, { posts, user = NEW_USER, history, url = '/posts', version = 'v1', body }) {
  const { HeaderVersioning, namedRoutes, versioning } = await packageWith('namedRoutes', 'HeaderVersioning')
  const express = await expressOf(major)
  const api = namedRoutes(ROUTES)
  api.describe('GET post-list', { response: postsWith(user) })
  api.describe('GET about', { response: { type: 'object' } })
  api.route('post-list').get((_req, res) => res.json(posts))
  api.route('about').get((_req, res) => res.json(ABOUT))
  const app = express()
  const given = history === undefined ? { allowedVersions: ['v1', 'v2'] } : { changes: history }
  app.use(versioning({ scheme: HeaderVersioning, routes: api, ...given }), api)
  return responding(app, { url, headers: { 'X-API-Version': version }, body: JSON.stringify(body) })
}

/** @param said what each change says, the oldest first: each is a version of its own */
async function historyOf(said) {
  const { change, fields, shape, versionHistory } = await import('express-versioning/changes')
  return said(shape, fields).reduce(
    (history, changed, index) => history.version(`v${index + 2}`, change('Users are others.', changed)),
    versionHistory('v1'),
  )
}

const isCrowded = (post) => post.likedBy !== undefined
const onUsers = (step) => (posts) =>
  posts.map((post) => ({
    ...post,
    author: step(post.author),
    ...(isCrowded(post) ? { likedBy: post.likedBy.map(step) } : {}),
  }))
const byHand = () => [{ 'GET post-list': { response: onUsers(toOld) } }]
const byShape = (shape) => [{ User: shape(OLD_USER, NEW_USER, { response: toOld }) }]

/** The last property is renamed, so both ways keep the order. */
const toCreated = ({ since, ...user }) => ({ ...user, created: since })
const createdByHand = () => [{ 'GET post-list': { response: onUsers(toCreated) } }]
const createdByFields = (_shape, fields) => [{ User: fields({ renamed: { created: 'since' } }) }]

const TWENTY = Array.from({ length: 19 }, (_, index) => index)
/** Each of twenty versions renames one field of users. */
const renamed = (index) => (value) => {
  const { [`f${index + 1}`]: field, ...rest } = value
  return { ...rest, [`f${index}`]: field }
}
const fieldUser = (index) => user(['given', 'family', `f${index}`])
const twentyByHand = () => TWENTY.map((index) => ({ 'GET post-list': { response: onUsers(renamed(index)) } }))
const twentyByShape = (shape) =>
  TWENTY.map((index) => ({ User: shape(fieldUser(index), fieldUser(index + 1), { response: renamed(index) }) }))

const LIST = Array.from({ length: 100 }, (_, index) => postOf(index))
const NAMED = LIST.map((post) => ({ ...post, author: { ...post.author, f19: 'x' } }))
const CROWDED = Array.from({ length: 100 }, (_, index) => crowded(index))
const old = onUsers(toOld)

/** @param {4 | 5} major of Express */
export function shapes(major) {
  const pair = (id, label, ratio, without, withShapes, asked) =>
    [
      [
        `without-${id}`,
        `${id === 'newest' || id === 'untouched' ? 'without `changes`' : 'by hand'}: ${label}`,
        without,
      ],
      [id, `**${id === 'fields' ? 'fields()' : 'shapes'}**: ${label}`, withShapes],
    ].map(([name, title, said]) => ({
      id: name,
      label: title,
      ...(name === id ? { floor: `without-${id}`, limits: { ratio } } : {}),
      prepare: async () => appWith(major, { ...asked, history: said && (await historyOf(said)) }),
    }))
  const one = { posts: LIST, body: old(LIST) }
  const twenty = TWENTY.reduceRight(
    ({ body, ...asked }, index) => ({ ...asked, body: onUsers(renamed(index))(body) }),
    { posts: NAMED, body: NAMED, user: fieldUser(TWENTY.length) },
  )
  const about = { posts: LIST, url: '/about', body: ABOUT }
  return {
    id: `shapes-${major}`,
    batchMs: 60,
    generations: 3,
    rounds: 6,
    title: `Shapes, over the same done by hand, Express ${major}`,
    about: 'Responses of 100 posts with their authors, whole; by hand, a step of the operation maps the list.',
    cases: [
      ...pair('one', '100 posts with their authors', 1.4, byHand, byShape, one),
      ...pair('fields', '100 posts, a renamed property of their authors', 1.2, createdByHand, createdByFields, {
        posts: LIST,
        body: onUsers(toCreated)(LIST),
      }),
      ...pair('six', '100 posts with six users each', 1.6, byHand, byShape, { posts: CROWDED, body: old(CROWDED) }),
      ...pair('twenty', 'the first of 20 versions, a change in each', 1.1, twentyByHand, twentyByShape, twenty),
      ...pair('untouched', 'an old version, an operation without changed shapes', 1.05, undefined, byShape, about),
      ...pair('newest', 'the newest version', 1.02, undefined, byShape, { ...one, body: LIST, version: 'v2' }),
    ],
  }
}
