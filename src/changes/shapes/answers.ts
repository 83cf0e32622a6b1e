import { ChangeFailure, type ShapePass } from '../steps'
import type { OperationShapes } from './operations'

/** The shapes in the answers of one operation, for the versions that have some changes before them. */
export class AnswerShapes {
  /** Whether shapes stand in answers of any described status. */
  readonly convert: boolean

  /** @param newer the indexes of those changes. */
  constructor(
    private readonly shapes: OperationShapes,
    newer: readonly number[],
  ) {
    this.convert = newer.some((index) =>
      shapes.statuses().some((status) => shapes.response(index, status) !== undefined),
    )
  }

  of(index: number, status: number): ShapePass | undefined {
    return this.shapes.response(index, status)
  }

  /** Answers of success that nobody described may hold anything. */
  refusal(status: number): readonly ShapePass[] | undefined {
    const { shapes } = this
    if (!this.convert || status >= 300 || shapes.isDescribed(status)) return undefined
    const named = { kind: 'response', operation: shapes.name, description: 'of shapes' } as const
    return [
      {
        ...named,
        convert: () => {
          throw new ChangeFailure(named, `has no schema for answers with status ${status}`)
        },
      },
    ]
  }
}
