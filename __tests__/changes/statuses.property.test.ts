// Random histories of statuses. What is served, what is converted by hand and what the document says are one, and a small model says it too.
import { HeaderVersioning, namedRoutes, versioning } from 'express-versioning'
import { type Change, change, fields, type OperationChange } from 'express-versioning/changes'
import { type OpenApiOperation, openapi } from 'express-versioning/openapi'
import fc from 'fast-check'
import { historyOf } from '../support/changes'
import { property } from '../support/property'
import { serve } from '../support/serve'

type Json = Record<string, unknown>
/** The change of one version: statuses, and what becomes of a body. */
type World = { statuses: Map<number, number>; response: boolean; error: boolean; says: boolean; hides: boolean }

const STATUSES = [200, 201, 202, 204, 205, 304, 302, 400, 404, 409, 500, 503]
const HAVE_NO_BODY = [204, 205, 304]
const isOk = (status: number) => [200, 201, 202].includes(status)

const world = fc.record({
  statuses: fc.uniqueArray(fc.tuple(fc.constantFrom(...STATUSES), fc.constantFrom(...STATUSES)), {
    maxLength: 5,
    selector: ([from]) => from,
  }),
  response: fc.boolean(),
  error: fc.boolean(),
  says: fc.boolean(),
  hides: fc.boolean(),
})

/** The status and body of a version, by the words of the documentation: change by change, from the newest. */
function modelled(
  newest: number,
  worlds: readonly World[],
  at: number,
  isShape: boolean,
): [status: number, body: Json | undefined, isMade: boolean] {
  let status = newest
  let body: Json | undefined = HAVE_NO_BODY.includes(newest) ? undefined : { id: 1 }
  for (let index = 0; body !== undefined && isShape && index < worlds.length; index++) {
    if (worlds[index]?.hides) body[`field${index}`] = 'x'
  }
  let isMade = false
  for (let index = worlds.length - 1; index >= at; index--) {
    const { statuses, response, error, hides } = worlds[index] as World
    const older = statuses.get(status) ?? status
    const step = `step${index}`
    if (HAVE_NO_BODY.includes(older)) body = undefined
    else if (HAVE_NO_BODY.includes(status)) {
      if (response && isOk(older)) [body, isMade] = [{ made: index }, true]
    } else if (body !== undefined) {
      if (status >= 400 ? error : isOk(status) && response) body = { ...body, [step]: true }
      // The description says where the shape is: in a body of the handler.
      if (isShape && hides && !isMade)
        body = Object.fromEntries(Object.entries(body).filter(([key]) => key !== `field${index}`))
    }
    if (body === undefined) isMade = false
    status = older
  }
  return [status, body, isMade]
}

const object = { type: 'object' }

property(
  'a status on the way to an older version is served, described and converted by hand as one',
  fc.asyncProperty(
    fc.array(world, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...STATUSES),
    fc.boolean(),
    fc.constantFrom('json', 'send', 'end', 'write'),
    async (given, newest, isShape, way) => {
      // In an API with shapes, a step that nobody describes is an error at the start.
      const worlds = given.map((one) => ({ ...one, says: one.says || isShape, statuses: new Map(one.statuses) }))
      const releases = worlds.map(({ statuses, response, error, says, hides }, index): Change[] => {
        const step = `step${index}`
        // A body that a step makes has no shape in it.
        const [, , isMade] = modelled(newest, worlds, index, isShape)
        const body = isShape && !isMade ? { $ref: 'Thing' } : object
        const all = { '2XX': body, '3XX': body, '4XX': body, '5XX': body }
        const older = { response: all, error: all }
        const changed: OperationChange = {
          status: Object.fromEntries(statuses),
          headers: { [`X-${index}`]: null },
          ...(response && {
            response: (body: Json | undefined) => (body ? { ...body, [step]: true } : { made: index }),
          }),
          ...(error && { error: (body: Json) => ({ ...body, [step]: true }) }),
          ...(says && {
            older: { ...(response && { response: older.response }), ...(error && { error: older.error }) },
          }),
        }
        const shapes = isShape && hides ? { Thing: fields({ added: [`field${index}`] }) } : {}
        return [change(`Of ${index}.`, { 'GET thing': changed, ...shapes })]
      })
      const names = worlds.flatMap(({ hides }, index) => (isShape && hides ? [`field${index}`] : []))
      const Thing = {
        $id: 'Thing',
        type: 'object',
        properties: { id: {}, ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
      }
      const value = { id: 1, ...Object.fromEntries(names.map((name) => [name, 'x'])) }
      const isBare = HAVE_NO_BODY.includes(newest)
      const routes = namedRoutes({ thing: '/thing', other: '/other' })
      routes.describe('*', { response: { '4XX': object, '5XX': object } })
      routes.describe('GET other', { response: Thing })
      routes.describe('GET thing', { response: { [newest]: isBare ? null : Thing } })
      routes.route('other').get((_req, res) => void res.json(value))
      routes.route('thing').get((_req, res) => {
        res.status(newest)
        if (isBare) return void res.end()
        if (way === 'json' || way === 'send') return void res[way](value)
        const text = JSON.stringify(value)
        res.type('json')
        if (way === 'write') res.write(text)
        res.end(way === 'end' ? text : undefined)
      })
      const options = { scheme: HeaderVersioning, changes: historyOf(...releases), routes }
      const server = await serve((app) => void app.use(versioning(options), routes))
      const { document } = openapi(options, { info: { title: 'T' } })
      const byHand = options.changes.for(options)
      for (let at = 0; at < worlds.length; at++) {
        const version = `v${at + 1}`
        const [status, body] = modelled(newest, worlds, at, isShape)
        const served = await server.get('/thing', { 'X-API-Version': version })
        expect([version, served.status, served.json]).toEqual([version, status, body])
        expect(served.text === '').toBe(body === undefined)
        const { responses } = (document(version).paths['/thing'] as { get: OpenApiOperation }).get
        expect([version, Object.keys(responses)]).toContainEqual(expect.arrayContaining([String(status)]))
        expect([version, responses[status]?.content !== undefined]).toEqual([version, body !== undefined])
        if (newest < 300) {
          expect([version, byHand.response('GET thing', isBare ? undefined : value, version)]).toEqual([version, body])
        }
      }
    },
  ),
)
