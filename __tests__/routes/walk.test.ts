import type { RequestHandler } from 'express'
import { namedRoutes } from 'express-versioning'

// The route or mount that a path belongs to.

const handler: RequestHandler = (_req, _res, next) => next()
const leaf = (x: string[] = [], id: string[] = []) => {
  const table = namedRoutes({ x: '/x', id: '/:id' })
  for (const method of x) table.route('x')[method as 'get'](handler)
  for (const method of id) table.route('id')[method as 'get'](handler)
  return table
}
const one = () => {
  const table = namedRoutes({ first: '/a/:any' })
  table.route('first').get(handler)
  return table.include('/a', leaf(), { namespace: 'n' }).include('/b', leaf(), { namespace: 'm' })
}
const two = () =>
  namedRoutes({})
    .include('/a', namedRoutes({}).include('/b', leaf(), { namespace: 'b' }), { namespace: 'one' })
    .include('/a', leaf(), { namespace: 'two' })
const methods = () => namedRoutes({}).include('/a', leaf(['post'], ['get']), { namespace: 'n' })
const optional = () =>
  namedRoutes({})
    .include('/t{/:a}{/:b}', namedRoutes({ x: '/x' }), { namespace: 't' })
    .include('/r{/:a}{/:b}', handler, { namespace: 'r' })
const posted = () => namedRoutes({}).include('/p{/:v}', namedRoutesOfX(), { namespace: 'n' })
const namedRoutesOfX = () => {
  const table = namedRoutes({ x: '/x' })
  table.route('x').post(handler)
  return table
}

/** The view name; for a mere mount, its namespaces; the parameters. */
const rows: [table: () => ReturnType<typeof namedRoutes>, request: string, found: string][] = [
  [one, '/a/x', 'first {"any":"x"}'],
  [one, 'GET /a/x', 'first {"any":"x"}'],
  [one, '/b/x/y', 'below m {}'],
  [one, '/c', 'nothing'],
  [two, '/a/b/c/d', 'below one,b {}'],
  [two, '/a/x', 'two:x {}'],
  [methods, 'POST /a/x', 'n:x {}'],
  [methods, 'GET /a/x', 'n:id {"id":"x"}'],
  [methods, 'HEAD /a/x', 'n:id {"id":"x"}'],
  [methods, 'PUT /a/x', 'n:x {}'],
  [() => namedRoutes({}).include('/', leaf()), '/y/z', 'nothing'],
  [() => namedRoutes({}).include('/', leaf()), '/x', 'x {}'],
  [() => namedRoutes({}).include('/', leaf(), { namespace: 'n' }), '/y/z', 'below n {}'],
  // The shortest reading of a prefix that leads to no route; the longest for a router that is no table.
  [optional, '/t/1/2/3', 'below t {}'],
  [optional, '/t/1/2/x', 't:x {"a":"1","b":"2"}'],
  [optional, '/t/1/x', 't:x {"a":"1"}'],
  [optional, '/r/1/2/3', 'below r {"a":"1","b":"2"}'],
  // A route without the method goes before no route.
  [posted, 'GET /p/1/x', 'n:x {"v":"1"}'],
  [posted, 'GET /p/x', 'n:x {}'],
  [posted, 'GET /p/1/y', 'below n {}'],
]
test.each(rows)('%p: %s is %s', (table, request, found) => {
  const [path, method] = request.split(' ').reverse() as [string, string?]
  const match = method === undefined ? table().resolve(path) : table().walk(path, method).match
  const seen = match && `${match.viewName ?? `below ${match.namespaces}`} ${JSON.stringify(match.params)}`
  expect(seen ?? 'nothing').toBe(found)
})

test('a match is plain data, and resolve() takes a path', () => {
  const params = { id: '7' }
  expect(leaf().resolve('/7')).toStrictEqual({ viewName: 'id', namespaces: [], namespace: '', params })
  expect(() => leaf().resolve(undefined as never)).toThrow(new TypeError('resolve() takes a path; got undefined.'))
})
