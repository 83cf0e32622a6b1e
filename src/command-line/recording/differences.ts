// The differences between two responses, as places with both values.
import { isJsonType, parsedJson } from '../../http/json'

/** A recorded response. */
export interface RecordedResponse {
  readonly status: number
  /** The header fields that clients act on, in lower case; of `ETag` its presence. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text, or its bytes in base64. */
  readonly body: string | { readonly base64: string }
}

/** A place in two responses, and the values there as JSON; undefined where one has none. */
export interface Difference {
  /** The place: `status`, `headers.location`, `body./items/0/name`. */
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The settings of a comparison. */
export interface Comparison {
  /** The places that may differ; `*` is any segment. What is below them may differ too. */
  readonly ignored: readonly string[]
  /** `true` compares JSON as values, not byte for byte. */
  readonly asValues: boolean
}

/** Lists the differences between two responses. */
export function differencesOf(
  before: RecordedResponse,
  after: RecordedResponse,
  { ignored, asValues }: Comparison,
): readonly Difference[] {
  const heads = differing(
    { status: before.status, headers: before.headers },
    { status: after.status, headers: after.headers },
  ).map((one) => ({ ...one, path: one.path.slice(1).replace('/', '.') }))
  const [one, other] = [jsonOf(before), jsonOf(after)]
  const isIgnored = ({ path }: Difference) => ignored.some((pattern) => isBelow(path, pattern))
  const isOpen = (part: string) => ignored.some((pattern) => pattern.startsWith(part))
  const bodies =
    one === undefined || other === undefined
      ? differing(before.body, after.body)
      : differing(one.value, other.value).map((found) => ({ ...found, path: `.${found.path}` }))
  // Values are equal, but the bytes are not: spaces, the order of properties, escapes.
  const areOther = bodies.length === 0 && !asValues && !isOpen('body.') && before.body !== after.body
  const spelled = areOther ? differing(String(before.body), String(after.body)) : []
  return [...heads, ...[...bodies, ...spelled].map((found) => ({ ...found, path: `body${found.path}` }))].filter(
    (found) => !isIgnored(found),
  )
}

function jsonOf({ headers, body }: RecordedResponse): { readonly value: unknown } | undefined {
  return typeof body === 'string' && isJsonType(headers['content-type']) ? parsedJson(body) : undefined
}

/** Lists the places in which two values differ, as JSON pointers. */
function differing(before: unknown, after: unknown, path = ''): Difference[] {
  if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    const valueIn = (tree: object, name: string) => (Object.hasOwn(tree, name) ? Reflect.get(tree, name) : undefined)
    return [...names].flatMap((name) =>
      differing(
        valueIn(before, name),
        valueIn(after, name),
        `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      ),
    )
  }
  const [one, other] = [before, after].map((value) => JSON.stringify(value))
  return one === other ? [] : [{ path, before: one, after: other }]
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isBelow(path: string, pattern: string): boolean {
  const [own, wanted] = [path, pattern].map((text) => text.toLowerCase().split(/[/.]/)) as [string[], string[]]
  return wanted.every((segment, at) => segment === '*' || segment === own[at]) || path === pattern
}
