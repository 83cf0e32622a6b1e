import {
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import fc from 'fast-check'
import { overviewOf } from '../../src/explorer/overview'
import { pageOf } from '../../src/explorer/page'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'
import { codePoint } from '../support/code-points'
import { property } from '../support/property'
import { serve } from '../support/serve'
import { answerTo, sentBy } from '../support/shell'

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const wellFormed = (one: string) => Buffer.from(one).toString()

const text = fc.oneof(
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'--",
    '&amp;',
    '\x1b[2J',
    '\u202Eabc',
    '\ud800',
    '\n\n',
    'a\r\nb',
    ']]>',
    '</style>',
    '<!--',
  ),
  fc.string({ minLength: 1 }),
  fc.string({ unit: codePoint, minLength: 1 }),
)
const spoken = text.map((one) => one.replaceAll('`', "'"))
/** Valid names of routes: any text without a colon. */
const name = text.map((one) => one.replaceAll(':', ';'))
const path = text
  .map((one) => `/${encodeURIComponent(wellFormed(one))}`)
  .map((one) => one.replaceAll(/[()*!]/g, '\\$&'))

interface Texts {
  readonly title: string
  readonly versions: readonly string[]
  readonly name: string
  readonly group: string
  readonly path: string
  readonly description: string
  readonly document: string
}

const PLAIN: Texts = {
  title: 'a',
  versions: ['v1', 'v2'],
  name: 'b',
  group: 'c',
  path: '/d',
  description: 'e',
  document: 'f',
}

function overview({ title, versions, name, group, path, description }: Texts) {
  const [first = '', second = ''] = versions
  const table = namedRoutes({ [name]: path })
  table.route(name).get(() => {})
  const options: VersioningOptions = {
    scheme: QueryParameterVersioning,
    routes: namedRoutes({}).include('/', table, { namespace: group }),
    changes: versionHistory(first).version(second, change(`x ${description}`, { '*': { error: (body) => body } })),
  }
  return overviewOf(new Surveyor('test', options), { title })
}

/** A page without its texts and its values. */
function skeleton(texts: Texts): string {
  const html = pageOf(overview(texts), { swaggerUi: texts.document, document: () => texts.document }, '')
  expect(html.replaceAll('\n', '')).not.toMatch(STEERING)
  return html.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>"]*/g, '>')
}

const texts = fc.record({
  title: text,
  versions: fc.uniqueArray(text.map(wellFormed), { minLength: 2, maxLength: 2 }),
  name,
  group: name,
  path,
  description: spoken,
  document: text,
})

property(
  'what strangers call things changes nothing of a page but its texts',
  fc.property(texts, (one) => {
    expect(skeleton(one)).toBe(skeleton(PLAIN))
  }),
)

property(
  'nor of a text but its words: no line more, and nothing that steers a terminal',
  fc.property(texts, (one) => {
    const lines = textOf(overview(one)).split('\n')
    expect(lines).toHaveLength(textOf(overview(PLAIN)).split('\n').length)
    for (const line of lines) expect(line).not.toMatch(STEERING)
  }),
)

property(
  'a version that is carried by a header is decided by what a real shell makes of the command',
  fc.asyncProperty(
    fc.oneof(
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
      fc.string({
        unit: fc.constantFrom("'", '"', '\\', '$', '`', '!', '%', '\t', ' ', '\xe9', '(', ')', '\xa0', '-', '0'),
      }),
    ),
    async (version) => {
      const found = await commandFor(version)
      fc.pre(found !== undefined)
      expect(found).toMatch(/^[ -~]+$/)
      expect(sentBy(found as string).headers['X-API-Version']).toBe(version)
    },
  ),
)

/** The command of a version, if a header can carry it. */
async function commandFor(version: string): Promise<string | undefined> {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get(() => {})
  const surveyor = new Surveyor('test', { scheme: HeaderVersioning, allowedVersions: [version], routes })
  return overviewOf(surveyor).routes[0]?.cells[0]?.curl
}

property(
  'whatever Host is sent, commands lead to a well-formed one',
  fc.asyncProperty(text, async (host) => {
    fc.pre(/^[!-~]([ -~]*[!-~])?$/.test(host))
    const routes = namedRoutes({ x: '/x' })
    routes.route('x').get((req, res) => {
      res.json(req.version)
    })
    const options: VersioningOptions = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes }
    const server = await serve((app) => {
      app.use('/docs', explorer(options))
      app.use(versioning(options), routes)
    })
    const { status, json } = await server.get('/docs', { Host: host, Accept: 'application/json' })
    expect(status).toBe(200)
    const curl = (json as { routes: { versions: { curl: string }[] }[] }).routes[0]?.versions[0]?.curl as string
    expect(URL.canParse(sentBy(curl).origin)).toBe(true)
    const { method, target, headers } = sentBy(curl)
    expect(await server.send(method, target, { ...headers, Host: 'x' })).toMatchObject({ status: 200, json: 'v1' })
    expect(await answerTo(curl, server)).toMatchObject({ status: 200 })
  }),
)
