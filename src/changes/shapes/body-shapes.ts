// The contract between shapes and plans: the changed shapes in the bodies of an operation.
import { ChangeFailure, type ShapePass } from '../steps'
import type { ShapeChange } from './definitions'

/** The changed shapes in the bodies of one operation. */
export interface BodyShapes {
  /** A status of its answers with success. */
  readonly success: number
  /** Tells whether a change converts any shape in its bodies. */
  meets(index: number): boolean
  /** Returns the conversion of a change, by its index, for the shapes in its body. */
  request(index: number): ShapePass | undefined
  /**
   * Returns the changed shapes in its answers.
   *
   * @param newer the indexes of the changes that a version does not have.
   */
  answers(newer: readonly number[]): AnswerShapes
}

/** The changed shapes in the answers of one operation, for some versions. */
export interface AnswerShapes {
  /** `true` if there are any. */
  readonly convert: boolean
  /** Returns the conversion of a change for the shapes in answers of a status of the newest version. */
  of(index: number, status: number): ShapePass | undefined
  /** Returns the refusal of answers of a status without a description. */
  refusal(status: number): ShapePass | undefined
}

/** Makes a conversion that refuses a body without a description, because it may contain shapes anywhere. */
export function refusing({ description, shapes }: ShapeChange, kind: 'request' | 'response', what: string): ShapePass {
  const named = { kind, description, operation: [...shapes.keys()].join('", "') }
  return {
    ...named,
    convert: () => {
      throw new ChangeFailure(named, `does not know ${what}, which nobody had described when versioning() was called`)
    },
  }
}

/** The shapes of an operation that was added after `versioning()` got the history. Its bodies cannot be converted. */
export class UnknownShapes implements BodyShapes {
  readonly success = 200

  constructor(
    private readonly changes: readonly ShapeChange[],
    private readonly operation: string,
  ) {}

  meets(index: number): boolean {
    return this.#change(index) !== undefined
  }

  request(index: number): ShapePass | undefined {
    const change = this.#change(index)
    return change && refusing(change, 'request', `the body of "${this.operation}"`)
  }

  answers(newer: readonly number[]): AnswerShapes {
    const change = newer.map((index) => this.#change(index)).find((one) => one !== undefined)
    const what = `the answers of "${this.operation}"`
    return {
      convert: change !== undefined,
      of: () => undefined,
      refusal: (status) => (change !== undefined && isSuccess(status) ? refusing(change, 'response', what) : undefined),
    }
  }

  #change(index: number): ShapeChange | undefined {
    const change = this.changes[index]
    return change !== undefined && change.shapes.size > 0 ? change : undefined
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
