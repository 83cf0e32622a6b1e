// Every printed line is obeyed: what a start asks for is pasted as it is printed, and what is then served and sent is valid.
import { HeaderVersioning, versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { openapi, routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import qs from 'qs'
import { judgeOf } from '../support/ajv'
import { appOf, dispatch } from '../support/dispatch'
import { describedFrom, type Places, pastedFrom, toldBy } from '../support/pasted'
import { property, RUNS } from '../support/property'
import { changesIn, documentIn, isText, sampleOf, schemaAt, type World, world } from '../support/worlds'

type Json = Record<string, unknown>

/** The lines of the last warning. */
let warned: Places = {}
beforeAll(() => {
  jest.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warned = pastedFrom(String(warning))
  })
})

const count = { started: 0, asked: 0, served: 0, sent: 0, filtered: 0 }

/** Pastes the lines of errors until a start takes them, within three rounds; undefined if a message has no line. */
function obeyed(made: World, given: Places) {
  const document = documentIn(made)
  const changes = changesIn(made)
  let describe = describedFrom('')
  const start = (places: Places) => {
    const routes = routesOf(document, { places })
    describe(routes)
    const options = { scheme: HeaderVersioning, defaultVersion: '2', changes, routes }
    versioning(options)
    return options
  }
  let places = given
  for (let round = 0; ; round++) {
    warned = {}
    const told = toldBy(() => start(places))
    if (told.message === 'starts') return { places, options: start(places) }
    const lines = Object.keys(told.places)
    if (told.message.includes('all errors need a description')) describe = describedFrom(told.message)
    // No line answers a step that converts whole values, for a part of an object.
    else if (lines.length === 0) {
      expect([made.isStep, told.message]).toEqual([true, expect.stringContaining('converts whole values: give')])
      return undefined
    }
    count.asked++
    expect({ told, again: lines.filter((line) => Object.hasOwn(places, line)) }).toMatchObject({ again: [] })
    expect({ told, round: round < 3 }).toMatchObject({ round: true })
    places = { ...places, ...told.places }
  }
}

property(
  'each printed line is accepted as printed, and what is then served and sent is valid in both versions',
  fc.property(world, (made) => {
    const first = obeyed(made, {})
    const started = first && obeyed(made, { ...first.places, ...warned })
    if (started === undefined) return
    count.started++
    const { options } = started
    const bound = options.changes.for(options)
    const docs = openapi(options)
    const [oldest = ''] = options.changes.versions
    const [older, newest] = [oldest, '2'].map((version) => docs.document<Json>(version)) as [Json, Json]
    const [judgeOlder, judgeNewest] = [judgeOf(older), judgeOf(newest)]
    const app = appOf((one) => {
      one.set('query parser', 'extended').use(versioning(options), convertRequest)
    })
    let at = 0
    const pick = () => made.picks[at++ % made.picks.length] as number
    for (const [index, { filter: asks }] of made.operations.entries()) {
      const name = `POST /${index}` as never
      const post = `~1${index}/post`
      const response = `${post}/responses/200/content/application~1json/schema`
      const body = `${post}/requestBody/content/application~1json/schema`
      const served = sampleOf(schemaAt(newest, `paths/${response}`) as Json, newest, pick)
      const converted = isValid(judgeNewest, response, served)
        ? converting(() => bound.response(name, served, oldest))
        : REJECTED
      if (converted !== REJECTED) {
        judgeOlder(response, converted)
        count.served++
      }
      const filter = `${post}/parameters/0/schema`
      const asked = asks === null || isText(asks) ? undefined : schemaAt(older, `paths/${filter}`)
      if (asked !== undefined) {
        const value = sampleOf(asked, older, pick) as Json
        const isDeep = asks?.written.style === 'deepObject'
        const search = qs.stringify(isDeep ? { filter: value } : value)
        const headers = { 'x-api-version': oldest }
        const { req, served, errors } = dispatch(app, { method: 'POST', url: `/${index}?${search}`, headers })
        expect({ served, status: errors[0]?.status ?? 400 }).toMatchObject(served === 1 ? { served } : { status: 400 })
        const { filter: found = {} } = isDeep ? req.query : { filter: req.query }
        if (served === 1) {
          judgeNewest(filter, found)
          expect(JSON.stringify(req.query)).not.toContain('old_')
          count.filtered++
        }
      }
      const written = schemaAt(older, `paths/${body}`)
      if (written === undefined) continue
      const given = sampleOf(written, older, pick)
      if (!isValid(judgeOlder, body, given)) continue
      const sent = converting(() => bound.request(name, given, oldest))
      if (sent === REJECTED) continue
      judgeNewest(body, sent)
      expect(JSON.stringify(sent)).not.toContain('old_')
      expect(leavesIn(sent)).toBeGreaterThanOrEqual(leavesIn(given) - (made.isRemoved ? 4 : 0))
      count.sent++
    }
  }),
  () => {
    expect(Object.entries(count).filter(([, all]) => all / RUNS < 0.2)).toStrictEqual([])
  },
)

/** Tells whether a value fits a schema. Nothing may fit two parts of an object that say different things. */
function isValid(judge: (place: string, value: unknown) => void, place: string, value: unknown): boolean {
  try {
    judge(place, value)
    return true
  } catch {
    return false
  }
}

/** Counts the values in a body. */
const leavesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((all, one) => all + leavesIn(one), 0)
    : 1

const REJECTED = Symbol('rejected')

/** Runs a conversion by hand. A value whose branch nobody tells is rejected. */
function converting(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    expect((error as Error).message).not.toContain('Cannot read')
    return REJECTED
  }
}
