import express from 'express'
import { namedRoutes } from '../../src/routes/named-routes'

const loose = (routes: unknown, options?: unknown) =>
  namedRoutes(routes as Record<string, string>, options as { strict: boolean })
const users = () => namedRoutes({ list: '/users', detail: '/users/:id' })
const handler = () => {}

describe('what is refused at declaration', () => {
  const cases: [what: string, declare: () => unknown, message: RegExp][] = [
    ['no object', () => loose('/users'), /takes an object of names and paths.*got '\/users'/],
    ['null', () => loose(null), /got null/],
    ['a list', () => loose(['/users']), /got \[ '\/users' \]/],
    ['a path that is no string', () => loose({ list: 7 }), /route "list" takes a path \(a string\); got 7/],
    ['a RegExp path', () => loose({ list: /x/ }), /got \/x\//],
    ['an empty name', () => loose({ '': '/x' }), /a route name is a non-empty string without ":"; got ''/],
    ['a colon in a name', () => loose({ 'v1:list': '/x' }), /got 'v1:list'/],
    ['a colon in a late name', () => users().add('v1:list', '/x'), /got 'v1:list'/],
    ['an empty path', () => loose({ list: '' }), /'' is no path: it must start with "\/"/],
    [
      'a path without a slash',
      () => loose({ list: 'users' }),
      /route "list": 'users' is no path: it must start with "\/"/,
    ],
    ['a path that may lack its slash', () => loose({ list: '{/a}b' }), /it must start with "\/"/],
    ['a group that may lack its slash', () => loose({ list: '{:id}' }), /it must start with "\/"/],
    [
      "Express 4's optional parameter",
      () => loose({ list: '/:id?' }),
      /route "list": '\/:id\?' is no path: Unexpected \? at index 4.*Optional parts are written \{\/:id\}/,
    ],
    ["Express 4's pattern of a parameter", () => loose({ list: '/:id(\\d+)' }), /Unexpected \(/],
    ['an unnamed wildcard', () => loose({ list: '/*' }), /Missing parameter name/],
    ['two parameters without text between', () => loose({ list: '/:a:b' }), /Missing text before "b"/],
    ['too many alternatives', () => loose({ list: '/a'.concat('{/b}'.repeat(9)) }), /Too many path combinations/],
    ['a lone surrogate', () => loose({ list: '/\ud800' }), /it has a lone surrogate/],
    ['a parameter twice in a path', () => loose({ list: '/:id/{:id}' }), /parameter "id" is there twice/],
    ['an unknown option', () => loose({}, { stric: true }), /unknown option "stric".*Did you mean "strict"/],
    ['an option that is no boolean', () => loose({}, { strict: 'yes' }), /option "strict" takes a boolean; got 'yes'/],
    [
      'an unknown name in route()',
      () => users().route('lst' as 'list'),
      /no name 'lst' of its own\. Did you mean "list"\?/,
    ],
    [
      'a name of a child in route()',
      () =>
        namedRoutes({})
          .include('/v1', users(), { namespace: 'v1' })
          .route('v1:list' as never),
      /no name 'v1:list' of its own/,
    ],
    ['no name in route()', () => users().route(undefined as never), /no name undefined/],
    [
      'no router in include()',
      () => namedRoutes({}).include('/v1', {} as typeof handler),
      /table or another router as its second argument; got \{\}/,
    ],
    [
      'no prefix in include()',
      () => namedRoutes({}).include(undefined as never, handler),
      /the prefix takes a path \(a string\); got undefined/,
    ],
    ['an empty prefix', () => namedRoutes({}).include('', handler), /must start with "\/"/],
    ['a prefix without a slash', () => namedRoutes({}).include('v1', handler), /must start with "\/"/],
    [
      'a wildcard in a prefix',
      () => namedRoutes({}).include('/*rest', users()),
      /a prefix takes no wildcard; got '\/\*rest'/,
    ],
    [
      'an optional wildcard in a prefix',
      () => namedRoutes({}).include('/v1{/*rest}', handler),
      /a prefix takes no wildcard/,
    ],
    [
      'an empty namespace',
      () => namedRoutes({}).include('/v1', users(), { namespace: '' }),
      /a namespace is a non-empty string without ":"; got ''/,
    ],
    ['a colon in a namespace', () => namedRoutes({}).include('/v1', users(), { namespace: 'a:b' }), /got 'a:b'/],
    [
      'an unknown option of include()',
      () => namedRoutes({}).include('/v1', handler, { name: 'v1' } as object),
      /include\(\): unknown option "name"/,
    ],
    ['a name twice', () => users().add('list', '/x'), /the name "list" is taken: "\/users" has it, and "\/x" would/],
    [
      'a name of an included table',
      () => namedRoutes({ list: '/' }).include('/v1', users()),
      /"list" is taken: "\/" has it, and "\/v1\/users" would/,
    ],
    [
      'a table twice without namespace',
      () => {
        const child = users()
        namedRoutes({}).include('/a', child).include('/b', child)
      },
      /"list" is taken: "\/a\/users" has it, and "\/b\/users" would/,
    ],
    [
      'a namespace twice',
      () => namedRoutes({}).include('/a', users(), { namespace: 'v1' }).include('/b', handler, { namespace: 'v1' }),
      /namespace "v1" is taken in this table, by what is included at "\/a"/,
    ],
    [
      'a parameter of a prefix again below it',
      () => namedRoutes({}).include('/:id', users()),
      /parameter "id" is in the prefix "\/:id" and again below it, in "\/users\/:id"/,
    ],
    [
      'a parameter of a prefix again two below it',
      () => namedRoutes({}).include('/:id', namedRoutes({}).include('/x', users())),
      /in the prefix "\/:id" and again below it, in "\/x\/users\/:id"/,
    ],
    [
      'a parameter of a prefix in the prefix below it',
      () => namedRoutes({}).include('/:v', namedRoutes({}).include('/:v', handler)),
      /in the prefix "\/:v" and again below it, in "\/:v"/,
    ],
    [
      'a table in itself',
      () => {
        const table = users()
        table.include('/x', table, { namespace: 'x' })
      },
      /a table cannot include itself \(at "\/x"\)/,
    ],
    [
      'a table in its own child',
      () => {
        const table = users()
        const child = namedRoutes({})
        table.include('/x', namedRoutes({}).include('/y', child))
        child.include('/z', table)
      },
      /cannot include itself/,
    ],
    ['a name with a bad path in add()', () => users().add('x', 'x'), /route "x": 'x' is no path/],
    ['a bad path in use()', () => users().use('/:id?', handler), /use\(\): the path: '\/:id\?' is no path/],
    ['a handler that is none', () => users().use('/x', 'y' as never), /must be a function/],
    ['no handler', () => users().use('/x'), /handler is required/],
  ]
  test.each(cases)('%s', (_what, declare, message) => {
    expect(declare).toThrow(TypeError)
    expect(declare).toThrow(message)
  })
})

describe('late declarations', () => {
  const late = () => {
    const child = users()
    const middle = namedRoutes({}).include('/m', child, { namespace: 'm' })
    const root = namedRoutes({ top: '/' }).include('/:tenant', middle, { namespace: 'r' })
    return { child, middle, root }
  }

  const refused: [what: string, declare: (tables: ReturnType<typeof late>) => unknown, message: RegExp][] = [
    [
      'a parameter of a prefix above',
      ({ child }) => child.add('late', '/:tenant'),
      /"tenant" is in the prefix "\/:tenant"/,
    ],
    [
      'a prefix with a parameter of a prefix above',
      ({ child }) => child.include('/:tenant', handler),
      /"tenant" is in the prefix/,
    ],
  ]
  test.each(refused)('are refused for %s', (_what, declare, message) => {
    expect(() => declare(late())).toThrow(message)
  })

  test('change nothing when an ancestor refuses them', () => {
    const child = namedRoutes({})
    const root = namedRoutes({ list: '/' }).include('/a', child).include('/b', child, { namespace: 'b' })
    const before = root.list()
    expect(() => child.add('list', '/x')).toThrow('"list" is taken: "/" has it, and "/a/x" would')
    expect(() => child.include('/x', users())).toThrow('"list" is taken')
    expect(child.list()).toEqual([])
    expect(root.list()).toEqual(before)
    expect(child.resolve('/x')).toBeNull()
    child.add('other', '/x')
    expect(root.list().map(({ name }) => name)).toEqual(['list', 'other', 'b:other'])
  })

  test('are refused when one name reaches a table by two ways', () => {
    const child = namedRoutes({})
    const root = namedRoutes({}).include('/a', child).include('/b', namedRoutes({}).include('/c', child))
    expect(() => child.add('twice', '/x')).toThrow('"twice" is taken: "/a/x" has it, and "/b/c/x" would')
    expect(root.has('twice')).toBe(false)
  })
})

describe('a table', () => {
  test('lists its names as declared', () => {
    const child = users()
    child.route('detail').get(handler).all(handler).get(handler)
    const root = namedRoutes({ home: '/' })
      .include('/:v/', child, { namespace: 'v' })
      .include('/', users())
      .include('/r', express.Router())
      .add('late', '/late/*rest')
    expect(root.list()).toEqual([
      { name: 'home', path: '/', params: [], methods: [] },
      { name: 'v:list', path: '/:v/users', params: ['v'], methods: [] },
      { name: 'v:detail', path: '/:v/users/:id', params: ['v', 'id'], methods: ['GET', 'ALL'] },
      { name: 'list', path: '/users', params: [], methods: [] },
      { name: 'detail', path: '/users/:id', params: ['id'], methods: [] },
      { name: 'late', path: '/late/*rest', params: ['rest'], methods: [] },
    ])
  })

  test('suggests near names', () => {
    const root = namedRoutes({ home: '/' }).include('/v1', users(), { namespace: 'v1' })
    expect(root.near('v1:lst')).toEqual(['v1:list'])
    expect(root.near(undefined as never)).toEqual([])
  })
})
