import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToRegexp } from 'path-to-regexp'
import ts from 'typescript'
import { parseMediaTypes, plainForm } from '../../src/http/accept'
import { namedRoutes } from '../../src/routes/named-routes'
import { figure } from '../support/figures'

// recheck thinks about some for many seconds. What it once judged safe is kept in a list, and only what is new is judged here;
// `RECHECK=all`, as in `npm run prove`, judges all anew, and writes the list.
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

/**
 * What the patterns are compiled to, as routes and as mounts (which take no wildcard). The mount's look-ahead stands at its
 * very end, where consuming the slash backtracks just the same, and recheck can then prove it rather than search.
 */
function matchers(): [place: string, source: string, flags: string][] {
  const table = namedRoutes(Object.fromEntries(PATTERNS.map((path, index) => [`r${index}`, path])))
  return table.list().flatMap(({ path }) => {
    const route = pathToRegexp(path, { end: true, trailing: true }).regexp
    const mount = pathToRegexp(path, { end: false, trailing: true }).regexp
    const found: [string, string, string][] = [[`route ${path}`, route.source, route.flags]]
    if (!path.includes('*')) found.push([`mount ${path}`, mount.source.replace('(?=\\/|$)', '(?:\\/|$)'), mount.flags])
    return found
  })
}

/** What `AcceptHeaderVersioning` compiles. */
function acceptForms(): [place: string, source: string, flags: string][] {
  const lists = [undefined, ['application/json'], ['application/json', 'application/vnd.acme+json', 'text/html']]
  return lists.map((list) => {
    const form = plainForm('version', list === undefined ? undefined : parseMediaTypes('test', list))
    return [`Accept for ${list ?? 'anything'}`, form.source, form.flags]
  })
}

const generated = [...matchers(), ...acceptForms()]

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
  if (all) writeFileSync(LIST, `${JSON.stringify([...safe].sort(), null, 2)}\n`)
})

const found = literals()

test('there are RegExps to look at', () => {
  expect(found.length).toBeGreaterThan(5)
  figure({ figure: 'recheck', text: `${found.length} RegExps of src, ${generated.length} of generated matchers` })
})

test.each(found)(
  '%s: /%s/%s is safe',
  async (_place, source, flags) => {
    expect(await judged(source, flags, 'auto')).toBe('safe')
  },
  700_000,
)

test.each(generated)(
  '%s: /%s/%s is safe',
  async (_place, source, flags) => {
    expect(await judged(source, flags, 'automaton')).toBe('safe')
  },
  700_000,
)
