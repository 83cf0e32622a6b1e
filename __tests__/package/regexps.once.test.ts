import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HostNameVersioning, namedRoutes, versioning } from 'express-versioning'
import { appOf, dispatch } from '../support/dispatch'
import { figure } from '../support/figures'
import { accept, host } from '../support/schemes'
import { include } from '../support/tables'

jest.setTimeout(7_200_000)

// recheck needs seconds for some expressions. A list keeps those that are safe. `RECHECK=new` adds what it lacks; `RECHECK=all`,
// as in `npm run prove`, checks all again and writes the list.
const LIST = join(__dirname, '../corpus/safe-regexps.json')
const SLOW = 0.01
const known = new Set<string>(process.env.RECHECK === 'all' ? [] : JSON.parse(readFileSync(LIST, 'utf8')))
// The JavaScript build, which needs neither Java nor a binary of the platform.
process.env.RECHECK_BACKEND = 'pure'
const { check } = require('recheck') as typeof import('recheck')

/** Finds the RegExp literals of `src`. The compiler takes twice as long within jest. */
const FIND = `
  const ts = require('typescript'), fs = require('node:fs')
  const texts = []
  const visit = (node) => void (ts.isRegularExpressionLiteral(node) ? texts.push(node.text) : node.forEachChild(visit))
  for (const name of fs.readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts')))
    visit(ts.createSourceFile(name, fs.readFileSync('src/' + name, 'utf8'), ts.ScriptTarget.Latest))
  console.log(JSON.stringify(texts))`

/** Patterns of all kinds that a table takes. */
const PATTERNS =
  `/ /users/:id{.:format} /files/*path/raw /:version/users/:id /flights/:from-:to /:a.:b.:c /x{/:a{/:b{/:c}}}
  {/:lang}/docs{/*rest} /a{b}{c}{d} /:year-:month-:day{.:format} /caf\u00e9/:id`.split(/\s+/)

/** Builds everything that compiles RegExps, and sends it a request, as some RegExps are compiled by requests only. */
function exercise(): void {
  const mediaTypes = ['application/vnd.acme+json', 'text/html']
  const odd = accept({ versionParam: "v.1+*^$|!#%&'-_`~", mediaTypes })
  const headers = { host: 'v1.example.com', accept: 'application/json; version="1", text/html' }
  for (const scheme of [odd, host({ hostnamePattern: /^(v\d+)(?:\.[a-z]+)+$/ }), accept(), host()]) {
    const routes = namedRoutes(Object.fromEntries(PATTERNS.map((path, index) => [`r${index}`, path])))
    for (const prefix of PATTERNS.filter((path) => !/\*|version/.test(path)))
      include(prefix, namedRoutes({ leaf: '/leaf/:leaf' }), `in${prefix.replaceAll(':', '')}`, routes)
    routes.use('/users/:user', (_req, _res, next) => next())
    const app = appOf((app) => app.use(versioning({ scheme, routes, neutral: ['/status/:probe', '/files/'] }), routes))
    const { req } = dispatch(app, { url: '/v1/users/7?version=1', headers })
    if (scheme instanceof HostNameVersioning) req.reverse('r0', { version: 'v2', absolute: true })
  }
}

/**
 * Returns the RegExps that are made at run time, ours and those of path-to-regexp. A mount's look-ahead stands at its very end,
 * where consuming the slash backtracks just the same, and recheck can then prove it rather than search.
 */
function madeAtRunTime(): string[] {
  const made = new Set<string>()
  const Original = RegExp
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [pattern, flags]: [string, string?]) {
      const regexp = new target(pattern, flags)
      made.add(String(regexp).replace('(?=\\/|$)', '(?:\\/|$)'))
      return regexp
    },
  })
  exercise()
  globalThis.RegExp = Original
  return [...made]
}

test('the RegExps of src are safe, and those made at run time, which are of all kinds', async () => {
  const output = execFileSync(process.execPath, ['-e', FIND], { cwd: join(__dirname, '../..'), encoding: 'utf8' })
  const found: string[] = JSON.parse(output)
  const generated = madeAtRunTime()
  figure({ figure: 'recheck', text: `${found.length} RegExps of src, ${generated.length} made at run time` })
  expect(found.length).toBeGreaterThan(5)
  for (const part of ['version', 'acme', 'v\\d', 'users', 'leaf', 'status'])
    expect(generated.join('\n')).toContain(part)
  const all = [...found.map((regexp) => `auto ${regexp}`), ...generated.map((regexp) => `automaton ${regexp}`)]
  const slow: string[] = []
  const unsafe: string[] = []
  for (const name of new Set(all.filter((name) => !known.has(name)))) {
    const started = process.cpuUsage()
    const [, checker, source = '', flags = ''] = /^(\w+) \/(.*)\/([a-z]*)$/s.exec(name) ?? []
    const options = { checker: checker as 'auto' | 'automaton', timeout: 600_000 }
    const { status } = await check(source, flags.replace(/[dg]/g, ''), options)
    if (status !== 'safe') unsafe.push(`${name}: ${status}`)
    else if (process.cpuUsage(started).user / 1e6 > SLOW) slow.push(name)
  }
  expect(unsafe).toEqual([])
  if (process.env.RECHECK !== undefined) writeFileSync(LIST, `${JSON.stringify([...known, ...slow].sort(), null, 2)}\n`)
})
