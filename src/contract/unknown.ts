// The members of a value that its schema does not have.
import { type Alternative, alternativesOf, OBJECT, type Resolve, schemasIn, typeOf } from '../changes/shapes/telling'
import { isObject, type JsonSchema, type SchemaReading } from '../schemas/model'

/** The schemas that speak of one value. */
interface Speaking {
  /** The schemas that all hold for it. */
  readonly all: JsonSchema[]
  /** The schemas of which some hold, such as the branches of a union that the value does not tell. */
  readonly some: JsonSchema[]
  /** `true` if one of those branches lists no properties, so it has every member. */
  isFree: boolean
}

/** The way to a value: its key, and the way to the value around it. */
interface Way {
  readonly around: Way | undefined
  readonly key: string
}

/** A member that no schema has. */
export interface UnknownMember {
  readonly path: readonly string[]
  remove(): void
}

const resolve: Resolve = (reference, { definitions }) => {
  const schema = definitions.get(reference)
  return schema && { schema, definitions }
}

/**
 * The search for members that a schema does not have: wherever an object lists its properties and says nothing of others. What
 * says so decides itself: `additionalProperties`, `unevaluatedProperties` and `patternProperties`.
 */
export class UnknownMembers {
  readonly #reading: SchemaReading
  readonly #patterns = new Map<string, RegExp>()
  readonly #alternatives = new Map<JsonSchema, readonly Alternative[]>()

  /** @param schema a schema with all of its definitions in `$defs`. */
  constructor(schema: JsonSchema) {
    const own = Object.entries(isObject(schema.$defs) ? schema.$defs : {})
    const definitions = new Map(own.map(([name, inner]) => [`#/$defs/${name}`, inner as JsonSchema]))
    this.#reading = { schema, definitions }
  }

  /**
   * Finds those members of a value.
   *
   * @param isText `true` for a query or a form, whose numbers are texts.
   */
  of(value: unknown, isText: boolean): UnknownMember[] {
    const found: UnknownMember[] = []
    const open: { value: unknown; schemas: readonly JsonSchema[]; way: Way | undefined }[] = []
    const visit = (value: unknown, schemas: readonly (JsonSchema | true)[], way: Way | undefined) => {
      const told = schemas.filter((schema) => schema !== true)
      if (typeof value === 'object' && value !== null && told.length > 0) open.push({ value, schemas: told, way })
    }
    visit(value, [this.#reading.schema], undefined)
    // A loop, because a client's value may be nested deeper than the stack allows.
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, way } = next
      const speaking = this.#speaking(value as object, next.schemas, isText)
      const all = [...speaking.all, ...speaking.some]
      if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) {
          visit(
            item,
            all.flatMap((schema) => itemOf(schema, index)),
            { around: way, key: String(index) },
          )
        }
        continue
      }
      const record = value as Record<string, unknown>
      const isClosed = closes(speaking)
      for (const [name, member] of Object.entries(record)) {
        const schemas = all.flatMap((schema) => this.#memberOf(schema, name))
        const inside: Way = { around: way, key: name }
        if (schemas.length > 0 || !isClosed) visit(member, schemas, inside)
        else found.push({ path: pathOf(inside), remove: () => Reflect.deleteProperty(record, name) })
      }
    }
    return found
  }

  /** Collects the schemas that speak of a value: through references and `allOf`, and the branches that the value tells. */
  #speaking(value: object, schemas: readonly JsonSchema[], isText: boolean): Speaking {
    const speaking: Speaking = { all: [], some: [], isFree: false }
    const seen = new Set<JsonSchema>()
    const collect = (schema: unknown, into: JsonSchema[]) => {
      if (!isObject(schema) || seen.has(schema)) return
      seen.add(schema)
      into.push(schema)
      const { $ref, allOf, dependentSchemas } = schema
      const reading = { ...this.#reading, schema }
      if (typeof $ref === 'string') collect(reading.definitions.get($ref), into)
      for (const inner of schemasIn(allOf, reading)) collect(inner.schema, into)
      for (const keyword of ['if', 'then', 'else']) collect(schema[keyword], speaking.some)
      for (const [name, inner] of entriesOf(dependentSchemas)) if (Object.hasOwn(value, name)) collect(inner, into)
      for (const keyword of ['anyOf', 'oneOf']) {
        const branches = schemasIn(schema[keyword], reading)
        const told = branches.filter((branch) => this.#mayMean(branch, value, isText))
        if (told.length === 1) collect(told[0]?.schema, into)
        else for (const branch of told.length === 0 ? branches : told) collectBranch(branch.schema)
      }
    }
    const collectBranch = (branch: JsonSchema) => {
      const own: JsonSchema[] = []
      collect(branch, own)
      speaking.isFree ||= !own.some(listsProperties)
      speaking.some.push(...own)
    }
    for (const schema of schemas) collect(schema, speaking.all)
    return speaking
  }

  /** Tells whether a value may mean a branch of a union, by its JSON type and by properties with a single value. */
  #mayMean(branch: SchemaReading, value: object, isText: boolean): boolean {
    const known = this.#alternatives.get(branch.schema) ?? alternativesOf(branch, resolve)
    this.#alternatives.set(branch.schema, known)
    const type = typeOf(value)
    return known.some((one) => (one.types & type) !== 0 && (type !== OBJECT || hasMarks(value, one, isText)))
  }

  /** Lists the schemas of a member in a schema; `true` for a member that it lets in. */
  #memberOf(schema: JsonSchema, name: string): (JsonSchema | true)[] {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
    const matching = entriesOf(patternProperties).flatMap(([source, inner]) =>
      this.#pattern(source).test(name) ? [inner] : [],
    )
    const named = [...own, ...matching]
    const told = named.length > 0 ? named : [additionalProperties, unevaluatedProperties].filter((others) => others)
    return told.map((inner) => (isObject(inner) ? inner : true))
  }

  #pattern(source: string): RegExp {
    const known = this.#patterns.get(source) ?? new RegExp(source, 'u')
    this.#patterns.set(source, known)
    return known
  }
}

/** Tells whether members that no schema has are unknown: some schema lists properties, and says nothing of others. */
function closes({ all, some, isFree }: Speaking): boolean {
  if (all.some(listsProperties)) return all.some(isSilent)
  return some.some(isSilent) && !isFree
}

function listsProperties({ properties }: JsonSchema): boolean {
  return isObject(properties)
}

function isSilent(schema: JsonSchema): boolean {
  const { additionalProperties, unevaluatedProperties } = schema
  return listsProperties(schema) && additionalProperties === undefined && unevaluatedProperties === undefined
}

function itemOf({ prefixItems, items }: JsonSchema, index: number): JsonSchema[] {
  const item = Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items
  return isObject(item) ? [item] : []
}

function hasMarks(value: object, { marks }: Alternative, isText: boolean): boolean {
  return [...marks].every(([name, { value: wanted, isRequired }]) => {
    if (!Object.hasOwn(value, name)) return !isRequired
    const own = (value as Record<string, unknown>)[name]
    return own === wanted || (isText && own === String(wanted))
  })
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function pathOf(way: Way): string[] {
  const path: string[] = []
  for (let at: Way | undefined = way; at !== undefined; at = at.around) path.push(at.key)
  return path.reverse()
}
