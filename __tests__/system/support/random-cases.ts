// Random requests in an older version, and random responses of the newest one, as two OpenAPI documents describe them.
import { judgeOf } from './judge'
import { at, type Json, randomValues, resolved } from './random-values'

export interface GivenDocument extends Json {
  readonly info: { version: string }
  readonly paths: Record<string, Record<string, Json>>
}

/** A media type that is JSON, and where its schema is. */
interface Content {
  readonly type: string
  readonly pointer: string
}

interface Made extends Content {
  readonly value: unknown
}

/** A request, and what a handler responds to it. */
export interface Case {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly body: Made | undefined
  readonly status: number
  readonly response: Made
}

/** A slot for cases: an operation and a successful status. */
interface Slot {
  readonly path: string
  readonly method: string
  readonly status: string
  readonly sent: readonly Content[]
  readonly received: readonly Content[]
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

/** Lists the operations of a document. */
export function operationsIn({ paths }: GivenDocument): { path: string; method: string; operation: Json }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : { path, method, operation }
    }),
  )
}

/**
 * Makes cases for the successful JSON responses of operations that hold a changed component, and as many others.
 *
 * @param newest the document whose responses handlers make.
 * @param given a document that these responses fit too.
 * @param older the document whose bodies clients send.
 * @param changed the names of the changed components.
 * @param count the number of cases.
 * @returns the cases whose values fit, and the number of those that no value was found for.
 */
export function randomCases(
  { newest, given, older }: Record<'newest' | 'given' | 'older', GivenDocument>,
  changed: ReadonlySet<string>,
  count: number,
) {
  const slots = operationsIn(newest).flatMap(({ path, method, operation }) =>
    Object.entries(operation.responses as Json).flatMap(([status, response]): Slot | [] => {
      const received = contentsOf(newest, response, pointerOf('paths', path, method, 'responses', status))
      if (!status.startsWith('2') || received.length === 0) return []
      const requestBody = older.paths[path]?.[method]?.requestBody
      const sent = contentsOf(older, requestBody, pointerOf('paths', path, method, 'requestBody'))
      return { path, method, status, sent, received }
    }),
  )
  const holding = slots.filter(({ sent, received }) =>
    [...sent, ...received].some(({ pointer }) => holds(newest, at(newest, pointer), changed)),
  )
  const ofNewest = maker(newest, 1, given)
  const ofOlder = maker(older, 2)
  const made = Array.from({ length: count }, (_, index): Case | undefined => {
    const list = index % 2 === 0 ? holding : slots
    const slot = list[(index * 7919) % list.length] as Slot
    const body = ofOlder(slot.sent, index)
    const response = ofNewest(slot.received, index)
    if (response === undefined || (slot.sent.length > 0 && body === undefined)) return undefined
    const method = slot.method.toUpperCase()
    // No path of the document has such a step.
    const url = slot.path.replaceAll(/\{.*?\}/g, `~${index}`)
    return { title: `${method} ${slot.path} ${slot.status}`, method, url, body, status: Number(slot.status), response }
  })
  const cases = made.filter((one) => one !== undefined)
  return { cases, unfit: count - cases.length, holding: holding.length }
}

/** Returns a function that makes a value of one of some contents. It tries a few times. */
function maker(document: GivenDocument, seed: number, ...others: GivenDocument[]) {
  const make = randomValues(document, seed)
  const judges = [document, ...others].map(judgeOf)
  return (contents: readonly Content[], index: number): Made | undefined => {
    const content = contents[index % contents.length]
    for (let times = 0; content !== undefined && times < 20; times++) {
      const value = make(at(document, content.pointer))
      if (judges.every((judge) => judge(content.pointer, value).length === 0)) return { ...content, value }
    }
    return undefined
  }
}

/** Lists the JSON contents of a body or a response. */
function contentsOf(document: GivenDocument, part: unknown, pointer: string): Content[] {
  if (part === undefined) return []
  const { $ref } = part as { $ref?: string }
  const { content = {} } = resolved(document, part) as { content?: Json }
  const types = Object.keys(content).filter((type) => /[/+]json$/.test(type))
  return types.map((type) => ({ type, pointer: `${$ref?.slice(1) ?? pointer}${pointerOf('content', type, 'schema')}` }))
}

/** Tells whether a schema holds one of some components. */
function holds(document: Json, schema: unknown, names: ReadonlySet<string>, seen = new Set<string>()): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { $ref } = schema as { $ref?: unknown }
  if (typeof $ref !== 'string') return Object.values(schema).some((part) => holds(document, part, names, seen))
  if (seen.has($ref)) return false
  seen.add($ref)
  return names.has($ref.replace(/^.*\//, '')) || holds(document, resolved(document, schema), names, seen)
}

function pointerOf(...steps: string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
