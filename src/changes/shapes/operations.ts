// The bodies of an operation in each version, and the conversions of their shapes.
import { isBodyless, isSuccess } from '../../http/representation'
import { type ByStatus, rangeOf, saidOf, statusOf } from '../../schemas/answers'
import type { Direction, SchemaReading } from '../../schemas/model'
import { ALL } from '../../util/operation'
import type { BodyShapes } from '../answer-plans'
import type { Passage } from '../passages'
import { responseTrail } from '../response-trail'
import { ChangeFailure, type ShapePass, type StepKind } from '../steps'
import type { ShapeChange } from './definitions'
import type { DescribedBodies } from './described'
import type { Holding } from './holding'
import type { ShapePasses } from './passes'

/** The part of a change about the bodies of one operation. */
export interface BodyChange {
  readonly passage: Passage
  /** The schemas of body and query in the older version, if given. */
  readonly body: SchemaReading | null | undefined
  readonly query: SchemaReading | null | undefined
  /** The schemas of its answers in the older version. */
  readonly answers: ByStatus<SchemaReading | null>
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

type Passes = readonly (ShapePass | undefined)[]

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
  readonly #passes: Readonly<Record<Direction, readonly (ShapePasses | undefined)[]>>
  readonly #requests: Passes
  readonly #queries: Passes
  /** The conversions of answers by status. */
  readonly #answers: ReadonlyMap<number, Passes>

  /**
   * @param says the part of each change about the operation.
   * @param passes the conversion of each change; undefined for a change without shapes.
   */
  constructor(
    described: DescribedBodies,
    says: readonly (BodyChange | undefined)[],
    private readonly changes: readonly ShapeChange[],
    passes: Readonly<Record<Direction, readonly (ShapePasses | undefined)[]>>,
  ) {
    this.operation = described.name
    this.name = `"${described.name}"`
    this.#described = described
    this.#says = says
    this.#passes = passes
    const statuses = this.statuses()
    const [first = 200, ...others] = statuses.filter((status) => isSuccess(status) && this.#saidOf(status))
    this.successes = [first, ...others]
    this.#requests = this.#passesOf(this.sent('body'), 'input')
    this.#queries = this.#passesOf(this.sent('query'), 'input', true)
    this.#answers = new Map(statuses.map((status) => [status, this.#passesOf(this.received(status), 'output')]))
  }

  /** Returns its body or its query. */
  sent(part: 'body' | 'query'): Body {
    const kind = part === 'body' ? 'request' : 'query'
    const unsaid: Unsaid[] = []
    const schemas = [this.#described[part]]
    for (const [index, change] of [...this.#says.entries()].toReversed()) {
      const said = change?.[part]
      if (change?.passage.entry?.steps[kind] !== undefined && said === undefined) unsaid.push({ index, kind })
      schemas.unshift(said === undefined ? (schemas[0] as SchemaReading | null) : said)
    }
    return { label: `the ${part} of ${this.name}`, schemas, unsaid, made: new Set() }
  }

  /** Returns the answers of a status of the newest version. */
  received(newest: number): Body {
    const unsaid: Unsaid[] = []
    const described = this.#saidOf(newest) ?? null
    const changes = this.#says.filter((change) => change !== undefined).toReversed()
    const older = new Map(changes.map(({ passage, answers }) => [passage, answers]))
    const stages = responseTrail(
      newest,
      [...older.keys()],
      described,
      (passage) => older.get(passage) as ByStatus<SchemaReading>,
    )
    const made = new Set<number>()
    const byIndex = new Map(stages.map((stage) => [stage.passage.index, stage]))
    const schemas = [described]
    for (const index of [...this.#says.keys()].toReversed()) {
      const stage = byIndex.get(index)
      schemas.unshift(stage === undefined ? (schemas[0] as SchemaReading | null) : (stage.body ?? null))
      const { step, passage, unknownSince } = { ...stage }
      if (stage?.makes) made.add(index)
      if (step !== undefined && passage === unknownSince) unsaid.push({ index, kind: step.kind })
    }
    const told = newest === rangeOf(newest) ? `${String(newest)[0]}XX` : newest
    return { label: `the answer ${told} of ${this.name}`, schemas, unsaid, made }
  }

  /** Lists the statuses whose bodies differ, with one status for a whole range. */
  statuses(): number[] {
    const { answers } = this.#described
    const described = [...answers.keys()].flatMap((key) => (key === 'default' ? RANGES : statusOf(key)))
    // Steps may tell the statuses of a range apart.
    const told = this.#says
      .filter((change) => change !== undefined)
      .flatMap(({ passage, answers }) => [
        ...(passage.head?.status.keys() ?? []),
        ...[...answers.keys()].filter((key) => key !== 'default').map(statusOf),
      ])
    const known = told.filter((status) => isBodyless(status) || saidOf(answers, status) !== undefined)
    return [...new Set([...described, ...known])]
  }

  meets(index: number): boolean {
    return this.converts(index) || this.#hasNull(index)
  }

  /** Tells whether a change converts a shape in its body, its query or an answer. */
  converts(index: number): boolean {
    return this.request(index) !== undefined || this.query(index) !== undefined || this.#holds(index)
  }

  meetsAnswers(index: number): boolean {
    return this.#holds(index) || this.#hasNull(index)
  }

  /** Tells whether a change converts a shape in its answers. */
  #holds(index: number): boolean {
    return [...this.#answers.values()].some((passes) => passes[index] !== undefined)
  }

  /** Tells whether a change with shapes meets an answer that has no JSON by its description. */
  #hasNull(index: number): boolean {
    return this.#passes.output[index] !== undefined && this.statuses().some((status) => this.#isNull(status))
  }

  /** Tells whether its body, query or an answer contains a shape before a change. */
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

  request(index: number): ShapePass | undefined {
    return this.#requests[index]
  }

  query(index: number): ShapePass | undefined {
    return this.#queries[index]
  }

  response(index: number, newest: number, source: 'handler' | 'step'): ShapePass | undefined {
    const answers = `answers of ${this.name} with status ${newest}`
    const change = this.changes[index] as ShapeChange
    const isHandlers = source === 'handler'
    if (isHandlers && this.#isNull(newest) && this.#passes.output[index] !== undefined) {
      return refusing(change, 'response', `the JSON in ${answers}, where describe() says null`)
    }
    const isUnknown = isHandlers && isSuccess(newest) && this.#saidOf(newest) === undefined && this.operation !== ALL
    if (isUnknown && this.#holds(index)) {
      return refusing(change, 'response', `${answers}, which nobody had described when versioning() was called`)
    }
    const passes = this.#answers.get(newest) ?? this.#answers.get(rangeOf(newest))
    return passes?.[index]
  }

  #saidOf(status: number): SchemaReading | null | undefined {
    return saidOf(this.#described.answers, status)
  }

  /** Tells whether answers of a status may have a body, but have no JSON by their description. */
  #isNull(status: number): boolean {
    return this.#saidOf(status) === null && !isBodyless(status)
  }

  #passesOf({ label, schemas }: Body, direction: Direction, isQuery = false): Passes {
    return this.#says.map((_, index) => {
      const schema = schemas[index] ?? null
      return schema === null ? undefined : this.#passes[direction][index]?.passOf(schema, label, isQuery)
    })
  }
}

/**
 * Returns the shapes of an operation that was added after `versioning()` got the history. Its bodies cannot be converted.
 *
 * @param common the answers that all operations share.
 */
export function unknownShapes(changes: readonly ShapeChange[], operation: string, common: BodyShapes): BodyShapes {
  const refused = (index: number, kind: 'request' | 'response', what: string) => {
    const change = changes[index] as ShapeChange
    const told = `${what} of "${operation}", which nobody had described when versioning() was called`
    return change.shapes.size === 0 ? undefined : refusing(change, kind, told)
  }
  const meets = (index: number) => changes[index]?.shapes.size !== 0
  return {
    successes: [200],
    meets,
    meetsAnswers: meets,
    request: (index) => refused(index, 'request', 'the body'),
    query: () => undefined,
    response: (index, status, source) =>
      isSuccess(status) ? refused(index, 'response', 'the answers') : common.response(index, status, source),
  }
}

/** Makes a conversion that refuses a body, because it may contain shapes anywhere. */
function refusing({ description, shapes }: ShapeChange, kind: 'request' | 'response', what: string): ShapePass {
  const named = { kind, description, operation: [...shapes.keys()].join('", "') }
  return {
    ...named,
    refuses: true,
    convert: (_value, context) => {
      throw new ChangeFailure(named, `does not know ${what}`, context)
    },
  }
}
