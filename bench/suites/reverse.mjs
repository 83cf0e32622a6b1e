import { packageWith } from './apps.mjs'
import { agreeing, looping, varied } from './looping.mjs'

const encode = encodeURIComponent
const LIMITS = { ratio: 1.5 }

/** @returns {(exported: object) => object} a table of one name */
const tableOf =
  (path) =>
  ({ namedRoutes }) =>
    namedRoutes({ it: path })

const THREE = '/orgs/:org/users/:user/posts/:post'
const three = ({ org, user, post }) => `/orgs/${encode(org)}/users/${encode(user)}/posts/${encode(post)}`
const threeBy = (table) => (v) => table.reverse('it', { kwargs: { org: v.org, user: v.user, post: v.post } })

const one = ({ user }) => `/users/${encode(user)}`
const included = ({ org, user }) => `/api/${encode(org)}/users/${encode(user)}`

const PLAIN = varied((index) => ({
  org: `acme-${index}`,
  user: String(1000 + index),
  post: `summer-${index}`,
  format: index % 2 === 0 ? 'json' : 'xml',
  path: ['docs', `20${10 + index}`, `summer-${index}`],
}))
// Nothing that a path must encode is left out by a client, and most values have nothing of the kind.
const SOME = PLAIN.map((values, index) => ({ ...values, post: index % 4 === 0 ? `été ${index}` : values.post }))
const ALL = PLAIN.map((values, index) => ({ ...values, org: `a/b ${index}`, user: `${index}%?`, post: `été ${index}` }))
const NUMBERS = PLAIN.map((values, index) => ({ ...values, user: 1000 + index }))

/**
 * Each shape of path: the table, the call as a user writes it, the template literal it is compared with, and the values.
 */
const SHAPES = {
  one: [
    'one parameter, `/users/:user`',
    tableOf('/users/:user'),
    (t) => (v) => t.reverse('it', { kwargs: { user: v.user } }),
    one,
  ],
  number: [
    'the same, a number',
    tableOf('/users/:user'),
    (t) => (v) => t.reverse('it', { kwargs: { user: v.user } }),
    one,
    NUMBERS,
  ],
  three: [`three parameters, \`${THREE}\``, tableOf(THREE), threeBy, three],
  encoded: ['the same, one value in twelve with a space and an accent', tableOf(THREE), threeBy, three, SOME],
  'encoded-all': ['the same, every value needs encoding', tableOf(THREE), threeBy, three, ALL],
  dot: [
    'text beside parameters, `/files/:name.:ext`',
    tableOf('/files/:name.:ext'),
    (t) => (v) => t.reverse('it', { kwargs: { name: v.post, ext: v.format } }),
    ({ post, format }) => `/files/${encode(post)}.${encode(format)}`,
  ],
  dash: [
    'text beside a parameter, `/a-:b`',
    tableOf('/a-:b'),
    (t) => (v) => t.reverse('it', { kwargs: { b: v.user } }),
    ({ user }) => `/a-${encode(user)}`,
  ],
  'optional-with': [
    'an optional part that is filled, `/users/:id{.:format}`',
    tableOf('/users/:id{.:format}'),
    (t) => (v) => t.reverse('it', { kwargs: { id: v.user, format: v.format } }),
    ({ user, format }) => `/users/${encode(user)}.${encode(format)}`,
  ],
  'optional-without': [
    'the same, left out',
    tableOf('/users/:id{.:format}'),
    (t) => (v) => t.reverse('it', { kwargs: { id: v.user } }),
    one,
  ],
  wildcard: [
    'a wildcard of three items, `/files/*path`',
    tableOf('/files/*path'),
    (t) => (v) => t.reverse('it', { kwargs: { path: v.path } }),
    ({ path }) => `/files/${path.map(encode).join('/')}`,
  ],
  included: [
    'included prefixes, `/api`, `/:org`, `/users/:user`',
    ({ namedRoutes }) =>
      namedRoutes({}).include('/api', namedRoutes({}).include('/:org', namedRoutes({ it: '/users/:user' }))),
    (t) => (v) => t.reverse('it', { kwargs: { org: v.org, user: v.user } }),
    included,
  ],
  namespace: [
    'the same below a namespace, `v1:it`',
    ({ namedRoutes }) =>
      namedRoutes({}).include('/api', namedRoutes({}).include('/:org', namedRoutes({ it: '/users/:user' })), {
        namespace: 'v1',
      }),
    (t) => (v) => t.reverse('v1:it', { kwargs: { org: v.org, user: v.user } }),
    included,
  ],
}

function shapeCases(id, [label, table, call, literal, values = PLAIN]) {
  return [
    { id: `${id}-literal`, label: `literal: ${label}`, prepare: () => looping(literal, values) },
    {
      id,
      label: `**table.reverse()**: ${label}`,
      floor: `${id}-literal`,
      limits: LIMITS,
      prepare: async () => {
        const reverse = call(table(await packageWith('namedRoutes')))
        agreeing(reverse, literal, values)
        return looping(reverse, values)
      },
    },
  ]
}

async function compiled() {
  const { compile } = await import('path-to-regexp')
  return compile(THREE)
}

async function namedRoutesPackage() {
  const Router = (await import('named-routes')).default
  const router = new Router()
  router.add('get', THREE, () => {}, { name: 'post' })
  return (values) => router.build('post', values)
}

async function reversableRouter() {
  const Router = (await import('reversable-router')).default
  const router = new Router()
  router.add('get', THREE, () => {}, { name: 'post' })
  // Otherwise it builds no link before the route has had a request.
  router.routesByNameAndMethod.post.get.compile()
  return (values) => router.build('post', values)
}

const peer = (id, label, make) => ({
  id,
  label: `${label}: three parameters`,
  floor: 'three-literal',
  reference: true,
  prepare: async () =>
    looping(
      await make(),
      PLAIN.map(({ org, user, post }) => ({ org, user, post })),
    ),
})

export const reverse = {
  id: 'reverse',
  generations: 2,
  rounds: 10,
  title: 'A link by `table.reverse`, over a template literal with `encodeURIComponent`',
  about:
    'The call is written as one writes it, with an object literal; both make the same text, of 64 values in turn. A path without parameters has no literal to compare with, since the compiler would fold it: it is held to that of one parameter.',
  cases: [
    ...shapeCases('one', SHAPES.one),
    {
      id: 'static',
      label: '**table.reverse()**: no parameter, `/users`, over the literal of one',
      floor: 'one-literal',
      limits: LIMITS,
      prepare: async () => {
        const table = tableOf('/users')(await packageWith('namedRoutes'))
        return looping(() => table.reverse('it'), PLAIN)
      },
    },
    {
      id: 'args',
      label: '**table.reverse()**: one parameter, given as `args`',
      floor: 'one-literal',
      reference: true,
      prepare: async () => {
        const table = tableOf('/users/:user')(await packageWith('namedRoutes'))
        return looping((v) => table.reverse('it', { args: [v.user] }), PLAIN)
      },
    },
    ...Object.entries(SHAPES)
      .filter(([id]) => id !== 'one')
      .flatMap(([id, shape]) => shapeCases(id, shape)),
    peer('compile', 'path-to-regexp `compile()`', compiled),
    peer('named-routes', 'named-routes `build()` (leaves values unencoded)', namedRoutesPackage),
    peer('reversable-router', 'reversable-router `build()` (leaves values unencoded)', reversableRouter),
  ],
}
