// The bodies of an operation in each version, and the conversions of their shapes.
import { isBodyless, isSuccess } from '../../http/representation'
import type { Direction, SchemaReading } from '../../schemas/model'
import { type ByStatus, rangeOf, saidOf, statusOf } from '../../schemas/responses'
import { ALL } from '../../util/operation'
import type { Holding } from '../convert/holding'
import type { ShapeConverter } from '../convert/shape-converter'
import { ChangeFailure, type ShapeConversion, type StepKind } from '../convert/steps'
import type { ShapeChange } from './definitions'
import type { DescribedBodies } from './descriptions'
import type { AppliedChange } from './operation-changes'
import type { BodyShapes } from './response-plans'
import { responseTrail } from './response-trail'

/** The part of a change about the bodies of one operation. */
export interface BodyChange {
  readonly applied: AppliedChange
  /** The schemas of body and query in the older version, if given. */
  readonly body: SchemaReading | null | undefined
  readonly query: SchemaReading | null | undefined
  /** The schemas of its responses in the older version. */
  readonly responses: ByStatus<SchemaReading | null>
}

/** A change with a step for a body, but without its older schema. */
export interface Unsaid {
  readonly index: number
  readonly kind: StepKind
}

/** One kind of body of an operation, in all versions. */
export interface Body {
  /** The name of the body in errors. */
  readonly label: string
  /** Its schemas by the number of changes that a version includes; `null` for one without a schema. */
  readonly schemas: readonly (SchemaReading | null)[]
  readonly unsaid: readonly Unsaid[]
  /** The changes with a step that makes the body, because the newer status has none. */
  readonly made: ReadonlySet<number>
}

type Conversions = readonly (ShapeConversion | undefined)[]

/** The ranges that `default` stands for. */
const RANGES = ['2XX', '3XX', '4XX', '5XX'].map(statusOf)

/** The bodies of one operation, and the conversions of their shapes. */
export class OperationShapes implements BodyShapes {
  /** The operation, such as `GET user-list`, and its name in errors. */
  readonly operation: string
  readonly name: string
  readonly successes: readonly [number, ...number[]]
  readonly #described: DescribedBodies
  readonly #says: readonly (BodyChange | undefined)[]
  readonly #converters: Readonly<Record<Direction, readonly (ShapeConverter | undefined)[]>>
  readonly #requests: Conversions
  readonly #queries: Conversions
  /** The conversions of responses by status. */
  readonly #responses: ReadonlyMap<number, Conversions>

  /**
   * @param says the part of each change about the operation.
   * @param converters those of each change; undefined for a change without shapes.
   */
  constructor(
    described: DescribedBodies,
    says: readonly (BodyChange | undefined)[],
    private readonly changes: readonly ShapeChange[],
    converters: Readonly<Record<Direction, readonly (ShapeConverter | undefined)[]>>,
  ) {
    this.operation = described.name
    this.name = `"${described.name}"`
    this.#described = described
    this.#says = says
    this.#converters = converters
    const statuses = this.statuses()
    const [first = 200, ...others] = statuses.filter((status) => isSuccess(status) && this.#saidOf(status))
    this.successes = [first, ...others]
    this.#requests = this.#conversionsOf(this.sent('body'), 'input')
    this.#queries = this.#conversionsOf(this.sent('query'), 'input', true)
    this.#responses = new Map(statuses.map((status) => [status, this.#conversionsOf(this.received(status), 'output')]))
  }

  /** Returns its body or its query. */
  sent(part: 'body' | 'query'): Body {
    const kind = part === 'body' ? 'request' : 'query'
    const unsaid: Unsaid[] = []
    const schemas = [this.#described[part]]
    for (const [index, change] of [...this.#says.entries()].toReversed()) {
      const said = change?.[part]
      if (change?.applied.entry?.steps[kind] !== undefined && said === undefined) unsaid.push({ index, kind })
      schemas.unshift(said === undefined ? (schemas[0] as SchemaReading | null) : said)
    }
    return { label: `the ${part} of ${this.name}`, schemas, unsaid, made: new Set() }
  }

  /** Returns the responses of a status of the newest version. */
  received(newest: number): Body {
    const unsaid: Unsaid[] = []
    const described = this.#saidOf(newest) ?? null
    const changes = this.#says.filter((change) => change !== undefined).toReversed()
    const older = new Map(changes.map(({ applied, responses }) => [applied, responses]))
    const stages = responseTrail(
      newest,
      [...older.keys()],
      described,
      (applied) => older.get(applied) as ByStatus<SchemaReading>,
    )
    const made = new Set<number>()
    const byIndex = new Map(stages.map((stage) => [stage.applied.index, stage]))
    const schemas = [described]
    for (const index of [...this.#says.keys()].toReversed()) {
      const stage = byIndex.get(index)
      schemas.unshift(stage === undefined ? (schemas[0] as SchemaReading | null) : (stage.body ?? null))
      const { step, applied, unknownSince } = { ...stage }
      if (stage?.makes) made.add(index)
      if (step !== undefined && applied === unknownSince) unsaid.push({ index, kind: step.kind })
    }
    const told = newest === rangeOf(newest) ? `${String(newest)[0]}XX` : newest
    return { label: `the response ${told} of ${this.name}`, schemas, unsaid, made }
  }

  /** Lists the statuses whose bodies differ, with one status for a whole range. */
  statuses(): number[] {
    const { responses } = this.#described
    const described = [...responses.keys()].flatMap((key) => (key === 'default' ? RANGES : statusOf(key)))
    // Steps may tell the statuses of a range apart.
    const told = this.#says
      .filter((change) => change !== undefined)
      .flatMap(({ applied, responses }) => [
        ...(applied.head?.status.keys() ?? []),
        ...[...responses.keys()].filter((key) => key !== 'default').map(statusOf),
      ])
    const known = told.filter((status) => isBodyless(status) || saidOf(responses, status) !== undefined)
    return [...new Set([...described, ...known])]
  }

  meets(index: number): boolean {
    return this.converts(index) || this.#hasNull(index)
  }

  /** Tells whether a change converts a shape in its body, its query or a response. */
  converts(index: number): boolean {
    return this.request(index) !== undefined || this.query(index) !== undefined || this.#holds(index)
  }

  meetsResponses(index: number): boolean {
    return this.#holds(index) || this.#hasNull(index)
  }

  /** Tells whether a change converts a shape in its responses. */
  #holds(index: number): boolean {
    return [...this.#responses.values()].some((conversions) => conversions[index] !== undefined)
  }

  /** Tells whether a change with shapes meets a response that has no JSON by its description. */
  #hasNull(index: number): boolean {
    return this.#converters.output[index] !== undefined && this.statuses().some((status) => this.#isNull(status))
  }

  /** Tells whether its body, query or a response contains a shape before a change. */
  contains(index: number, input: Holding, output: Holding): boolean {
    const holds = (holding: Holding, { schemas }: Body) => {
      const schema = schemas[index] ?? null
      return schema !== null && holding.holds(schema)
    }
    return (
      holds(input, this.sent('body')) ||
      holds(input, this.sent('query')) ||
      this.statuses().some((status) => holds(output, this.received(status)))
    )
  }

  request(index: number): ShapeConversion | undefined {
    return this.#requests[index]
  }

  query(index: number): ShapeConversion | undefined {
    return this.#queries[index]
  }

  response(index: number, newest: number, source: 'handler' | 'step'): ShapeConversion | undefined {
    const responses = `responses of ${this.name} with status ${newest}`
    const change = this.changes[index] as ShapeChange
    const isHandlers = source === 'handler'
    if (isHandlers && this.#isNull(newest) && this.#converters.output[index] !== undefined) {
      return rejecting(change, 'response', `the JSON in ${responses}, where describe() says null`)
    }
    const isUnknown = isHandlers && isSuccess(newest) && this.#saidOf(newest) === undefined && this.operation !== ALL
    if (isUnknown && this.#holds(index)) {
      return rejecting(change, 'response', `${responses}, which nobody had described when versioning() was called`)
    }
    const conversions = this.#responses.get(newest) ?? this.#responses.get(rangeOf(newest))
    return conversions?.[index]
  }

  #saidOf(status: number): SchemaReading | null | undefined {
    return saidOf(this.#described.responses, status)
  }

  /** Tells whether responses of a status may have a body, but have no JSON by their description. */
  #isNull(status: number): boolean {
    return this.#saidOf(status) === null && !isBodyless(status)
  }

  #conversionsOf({ label, schemas }: Body, direction: Direction, isQuery = false): Conversions {
    return this.#says.map((_, index) => {
      const schema = schemas[index] ?? null
      return schema === null ? undefined : this.#converters[direction][index]?.conversionOf(schema, label, isQuery)
    })
  }
}

/**
 * Returns the shapes of an operation that was added after `versioning()` got the history. Its bodies cannot be converted.
 *
 * @param common the responses that all operations share.
 */
export function unknownShapes(changes: readonly ShapeChange[], operation: string, common: BodyShapes): BodyShapes {
  const rejected = (index: number, kind: 'request' | 'response', what: string) => {
    const change = changes[index] as ShapeChange
    const told = `${what} of "${operation}", which nobody had described when versioning() was called`
    return change.shapes.size === 0 ? undefined : rejecting(change, kind, told)
  }
  const meets = (index: number) => changes[index]?.shapes.size !== 0
  return {
    successes: [200],
    meets,
    meetsResponses: meets,
    request: (index) => rejected(index, 'request', 'the body'),
    query: () => undefined,
    response: (index, status, source) =>
      isSuccess(status) ? rejected(index, 'response', 'the responses') : common.response(index, status, source),
  }
}

/** Makes a conversion that rejects a body, because it may contain shapes anywhere. */
function rejecting({ description, shapes }: ShapeChange, kind: 'request' | 'response', what: string): ShapeConversion {
  const named = { kind, description, operation: [...shapes.keys()].join('", "') }
  return {
    ...named,
    rejects: true,
    convert: (_value, context) => {
      throw new ChangeFailure(named, `does not know ${what}`, context)
    },
  }
}
