import { HeaderVersioning, type VersioningOptions } from 'express-versioning'
import { change, type VersionHistory, versionHistory } from 'express-versioning/changes'
import { ask, serveChanges } from '../support/changes'

// These tests hold the claims of docs/changes.md about dropping versions.

const named = (was: string, is: string) => ({
  response: ({ [is]: value, ...rest }: Record<string, unknown>) => ({ ...rest, [was]: value }),
})
const first = change('`b` in place of `a`.', { 'GET user-detail': named('a', 'b') })
const gone = change('The list is gone.', { 'GET user-list': 'removed' })
const second = change('`c` in place of `b`.', {
  'GET user-detail': named('b', 'c'),
  '*': { error: ({ error }: { error: string }) => ({ message: error }) },
})
const third = change('`d` in place of `c`.', { 'GET user-detail': named('c', 'd') })

const whole = versionHistory('v1').version('v2', first, gone).version('v3', second).version('v4', third)
const later = versionHistory('v2').version('v3', second).version('v4', third)

const shop = (history: VersionHistory, options: Partial<VersioningOptions> = {}) =>
  serveChanges(
    history,
    (routes) => {
      routes
        .route('user-detail')
        .get((req, res) => void res.json({ d: 1, since: req.query.ask && first.appliesTo(req) }))
      routes.route('user-list').get((_req, res) => void res.json([]))
    },
    { scheme: HeaderVersioning, defaultVersion: null, ...options },
  )

test('a history that starts later gives the versions left what they got', async () => {
  const [before, after] = [await shop(whole), await shop(later)]
  for (const version of later.versions) {
    const [{ text, status }, now] = [await ask(before, version, '/users/7'), await ask(after, version, '/users/7')]
    expect(now).toMatchObject({ text, status: 200 })
    expect(later.response('GET user-detail', { d: 1 }, version)).toEqual(
      whole.response('GET user-detail', { d: 1 }, version),
    )
    expect(status).toBe(200)
  }
  // The error has the format of no version, as for any wrong version.
  expect(await ask(after, 'v1', '/users/7')).toMatchObject({
    status: 406,
    json: { code: 'ERR_VERSION_NOT_ACCEPTABLE' },
  })
})

test('what a dropped change had removed is there again', async () => {
  expect((await ask(await shop(whole), 'v4', '/users')).status).toBe(404)
  expect((await ask(await shop(later), 'v4', '/users')).status).toBe(200)
})

test('appliesTo() of a dropped change is true, for all that are left have it', async () => {
  expect((await ask(await shop(whole), 'v4', '/users/7?ask=1')).json).toEqual({ d: 1, since: true })
  expect((await ask(await shop(later), 'v2', '/users/7?ask=1')).json).toEqual({ b: 1, since: true })
})
