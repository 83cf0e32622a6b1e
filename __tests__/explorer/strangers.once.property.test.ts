import express from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  QueryParameterVersioning,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import { explorer } from 'express-versioning/explorer'
import fc from 'fast-check'
import { overviewOf } from '../../src/explorer/overview'
import { pageOf } from '../../src/explorer/page'
import { textOf } from '../../src/explorer/text'
import { Surveyor } from '../../src/survey/survey'
import { codePoint } from '../support/code-points'
import { property } from '../support/property'
import { listen, type Served } from '../support/serve'
import { sentBy } from '../support/shell'

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const wellFormed = (one: string) => Buffer.from(one).toString()

const text = fc.oneof(
  fc.constantFrom('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'--", '&amp;', ']]>', '</style>'),
  fc.constantFrom('<!--', '\x1b[2J', '\u202Eabc', '\ud800', '\n\n', 'a\r\nb'),
  fc.string({ minLength: 1 }),
  fc.string({ unit: codePoint, minLength: 1 }),
)
const spoken = text.map((one) => one.replaceAll('`', "'"))
/** Valid names of routes: any text without a colon. */
const name = text.map((one) => one.replaceAll(':', ';'))
const path = text
  .map((one) => `/${encodeURIComponent(wellFormed(one))}`)
  .map((one) => one.replaceAll(/[()*!]/g, '\\$&'))
/** Valid names of shapes: no spaces, and nothing by which addresses are split. */
const shapeName = text.map((one) => `S${wellFormed(one).replaceAll(/[\s/?#%:\\]/g, '')}`)

const PLAIN = {
  title: 'a',
  versions: ['v1', 'v2'],
  name: 'b',
  group: 'c',
  path: '/d',
  description: 'e',
  document: 'f',
  shape: 'Sg',
}
type Texts = typeof PLAIN

function overview({ title, versions, name, group, path, description, shape: $id }: Texts) {
  const [first = '', second = ''] = versions
  const table = namedRoutes({ [name]: path })
  const newer = { $id, type: 'object' }
  table.route(name).get(() => {})
  table.describe(`GET ${name}`, { response: newer })
  const changed = shape<object, object>({ type: 'object' }, newer, { response: (value) => value })
  const options: VersioningOptions = {
    scheme: QueryParameterVersioning,
    routes: namedRoutes({}).include('/', table, { namespace: group }),
    changes: versionHistory(first).version(second, change(`x ${description}`, { [$id]: changed })),
  }
  return overviewOf(new Surveyor('test', options), { title })
}

/** Returns a page without its texts and its values. */
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
  shape: shapeName,
})

property(
  'names of strangers change nothing of a page but its texts',
  fc.property(texts, (one) => {
    expect(skeleton(one)).toBe(skeleton(PLAIN))
  }),
)

property(
  'nor of a text but its words: it has no line more, and nothing that steers a terminal',
  fc.property(texts, (one) => {
    const lines = textOf(overview(one)).split('\n')
    expect(lines).toHaveLength(textOf(overview(PLAIN)).split('\n').length)
    for (const line of lines) expect(line).not.toMatch(STEERING)
  }),
)

const options = (allowedVersions: string[]): VersioningOptions => {
  const routes = namedRoutes({ x: '/x' })
  routes.route('x').get((req, res) => {
    res.json(req.version)
  })
  return { scheme: HeaderVersioning, allowedVersions, routes }
}

const latin1 = fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code))
const special = fc.constantFrom(...`'"\\$\`!%\t \xe9()\xa0-0`)
const version = fc.oneof(fc.string({ unit: latin1 }), fc.string({ unit: special }))
property(
  'a real shell reads the version of a header from a command, whatever the version is',
  fc.property(fc.uniqueArray(version, { minLength: 1, maxLength: 3 }), (versions) => {
    const [route] = overviewOf(new Surveyor('test', options(versions))).routes
    const commands = (route?.cells ?? []).flatMap(({ version, curl }) =>
      curl === undefined ? [] : [{ version, curl }],
    )
    const lines = commands.map(({ curl }) => curl)
    expect(lines.filter((line) => !/^[ -~]+$/.test(line))).toEqual([])
    const sent = sentBy(lines).map(({ headers }) => headers['X-API-Version'])
    expect(sent).toEqual(commands.map(({ version }) => version))
  }),
)

let server: Served
beforeEach(async () => {
  const given = options(['v1'])
  server = await listen(
    express()
      .use('/docs', explorer(given))
      .use(versioning(given), given.routes as never),
  )
})

property(
  'whatever Host is sent, commands lead to a well-formed one',
  fc.asyncProperty(
    fc.array(
      text.filter((host) => /^[!-~]([ -~]*[!-~])?$/.test(host)),
      { minLength: 1, maxLength: 3 },
    ),
    async (all) => {
      const lines: string[] = []
      for (const host of all) {
        const { status, json } = await server.get('/docs', { Host: host, Accept: 'application/json' })
        expect(status).toBe(200)
        lines.push((json as { routes: { versions: { curl: string }[] }[] }).routes[0]?.versions[0]?.curl as string)
      }
      const sent = sentBy(lines)
      expect(sent.filter(({ origin }) => !URL.canParse(origin))).toEqual([])
      const answers = sent.map(({ method, target, headers }) => server.send(method, target, headers))
      expect((await Promise.all(answers)).map(({ json }) => json)).toEqual(lines.map(() => 'v1'))
    },
  ),
)
