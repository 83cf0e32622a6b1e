// The steps between a version and the newest, and the operations that a version lacks.
import { operationMethod } from '../../util/operation'
import { fused } from '../convert/shape-converter'
import type { BodyStep } from '../convert/steps'
import { type AppliedChange, type OperationChanges, type Presence, presenceIn } from './operation-changes'
import { type BodyShapes, ResponsePlans } from './response-plans'

/** The plan of one operation between a version and the newest. Steps are in the order in which values pass them. */
export interface Plan extends Presence {
  readonly request: readonly BodyStep[]
  readonly query: readonly BodyStep[]
  /** The plans of its responses, by their status. */
  readonly responses: ResponsePlans
}

/** The plan of an unknown version, in which nothing changes. */
export const UNCHANGED: Plan = { present: true, ahead: false, request: [], query: [], responses: new ResponsePlans([]) }

/** The plans of one operation. Versions between two changes of it share a plan. */
class OperationPlans {
  /** The plans, by the number of its changes that a version includes. */
  readonly #composed: (Plan | undefined)[] = []
  /** The plans by the index of the version. */
  readonly #plans: (Plan | undefined)[] = []

  constructor(
    readonly changes: readonly AppliedChange[],
    private readonly shapes: BodyShapes | undefined,
  ) {}

  /** Lists the steps for queries from one version to another. */
  queryBetween(from: number, to: number): readonly BodyStep[] {
    const between = this.changes.filter(({ versionIndex }) => versionIndex > from && versionIndex <= to)
    return requestSteps(between, 'query', this.shapes)
  }

  planOf(versionIndex: number): Plan {
    let plan = this.#plans[versionIndex]
    if (plan === undefined) {
      const ahead = this.changes.findIndex((applied) => applied.versionIndex > versionIndex)
      const behind = ahead === -1 ? this.changes.length : ahead
      plan = this.#composed[behind] ?? this.#compose(versionIndex, behind)
      this.#composed[behind] = plan
      this.#plans[versionIndex] = plan
    }
    return plan
  }

  #compose(versionIndex: number, behind: number): Plan {
    const newer = this.changes.slice(behind)
    return {
      ...presenceIn(this.changes, versionIndex),
      request: requestSteps(newer, 'request', this.shapes),
      query: requestSteps(newer, 'query', this.shapes),
      responses: new ResponsePlans(newer.toReversed(), this.shapes),
    }
  }
}

/** Lists the steps for a part of requests. The shapes in a body are converted first, then the whole body. */
function requestSteps(
  changes: readonly AppliedChange[],
  kind: 'request' | 'query',
  shapes: BodyShapes | undefined,
): readonly BodyStep[] {
  return fused(changes.flatMap(({ index, entry }) => [shapes?.[kind](index) ?? [], entry?.steps[kind] ?? []].flat()))
}

/** The maker of plans. It makes the plan of an operation and a version once, on first use. */
export class Composer {
  /** The plans by view name and method. A key of both would be hashed anew for each request. */
  readonly #operations = new Map<string | undefined, Map<string, OperationPlans>>()

  /** @param shapesOf returns the changed shapes in the bodies of an operation; undefined for a history without any. */
  constructor(
    private readonly changes: OperationChanges,
    private readonly shapesOf?: (method: string, viewName: string | undefined) => BodyShapes,
  ) {}

  /**
   * Returns the plan of an operation in a version.
   *
   * @param method of a request: HEAD is that of GET.
   * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
   */
  planOf(method: string, viewName: string | undefined, versionIndex: number): Plan {
    return this.#plansOf(method, viewName).planOf(versionIndex)
  }

  /** Returns that plan; `versionIndex` is undefined for an unknown version. */
  planIn(method: string, viewName: string, versionIndex: number | undefined): Plan {
    return versionIndex === undefined ? UNCHANGED : this.planOf(method, viewName, versionIndex)
  }

  /** Lists the parts of changes about an operation, oldest first. */
  changesOf(method: string, viewName: string | undefined): readonly AppliedChange[] {
    return this.#plansOf(method, viewName).changes
  }

  /** Lists the steps for queries of an operation from one version to another. */
  queryBetween(method: string, viewName: string, from: number, to: number): readonly BodyStep[] {
    return this.#plansOf(method, viewName).queryBetween(from, to)
  }

  #plansOf(method: string, viewName: string | undefined): OperationPlans {
    let methods = this.#operations.get(viewName)
    if (methods === undefined) {
      methods = new Map()
      this.#operations.set(viewName, methods)
    }
    let plans = methods.get(method)
    if (plans === undefined) {
      const operation = operationMethod(method)
      plans = operation === method ? this.#compiled(method, viewName) : this.#plansOf(operation, viewName)
      methods.set(method, plans)
    }
    return plans
  }

  #compiled(method: string, viewName: string | undefined): OperationPlans {
    const shapes = this.shapesOf?.(method, viewName)
    const changes = this.changes.of(method, viewName, (index) => shapes?.meets(index) === true)
    return new OperationPlans(changes, shapes)
  }
}
