import * as library from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { type Build, checkEach, decide, move } from '../support/moved'
import { rows } from '../support/rows'
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

// `PATH` is the rejection of the scheme, and `SKIPPED` the absence of any route.
const ASKED = rows(`
  one table | /profiles/tags | profile/tags v1
  one table | /tags | tags v1
  one table | /v2/tags | tags/v2 v2
  one table | /v9/tags /v9 | PATH
  one table | /v9/none | SKIPPED
  one table | /v1/tags > /v9/tags /v2/tags | PATH
  one table | /v1/tags > /profiles/tags | profile/tags v1
  a table beside & a route behind & a route behind nested tables | /profiles/tags | profile/tags v1
  a table beside & a route behind & a route behind nested tables | PREFLIGHT /profiles/tags | profile/tags v1
  a table beside & a route behind & a route behind nested tables | /v2/tags | tags/v2 v2
  a table beside & a route behind & a route behind nested tables | /v9/tags | PATH
  a table beside & a route behind & a route behind nested tables | /v1/tags > /v9/tags | PATH
  a table beside & a route behind & a route behind nested tables | /v1/tags > /profiles/tags | profile/tags v1
  a route of another method | /profiles/tags | SKIPPED
  a route of another method | POST /profiles/tags | profile/tags v1
  parsed versions | /2/tags | tags/2 v2
  parsed versions | /profiles/tags | profile/tags v1
  parsed versions | /2/tags > /v2/tags | tags/v2 v2
  parsed versions | /2/tags > /1/tags | PATH
  header or path & first of header and path | /profiles/tags X-API-Version=v2 | profile/tags v2
  header or path & first of header and path | /v2/tags X-API-Version=v2 | tags/v2 v2
  header or path & first of header and path | /v9/tags X-API-Version=v2 | PATH
  first of header and path | /v1/tags X-API-Version=v2 | PATH
  a custom scheme | /profiles/tags | profile/tags v1
  a custom scheme | /profiles/tags X-API-Version=v2 | profile/tags v2
  a custom scheme | /old/tags | 404 ERR_VERSION_OLD Gone.
  a custom scheme | /profiles/tags X-API-Version=v9 | 404 ERR_VERSION_NOT_FOUND Invalid version.
  a scheme that waits | /v2/tags | tags/v2 v2
  a scheme that waits | /profiles/tags | PATH
  a scheme that waits and fails | /v2/tags | 404 ERR_VERSION_NOT_FOUND Down.
  any version | /profiles/tags | tags/profiles profiles
  no default | /profiles/tags | profile/tags null
  behind a tenant | /acme/profiles/tags | profile/acme/tags v1
  behind a tenant | /acme/v2/tags | tags/acme/v2 v2
  behind a tenant | /acme/v9/tags | PATH
  a required version | /profiles/tags | PATH
  another option too | /v2/l-en/tags | tags/v2/en v2
  another option too | /v9/l-en/tags | PATH
  no version in the prefix | /profiles/tags | tags/profiles v1
  a plain router | /profiles/tags | PATH
  neutral | /v9 | home/v9 null
  later operations | /profiles/me | profile/me v1
  later operations | /v2/profiles/me | me/v2 v2
  later operations | /profiles/tags | profile/tags v1
  an inner decision by the path | /profiles/tags | profile/tags v1
  an inner decision by the path | /v2/tags | tags/v2 v2
  an inner decision by a header | /profiles/tags X-API-Version=v2 | profile/tags v2
`)

checkEach(apps, ASKED)
