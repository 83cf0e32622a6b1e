// A history of GitHub's own OpenAPI document, and what the document leaves open.
import { change, fields, versionHistory } from 'express-versioning/changes'
import { at, type Json } from './random-values'

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

/** The unions whose branches are objects. Random values say in `branch` which one they are. */
const UNIONS = [
  'event#/properties/payload',
  'projects-v2-item-simple#/properties/content',
  'environment#/properties/protection_rules/items',
  'issue-event-for-issue#',
  'timeline-issue-events#',
]

const byBranch = (value: unknown) => (value as { branch: string }).branch
const isStarred = (value: unknown) => Object.hasOwn(Object((value as unknown[])[0]), 'starred_at')
const isNobody = (value: unknown) => (Object.keys(value as object).length === 0 ? 'empty-object' : 'simple-user')

/** The meanings of what the document leaves open. The rest is something else. */
const MEANINGS: Record<string, string | ((value: unknown) => string | number)> = {
  ...Object.fromEntries(LABELS.map((place) => [place, 'label'])),
  ...Object.fromEntries(UNIONS.map((place) => [place.replace(/#$/, ''), byBranch])),
  'commit#/properties/author/anyOf/0': isNobody,
  'commit#/properties/committer/anyOf/0': isNobody,
  'GET /repos/{owner}/{repo}/stargazers 200': (value) => (isStarred(value) ? 1 : 0),
  'GET /users/{username}/starred 200': (value) => (isStarred(value) ? 0 : 1),
  'GET /user/starred 200': (value) => (isStarred(value) ? 1 : 0),
}

/** Returns the option `places` for the lines that an error message ends with. */
export function placesFor(message: string) {
  const asked = [...message.matchAll(/^ {2}("(?:[^"\\]|\\.)*"): /gm)].map(([, place]) => JSON.parse(place as string))
  return Object.fromEntries((asked as string[]).map((place) => [place, MEANINGS[place] ?? null]))
}

/** Returns a copy of a document in which values say their branch, and the inline copies of labels are labels. */
export function told<Document extends object>(document: Document, isNewest: boolean): Document {
  const copy = structuredClone(document) as unknown as Json
  const named = (place: string) => place.replace('#', '').replace(/^/, '/components/schemas/')
  for (const place of isNewest ? LABELS : []) {
    const [, holder, last] = /^(.*)\/(.*)$/.exec(named(place)) as string[]
    Object.assign(at(copy, holder as string) as Json, { [last as string]: { $ref: '#/components/schemas/label' } })
  }
  for (const place of UNIONS) {
    const union = at(copy, named(place)) as Json
    const key = union.oneOf === undefined ? 'anyOf' : 'oneOf'
    union[key] = (union[key] as { $ref?: string }[]).map((branch, index) => {
      const name = branch.$ref?.replace(/^.*\//, '') ?? index
      return { allOf: [branch, { type: 'object', required: ['branch'], properties: { branch: { enum: [name] } } }] }
    })
  }
  return copy as unknown as Document
}
