import express from 'express'
import { HeaderVersioning, type NamedRoutes, namedRoutes, type VersioningOptions, versioning } from 'express-versioning'
import { change, fields, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { changesOf, explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import type { Asked } from '../../src/command-line/arguments'
import { letterTo } from '../../src/command-line/letter'
import { whatChanged } from '../../src/explorer/changed-operations'
import { Surveyor } from '../../src/survey/survey'
import { ask } from '../support/changes'
import { property } from '../support/property'
import { serve } from '../support/serve'

// Random histories of a thing, which clients get and send: page, text, JSON, changelog, letters and documents tell the same, and
// the server does what the examples say.

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
type Name = (typeof NAMES)[number]
const text = { type: 'string' }

const OPTIONS = {
  renamed: (name: Name) => ({ renamed: { [`${name}Was`]: name } }),
  removed: (name: Name) => ({ removed: { [`${name}Gone`]: { schema: text, value: `no ${name}` } } }),
  added: (name: Name) => ({ added: { [name]: `new ${name}` } }),
  converted: (name: Name) => ({
    converted: {
      [name]: {
        schema: { type: 'array', items: text },
        response: (value: unknown) => [value],
        request: ([value]: string[]) => value,
      },
    },
  }),
} as const

const changed = fc.record({
  name: fc.constantFrom(...NAMES),
  option: fc.constantFrom(...(Object.keys(OPTIONS) as (keyof typeof OPTIONS)[])),
  mark: fc.constantFrom('added' as const, 'removed' as const, undefined),
})
const histories = fc.record({
  changes: fc.uniqueArray(changed, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
  hasExample: fc.boolean(),
  isWrapped: fc.boolean(),
})

property(
  'all tell the same changes, and each example is what the server does',
  fc.asyncProperty(histories, async ({ changes: all, hasExample, isWrapped }) => {
    const properties = Object.fromEntries(NAMES.map((name) => [name, text]))
    const example = Object.fromEntries(NAMES.map((name) => [name, `my ${name}`]))
    const more = hasExample ? { examples: [example] } : {}
    const Thing = { $id: 'Thing', type: 'object', properties, required: [...NAMES], ...more }
    const body = isWrapped ? { type: 'object', properties: { thing: Thing }, required: ['thing'] } : Thing
    const routes: NamedRoutes = namedRoutes({ thing: '/thing' })
    for (const { name } of all) {
      routes.add(name, `/${name}`).describe(`GET ${name}`, { response: null })
      routes.route(name).get((_req, res) => void res.end())
    }
    routes.describe('GET thing', { response: body }).describe('POST thing', { body, response: { 200: null } })
    const newest = hasExample ? example : Object.fromEntries(NAMES.map((name) => [name, 'text']))
    const wrapped = (thing: unknown) => (isWrapped ? { thing } : thing)
    const unwrapped = (value: unknown) => (isWrapped ? (value as { thing: unknown }).thing : value)
    let received: unknown
    routes
      .route('thing')
      .get((_req, res) => void res.json(wrapped(newest)))
      .post((req, res) => {
        received = req.body
        res.end()
      })
    const history = all.reduce<VersionHistory>((before, { name, option, mark }, index) => {
      const marks = mark === undefined ? {} : { [`GET ${name}`]: mark }
      return before.version(
        `v${index + 1}`,
        change(`Change of \`${name}\`.`, { Thing: fields(OPTIONS[option](name)), ...marks }),
      )
    }, versionHistory('v0'))
    const options = { scheme: HeaderVersioning, changes: history, routes } as VersioningOptions
    const server = await serve((app) => {
      app.use('/docs', explorer(options))
      app.use(versioning(options), express.json(), routes)
    })
    const get = async (accept: string, path = '/docs') => (await server.get(path, { Accept: accept })).text
    const told = changesOf(options)
    expect(
      JSON.parse(await get('application/json')).versions.map((one: { changes?: object[] }) => one.changes ?? []),
    ).toEqual(told.versions.map(({ changes }) => changes))
    expect(JSON.parse(await get('application/json', '/docs/changes'))).toEqual(told)
    const markdown = await get('text/markdown', '/docs/changes')
    const { versions } = whatChanged(new Surveyor('The letter', options))
    const usage = { days: 30, complete: true, since: null, consumers: ['acme'], versions: [] }
    const plans = { versions, changesMeeting: () => [] }
    const letter = await letterTo('acme', 'v0', usage, plans, { markdown: true, isUncached: true } as Asked)
    const texts = [
      await get('text/plain'),
      markdown,
      letter.text,
      JSON.stringify(openapi(options).document(`v${all.length}`)),
    ]
    const pages = [await get('text/html'), await get('text/html', '/docs/changes')]
    for (const [index, { changes }] of told.versions.slice(1).entries()) {
      const one = changes[0] as (typeof changes)[number]
      const shape = one.shapes[0] as (typeof one.shapes)[number]
      expect(shape.operations).toEqual(['GET thing', 'POST thing'])
      for (const sentence of [one.description, ...shape.sentences]) {
        const isLast = index === all.length - 1
        for (const page of texts.slice(0, isLast ? 4 : 3)) expect(page).toContain(sentence)
        const html = sentence.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
        for (const page of pages) expect(page).toContain(html)
      }
      const sides = { [`v${index}`]: shape.before, [`v${index + 1}`]: shape.after }
      for (const [version, value] of Object.entries(sides)) {
        expect(value).toEqual(unwrapped((await ask(server, version, '/thing')).json))
        const posted = await ask(server, version, '/thing', { method: 'POST', body: wrapped(value) as object })
        expect([posted.status, Object.keys(unwrapped(received) as object).toSorted()]).toEqual([200, [...NAMES]])
      }
      const { name, mark } = all[index] as (typeof all)[number]
      expect(one.operations.map(({ kind, path }) => [kind, path])).toEqual(
        mark === undefined ? [] : [[mark, `/${name}`]],
      )
      const fate = `\`GET /${name}\` is ${mark === 'added' ? 'new' : 'removed'}.`
      for (const text of [markdown, letter.text]) expect(text.includes(fate)).toBe(mark !== undefined)
      const absent = mark === 'added' ? `v${index}` : `v${index + 1}`
      const { status, text } = await ask(server, absent, `/${name}`)
      const said = `This operation was ${mark} in version v${index + 1}.`
      expect([status, text.includes(said)]).toEqual(mark === undefined ? [200, false] : [404, true])
    }
    expect(newest).toEqual(unwrapped((await ask(server, `v${all.length}`, '/thing')).json))
  }),
)
