import { namedRoutes } from 'express-versioning'
import { change, shape, versionHistory } from 'express-versioning/changes'
import fc from 'fast-check'
import { property } from '../support/property'

// Each shape says in `is` which one it is, and how often it has changed, as in `B2`, and its one field has that name as well. The
// oracle replaces these names in the text of a value, without a schema.

const NAMES = ['A', 'B', 'C', 'D'] as const
type Name = (typeof NAMES)[number]
interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string
  readonly items?: Schema
  readonly prefixItems?: readonly [Schema]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | false
}
const ref = (name: Name) => ({ $ref: `#/$defs/${name}` })
const [text, none] = [{ type: 'string' }, { type: 'null' }]
const keys = fc.constantFrom('a', 'b', 'constructor', 'to/string')
const { type } = fc.letrec<{ type: Schema }>((tie) => {
  const list = tie('type').map((items) => ({ type: 'array', items }))
  const branches = fc.tuple(fc.subarray(NAMES.map(ref), { minLength: 1 }), fc.subarray([text, none]), fc.option(list))
  return {
    type: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Schema>(text, none, ...NAMES.map(ref)),
      list,
      fc.tuple(tie('type'), list).map(([first, rest]) => ({ prefixItems: [first] as const, ...rest })),
      tie('type').map((additionalProperties) => ({ type: 'object', additionalProperties })),
      fc
        .dictionary(keys, tie('type'), { maxKeys: 3, noNullPrototype: true })
        .map((properties) => ({ type: 'object', properties, additionalProperties: false as const })),
      fc
        .tuple(fc.constantFrom('anyOf', 'oneOf'), branches)
        .map(([keyword, [shapes, others, list]]) => ({ [keyword]: [...shapes, ...others, ...(list ? [list] : [])] })),
    ),
  }
})
const world = fc.record({
  inside: fc.record({ A: type, B: type, C: type, D: type }),
  root: type,
  /** The shapes of each change of each version. */
  releases: fc.array(fc.array(fc.subarray([...NAMES], { minLength: 1 }), { maxLength: 2 }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** Any value of a schema, not too deep. */
function sampleOf(
  schema: Schema,
  definitions: Record<string, Schema>,
  any: (below: number) => number,
  depth = 0,
): unknown {
  const inner = (one: Schema) => sampleOf(one, definitions, any, depth + 1)
  const many = (make: (at: number) => unknown) => (depth > 8 ? [] : Array.from({ length: any(3) }, (_, at) => make(at)))
  const { $ref, items, prefixItems, properties, additionalProperties } = schema
  const union = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if ($ref !== undefined) return sampleOf(definitions[$ref.slice(-1)] as Schema, definitions, any, depth)
  if (union !== undefined) return inner(union[any(union.length)] as Schema)
  if (items !== undefined) return many((at) => inner(prefixItems?.[at] ?? items))
  if (schema.const !== undefined) return schema.const
  if (additionalProperties) {
    return Object.fromEntries(many(() => [['k', 'is not', '__proto__'][any(3)], inner(additionalProperties)]) as never)
  }
  if (properties === undefined) return schema === none ? null : 'text'
  const kept = Object.entries(properties).filter(([name]) => name === 'is' || (depth < 9 && any(4) > 0))
  return Object.fromEntries(kept.map(([name, one]) => [name, inner(one)]))
}

/** Renames the field of one shape. */
const renamed = (from: string, to: string) => (value: object) => {
  const entries = Object.entries(value).map(([name, one]) =>
    name === 'is' ? [name, to] : [name === from ? to : name, one],
  )
  return Object.freeze(Object.fromEntries(entries))
}

property(
  'shapes are converted wherever they stand, over all changes',
  fc.property(world, fc.infiniteStream(fc.nat()), ({ inside, root, releases }, entropy) => {
    const changes = releases.flat()
    const tag = (name: Name, behind: number) =>
      `${name}${changes.slice(0, behind).filter((names) => names.includes(name)).length}`
    const definitions = (behind: number) => {
      const each = NAMES.map((name) => [name, tag(name, behind)] as const).map(([name, own]) => {
        const properties = { is: { const: own }, [own]: inside[name] }
        return [name, { type: 'object', properties, required: ['is'], additionalProperties: false }]
      })
      return Object.fromEntries(each) as Record<Name, Schema>
    }
    let history = versionHistory('0')
    const behind = [0]
    for (const [release, all] of releases.entries()) {
      const from = behind.at(-1) as number
      const made = all.map((names, at) => {
        const shapes = names.map((name) => {
          const [older, newer] = [from + at, from + at + 1].map((count) => tag(name, count)) as [string, string]
          const sides = [from + at, from + at + 1].map((count) => ({ ...ref(name), $defs: definitions(count) }))
          const steps = { response: renamed(newer, older), request: renamed(older, newer) }
          return [name, shape<object, object>(sides[0] as never, sides[1] as never, steps)]
        })
        return change('Some.', Object.fromEntries(shapes))
      })
      history = history.version(String(release + 1), ...made)
      behind.push(from + all.length)
    }
    const $defs = definitions(changes.length)
    const routes = namedRoutes({ thing: '/things', other: '/other' })
    routes
      .describe('POST thing', { body: { ...root, $defs }, response: { ...root, $defs } })
      .route('thing')
      .post(() => {})
    // Each shape is there, wherever else it stands.
    routes
      .describe('GET other', { response: { prefixItems: NAMES.map(ref), $defs } })
      .route('other')
      .get(() => {})
    history.bind(routes)

    const any = (below: number) => (entropy.next().value as number) % below
    const inVersion = (value: unknown, count: number) =>
      JSON.parse(JSON.stringify(value).replace(/"([A-D])\d"/g, (_, name) => `"${tag(name, count)}"`))
    for (const [version, count] of behind.entries()) {
      const answer = sampleOf(root, $defs, any)
      expect(history.response('POST thing', answer, String(version))).toEqual(inVersion(answer, count))
      const body = sampleOf(root, definitions(count), any)
      expect(history.request('POST thing', body, String(version))).toEqual(inVersion(body, changes.length))
    }
  }),
)
