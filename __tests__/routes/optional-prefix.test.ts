import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type Asked, type Build, checkEach, decide, INVALID_IN_PATH, move, NO_ROUTE } from '../support/moved'
import { combined, header, path } from '../support/schemes'
import { include, type Table } from '../support/tables'

// A prefix with an optional version takes no other address: text in the version's place that is no version counts as one only if
// the path leads to no other route.

const { BaseVersioning, HeaderVersioning, NotFound, namedRoutes, URLPathVersioning } = library
const KNOWN = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const NUMBERS = { ...KNOWN, parseVersion: (text: string) => (/^\d$/.test(text) ? `v${text}` : text) }

/** Makes a table whose handlers response with their name, their parameters and the version: `profile/tags v1`. */
function table(paths: Record<string, string>, to: Table = namedRoutes({})): Table {
  for (const [name, text] of Object.entries(paths)) {
    const [path = '', method = 'all'] = text.split(' ')
    to.add(name, path)
    to.route(name)[method as 'all']((req, res) => {
      const version = req.resolverMatch?.viewName === null ? 'unresolved' : req.version
      res.json(`${[name, ...Object.values(req.params)].join('/')} ${version}`)
    })
  }
  return to
}

const TAGS = { tags: '/tags', home: '/' }
const PROFILE = { profile: '/profiles/:username' }
const below = (prefix = '{/:version}') => include(prefix, table({ ...TAGS, ...PROFILE }))
const beside = (paths: Record<string, string> = PROFILE, outer?: Table) =>
  include('/', table(paths), undefined, include('/', include('{/:version}', table(TAGS)), undefined, outer))
/** A table with a decision of its own. */
const decided = (scheme: unknown) => namedRoutes({}).use(decide(scheme, KNOWN)) as Table
const own = (child: object, paths: Record<string, string> = PROFILE) => table(paths, include('/', child))

/** A scheme of one's own, which reads the route and a header field. */
class Custom extends BaseVersioning {
  override readVersion(...[req, { version }]: Parameters<library.BaseVersioning['readVersion']>) {
    if (version === 'old') throw new NotFound('Gone.', { code: 'ERR_VERSION_OLD' })
    return (version as string | undefined) ?? req.get('X-API-Version')
  }
}
class Waiting extends URLPathVersioning {
  override readVersion(...asked: Parameters<library.URLPathVersioning['readVersion']>) {
    return Promise.resolve(super.readVersion(...asked)) as never
  }
}
class Rejecting extends Waiting {
  override readVersion = () => Promise.reject(new NotFound('Down.')) as never
}
const withMe = include('{/:version}', table({ ...TAGS, me: '/profiles/me', ...PROFILE }))
const later = versionHistory('v1').version('v2', change('Me.', { 'GET me': 'added' }))

/** A table behind `versioning()` and the move. */
const moved =
  (scheme: unknown, routes: Table, more: object = scheme instanceof BaseVersioning ? {} : KNOWN): Build =>
  (app) =>
    app.use(decide(scheme, { ...more, routes }), move, routes)

const apps: Record<string, Build> = {
  'one table': moved(URLPathVersioning, below()),
  'a table beside': moved(URLPathVersioning, beside()),
  'a route behind': moved(URLPathVersioning, own(include('{/:version}', table(TAGS)))),
  'a route behind nested tables': moved(URLPathVersioning, own(own(include('{/:version}', table(TAGS)), {}))),
  'a route of another method': moved(URLPathVersioning, beside({ profile: '/profiles/:username post' })),
  'parsed versions': moved(URLPathVersioning, below(), NUMBERS),
  'header or path': moved(combined([header(), path()], KNOWN), below()),
  'first of header and path': moved(combined([header(), path()], { ...KNOWN, onConflict: 'first' }), below()),
  'a custom scheme': moved(Custom, below()),
  'a scheme that waits': moved(Waiting, below()),
  'a scheme that waits and fails': moved(Rejecting, below()),
  'any version': moved(URLPathVersioning, below(), { defaultVersion: 'v1' }),
  'no default': moved(URLPathVersioning, below(), { allowedVersions: [null, 'v2'] }),
  'behind a tenant': moved(URLPathVersioning, below('/:tenant{/:version}')),
  'a required version': moved(URLPathVersioning, own(include('/:version{/:lang}', table(TAGS)))),
  'another option too': moved(URLPathVersioning, below('{/:version}{/l-:lang}')),
  'no version in the prefix': moved(URLPathVersioning, below('{/:lang}')),
  'a plain router': moved(URLPathVersioning, own(include('{/:version}', move))),
  neutral: moved(URLPathVersioning, below(), { ...KNOWN, neutral: ['home'] }),
  'later operations': moved(URLPathVersioning, withMe, { changes: later, defaultVersion: 'v1' }),
  'an inner decision by the path': moved(new HeaderVersioning(KNOWN), beside(PROFILE, decided(URLPathVersioning))),
  'an inner decision by a header': moved(URLPathVersioning, beside(PROFILE, decided(HeaderVersioning))),
}

const ASKED: readonly Asked[] = [
  { apps: ['one table'], paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['one table'], paths: ['/tags'], response: 'tags v1' },
  { apps: ['one table'], paths: ['/v2/tags'], response: 'tags/v2 v2' },
  { apps: ['one table'], paths: ['/v9/tags', '/v9'], response: INVALID_IN_PATH },
  { apps: ['one table'], paths: ['/v9/none'], response: NO_ROUTE },
  { apps: ['one table'], paths: ['/v1/tags'], movedTo: ['/v9/tags', '/v2/tags'], response: INVALID_IN_PATH },
  { apps: ['one table'], paths: ['/v1/tags'], movedTo: ['/profiles/tags'], response: 'profile/tags v1' },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    paths: ['/profiles/tags'],
    response: 'profile/tags v1',
  },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    preflight: true,
    paths: ['/profiles/tags'],
    response: 'profile/tags v1',
  },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    paths: ['/v2/tags'],
    response: 'tags/v2 v2',
  },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    paths: ['/v9/tags'],
    response: INVALID_IN_PATH,
  },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    paths: ['/v1/tags'],
    movedTo: ['/v9/tags'],
    response: INVALID_IN_PATH,
  },
  {
    apps: ['a table beside', 'a route behind', 'a route behind nested tables'],
    paths: ['/v1/tags'],
    movedTo: ['/profiles/tags'],
    response: 'profile/tags v1',
  },
  { apps: ['a route of another method'], paths: ['/profiles/tags'], response: NO_ROUTE },
  { apps: ['a route of another method'], method: 'POST', paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['parsed versions'], paths: ['/2/tags'], response: 'tags/2 v2' },
  { apps: ['parsed versions'], paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['parsed versions'], paths: ['/2/tags'], movedTo: ['/v2/tags'], response: 'tags/v2 v2' },
  { apps: ['parsed versions'], paths: ['/2/tags'], movedTo: ['/1/tags'], response: INVALID_IN_PATH },
  {
    apps: ['header or path', 'first of header and path'],
    paths: ['/profiles/tags'],
    version: 'v2',
    response: 'profile/tags v2',
  },
  { apps: ['header or path', 'first of header and path'], paths: ['/v2/tags'], version: 'v2', response: 'tags/v2 v2' },
  {
    apps: ['header or path', 'first of header and path'],
    paths: ['/v9/tags'],
    version: 'v2',
    response: INVALID_IN_PATH,
  },
  { apps: ['first of header and path'], paths: ['/v1/tags'], version: 'v2', response: INVALID_IN_PATH },
  { apps: ['a custom scheme'], paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['a custom scheme'], paths: ['/profiles/tags'], version: 'v2', response: 'profile/tags v2' },
  { apps: ['a custom scheme'], paths: ['/old/tags'], response: '404 ERR_VERSION_OLD Gone.' },
  {
    apps: ['a custom scheme'],
    paths: ['/profiles/tags'],
    version: 'v9',
    response: '404 ERR_VERSION_NOT_FOUND Invalid version.',
  },
  { apps: ['a scheme that waits'], paths: ['/v2/tags'], response: 'tags/v2 v2' },
  { apps: ['a scheme that waits'], paths: ['/profiles/tags'], response: INVALID_IN_PATH },
  { apps: ['a scheme that waits and fails'], paths: ['/v2/tags'], response: '404 ERR_VERSION_NOT_FOUND Down.' },
  { apps: ['any version'], paths: ['/profiles/tags'], response: 'tags/profiles profiles' },
  { apps: ['no default'], paths: ['/profiles/tags'], response: 'profile/tags null' },
  { apps: ['behind a tenant'], paths: ['/acme/profiles/tags'], response: 'profile/acme/tags v1' },
  { apps: ['behind a tenant'], paths: ['/acme/v2/tags'], response: 'tags/acme/v2 v2' },
  { apps: ['behind a tenant'], paths: ['/acme/v9/tags'], response: INVALID_IN_PATH },
  { apps: ['a required version'], paths: ['/profiles/tags'], response: INVALID_IN_PATH },
  { apps: ['another option too'], paths: ['/v2/l-en/tags'], response: 'tags/v2/en v2' },
  { apps: ['another option too'], paths: ['/v9/l-en/tags'], response: INVALID_IN_PATH },
  { apps: ['no version in the prefix'], paths: ['/profiles/tags'], response: 'tags/profiles v1' },
  { apps: ['a plain router'], paths: ['/profiles/tags'], response: INVALID_IN_PATH },
  { apps: ['neutral'], paths: ['/v9'], response: 'home/v9 null' },
  { apps: ['later operations'], paths: ['/profiles/me'], response: 'profile/me v1' },
  { apps: ['later operations'], paths: ['/v2/profiles/me'], response: 'me/v2 v2' },
  { apps: ['later operations'], paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['an inner decision by the path'], paths: ['/profiles/tags'], response: 'profile/tags v1' },
  { apps: ['an inner decision by the path'], paths: ['/v2/tags'], response: 'tags/v2 v2' },
  { apps: ['an inner decision by a header'], paths: ['/profiles/tags'], version: 'v2', response: 'profile/tags v2' },
]

checkEach(apps, ASKED)
