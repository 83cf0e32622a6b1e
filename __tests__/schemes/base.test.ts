import {
  BaseVersioning,
  CombinedVersioning,
  HeaderVersioning,
  QueryParameterVersioning,
  versioning,
} from 'express-versioning'
import { serve } from '../support/serve'

// What the base class holds a scheme of one's own to, beside what every scheme is held to (contract.test.ts).

describe('invalidVersionError takes a class of refusals', () => {
  const withError = (Refusal: unknown) => {
    class Own extends QueryParameterVersioning {
      override readonly invalidVersionError = Refusal as never
    }
    return Own
  }
  const WRONG = 'Own: "invalidVersionError" takes NotFound, NotAcceptable, or a subclass.'

  test('and no other error, which is told at start-up', () => {
    const Wrong = withError(Error)
    expect(() => versioning({ scheme: Wrong })).toThrow(new TypeError(WRONG))
    expect(() => versioning({ scheme: new Wrong() })).toThrow(new TypeError(WRONG))
    const schemes = [new HeaderVersioning(), new Wrong()]
    expect(() => versioning({ scheme: new CombinedVersioning({ schemes }) })).toThrow(new TypeError(WRONG))
  })
})

describe('readVersion gives a string, or nothing', () => {
  const reading = (read: unknown, allowedVersions?: string[]) => {
    class Own extends BaseVersioning {
      override readVersion() {
        return read as never
      }
    }
    return serve((app) => {
      app.use(versioning({ scheme: Own, allowedVersions, defaultVersion: '1' }))
      app.use((req, res) => void res.json(req.version))
    })
  }

  test.each([[2], [true], [['2']], [{}]])('%j is an error, whatever is accepted', async (read) => {
    for (const list of [undefined, ['1', '2']]) {
      for (const one of [read, Promise.resolve(read)]) {
        expect(await (await reading(one, list)).get('/')).toMatchObject({
          status: 500,
          json: { name: 'TypeError', error: expect.stringMatching(/^Own: a version is a string; got /) },
        })
      }
    }
  })

  test.each([[undefined], [null], [Promise.resolve(undefined)], [Promise.resolve(null)]])(
    '%p is the default',
    async (read) => {
      expect((await (await reading(read)).get('/')).json).toBe('1')
    },
  )

  test.each([['2'], [Promise.resolve('2')]])('%p is the version, if it is accepted', async (read) => {
    expect((await (await reading(read, ['1', '2'])).get('/')).json).toBe('2')
    expect((await (await reading(read, ['1', '3'])).get('/')).status).toBe(404)
  })

  test('a scheme that does not say what it reads fails the request', async () => {
    class Own extends BaseVersioning {}
    const { get } = await serve((app) => app.use(versioning({ scheme: Own })))
    expect((await get('/')).json).toMatchObject({ error: 'Own.determine_version() must be implemented.' })
  })
})
