// The one walk of a response through the changes of its operation: plans, documents, checks and conversions by hand read it.
import { isBodyless, isSuccess } from '../../http/representation'
import { type ByStatus, saidOf } from '../../schemas/responses'
import type { CompiledStep } from '../convert/steps'
import type { AppliedChange } from './operation-changes'

/** A response on the older side of one change. */
interface Stage<Body> {
  readonly applied: AppliedChange
  readonly status: number
  /** The step that converts or makes its body in this change. */
  readonly step: CompiledStep | undefined
  /** `true` if that step makes it, because the newer side has none. */
  readonly makes: boolean
  /** The source of its body: the handler or a step; undefined for no body, because a status on the way has none. */
  readonly source: 'handler' | 'step' | undefined
  /** The described body; `null` for none, and undefined if nobody described it. */
  readonly body: Body | null | undefined
  /** The change whose step made the body another one than `body`, without describing it. */
  readonly unknownSince: AppliedChange | undefined
}

/**
 * Lists the stages of a response on its way to older versions.
 *
 * @param newest the status in the newest version; a range of statuses has a number of its own.
 * @param changes the changes of its operation, the newest first.
 * @param described the described body in the newest version.
 * @param olderOf returns the bodies that a change describes, by their older status.
 */
export function responseTrail<Body = never>(
  newest: number,
  changes: readonly AppliedChange[],
  described?: Body | null,
  olderOf: (applied: AppliedChange) => ByStatus<Body | null> = () => new Map(),
): Stage<Body>[] {
  let status = newest
  let source: Stage<Body>['source'] = isBodyless(newest) ? undefined : 'handler'
  let body = described
  let unknownSince: AppliedChange | undefined
  return changes.map((applied) => {
    const older = applied.head?.status.get(status) ?? status
    const step = stepBetween(applied, status, older, source !== undefined)
    const makes = step !== undefined && source === undefined
    if (isBodyless(older)) source = undefined
    else if (makes) source = 'step'
    status = older
    const said = source && saidOf(olderOf(applied), older)
    if (source === undefined) [body, unknownSince] = [null, undefined]
    else if (said !== undefined) [body, unknownSince] = [said, undefined]
    else if (step !== undefined && (body !== null || source === 'step')) unknownSince = applied
    return { applied, status, step, makes, source, body, unknownSince }
  })
}

/** Returns the step of a change that gets or makes the body of a response. */
function stepBetween(
  { entry, error }: AppliedChange,
  newer: number,
  older: number,
  hasBody: boolean,
): CompiledStep | undefined {
  if (isBodyless(older)) return undefined
  // Only a success can be made of a response without a body.
  if (isBodyless(newer)) return isSuccess(older) ? entry?.steps.response : undefined
  if (!hasBody) return undefined
  // The newer status selects the step, because the step gets the newer body.
  if (newer >= 400) return error
  return isSuccess(newer) ? entry?.steps.response : undefined
}
