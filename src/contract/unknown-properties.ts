// The properties of a value that its schema does not have.
import { type Alternative, alternativesOf, hasMarks, OBJECT, typeOf } from '../schemas/alternatives'
import { openedSchema } from '../schemas/closed'
import { resolveOwn, targetOf } from '../schemas/graph'
import { firstItemsIn, partsIn, patternsIn, propertiesIn, unionsIn } from '../schemas/keywords'
import { isObject, type JsonSchema, type SchemaReading } from '../schemas/model'
import { patternOf } from '../schemas/patterns'

/** The schemas that speak of one value. */
interface Speaking {
  /** The schemas that all hold for it. */
  readonly all: JsonSchema[]
  /** The schemas of which some hold, such as the branches of a union that the value does not tell. */
  readonly some: JsonSchema[]
  /** `true` if one of those branches lists no properties, so it has every property. */
  isFree: boolean
  /** `true` if another value may have other schemas. */
  isTold: boolean
  /** Each schema with `unevaluatedProperties` or `unevaluatedItems`, with the schemas in it that all hold for the value. */
  readonly evaluating: Map<JsonSchema, readonly JsonSchema[]>
}

/** An object or a list, and the way to it. */
interface Open {
  readonly value: object
  readonly place: SchemaNode
  readonly around: Open | undefined
  /** Its key in the value around it. */
  readonly key: string
}

/** The schemas of a property: its node, `true` if they let it in as it is, `false` if none has it. */
type Inner = SchemaNode | boolean

/** A property that no schema has. */
export class UnknownProperty {
  constructor(
    private readonly inside: Open,
    readonly name: string,
  ) {}

  /** `true` for a property of the value itself. */
  get isOutermost(): boolean {
    return this.inside.around === undefined
  }

  /** The keys that lead to it. They are made when somebody reads them: all paths of a deep value are long. */
  get path(): string[] {
    const path = [this.name]
    for (let at = this.inside; at.around !== undefined; at = at.around) path.push(at.key)
    return path.reverse()
  }

  remove(): void {
    Reflect.deleteProperty(this.inside.value, this.name)
  }
}

/** A search: `isText` is `true` for a query or a form, whose numbers are texts. */
type Search = (value: unknown, isText: boolean) => UnknownProperty[]

/**
 * Makes the search for properties that a schema does not have: wherever an object lists its properties and says nothing of others.
 * What says so decides itself: `additionalProperties`, `unevaluatedProperties` and `patternProperties`.
 *
 * @param schema a schema with all of its definitions in `$defs`.
 */
export function unknownProperties(schema: JsonSchema): Search {
  const reading = openedSchema(schema)
  const root = readingOf(reading).nodeOf([reading.schema], true)
  return (value, isText) => {
    const found: UnknownProperty[] = []
    const open: Open[] = []
    const visit = (value: unknown, inner: Inner, around: Open | undefined, key: string) => {
      if (typeof value === 'object' && value !== null && typeof inner === 'object') {
        open.push({ value, place: inner, around, key })
      }
    }
    visit(value, root, undefined, '')
    // A loop, because a client's value may be nested deeper than the stack allows.
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value, place } = next
      const said = place.said(value, isText)
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index++) visit(value[index], said.item(index), next, String(index))
        continue
      }
      const record = value as Record<string, unknown>
      for (const name of Object.keys(record)) {
        const inner = said.property(name)
        if (inner === false) found.push(new UnknownProperty(next, name))
        else visit(record[name], inner, next, name)
      }
    }
    return found
  }
}

/** A node of values: the schemas that lead there. */
class SchemaNode {
  /** The statement about every value; undefined while unknown, and where a value must tell. */
  #said: Said | undefined

  /** @param isFixed `true` if no value told which schemas lead there. */
  constructor(
    private readonly schemas: readonly JsonSchema[],
    private readonly reading: Reading,
    private readonly isFixed: boolean,
  ) {}

  /** Returns what the schemas say of a value. */
  said(value: object, isText: boolean): Said {
    if (this.#said !== undefined) return this.#said
    const speaking = this.reading.speaking(value, this.schemas, isText)
    const said = new Said(speaking, this.reading, this.isFixed && !speaking.isTold)
    if (!speaking.isTold) this.#said = said
    return said
  }
}

/** The statement of schemas about the properties of a value. */
class Said {
  readonly #all: readonly JsonSchema[]
  readonly #evaluating: Speaking['evaluating']
  readonly #isClosed: boolean
  /** The properties with a name that a schema lists. Clients choose the others, so they are not kept. */
  readonly #listed = new Map<string, Inner>()
  /** The properties with another name, and the items, unless they depend on the name or the index. */
  #others: Inner | undefined
  #items: Inner | undefined

  constructor(
    speaking: Speaking,
    private readonly reading: Reading,
    private readonly isFixed: boolean,
  ) {
    this.#all = [...speaking.all, ...speaking.some]
    this.#evaluating = speaking.evaluating
    this.#isClosed = closes(speaking)
  }

  property(name: string): Inner {
    const known = this.#listed.get(name)
    if (known !== undefined) return known
    const isListed = this.#all.some((schema) => Object.hasOwn(propertiesIn(schema), name))
    if (isListed) {
      const inner = this.#property(name)
      this.#listed.set(name, inner)
      return inner
    }
    if (this.#all.some((schema) => patternsIn(schema).length > 0)) return this.#property(name)
    this.#others ??= this.#property(name)
    return this.#others
  }

  #property(name: string): Inner {
    const schemas = this.#all.flatMap((schema) =>
      this.reading.propertyOf(schema, name, this.#evaluating.get(schema) ?? []),
    )
    return schemas.length === 0 && this.#isClosed ? false : this.#inner(schemas)
  }

  item(index: number): Inner {
    const isFixed = this.#all.every((schema) => firstItemsIn(schema).length === 0)
    if (!isFixed) return this.#item(index)
    this.#items ??= this.#item(index)
    return this.#items
  }

  #item(index: number): Inner {
    return this.#inner(this.#all.flatMap((schema) => itemOf(schema, index, this.#evaluating.get(schema) ?? [])))
  }

  #inner(schemas: readonly (JsonSchema | true)[]): Inner {
    const told = schemas.filter((schema) => schema !== true)
    return told.length === 0 || this.reading.nodeOf(told, this.isFixed)
  }
}

/** The reading of a schema with its definitions. */
type Reading = ReturnType<typeof readingOf>

/** Makes the reading of a schema with its definitions. */
function readingOf(root: SchemaReading) {
  const patterns = new Map<string, RegExp>()
  const alternatives = new Map<JsonSchema, readonly Alternative[]>()
  /** The fixed nodes, by the numbers of their schemas. A recursive schema has few of them, however deep a value is. */
  const nodes = new Map<string, SchemaNode>()
  const numbers = new Map<JsonSchema, number>()

  function numberOf(schema: JsonSchema): number {
    const number = numbers.get(schema) ?? numbers.size
    numbers.set(schema, number)
    return number
  }

  function collected(value: object, schemas: readonly JsonSchema[], isText: boolean): Speaking {
    const speaking: Speaking = { all: [], some: [], isFree: false, isTold: false, evaluating: new Map() }
    const seen = new Set<JsonSchema>()
    const collect = (schema: unknown, into: JsonSchema[]) => {
      if (!isObject(schema) || seen.has(schema)) return
      seen.add(schema)
      into.push(schema)
      const { dependentSchemas, dependencies } = schema
      const reading = { ...root, schema }
      collect(targetOf(reading, resolveOwn)?.schema, into)
      for (const inner of partsIn(schema)) collect(inner, into)
      for (const keyword of ['if', 'then', 'else']) collect(schema[keyword], speaking.some)
      for (const [name, inner] of [...entriesOf(dependentSchemas), ...entriesOf(dependencies)]) {
        speaking.isTold = true
        if (Object.hasOwn(value, name)) collect(inner, into)
      }
      for (const [, branches] of unionsIn(schema)) {
        speaking.isTold ||= branches.length > 0
        const told = branches.filter((branch) => mayMean({ ...reading, schema: branch }, value, isText))
        if (told.length === 1) collect(told[0], into)
        else for (const branch of told.length === 0 ? branches : told) collectBranch(branch)
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
  function mayMean(branch: SchemaReading, value: object, isText: boolean): boolean {
    const known = alternatives.get(branch.schema) ?? alternativesOf(branch, resolveOwn)
    alternatives.set(branch.schema, known)
    const type = typeOf(value)
    return known.some((one) => (one.types & type) !== 0 && (type !== OBJECT || hasMarks(value, one, isText)))
  }

  /** Lists the schemas that a schema has for a name or a pattern of it. */
  function schemasFor(schema: JsonSchema, name: string): unknown[] {
    const properties = propertiesIn(schema)
    const own = Object.hasOwn(properties, name) ? [properties[name]] : []
    const matching = patternsIn(schema).flatMap(([source, inner]) => (compiled(source).test(name) ? [inner] : []))
    return [...own, ...matching]
  }

  function speaksOf(schema: JsonSchema, name: string): boolean {
    return speaksOfOthers(schema) || schemasFor(schema, name).length > 0
  }

  function compiled(source: string): RegExp {
    const known = patterns.get(source) ?? patternOf(source)
    patterns.set(source, known)
    return known
  }

  return {
    /** Returns the node of some schemas. Only fixed ones are kept: values of clients choose the others. */
    nodeOf(schemas: readonly JsonSchema[], isFixed: boolean): SchemaNode {
      if (!isFixed) return new SchemaNode(schemas, this, false)
      const key = schemas.map((schema) => numberOf(schema)).join()
      const node = nodes.get(key) ?? new SchemaNode(schemas, this, true)
      nodes.set(key, node)
      return node
    },

    /** Collects the schemas that speak of a value: through references and `allOf`, and the branches that the value tells. */
    speaking(value: object, schemas: readonly JsonSchema[], isText: boolean): Speaking {
      const speaking = collected(value, schemas, isText)
      for (const schema of [...speaking.all, ...speaking.some]) {
        if (!isObject(schema.unevaluatedProperties) && !isObject(schema.unevaluatedItems)) continue
        // These hold for what nothing inside of the same schema is about (JSON Schema 2020-12, section 11).
        const inside = collected(value, [schema], isText).all
        speaking.evaluating.set(
          schema,
          inside.filter((other) => other !== schema),
        )
      }
      return speaking
    },

    /**
     * Lists the schemas of a property in a schema; `true` for a property that it lets in.
     *
     * @param inside the schemas in it that may evaluate the property first.
     */
    propertyOf(schema: JsonSchema, name: string, inside: readonly JsonSchema[]): (JsonSchema | true)[] {
      const { additionalProperties: others, unevaluatedProperties: rest } = schema
      const named = schemasFor(schema, name)
      const isRest = others === undefined && !inside.some((other) => speaksOf(other, name))
      const told = named.length > 0 ? named : [others, isRest ? rest : undefined].filter((inner) => inner)
      return told.map((inner) => (isObject(inner) ? inner : true))
    },
  }
}

/** Tells whether properties that no schema has are unknown: some schema lists properties, and says nothing of others. */
function closes({ all, some, isFree }: Speaking): boolean {
  // These hold for the whole value, whichever schema they stand in.
  if (all.some(speaksOfOthers)) return false
  if (all.some(listsProperties)) return true
  return some.some(isSilent) && !isFree
}

function listsProperties({ properties }: JsonSchema): boolean {
  return isObject(properties)
}

function isSilent(schema: JsonSchema): boolean {
  return listsProperties(schema) && !speaksOfOthers(schema)
}

function speaksOfOthers({ additionalProperties, unevaluatedProperties }: JsonSchema): boolean {
  return additionalProperties !== undefined || unevaluatedProperties !== undefined
}

/** Lists the schemas of an item in a schema. */
function itemOf(schema: JsonSchema, index: number, inside: readonly JsonSchema[]): JsonSchema[] {
  const { unevaluatedItems } = schema
  const own = ownItem(schema, index)
  const isRest = own === undefined && isObject(unevaluatedItems) && !inside.some((other) => evaluates(other, index))
  if (!isRest) return isObject(own) ? [own] : []
  // Only a validator knows which items "contains" evaluates. An item may be of either.
  const contained = [schema, ...inside].flatMap(({ contains }) => (contains === undefined ? [] : [contains]))
  const told = contained.filter((one): one is JsonSchema => isObject(one) && listsProperties(one))
  return told.length === contained.length ? [unevaluatedItems, ...told] : []
}

function evaluates(schema: JsonSchema, index: number): boolean {
  return schema.unevaluatedItems !== undefined || ownItem(schema, index) !== undefined
}

/** Returns the schema that a schema has for an item by its place. */
function ownItem({ prefixItems, items }: JsonSchema, index: number): unknown {
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
