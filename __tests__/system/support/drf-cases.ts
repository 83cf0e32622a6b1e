// Random requests for the five schemes, with settings of every kind.
import fc from 'fast-check'
import type { Asked, Case, Routes, SchemeName } from './drf'

const words = (text: string, ...more: string[]) => fc.constantFrom(...text.split(' '), ...more)
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const joined = (unit: fc.Arbitrary<string>, max: number, separator = '') =>
  fc.array(unit, { maxLength: max }).map((parts) => parts.join(separator))

const hostile = joined(
  words('v1 v 1 . .. - _ ~ % %2F + & = ? # \\ " \' * ( ) ! $ @ ; , { } < > | ^ é € 😀 __proto__', ' '),
  4,
)
const version = fc.oneof(
  words('v1 v1 v1 v2 v2 v3 v9 1.0 2.0 V1 null None __proto__ constructor toString', '', 'a b'),
  hostile,
)

const users = { users: '/users', user: '/users/:pk', file: '/files/:name.:format', pair: '/pairs/:a/:b' }
const status = { home: '/home', status: '/status', doc: '/doc/:pk' }
/** A child at the prefix of its namespace. */
const child = (namespace: string, routes: Routes = { paths: users }) => [`/${namespace}`, namespace, routes] as const
const deep: Routes = { paths: { users: '/users' }, children: [child('v2', { paths: { deep: '/deep/:pk' } })] }
const spaces = fc.constantFrom<Routes>(
  { paths: status, children: [child('v1'), child('v2'), child('v9'), child('admin', { paths: { users: '/users' } })] },
  {
    paths: { ...status, users: '/users' },
    children: [
      child('api', { paths: status, children: [child('v1'), child('v2', deep)] }),
      child('v1', deep),
      ['/two', '2.0', { paths: users }],
      ['/plain', null, { paths: {}, children: [child('v3')] }],
    ],
  },
)
const inPath = fc.constantFrom<Routes>(
  { paths: status, children: [['/:version', null, { paths: users }]] },
  { paths: status, children: [['{/:version}', null, { paths: users }]] },
  { paths: status, children: [['/:v', 'api', { paths: users }]] },
)
const flat: Routes = { paths: { ...status, ...users } }

const lists = fc.constantFrom<(string | null)[]>(
  [],
  ['v1', 'v2'],
  ['v1', 'v2', null],
  ['1.0', '2.0', 'a b'],
  ['v1', ''],
  [null],
  ['V1', '__proto__'],
)
const nameable = fc.constantFrom<(string | null)[]>([], ['v1', 'v2'], ['v1', 'v2', null], ['V1', 'v9'], [null])
const settings = (list: fc.Arbitrary<(string | null)[]>) => ({
  defaultVersion: maybe(words('v1 v2 v9 1.0', '')),
  allowedVersions: maybe(list),
  versionParam: maybe(words('version v ver-sion')),
})

const value = fc.oneof(words('7 a b.c v1', 'a b'), fc.nat(), hostile)
const kwarg = {
  pk: maybe(value),
  name: maybe(words('a b-c')),
  a: maybe(value),
  b: maybe(value),
  version: maybe(version),
}
/** Leaves out what is undefined, as a caller would. */
const defined = <T extends object>(one: T): T =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as T
const fitting: Record<string, readonly string[]> = {
  user: ['pk'],
  doc: ['pk'],
  deep: ['pk'],
  file: ['name'],
  pair: ['a', 'b'],
}
const link = fc
  .record({
    name: words(
      'users users user user file pair home status deep nowhere v1:users v2:user v2:deep api:v1:users api:status api:user',
    ),
    args: maybe(fc.array(value, { maxLength: 2 })),
    kwargs: fc.record(kwarg),
    format: maybe(words('json csv')),
    fits: words('kwargs kwargs kwargs args any any'),
  })
  .map(({ name, args, kwargs, format, fits }): Asked => {
    const given: Readonly<Record<string, string | number>> = defined(kwargs) as Record<string, string | number>
    const wanted = fitting[name.split(':').at(-1) as string] ?? []
    const asFile = name === 'file' ? format : undefined
    const values = wanted.map((one) => [one, given[one] ?? '7'] as const)
    if (fits === 'kwargs')
      return defined({ name, kwargs: wanted.length > 0 ? Object.fromEntries(values) : undefined, format: asFile })
    if (fits === 'args') return { name, args: values.map(([, value]) => value) }
    return defined({ name, args: args?.length === 0 ? undefined : args, kwargs: given, format })
  })
const links = fc.array(link, { maxLength: 4 })
const host = words('api.example.com localhost:8000 v1.example.com:80 10.0.0.1:8080')

const caseOf = (scheme: SchemeName, parts: { [Key in keyof Case]?: fc.Arbitrary<Case[Key]> }): fc.Arbitrary<Case> =>
  fc.record({
    scheme: fc.constant(scheme),
    routes: fc.constant(flat),
    url: words('/users /users/7 /home /nowhere'),
    headers: host.map((host) => ({ host })),
    links,
    ...settings(lists),
    ...parts,
  }) as fc.Arbitrary<Case>

// Accept
const quotedText = joined(words('v1 v2 1.0 , ; = \\" \\\\ \\x', ' '), 3)
const parameter = fc.oneof(
  words('version=v1 version=v1 version=v1 version=v2 version=1.0 version=v9 VERSION=v2 v=v1 v=v2 ver-sion=v1'),
  version.map((one) => `version="${one.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, '')}"`),
  words('q=1 q=0.5 q=0.9 q=0 q=0.000 Q=0.3 charset=utf-8 a=b indent=4 a="version=v2" profile="x"'),
  quotedText.map((one) => `version="${one}"`),
  words(
    'version version= version*=v1 "v1" version=v1" version="v1 version="v1"x =v1 xversion=v9',
    'version = v1',
    'version=v 1',
    '',
  ),
  words("version*=utf-8''v1 version*=utf-8'en'v%31"),
  fc.nat({ max: 3000 }).map((size) => `long="${'x'.repeat(size)}"`),
)
const range = fc
  .tuple(
    words(
      'application/json application/json application/json text/html text/plain */* application/* text/* Application/JSON image/png json',
    ),
    fc.array(parameter, { maxLength: 3 }),
    words('; ;', ' ; '),
  )
  .map(([type, parameters, separator]) => [type, ...parameters].join(separator))
const header = fc.oneof(
  { weight: 6, arbitrary: range },
  { weight: 3, arbitrary: fc.array(range, { minLength: 2, maxLength: 3 }).map((ranges) => ranges.join(', ')) },
  { weight: 1, arbitrary: words(', , ,', '', ' ') },
)
const acceptCase = caseOf('Accept', {
  headers: fc.tuple(host, maybe(header)).map(([host, accept]) => (accept === undefined ? { host } : { host, accept })),
  mediaTypes: fc.constantFrom(
    ['application/json'],
    ['application/json', 'text/html'],
    ['text/html', 'application/json'],
  ),
  loose: fc.nat({ max: 4 }).map((n) => n === 0),
})

// Path
const segment = version.map((one) => encodeURIComponent(one.replace(/\//g, '') || 'v1'))
const pathCase = caseOf('Path', {
  routes: inPath,
  url: fc.oneof(
    segment.map((version) => `/${version}/users`),
    fc.tuple(segment, segment).map(([version, pk]) => `/${version}/users/${pk}`),
    words('/home /status /v1/users/7 /v2/pairs/1/2 /v1/files/a.json /users /nowhere'),
  ),
  versionParam: maybe(words('version version v')),
})

// Namespaces
const namespaceCase = caseOf('Namespace', {
  routes: spaces,
  url: words(
    '/home /v1/users /v1/users /v2/users /v9/users/7 /admin/users /api/v1/users /api/v2/users /api/v2/v2/deep/1 /v1/v2/deep/1 /two/users /plain/v3/users /api/home /nowhere /users /v1/nowhere /v1/pairs/1/2',
  ),
})

// Host
const label = fc.oneof(words('v1 v1 v2 V1 v9 www api a-b x_y'), words('127 0'), hostile)
const hostName = fc
  .tuple(
    fc.array(label, { minLength: 1, maxLength: 4 }),
    words('.example.com .example.com .example.com. .my-shop.com', ''),
    words(':8080 :80 :', '', '', ''),
  )
  .map((parts) =>
    parts
      .flat()
      .join('')
      .replace(/[^\x21-\x7e]/g, ''),
  )
const plainHost = fc
  .tuple(words('v1 v2 v9 V1 www'), words('.example.com .example.com.', '.a.b.c'), words(':8080 :80', ''))
  .map((parts) => parts.join(''))
const hostCase = caseOf('Host', {
  headers: fc.oneof(plainHost, plainHost, hostName).map((host) => ({ host })),
  allowedVersions: maybe(nameable),
  hostnamePattern: maybe(fc.constantFrom(/^(v\d)\./, /^([a-z0-9-]+)\.api\.example\.com$/)),
})

// Query
const escaped = fc.oneof(
  version.map((one) => encodeURIComponent(one)),
  version.map((one) => encodeURIComponent(one).replace(/%20/g, '+')),
  joined(words('%76 1 %zz % %FF %C3%A9 %E2%82 + %2B v %00 = ; %ED%A0%80'), 4),
)
const pair = fc.oneof(
  escaped.map((value) => `version=${value}`),
  words(
    'version=v1 version=v2 version version= v=v1 v=v2 ver-sion=v1 Version=v2 version[]=v1 version[a]=v1 %76ersion=v1 page=2 a=b;version=v2',
  ),
)
const queryCase = caseOf('Query', {
  url: fc
    .tuple(words('/users /home /users/7'), joined(pair, 3, '&'))
    .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
})

/** Random requests of each scheme. */
export const CASES: Readonly<Record<SchemeName, fc.Arbitrary<Case>>> = {
  Accept: acceptCase,
  Path: pathCase,
  Namespace: namespaceCase,
  Host: hostCase,
  Query: queryCase,
}

/** Routes of fixed requests: those of the scheme, with any other thing that a row may ask. */
export const ROUTES: Readonly<Record<SchemeName, Routes>> = {
  Accept: flat,
  Path: { paths: status, children: [['{/:version}', null, { paths: users }]] },
  Namespace: {
    paths: status,
    children: [child('v1'), child('v2'), child('api', { paths: status, children: [child('v1')] })],
  },
  Host: flat,
  Query: flat,
}
