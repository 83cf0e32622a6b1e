// Documents, written in a line of text.
import { draftHistory } from 'express-versioning/testing'
import { differencesOf } from '../../src/openapi/meaning/document-differences'
import { alone, type Document, drafted, givenBy } from '../support/drafts'

export type Json = Record<string, unknown>

export const text = { type: 'string' }
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const money = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] }
export const User = { type: 'object', properties: { id: text }, required: ['id'] }

const eventOf = (name: string) => {
  const data = { ...text, contentMediaType: 'application/json', contentSchema: ref('User') }
  return { type: 'object', properties: { event: { const: name }, data }, required: ['event', 'data'] }
}
const NAMED: Json = { text, money, User, taxed: { ...money, dependencies: { amount: ['tax'] } } }
for (const event of ['created', 'new']) NAMED[event] = { oneOf: [eventOf(event)] }
for (const type of ['integer', 'number', 'boolean']) NAMED[type] = { type }

/**
 * Reads a schema: `@Name` refers to a shape, `[]text` is a list, `(id;name)` an object, `a,b` one of two strings; or JSON, or one
 * of the named ones.
 */
function schemaOf(given: string): Json {
  if (given.startsWith('{')) return JSON.parse(given)
  if (given.startsWith('@')) return ref(given.slice(1))
  if (given.startsWith('[]')) return { type: 'array', items: schemaOf(given.slice(2)) }
  if (given.startsWith('(')) return object(given.slice(1, -1).replaceAll(';', ' '))
  return (NAMED[given] as Json | undefined) ?? { type: 'string', enum: given.split(',') }
}

/** Makes an object of properties such as `id! tier:a,b~"a"`: required, one of two strings, with a default. `+` begins a keyword. */
export function object(words: string): Json {
  const [properties, required, keywords]: [Json, string[], Json] = [{}, [], {}]
  for (const word of words.split(' ').filter(Boolean)) {
    const [, name = '', must, schema = 'text', standard, json = ''] =
      /^([^!:~=]+)(!?)(?::([^~]+))?(?:~(.+)|=(.+))?$/.exec(word) ?? []
    if (name.startsWith('+')) keywords[name.slice(1)] = JSON.parse(json)
    else properties[name] = { ...schemaOf(json || schema), ...(standard && { default: JSON.parse(standard) }) }
    if (must) required.push(name)
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }), ...keywords }
}

const STREAMS: Json = { jsonl: 'application/jsonl', ndjson: 'application/x-ndjson', sse: 'text/event-stream' }
/** Reads the schemas of media types: JSON is the first, another JSON the second, and `jsonl*` begins the items of a stream. */
function contentOf(schemas: string) {
  const media = schemas.split('&').map((part, index) => {
    const [, stream = '', schema = ''] = /^(?:(\w+)\*)?(.*)$/.exec(part) ?? []
    if (stream !== '') return [STREAMS[stream], { itemSchema: schemaOf(schema) }]
    return [index === 0 ? 'application/json' : 'application/x+json', { schema: schemaOf(schema) }]
  })
  return { content: Object.fromEntries(media) }
}

/**
 * Reads operations, such as `GET /a/{id} #one ?page 200=@User 404 + PUT /a body!=text 204`. A parameter of the query is an
 * integer if it has no schema. `&` begins another media type, and `+` more of a parameter or response, as JSON.
 */
export function pathsOf(operations: string): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operations.split(' + ').filter(Boolean)) {
    const [method = '', place = '', ...words] = operation.split(' ')
    const [parameters, responses, own]: [Json[], Record<string, Json>, Json] = [[], {}, {}]
    const path = place.replace(/\{(\w+):?(\w*)\}/g, (_, name, schema) => {
      parameters.push({ name, in: 'path', required: true, schema: schemaOf(schema || 'text') })
      return `{${name}}`
    })
    for (const word of words) {
      const [, mark = '', name = '', must, kind, given = ''] = /^([#?]?)([\w-]+)(!?)(?:([=:+])(.+))?$/.exec(word) ?? []
      const required = must === '!'
      const media = kind === '=' && !name.startsWith('x-') ? contentOf(given) : {}
      if (mark === '#') own.operationId = name
      else if (mark === '?') {
        const [schema, more] = kind === '+' ? ['integer', JSON.parse(given)] : [given || 'integer', {}]
        parameters.push({ name, in: 'query', required, schema: schemaOf(schema), ...more })
      } else if (name === 'body') own.requestBody = { required, ...media }
      else if (name.startsWith('x-')) responses[name] = JSON.parse(given)
      else if (kind === '+') Object.assign(responses[name] as Json, JSON.parse(given))
      else responses[name] = { description: '', ...media }
    }
    paths[path] = { ...paths[path], [method.toLowerCase()]: { parameters, responses, ...own } }
  }
  return paths
}

/** Makes a document of an API with one shape, in a body and in a response, and with more operations. */
export function documentOf(
  version: string,
  user: string | Json,
  operations: string | Json = '',
  more: { schemas?: Json; rest?: Json } = {},
): Document {
  const paths = typeof operations === 'string' ? pathsOf(operations) : operations
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version },
    paths: { ...pathsOf('POST /users body!=@User 201=@User'), ...paths },
    components: { schemas: { User: typeof user === 'string' ? object(user) : user, ...more.schemas } },
    ...more.rest,
  } as unknown as Document
}
export const withPaths = (version: string, operations: string | Json, schemas: Json = {}) =>
  documentOf(version, User, operations, { schemas })

/** Drafts the history of two documents, of which the older one must be what the draft gives. */
export function complete(older: Document, newer: Document): string {
  const written = draftHistory([older, newer])
  expect(written).toContain('The draft is complete')
  expect(differencesOf(alone(older), givenBy(drafted(written), [older, newer], older.info.version))).toEqual([])
  return written
}

/** Expects code in a draft, whatever its line breaks and last commas. `…` is any text without braces. */
export function expectIn(draft: string, code = '') {
  const pattern = code.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^{}]*')
  expect(draft.replace(/\s+/g, ' ').replace(/,(?= [}\])])/g, '')).toMatch(new RegExp(pattern))
}
