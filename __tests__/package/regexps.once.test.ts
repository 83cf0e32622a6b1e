import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  AcceptHeaderVersioning,
  HeaderVersioning,
  HostNameVersioning,
  MediaTypeVersioning,
  NamespaceVersioning,
  NoReverseMatch,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import ts from 'typescript'
import { appOf, dispatch } from '../support/dispatch'
import { figure } from '../support/figures'

// recheck needs many seconds for some expressions. A list keeps the safe ones, and this test checks only new ones.
// `RECHECK=all`, as in `npm run prove`, checks all again and writes the list; `RECHECK=new` checks new ones and writes it.
const LIST = join(__dirname, '../corpus/safe-regexps.json')
const all = process.env.RECHECK === 'all'
const known = new Set<string>(all ? [] : JSON.parse(readFileSync(LIST, 'utf8')))
const safe = new Set<string>()

const SRC = join(__dirname, '../../src')

/** Every RegExp literal of `src`, with the place where it stands. */
function literals(): [place: string, source: string, flags: string][] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files.sort().flatMap((name) => {
    const file = ts.createSourceFile(name, readFileSync(join(SRC, name), 'utf8'), ts.ScriptTarget.Latest)
    const found: [string, string, string][] = []
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/')
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
        found.push([`${name}:${line + 1}`, node.text.slice(1, end), node.text.slice(end + 1)])
      }
      node.forEachChild(visit)
    }
    visit(file)
    return found
  })
}

/** Patterns of all kinds that a table takes. */
const PATTERNS = [
  '/',
  '/users',
  '/users/:id',
  '/users/:id{.:format}',
  '/files/*path',
  '/files/*path/raw',
  '/:version/users/:id',
  '/flights/:from-:to',
  '/:a.:b.:c',
  '/x{/:a{/:b{/:c}}}',
  '{/:lang}/docs{/*rest}',
  '/a{b}{c}{d}',
  '/:year-:month-:day{.:format}',
  '/caf\u00e9/:id',
]

/** Builds everything that compiles RegExps, and sends it requests, as some RegExps are compiled by requests only. */
function exercise(): void {
  const schemes = [
    new AcceptHeaderVersioning(),
    new AcceptHeaderVersioning({
      versionParam: "v.1+*^$|!#%&'-_`~",
      mediaTypes: ['application/vnd.acme+json', 'text/html'],
    }),
    new MediaTypeVersioning({ template: ['application/vnd.acme.{version}+json', 'text/x.{version}'] }),
    new HostNameVersioning(),
    new HostNameVersioning({ hostnamePattern: /^(v\d+)(?:\.[a-z]+)+$/ }),
    new HeaderVersioning(),
    new QueryParameterVersioning(),
    new URLPathVersioning(),
    new NamespaceVersioning(),
  ]
  const paths = () => namedRoutes(Object.fromEntries(PATTERNS.map((path, index) => [`r${index}`, path])))
  const prefixes = PATTERNS.filter((path) => !path.includes('*') && !path.includes('version'))
  for (const scheme of schemes) {
    const routes = paths()
    for (const prefix of prefixes)
      routes.include(prefix, namedRoutes({ leaf: '/leaf/:leaf' }), { namespace: `n${prefixes.indexOf(prefix)}` })
    routes.use('/users/:user', (_req, _res, next) => next())
    const app = appOf((app) => app.use(versioning({ scheme, routes, neutral: ['/status/:probe', '/files/'] }), routes))
    const headers = { host: 'v1.example.com', accept: 'application/json; version="1", text/html', 'x-api-version': '1' }
    const { req } = dispatch(app, { url: '/v1/users/7?version=1', headers })
    for (const options of [{}, { absolute: true }, { version: 'v2', absolute: true }]) {
      try {
        req.reverse('r1', options)
      } catch (error) {
        expect(error).toBeInstanceOf(NoReverseMatch)
      }
    }
  }
}

/**
 * Every RegExp that is made at run time, ours and those of path-to-regexp. A mount's look-ahead stands at its very end, where
 * consuming the slash backtracks just the same, and recheck can then prove it rather than search.
 */
function madeAtRunTime(): [source: string, flags: string][] {
  const made = new Map<string, [source: string, flags: string]>()
  const Original = RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [pattern, flags]: [string, string?]) {
      const regexp = new target(pattern, flags)
      const source = regexp.source.replace('(?=\\/|$)', '(?:\\/|$)')
      made.set(`/${source}/${regexp.flags}`, [source, regexp.flags])
      return regexp
    },
  })
  try {
    exercise()
  } finally {
    globalThis.RegExp = Original
  }
  return [...made.values()]
}

const generated = madeAtRunTime()

async function judged(source: string, flags: string, checker: 'auto' | 'automaton'): Promise<string> {
  const regexp = `${checker} /${source}/${flags}`
  if (!known.has(regexp)) {
    // The JavaScript build, which needs neither Java nor a binary of the platform.
    process.env.RECHECK_BACKEND = 'pure'
    const { check } = require('recheck') as typeof import('recheck')
    const { status } = await check(source, flags.replace(/[dg]/g, ''), { checker, timeout: 600_000 })
    if (status !== 'safe') return status
  }
  safe.add(regexp)
  return 'safe'
}

afterAll(() => {
  if (process.env.RECHECK !== undefined) writeFileSync(LIST, `${JSON.stringify([...safe].sort(), null, 2)}\n`)
})

const found = literals()

test('there are RegExps to look at', () => {
  expect(found.length).toBeGreaterThan(5)
  figure({ figure: 'recheck', text: `${found.length} RegExps of src, ${generated.length} made at run time` })
})

test.each(found)(
  '%s: /%s/%s is safe',
  async (_place, source, flags) => {
    expect(await judged(source, flags, 'auto')).toBe('safe')
  },
  700_000,
)

test('there are RegExps of all kinds among those made at run time', () => {
  const sources = generated.map(([source]) => source).join('\n')
  for (const part of ['version', 'acme', 'v\\d', 'users', 'leaf', 'status']) expect(sources).toContain(part)
})

test.each(generated)(
  'made at run time: /%s/%s is safe',
  async (source, flags) => {
    expect(await judged(source, flags, 'automaton')).toBe('safe')
  },
  700_000,
)
