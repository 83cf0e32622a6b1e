// A history of GitHub's own OpenAPI document, and what the document leaves open.
import { change, fields, versionHistory } from 'express-versioning/changes'
import { type Judge, judgeOf } from './judge'

const user = fields({ renamed: { username: 'login' } })
const milestone = fields({ renamed: { due: 'due_on' } })

/** Three changes of responses, and one of request bodies. */
export const history = versionHistory('2022-01-01')
  .version('2023-01-01', change('Labels have a `color`.', { label: fields({ renamed: { colour: 'color' } }) }))
  .version('2024-01-01', change('Users have a `login`.', { 'simple-user': user, 'nullable-simple-user': user }))
  .version(
    '2025-01-01',
    change('Milestones are `due_on`.', { milestone, 'nullable-milestone': milestone }),
    change('Actors have an `actor_id`.', {
      'repository-ruleset-bypass-actor': fields({ renamed: { actor: 'actor_id' } }),
    }),
  )

/** The inline copies of labels. */
const LABELS = [
  'issue#/properties/labels/items/oneOf/1',
  'nullable-issue#/properties/labels/items/oneOf/1',
  'pull-request#/properties/labels/items',
  'pull-request-simple#/properties/labels/items',
  'issue-search-result-item#/properties/labels/items',
]

/** The unions whose branches are objects. */
const UNIONS = [
  'event#/properties/payload',
  'projects-v2-item-simple#/properties/content',
  'environment#/properties/protection_rules/items',
  'issue-event-for-issue#',
  'timeline-issue-events#',
]

/** Returns the name of the branch that a value fits best, or its number. Some of its parts may be converted already. */
const byFit = (place: string) => (value: unknown, given: GivenDocument, judge: Judge) => {
  const pointer = place.replace(/(.*)#/, '/components/schemas/$1')
  const key = Object.hasOwn(Object(at(given, pointer)), 'oneOf') ? 'oneOf' : 'anyOf'
  const branches = at(given, `${pointer}/${key}`) as { $ref?: string }[]
  const faults = branches.map((_, index) => judge(`${pointer}/${key}/${index}`, value).length)
  const index = faults.indexOf(Math.min(...faults))
  return branches[index]?.$ref?.replace(/^.*\//, '') ?? index
}
const isStarred = (value: unknown) => Object.hasOwn(Object((value as unknown[])[0]), 'starred_at')
const isNobody = (value: unknown) => (Object.keys(value as object).length === 0 ? 'empty-object' : 'simple-user')

type Meaning = (value: unknown, given: GivenDocument, judge: Judge) => string | number
/** The meanings of what the document leaves open. The rest is something else. */
const MEANINGS: Record<string, string | Meaning> = {
  ...Object.fromEntries(LABELS.map((place) => [place, 'label'])),
  ...Object.fromEntries(UNIONS.map((place) => [place.replace(/#$/, ''), byFit(place)])),
  'commit#/properties/author': isNobody,
  'commit#/properties/committer': isNobody,
  'GET /repos/{owner}/{repo}/stargazers 200': (value) => (isStarred(value) ? 1 : 0),
  'GET /users/{username}/starred 200': (value) => (isStarred(value) ? 0 : 1),
  'GET /user/starred 200': (value) => (isStarred(value) ? 1 : 0),
}

/** Returns the option `places` for the lines that an error message ends with. */
export function placesFor(message: string, given: GivenDocument) {
  const judge = judgeOf(given)
  const asked = [...message.matchAll(/^ {2}("(?:[^"\\]|\\.)*"): /gm)].map(([, place]) => JSON.parse(place as string))
  const meaningOf = (place: string) => {
    const meaning = MEANINGS[place] ?? null
    return typeof meaning === 'function' ? (value: unknown) => meaning(value, given, judge) : meaning
  }
  return Object.fromEntries((asked as string[]).map((place) => [place, meaningOf(place)]))
}

export type Json = Record<string, unknown>
export interface GivenDocument extends Json {
  readonly info: { version: string }
  readonly paths: Record<string, Record<string, Json>>
}
/** An example, and where its schema is. */
interface Example {
  readonly type: string
  readonly pointer: string
  readonly value: unknown
}

/** Returns the part of a document at a JSON pointer, behind references. */
function at(document: Json, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  const unescaped = (step: string) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  return steps.reduce<unknown>((part, step) => Object(part)[unescaped(step)], document)
}
const pointerOf = (...steps: string[]) =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Lists the operations of a document. */
export function operationsIn({ paths }: GivenDocument): { path: string; method: string; operation: Json }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'patch', 'delete'].flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : { path, method, operation }
    }),
  )
}

/** Lists the JSON examples of a body or a response. */
function examplesIn(document: GivenDocument, pointer: string): Example[] {
  const { $ref, content = {} } = Object(at(document, pointer)) as { $ref?: string; content?: Json }
  if ($ref !== undefined) return examplesIn(document, $ref.slice(1))
  return Object.keys(content).flatMap((type) => {
    if (!/[/+]json$/.test(type)) return []
    const { examples = {} } = content[type] as { examples?: Record<string, { $ref?: string; value?: unknown }> }
    const schema = `${pointer}${pointerOf('content', type, 'schema')}`
    return Object.values(examples).map(({ $ref, value }) => ({
      type,
      pointer: schema,
      value: $ref === undefined ? value : at(document, `${$ref.slice(1)}/value`),
    }))
  })
}

/** Lists the examples of successful responses, each with one of a body if the operation takes any. */
export function casesIn(document: GivenDocument) {
  return operationsIn(document).flatMap(({ path, method, operation }) =>
    Object.keys(operation.responses as Json).flatMap((status) => {
      if (!status.startsWith('2')) return []
      const bodies = examplesIn(document, pointerOf('paths', path, method, 'requestBody'))
      const responses = examplesIn(document, pointerOf('paths', path, method, 'responses', status))
      return responses.map((response, index) => {
        const title = `${method.toUpperCase()} ${path}`
        return { title, method, path, status: Number(status), body: bodies[index] ?? bodies[0], response }
      })
    }),
  )
}

/** Returns a body as old clients send it. */
export const olderBody = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (key, value) => {
    if (key !== 'bypass_actors') return value
    return (value as Json[]).map(({ actor_id: actor, ...others }) => ({ actor, ...others }))
  })
