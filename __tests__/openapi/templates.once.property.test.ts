import { routesOf } from 'express-versioning/openapi'
import fc from 'fast-check'
import { withPaths } from '../support/documents'
import { property } from '../support/property'

/** A segment is a list of strings and parameters; a parameter is `null`. */
type Segment = readonly (string | null)[]

const text = fc.constantFrom('a', 'b', 'ab', '-', '.json', 'me', 'é', ':x', 'a*')
const segment: fc.Arbitrary<Segment> = fc.oneof(
  { weight: 3, arbitrary: text.map((one) => [one]) },
  { weight: 3, arbitrary: fc.constant([null]) },
  fc
    .tuple(fc.option(text), fc.constant(null), text, fc.option(fc.constant(null)))
    .map(([before, , between, after]) => [
      ...(before === null ? [] : [before]),
      null,
      between,
      ...(after === null ? [null] : []),
    ]),
)
const template = fc.array(segment, { minLength: 1, maxLength: 3 })
const names = fc.constantFrom('id', 'user-id', 'a b', '__proto__', 'é', 'x:y', '"', '\\')

const written = (segments: readonly Segment[], name: string): string => {
  let count = 0
  const part = (one: string | null) => one ?? `{${name}${count++}}`
  return segments.map((segment) => `/${segment.map(part).join('')}`).join('')
}

/** The requests that a segment takes, by the rule alone: literal text as it is, a parameter any text but none. */
function takes([first, ...rest]: Segment, value: string): boolean {
  if (first === undefined) return value === ''
  if (first !== null) return value.startsWith(first) && takes(rest, value.slice(first.length))
  return [...value].some((_, index) => takes(rest, value.slice(index + 1)))
}

const literal = (segment: Segment) =>
  segment.includes(null) ? encodeURI(segment.join('')).length : Number.POSITIVE_INFINITY

/** The template that a path is for, found by strikes: segment by segment, those with less literal text go. */
function winnersOf(all: readonly (readonly Segment[])[], path: readonly string[]) {
  let left = all.filter(
    (segments) => segments.length === path.length && segments.every((one, index) => takes(one, path[index] as string)),
  )
  for (const index of path.keys()) {
    const most = Math.max(...left.map((segments) => literal(segments[index] as Segment)))
    left = left.filter((segments) => literal(segments[index] as Segment) === most)
  }
  return left
}

const shape = (segments: readonly Segment[]) =>
  segments.map((one) => one.map((part) => part ?? '\0').join('')).join('/')
const templates = fc.uniqueArray(template, { selector: shape, minLength: 1, maxLength: 8 })
const values = fc.constantFrom('a', 'b', 'ab', 'me', '-', 'a-b', 'a.json', 'x.json', 'é', 'z', 'a:x', ':x', 'a*')

property(
  'a path is for the template with more literal text, whatever the order in the document',
  fc.property(templates, fc.array(values, { minLength: 1, maxLength: 3 }), names, fc.nat(), (all, path, name, turn) => {
    const sources = new Map(all.map((segments) => [written(segments, name), segments]))
    const inOrder = [...sources.keys()]
    const turned = inOrder.map((_, index) => inOrder[(index + turn) % inOrder.length] as string)
    const target = `/${path.map((value) => encodeURIComponent(value).replaceAll('%3A', ':')).join('/')}`
    const resolved = [inOrder, turned, turned.toReversed()].map((order) => {
      const table = routesOf(withPaths(Object.fromEntries(order.map((source) => [source, 'get']))), {
        caseSensitive: true,
      })
      return table.resolve(target)
    })
    const winners = winnersOf([...sources.values()], path).map((segments) => written(segments, name))
    const [found] = resolved
    expect(new Set(resolved.map((match) => match?.viewName)).size).toBe(1)
    if (winners.length === 0) expect(found).toBeNull()
    else expect(winners).toContain(found?.viewName)
    // The parameters of the match give the path again.
    if (found) {
      const filled = Object.entries(found.params).reduce(
        (source, [name, value]) => source.replace(`{${name}}`, () => value as string),
        found.viewName as string,
      )
      expect(filled).toBe(`/${path.join('/')}`)
    }
  }),
)

property(
  'links of a template lead to it, or are rejected if they would be misread',
  fc.property(template, names, fc.constantFrom('7', 'x y', 'é/ü', 'a%2F'), (segments, name, value) => {
    const source = written(segments, name)
    const table = routesOf(withPaths({ [source]: 'get' }))
    const params = table.list().flatMap((route) => route.params)
    const kwargs = Object.fromEntries(params.map((param) => [param, value]))
    let link = ''
    try {
      link = table.reverse(source as never, { kwargs } as never)
    } catch (error) {
      expect((error as Error).message).toMatch(
        /would (?:read other values from that path|give a path that browsers change)/,
      )
      return
    }
    expect(table.resolve(link)).toMatchObject({ viewName: source, params: kwargs })
  }),
)
