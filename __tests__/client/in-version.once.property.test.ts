import type { Application } from 'express'
import { inVersion } from 'express-versioning/client'
import fc from 'fast-check'
import { serverOf, setups } from '../support/clients'
import { codePoint } from '../support/code-points'
import { property } from '../support/property'
import { listen } from '../support/serve'
import { request } from '../support/supertest'

const version = fc.oneof(
  fc.constantFrom('v1', '1.0', '2024-01-01', '', ' ', '.', '..', '%2e', 'a:b', 'a,b', 'a b', ' a', 'a\t', '*', 'V1'),
  fc.constantFrom('"', '\\', 'a"b', 'a;q=0', 'a=b&c', '#', '?', '%', '%41', '/', '\xe9', '\xa0', '\u20ac', '\ud800'),
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '-', '+', '"', '\\', ',', ';', '=', ' ', '\t') }),
  fc.integer({ min: 100, max: 2_000 }).map((length) => 'v'.repeat(length)),
)
// A path segment can carry these texts.
const id = fc.string({ unit: codePoint, minLength: 1 }).filter((text) => !/^\.{1,2}$|\p{Cc}|\p{Surrogate}/u.test(text))

async function byFetch(app: Application, url: (base: string) => string, headers: Record<string, string>) {
  const { origin } = await listen(app)
  return (await fetch(url(origin), { headers })).json()
}

property(
  'what inVersion() says is decided as that version, and reaches the named handler, sent by fetch and by supertest',
  fc.asyncProperty(fc.constantFrom(...setups), version, id, async (setup, asked, user) => {
    // There is no route in such a namespace.
    if (setup.name.includes('namespace') && (asked === '' || asked.includes(':'))) return
    if (setup.scheme({}).carry(asked) === undefined) {
      expect(() => {
        const { options, client } = serverOf(setup, [asked])
        inVersion(asked, options, client)
      }).toThrow(TypeError)
      return
    }
    const { app, options, client } = serverOf(setup, [asked])
    const { headers, path, url } = inVersion(asked, options, client)
    const kwargs = { id: user }
    const expected = { name: 'user-detail', version: asked, params: { id: user } }
    const { body } = await request(app).get(path('user-detail', { kwargs })).set(headers)
    expect(body).toMatchObject(expected)
    // fetch() drops the field Host.
    if (setup.host !== undefined) return
    expect(await byFetch(app, (base) => url('user-detail', { kwargs }, base), headers)).toMatchObject(expected)
  }),
)

property(
  'a path or URL stays on its host, whatever its names, arguments and mount are',
  fc.property(
    fc.constantFrom(...setups),
    fc.oneof(id, fc.constantFrom('//evil.com', '/\\evil.com', '/', '..', '\ud800', '/a/../..//b', '/?//', '/#//')),
    (setup, text) => {
      const { options, client } = serverOf(setup, ['v1'])
      const { path, url } = inVersion('v1', options, client)
      for (const make of [() => path(`/${text}`), () => path('user-detail', { kwargs: { id: text } })]) {
        let made: string
        try {
          made = make()
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_NO_REVERSE_MATCH' })
          continue
        }
        expect(new URL(made, 'http://here.test').host).toBe('here.test')
        expect(made).toMatch(/^\/(?!\/)[!-~]*$/)
        expect(new URL(url(`/x`, {}, 'http://here.test')).host).toBe('here.test')
      }
    },
  ),
)
