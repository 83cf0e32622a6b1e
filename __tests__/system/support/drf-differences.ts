// The differences between this package and Django REST framework. `docs/from-drf.md` lists those that an app notices when it moves.
import { modelRanges } from '../../support/accept-model'
import { type Asked, ask, type Case, type Links, type Made, type Result, tableFor } from './drf'

/** A difference that is on purpose: when it may be, and a request or link that shows it. */
interface Difference<Seen> {
  readonly when: (seen: Seen) => boolean
  readonly row: Partial<Case> & Pick<Case, 'scheme'>
}
interface Decision {
  readonly one: Case
  readonly ours: Result
  readonly theirs: Result
}
interface Link extends Decision {
  readonly asked: Asked
  readonly kind: 'made' | 'own'
  readonly our: Made
  readonly their: Made
  readonly links: Links
}

const INVALID = 'Invalid version in "Accept" header.'
const UNSATISFIED = 'Could not satisfy the request Accept header.'
const nameOf = ({ versionParam = 'version' }: Case) => versionParam.toLowerCase()
const rangesOf = ({ scheme, headers }: Case) => (scheme === 'Accept' ? modelRanges(headers.accept ?? '*/*') : [])
const paramsOf = (one: Case) => rangesOf(one).flatMap(({ params }) => params)
const weighed = (one: Case) => paramsOf(one).some(({ name }) => name === 'q')
const decision = ({ version, status, message, raised }: Result) => JSON.stringify([version, status, message, raised])
/** Tells whether a result is that of one of the ranges of `Accept` alone, whatever its weight. */
const ofOneRange = ({ one, ours }: Decision) =>
  rangesOf(one).some(({ raw, params }) => {
    const accept = params.reduce((text, param) => (param.name === 'q' ? text.replace(param.raw, '') : text), raw)
    return decision(ask({ ...one, headers: { accept }, links: [] })) === decision(ours)
  })
const fails = (made: Made) => typeof made !== 'string'
const defaultOf = ({ defaultVersion }: Case) => defaultVersion ?? null

/** Tells whether a host is one that Django rejects, and whether it was read as SPEC.md says: up to the colon, by the pattern. */
function isMalformedHost({ one, ours }: Decision): boolean {
  const { host = '' } = one.headers
  if (/^(?:[a-z0-9.-]+|\[[a-f0-9]*:[a-f0-9.:]+\])(?::\d+)?$/i.test(host)) return false
  const pattern = one.hostnamePattern ?? /^([a-zA-Z0-9]+)\.[a-zA-Z0-9]+\.[a-zA-Z0-9]+$/
  const named = pattern.exec(host.replace(/:.*/s, ''))?.[1]
  return named === undefined ? ours.version === defaultOf(one) : ours.version === named || ours.status === 404
}

/** Which version a request addresses. */
export const DECISIONS: Readonly<Record<string, Difference<Decision>>> = {
  'an empty Accept is none': {
    when: ({ one, theirs }) =>
      one.headers.accept !== undefined && rangesOf(one).length === 0 && theirs.message === UNSATISFIED,
    row: { scheme: 'Accept', headers: { accept: '' } },
  },
  'a version that is malformed is rejected': {
    when: ({ one, ours }) =>
      ours.message === INVALID &&
      rangesOf(one).some(({ raw, params }) => {
        const mentions = (text: string) => text.toLowerCase().includes(nameOf(one))
        // An open quote may have swallowed the version.
        return params.some((param) => !param.ok && mentions(param.open ? raw : param.raw))
      }),
    row: { scheme: 'Accept', headers: { accept: 'application/json; version=v1"' } },
  },
  'two versions in one media type are rejected': {
    when: ({ one, ours }) =>
      ours.message === INVALID &&
      rangesOf(one).some(
        ({ params }) => new Set(params.filter(({ name }) => name === nameOf(one)).map(({ text }) => text)).size > 1,
      ),
    row: { scheme: 'Accept', headers: { accept: 'application/json; version=v1; version=v2' } },
  },
  'two versions in a query are rejected': {
    when: ({ one, ours }) =>
      one.scheme === 'Query' &&
      ours.status === 404 &&
      new Set(new URLSearchParams(one.url.split('?')[1]).getAll(one.versionParam ?? 'version')).size > 1,
    row: { scheme: 'Query', url: '/users?version=v1&version=v2' },
  },
  'RFC 2231 names are other names': {
    when: ({ one }) => paramsOf(one).some(({ name }) => name === `${nameOf(one)}*`),
    row: { scheme: 'Accept', headers: { accept: "application/json; version*=utf-8''v1" } },
  },
  'commas, semicolons and escapes in quotes belong to the value': {
    when: ({ one }) => paramsOf(one).some(({ raw }) => /"(?:[^"]*[,;]|.*\\)/s.test(raw)),
    row: { scheme: 'Accept', headers: { accept: 'application/json; version="1,0"' } },
  },
  'quotes of wildcards stay': {
    when: ({ one }) =>
      rangesOf(one).some(
        ({ name, params }) => name.includes('*') && params.some(({ raw }) => /=\s*"(?:\s|.*\s")/.test(raw)),
      ),
    row: { scheme: 'Accept', headers: { accept: '*/*; version=" v2"' } },
  },
  'q is honoured': {
    when: (seen) => {
      const { one, ours } = seen
      if (!weighed(one)) return false
      return ofOneRange(seen) || ours.message === UNSATISFIED || (one.loose === true && ours.version === defaultOf(one))
    },
    row: {
      scheme: 'Accept',
      headers: { accept: 'text/html; version=v1; q=0.1, application/json; version=v2' },
      mediaTypes: ['text/html', 'application/json'],
    },
  },
  'equal ranks': {
    when: (seen) => rangesOf(seen.one).length > 1 && !seen.one.loose && ofOneRange(seen),
    row: {
      scheme: 'Accept',
      headers: { accept: 'text/html; version=v1, application/json; version=v2' },
      mediaTypes: ['application/json', 'text/html'],
    },
  },
  'without mediaTypes the first type counts': {
    when: (seen) =>
      seen.one.loose === true &&
      (seen.theirs.message === UNSATISFIED || rangesOf(seen.one).length > 1) &&
      ofOneRange(seen),
    row: { scheme: 'Accept', headers: { accept: 'image/png; version=v1' }, loose: true },
  },
  'parameters of media types have names in any letter case': {
    when: ({ one }) => one.scheme === 'Accept' && one.versionParam !== undefined && one.versionParam !== nameOf(one),
    row: { scheme: 'Accept', headers: { accept: 'application/json; V=v1' }, versionParam: 'V' },
  },
  'a malformed host is no error': {
    when: (seen) => seen.theirs.raised === 'DisallowedHost' && isMalformedHost(seen),
    row: { scheme: 'Host', headers: { host: 'v_1.example.com' } },
  },
  'a path without a route has the version of its prefix': {
    when: ({ one, ours, theirs }) => {
      if ((one.scheme !== 'Namespace' && one.scheme !== 'Path') || theirs.matched !== false) return false
      const [, prefix] = one.url.split('/')
      return decision(ours) === decision(ask({ ...one, url: `/${prefix}/users`, links: [] }))
    },
    row: { scheme: 'Namespace', url: '/v1/nowhere' },
  },
  'trailing slashes and letter case': {
    when: ({ one, theirs }) => one.table?.strict === false && theirs.matched === false && one.url.endsWith('/'),
    row: { scheme: 'Namespace', url: '/V1/users/', table: { strict: false, caseSensitive: false } },
  },
}

const valuesOf = ({ args = [], kwargs = {}, format = '' }: Asked) =>
  [...args, ...Object.values(kwargs), format].map(String)
const UNSAFE = /^\.{0,2}$|\p{Cc}|\p{Surrogate}/u
const inPath = ({ one, ours, asked }: Link) => [
  ...valuesOf(asked),
  ...(one.scheme === 'Path' ? [ours.version ?? 'v1'] : []),
]

/** Which links are made. */
export const LINKS: Readonly<Record<string, Difference<Link>>> = {
  'kwargs are never changed': {
    when: ({ one, asked, kind, our, links }) =>
      one.scheme === 'Path' && kind === 'made' && asked.kwargs !== undefined && same(our, links.plain ?? ''),
    row: { scheme: 'Path', url: '/v1/users', links: [{ name: 'doc', kwargs: { pk: 7 } }] },
  },
  'args work with kwargs': {
    when: ({ asked, their }) => asked.args !== undefined && typeof their !== 'string' && their.raised === 'ValueError',
    row: { scheme: 'Path', url: '/v1/users', links: [{ name: 'user', args: ['7'] }] },
  },
  'nested namespaces keep the outer ones': {
    when: ({ one, ours, kind, our }) => {
      if (one.scheme !== 'Namespace' || kind !== 'made' || typeof our !== 'string') return false
      const found = tableFor(one.routes).resolve(new URL(our).pathname)
      return found?.namespaces.includes(ours.version as string) === true
    },
    row: { scheme: 'Namespace', url: '/api/v1/users', links: [{ name: 'users' }] },
  },
  'a link never moves': {
    when: (link) => fails(link.our) && inPath(link).some((value) => UNSAFE.test(value)),
    row: { scheme: 'Query', links: [{ name: 'user', kwargs: { pk: '..' } }] },
  },
  'a slash in a value is escaped': {
    when: (link) =>
      typeof link.our === 'string' &&
      fails(link.their) &&
      /%2F/.test(link.our) &&
      inPath(link).some((value) => value.includes('/')),
    row: { scheme: 'Query', links: [{ name: 'user', kwargs: { pk: 'a/b' } }] },
  },
  'a link needs a host that URLs can have': {
    when: ({ our, their }) => {
      const origin = typeof their === 'string' && fails(our) ? (/^http:\/\/[^/]*/.exec(their)?.[0] ?? '') : undefined
      if (origin === undefined) return false
      const bare = origin.toLowerCase().replace(/\.?(?::0*(?:80)?)?$/, '')
      return !URL.canParse(origin) || new URL(origin).origin.replace(/\.$/, '') !== bare
    },
    row: { scheme: 'Host', headers: { host: '10.0.0.999' }, links: [{ name: 'users' }] },
  },
  'the host of a link has no trailing dot': {
    when: ({ our, their }) => typeof their === 'string' && same(our, their.replace(/^(http:\/\/[^/:]*)\./, '$1')),
    row: { scheme: 'Host', headers: { host: 'v1.example.com.:8080' }, links: [{ name: 'users' }] },
  },
  'links drop ?format=': {
    when: ({ one, our, their }) =>
      one.url.includes('format=') && typeof their === 'string' && same(our, their.replace(/[?&]format=[^&]*/, '')),
    row: { scheme: 'Host', url: '/users?format=application/json', links: [{ name: 'users' }] },
  },
}

/** Takes a link apart, so that only its meaning counts: escapes may differ, and the default port. */
function parts(link: Made): unknown {
  if (typeof link !== 'string') return link
  const [, origin = '', path = '', query] = /^(https?:\/\/[^/]*)([^?]*)\??(.*)$/s.exec(link) ?? []
  return [
    URL.canParse(origin) ? new URL(origin).origin : origin,
    path.split('/').map(decodeURIComponent),
    [...new URLSearchParams(query)],
  ]
}
const same = (one: Made, other: Made) => JSON.stringify(parts(one)) === JSON.stringify(parts(other))

/** Something that differs, and the names of the differences that explain it. */
export interface Explained {
  readonly names: readonly string[]
  readonly what: string
}

/** Lists what differs between two results, and why. */
export function differences(one: Case, ours: Result, theirs: Result): readonly Explained[] {
  const seen = { one, ours, theirs }
  if (decision(ours) !== decision(theirs)) return [explained(DECISIONS, seen, `${decision(ours)} ${decision(theirs)}`)]
  return one.links.flatMap((asked, at) => {
    const [our, their] = [ours.links?.[at], theirs.links?.[at]]
    return (['made', 'own'] as const).flatMap((kind) => {
      if (our === undefined || their === undefined || same(our[kind], their[kind])) return []
      const link = { ...seen, asked, kind, our: our[kind], their: their[kind], links: their }
      return [explained(LINKS, link, `${kind} ${JSON.stringify([asked, our[kind], their])}`)]
    })
  })
}

function explained<Seen extends Decision>(
  known: Readonly<Record<string, Difference<Seen>>>,
  seen: Seen,
  what: string,
): Explained {
  const { routes, links, ...rest } = seen.one
  const names = Object.keys(known).filter((name) => known[name]?.when(seen))
  return { names, what: `${JSON.stringify(rest)}: ${what}` }
}
