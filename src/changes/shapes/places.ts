// The places of shapes in schemas.
import { eachSchema, escaped, stepsOf } from '../../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../../schemas/model'
import { kindOf } from '../../util/options'
import type { Report } from './problems'
import { alternativesOf, NULL, type Resolve, schemasIn, typeOf, typesAllowed, typesOf } from './telling'
import { type Inside, type Misfit, type Run, type Visit, visitParts, visitUnion } from './visits'

/** The definitions of one version, by name. */
export type Table = ReadonlyMap<string, SchemaReading>

/** The settings for compiling places: one change in one direction. */
export interface Conversion {
  /** The definitions that locate shapes: those of the older version. */
  readonly table: Table
  /** The definitions of the newer version. */
  readonly newer: Table
  /** The definitions that values have when their branches and types are checked. */
  readonly valued: Table
  /** The shapes that the change converts. */
  readonly names: ReadonlySet<string>
  /**
   * Makes the visit of a shape.
   *
   * @param inside the visit of its contents, known when the visit runs.
   * @param check returns the value to convert; undefined for one that stays.
   */
  convert(name: string, inside: Inside | undefined, check: Visit): Visit
  /** Refuses a value. */
  misfit(what: string, run: Run): never
}

/** The place of a schema, for errors. */
export interface SchemaPlace {
  /** The name of the whole, such as `"Post"`. */
  readonly root: string
  /** The JSON pointer in it. */
  readonly path: string
}

/** The keywords through which shapes are converted. */
const FOLLOWED = new Set(
  '$ref properties patternProperties additionalProperties items prefixItems anyOf oneOf'.split(' '),
)

/** Makes a function that resolves references. */
export function resolveIn(table: Table): Resolve {
  return (reference, { definitions }) => {
    if (isName(reference)) return table.get(reference)
    const schema = definitions.get(reference)
    return schema && { schema, definitions }
  }
}

/** The search for shapes of some names in schemas, at any depth. */
export class Holding {
  readonly #resolve: Resolve
  readonly #known = new Map<JsonSchema, boolean>()

  constructor(
    table: Table,
    private readonly names: ReadonlySet<string>,
  ) {
    this.#resolve = resolveIn(table)
  }

  holds(reading: SchemaReading): boolean {
    let found = this.#known.get(reading.schema)
    if (found === undefined) {
      const seen = new Set<JsonSchema>()
      found = this.#search(reading, seen)
      this.#known.set(reading.schema, found)
      if (!found) for (const schema of seen) this.#known.set(schema, false)
    }
    return found
  }

  #search(reading: SchemaReading, seen: Set<JsonSchema>): boolean {
    const { schema, definitions } = reading
    if (seen.has(schema)) return false
    seen.add(schema)
    const { $ref } = schema
    if (typeof $ref === 'string') {
      if (this.names.has($ref)) return true
      const target = this.#resolve($ref, reading)
      if (target !== undefined && this.#search(target, seen)) return true
    }
    let found = false
    eachSchema(schema, (inner) => {
      found ||= isObject(inner) && this.#search({ schema: inner, definitions }, seen)
    })
    return found
  }
}

/** The compiler of schemas to visits of the places of one change's shapes. */
export class Places {
  readonly #conversion: Conversion
  readonly #report: Report
  readonly #holding: Holding
  readonly #resolve: Resolve
  readonly #resolveValued: Resolve
  /** The visits by name, or by schema without a name. Each is stored before its contents, which may refer to it. */
  readonly #visits = new Map<string | JsonSchema, Visit>()

  /** @param report gets the places where a shape cannot be converted. */
  constructor(conversion: Conversion, report: Report) {
    this.#conversion = conversion
    this.#report = report
    this.#holding = new Holding(conversion.table, conversion.names)
    this.#resolve = resolveIn(conversion.table)
    this.#resolveValued = resolveIn(conversion.valued)
  }

  /**
   * Returns the visit of a schema.
   *
   * @param root the name of the schema in errors.
   * @returns undefined for a schema without shapes that the change converts.
   */
  visitOf(reading: SchemaReading, root: string): Visit | undefined {
    return this.#visit(reading, { root, path: '' })
  }

  /** Returns the visit of a shape, after a visit of a schema that contains it. */
  shapeVisit(name: string): Visit | undefined {
    return this.#visits.get(name)
  }

  #visit(reading: SchemaReading, place: SchemaPlace): Visit | undefined {
    if (!this.#holding.holds(reading)) return undefined
    const { schema, definitions } = reading
    eachSchema(schema, (inner, path) => {
      const [keyword] = stepsOf(path) as [string]
      const isFollowed = FOLLOWED.has(keyword) && !(keyword === 'items' && Array.isArray(schema.items))
      if (isFollowed || !isObject(inner)) return
      this.#refuse(
        { schema: inner, definitions },
        { ...place, path: place.path + path },
        `values do not show "${keyword}"`,
      )
    })
    const visits = [
      this.#reference(reading, place),
      this.#parts(reading, place),
      this.#union(reading, 'anyOf', place),
      this.#union(reading, 'oneOf', place),
    ].filter((visit) => visit !== undefined)
    if (visits.length > 1) this.#refuse(reading, place, 'several schemas speak of one value')
    return visits[0]
  }

  /** Reports the shapes in a schema that cannot be converted there. */
  #refuse(reading: SchemaReading, place: SchemaPlace, reason: string): void {
    const { table, names } = this.#conversion
    for (const name of names) {
      if (!new Holding(table, new Set([name])).holds(reading)) continue
      this.#report(`the shape "${name}" cannot be converted ${at(place)}: ${reason}.`)
    }
  }

  #misfit(place: SchemaPlace): Misfit {
    return (value, run) =>
      run.find === undefined
        ? this.#conversion.misfit(`${kindOf(value)} ${at(place)}, which its schema does not allow`, run)
        : value
  }

  #reference(reading: SchemaReading, place: SchemaPlace): Visit | undefined {
    const { $ref: key } = reading.schema
    const target = typeof key === 'string' ? this.#resolve(key, reading) : undefined
    if (typeof key !== 'string' || target === undefined) return undefined
    const isConverted = this.#conversion.names.has(key)
    const hasInside = this.#holding.holds(target)
    if (!isConverted && !hasInside) return undefined
    const known = this.#visits.get(isName(key) ? key : target.schema)
    if (known !== undefined) return known
    // Its visit is made last, because the contents may contain the shape.
    const inside = {} as Inside
    const visit: Visit = isConverted
      ? this.#shape(key, reading, hasInside ? inside : undefined, place)
      : (value, run) => inside.visit(value, run)
    this.#visits.set(isName(key) ? key : target.schema, visit)
    inside.visit = this.#visit(target, isName(key) ? { root: `"${key}"`, path: '' } : place) as Visit
    return visit
  }

  #shape(name: string, reading: SchemaReading, inside: Inside | undefined, place: SchemaPlace): Visit {
    const named = { ...reading, schema: { $ref: name } }
    const types = typesAllowed(named, this.#resolveValued)
    // Where both sides allow null, it means the same.
    const [older, newer] = this.#bySide((resolve) => typesAllowed(named, resolve) & NULL)
    const isNullConverted = older !== newer
    const misfit = this.#misfit(place)
    return this.#conversion.convert(name, inside, (value, run) => {
      if (value === null) return isNullConverted ? null : undefined
      const isText = run.isQuery === true && typeof value === 'string'
      return (typeOf(value) & types) === 0 && !isText ? misfit(value, run) : value
    })
  }

  #bySide<Result>(find: (resolve: Resolve) => Result): Result[] {
    return [this.#conversion.table, this.#conversion.newer].map((table) => find(resolveIn(table)))
  }

  #parts({ schema, definitions }: SchemaReading, place: SchemaPlace): Visit | undefined {
    const inner = (value: unknown, ...steps: string[]) =>
      isObject(value)
        ? this.#visit({ schema: value, definitions }, { ...place, path: [place.path, ...steps.map(escaped)].join('/') })
        : undefined
    const misfit = this.#misfit(place)
    const { properties, patternProperties, additionalProperties, items, prefixItems } = schema
    const named = entriesOf(properties).map(([name, value]) => [name, inner(value, 'properties', name)] as const)
    const matched = entriesOf(patternProperties).map(
      ([source, value]) => [source, inner(value, 'patternProperties', source)] as const,
    )
    const others = inner(additionalProperties, 'additionalProperties')
    // A pattern matters only if a shape stands behind it, or in the members that it does not match.
    const matters = others !== undefined || matched.some(([, visit]) => visit !== undefined)
    const patterns = matters ? matched.map(([source, visit]) => ({ pattern: this.#pattern(source, place), visit })) : []
    const first = Array.isArray(prefixItems)
      ? prefixItems.map((value, index) => inner(value, 'prefixItems', String(index)))
      : []
    const list = { first, others: inner(items, 'items') }
    return visitParts({ named: new Map(named), patterns, others }, list, typesOf(schema), misfit)
  }

  /** Compiles a key of `patternProperties`, and reports an invalid one. */
  #pattern(source: string, place: SchemaPlace): RegExp {
    try {
      return new RegExp(source, 'u')
    } catch (error) {
      const path = `${place.path}/patternProperties`
      this.#report(`there is no valid pattern ${at({ ...place, path })}: ${(error as Error).message}.`)
      return /(?:)/
    }
  }

  #union(reading: SchemaReading, keyword: 'anyOf' | 'oneOf', place: SchemaPlace): Visit | undefined {
    const own = typesOf(reading.schema)
    const candidates = schemasIn(reading.schema[keyword], reading).flatMap((branch, index) => {
      const visit = this.#visit(branch, { ...place, path: `${place.path}/${keyword}/${index}` })
      // `null` may mean something on one side alone.
      const isNullable = this.#bySide((resolve) => typesAllowed(branch, resolve) & own & NULL).some(
        (bits) => bits !== 0,
      )
      return alternativesOf(branch, this.#resolveValued).map((alternative) => ({
        visit,
        isNullable,
        alternative: { ...alternative, types: alternative.types & own },
      }))
    })
    if (candidates.every(({ visit }) => visit === undefined)) return undefined
    const visit = visitUnion(candidates, this.#misfit(place))
    if (visit !== undefined) return visit
    const reason = 'its branch cannot be told from another one, by the JSON type or by a property with one value'
    this.#refuse(reading, { ...place, path: `${place.path}/${keyword}` }, reason)
    return undefined
  }
}

/** Returns a place as words. */
export function at({ root, path }: SchemaPlace): string {
  return path === '' ? `in ${root}` : `at "${path}" of ${root}`
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}
