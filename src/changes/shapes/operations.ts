// The bodies of an operation in each version, and the conversions of their shapes.
import { isSuccess } from '../../http/representation'
import { type ByStatus, saidOf } from '../../schemas/answers'
import type { Direction, SchemaReading } from '../../schemas/model'
import type { BodyShapes } from '../older-answer'
import { ChangeFailure, type ShapePass } from '../steps'
import type { ShapeChange } from './definitions'
import type { DescribedOperation } from './described'
import type { ShapePasses } from './passes'
import type { Holding } from './places'

/** The part of a change about the bodies of one operation. */
export interface BodyChange {
  /** `true` for each kind of step that it has. */
  readonly has: Readonly<Record<'request' | 'response' | 'error', boolean>>
  /** The schema of its body in the older version, if given. */
  readonly body: SchemaReading | null | undefined
  /** The schemas of its answers in the older version. */
  readonly answers: ByStatus<SchemaReading>
  olderStatus(newer: number): number
}

/** One kind of body of an operation, in all versions. */
export interface Body {
  /** The name of the body in errors. */
  readonly label: string
  /** Its schemas by the number of changes that a version includes; `null` without a body. */
  readonly schemas: readonly (SchemaReading | null)[]
  /** The indexes of changes with a step for this body, but without its older schema. */
  readonly unsaid: readonly number[]
}

/** The bodies of one operation, and the conversions of their shapes. */
export class OperationShapes implements BodyShapes {
  /** The operation, such as `GET user-list`, and its name in errors. */
  readonly operation: string
  readonly name: string
  readonly success: number
  readonly #described: DescribedOperation
  readonly #says: readonly (BodyChange | undefined)[]
  readonly #passes: Readonly<Record<Direction, readonly (ShapePasses | undefined)[]>>
  readonly #requests: readonly (ShapePass | undefined)[]
  /** The conversions of answers by status. */
  readonly #answers = new Map<number, readonly (ShapePass | undefined)[]>()

  /**
   * @param says the part of each change about the operation.
   * @param passes the conversion of each change; undefined for a change without shapes.
   */
  constructor(
    described: DescribedOperation,
    says: readonly (BodyChange | undefined)[],
    private readonly changes: readonly ShapeChange[],
    passes: Readonly<Record<Direction, readonly (ShapePasses | undefined)[]>>,
  ) {
    this.operation = `${described.method} ${described.viewName}`
    this.name = `"${this.operation}"`
    this.#described = described
    this.#says = says
    this.#passes = passes
    this.success = this.statuses().find((status) => isSuccess(status) && this.#isDescribed(status)) ?? 200
    this.#requests = this.#passesOf(this.body(), 'input')
  }

  body(): Body {
    const unsaid: number[] = []
    const schemas = [this.#described.body]
    for (const [index, change] of [...this.#says.entries()].toReversed()) {
      if (change?.has.request === true && change.body === undefined) unsaid.push(index)
      schemas.unshift(change?.body === undefined ? (schemas[0] as SchemaReading | null) : change.body)
    }
    return { label: `the body of ${this.name}`, schemas, unsaid }
  }

  /** Returns the answers of a status of the newest version. */
  answer(newest: number): Body {
    const unsaid: number[] = []
    const schemas = [saidOf(this.#described.answers, newest) ?? null]
    let status = newest
    for (const [index, change] of [...this.#says.entries()].toReversed()) {
      const newer = schemas[0] as SchemaReading | null
      const isError = status >= 400
      const hasStep = change?.has[isError ? 'error' : 'response'] === true
      status = change?.olderStatus(status) ?? status
      const said = change === undefined ? undefined : saidOf(change.answers, status)
      if (hasStep && said === undefined && !isError) unsaid.push(index)
      // Steps for errors return bodies without a description.
      schemas.unshift(said !== undefined ? said : hasStep && isError ? null : newer)
    }
    return { label: `the answer ${newest} of ${this.name}`, schemas, unsaid }
  }

  /** Lists the described statuses, with one status for a whole range. */
  statuses(): number[] {
    const keys = [...this.#described.answers.keys()]
    const found = keys.flatMap((key) => (key === 'default' ? [299, 599] : Number(key.replace('XX', '99'))))
    return found.filter((status) => isSuccess(status) || status >= 400)
  }

  meets(index: number): boolean {
    return this.request(index) !== undefined || this.meetsAnswers(index)
  }

  meetsAnswers(index: number): boolean {
    return this.statuses().some((status) => this.#converted(index, status) !== undefined)
  }

  /** Tells whether its body or an answer contains a shape before a change. */
  contains(index: number, input: Holding, output: Holding): boolean {
    const holds = (holding: Holding, { schemas }: Body) => {
      const schema = schemas[index] ?? null
      return schema !== null && holding.holds(schema)
    }
    return holds(input, this.body()) || this.statuses().some((status) => holds(output, this.answer(status)))
  }

  request(index: number): ShapePass | undefined {
    return this.#requests[index]
  }

  response(index: number, newest: number): ShapePass | undefined {
    if (!isSuccess(newest) || this.#isDescribed(newest) || !this.meetsAnswers(index))
      return this.#converted(index, newest)
    return refusing(this.changes[index] as ShapeChange, 'response', `answers of ${this.name} with status ${newest}`)
  }

  #converted(index: number, newest: number): ShapePass | undefined {
    let found = this.#answers.get(newest)
    if (found === undefined) {
      found = this.#passesOf(this.answer(newest), 'output')
      this.#answers.set(newest, found)
    }
    return found[index]
  }

  #isDescribed(status: number): boolean {
    return (saidOf(this.#described.answers, status) ?? null) !== null
  }

  #passesOf({ label, schemas }: Body, direction: Direction): (ShapePass | undefined)[] {
    return this.#says.map((_, index) => {
      const schema = schemas[index] ?? null
      return schema === null ? undefined : this.#passes[direction][index]?.passOf(schema, label)
    })
  }
}

/** Returns the shapes of an operation that was added after `versioning()` got the history. Its bodies cannot be converted. */
export function unknownShapes(changes: readonly ShapeChange[], operation: string): BodyShapes {
  const refused = (index: number, kind: 'request' | 'response', what: string) => {
    const change = changes[index] as ShapeChange
    return change.shapes.size === 0 ? undefined : refusing(change, kind, `${what} of "${operation}"`)
  }
  const meets = (index: number) => changes[index]?.shapes.size !== 0
  return {
    success: 200,
    meets,
    meetsAnswers: meets,
    request: (index) => refused(index, 'request', 'the body'),
    response: (index, status) => (isSuccess(status) ? refused(index, 'response', 'the answers') : undefined),
  }
}

/** Makes a conversion that refuses a body without a description, because it may contain shapes anywhere. */
function refusing({ description, shapes }: ShapeChange, kind: 'request' | 'response', what: string): ShapePass {
  const named = { kind, description, operation: [...shapes.keys()].join('", "') }
  return {
    ...named,
    convert: () => {
      throw new ChangeFailure(named, `does not know ${what}, which nobody had described when versioning() was called`)
    },
  }
}
