// A converted problem keeps the media type of its version, in responses and in documents.
import type { RequestHandler } from 'express'
import { HeaderVersioning, NotFound, namedRoutes, problemDetails, versioning } from 'express-versioning'
import { change, fields, type OperationChanges, shape } from 'express-versioning/changes'
import { openapi } from 'express-versioning/openapi'
import { ask, historyOf } from '../support/changes'
import { serve } from '../support/serve'

type Json = Record<string, unknown>
const PROBLEM = 'application/problem+json'
const text = { type: 'string' }
const object = (properties: Json, others: Json = {}) => ({ type: 'object', properties, ...others })
const Issue = object({ path: text }, { $id: 'Issue' })
const issues = { type: 'array', items: Issue }
const Problem = object({ title: text, detail: text, issues }, { $id: 'Problem', required: ['title'] })
const Old = object({ error: text })
const SENT = { title: 'No.', detail: 'Why.', issues: [{ path: 'a' }] }

const byFields = { Problem: fields({ renamed: { reason: 'detail' } }) }
const toOld = ({ title }: Json) => ({ error: title })
const byShape = { Problem: shape<Json, Json>(Old, Problem, { response: toOld }) }
const ofIssues = {
  Issue: shape<Json, Json>(object({ at: text }), Issue, { response: ({ path }) => ({ at: path }) }),
}
const inRanges = (body: Json) => ({ '4XX': body, '5XX': body })
const as = (type: string) => inRanges({ content: { [type]: Old } })
const step = (older: Json, headers = {}): Json => ({
  '*': { error: (value: Json) => ({ error: value.title ?? value.error }), older: { error: older }, headers },
})
const beside = inRanges({ content: { 'text/html': text, 'application/json': Old } })

// The changes of the newest version come first.
test.each<[title: string, releases: Json[], type: string, json: Json]>([
  ['fields()', [byFields], PROBLEM, { title: 'No.', reason: 'Why.', issues: SENT.issues }],
  ['a function of a part', [ofIssues], PROBLEM, { ...SENT, issues: [{ at: 'a' }] }],
  ['a function of the shape', [byShape], 'application/json', { error: 'No.' }],
  ['a step', [step(Old)], 'application/json', { error: 'No.' }],
  [
    'a step that says another type',
    [step(as('application/vnd.old+json'))],
    'application/vnd.old+json',
    { error: 'No.' },
  ],
  ['a step that says a problem', [step(as(PROBLEM))], PROBLEM, { error: 'No.' }],
  ['a step that says JSON beside HTML', [step(beside)], 'application/json', { error: 'No.' }],
  [
    'a step with header fields',
    [step(Old, { 'Content-Type': () => 'application/a+json' })],
    'application/a+json',
    { error: 'No.' },
  ],
  ['fields(), then a step', [byFields, step(Old)], 'application/json', { error: 'No.' }],
  ['a step, then one that says a problem', [step(Old), step(as(PROBLEM))], PROBLEM, { error: 'No.' }],
  ['one that says a problem, then a step', [step(as(PROBLEM)), step(Old)], 'application/json', { error: 'No.' }],
])('the type of a problem that was converted by %s', async (_title, releases, type, json) => {
  const newestLast = releases.toReversed().map((one, at) => [change(`Of ${at}.`, one as OperationChanges)])
  const routes = namedRoutes({ song: '/song', rejected: '/rejected' })
  routes.describe('*', { response: inRanges({ content: { [PROBLEM]: Problem } }) })
  routes.describe('GET song', { response: null }).describe('GET rejected', { response: null })
  const fails: RequestHandler = (_req, res) => void res.status(404).type(PROBLEM).send(SENT)
  routes.route('song').get(fails)
  routes.route('rejected').get((_req, _res, next) => next(new NotFound('No.', { version: 'v1', allowedVersions: [] })))
  const options = { scheme: HeaderVersioning, changes: historyOf(...newestLast), routes }
  const server = await serve((app) => app.use(versioning(options), routes, problemDetails()))
  const typeOf = (name: string | undefined) => String(name).split(';')[0]
  const { status, headers, json: sent } = await ask(server, 'v1', '/song')
  expect([status, typeOf(headers['content-type']), sent]).toEqual([404, type, json])
  for (const [version, expected] of Object.entries({ v1: type, [`v${releases.length + 1}`]: PROBLEM })) {
    const rejected = await ask(server, version, '/rejected')
    expect([version, typeOf(rejected.headers['content-type'])]).toEqual([version, expected])
    const { responses } = openapi(options, { info: { title: 'T' } }).document(version).paths['/song']?.get ?? {}
    expect(Object.keys(responses?.['4XX']?.content ?? {})).toContain(expected)
  }
})
