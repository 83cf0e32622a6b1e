// The steps between a version and the newest, and the operations that a version lacks.
import { operationMethod, tails } from '../../util/operation'
import { fused } from '../convert/shape-converter'
import type { BodyStep } from '../convert/steps'
import { type AppliedChange, changesApplied, type PlacedChange, placedChanges, type Release } from './operation-changes'
import { type BodyShapes, ResponsePlans } from './response-plans'

/** The plan of one operation between a version and the newest. Steps are in the order in which values pass them. */
export interface Plan {
  readonly request: readonly BodyStep[]
  readonly query: readonly BodyStep[]
  /** `true` if the version has the operation. */
  readonly present: boolean
  /** `true` if a later version adds the operation; `false` if it was removed. */
  readonly ahead: boolean
  /** The plans of its responses, by their status. */
  readonly responses: ResponsePlans
}

/** The plan of an unknown version, in which nothing changes. */
export const UNCHANGED: Plan = { present: true, ahead: false, request: [], query: [], responses: new ResponsePlans([]) }

/** The plans of one operation. Versions between two changes of it share a plan. */
class OperationPlans {
  /** The plans, by the number of appliedChanges that a version includes. */
  readonly #composed: (Plan | undefined)[] = []
  /** The plans by the index of the version. */
  readonly #plans: (Plan | undefined)[] = []

  constructor(
    readonly appliedChanges: readonly AppliedChange[],
    private readonly shapes: BodyShapes | undefined,
  ) {}

  /** Lists the steps for queries from one version to another. */
  queryBetween(from: number, to: number): readonly BodyStep[] {
    const between = this.appliedChanges.filter(({ versionIndex }) => versionIndex > from && versionIndex <= to)
    return requestSteps(between, 'query', this.shapes)
  }

  planOf(versionIndex: number): Plan {
    let plan = this.#plans[versionIndex]
    if (plan === undefined) {
      const ahead = this.appliedChanges.findIndex((applied) => applied.versionIndex > versionIndex)
      const behind = ahead === -1 ? this.appliedChanges.length : ahead
      plan = this.#composed[behind] ?? compose(this.appliedChanges, behind, this.shapes)
      this.#composed[behind] = plan
      this.#plans[versionIndex] = plan
    }
    return plan
  }
}

function compose(appliedChanges: readonly AppliedChange[], behind: number, shapes: BodyShapes | undefined): Plan {
  const newer = appliedChanges.slice(behind)
  return {
    ...presence(appliedChanges, behind),
    request: requestSteps(newer, 'request', shapes),
    query: requestSteps(newer, 'query', shapes),
    responses: new ResponsePlans(newer.toReversed(), shapes),
  }
}

/** Lists the steps for a part of requests. The shapes in a body are converted first, then the whole body. */
function requestSteps(
  appliedChanges: readonly AppliedChange[],
  kind: 'request' | 'query',
  shapes: BodyShapes | undefined,
): readonly BodyStep[] {
  return fused(
    appliedChanges.flatMap(({ index, entry }) => [shapes?.[kind](index) ?? [], entry?.steps[kind] ?? []].flat()),
  )
}

/**
 * Tells whether a version has an operation. The last mark up to the version decides. Without one, the first mark after it does:
 * an operation that is removed later exists.
 */
function presence(appliedChanges: readonly AppliedChange[], behind: number): Pick<Plan, 'present' | 'ahead'> {
  const marks = (some: readonly AppliedChange[]) => some.flatMap(({ entry }) => entry?.mark ?? [])
  const last = marks(appliedChanges.slice(0, behind)).at(-1)
  const ahead = last === undefined && marks(appliedChanges)[0] === 'added'
  return { present: !ahead && last !== 'removed', ahead }
}

/** The maker of plans. It makes the plan of an operation and a version once, on first use. */
export class Composer {
  readonly #changes: readonly PlacedChange[]
  readonly #keysOf: (viewName: string) => readonly string[]
  /** The plans by view name and method. A key of both would be hashed anew for each request. */
  readonly #operations = new Map<string | undefined, Map<string, OperationPlans>>()

  /** @param keysOf returns the names by which changes may name a route, the longest first. */
  constructor(
    releases: readonly Release[],
    keysOf: (viewName: string) => readonly string[] = tails,
    private readonly shapesOf: (method: string, viewName: string | undefined) => BodyShapes | undefined = () =>
      undefined,
  ) {
    this.#keysOf = keysOf
    this.#changes = placedChanges(releases)
  }

  /**
   * Returns the plan of an operation in a version.
   *
   * @param method of a request: HEAD is that of GET.
   * @param viewName with its namespaces; undefined without a named route, to which only `'*'` applies.
   */
  planOf(method: string, viewName: string | undefined, versionIndex: number): Plan {
    return this.#plansOf(method, viewName).planOf(versionIndex)
  }

  /** Returns that plan; `at` is undefined for an unknown version. */
  planIn(method: string, viewName: string, versionIndex: number | undefined): Plan {
    return versionIndex === undefined ? UNCHANGED : this.planOf(method, viewName, versionIndex)
  }

  /** Lists the parts of changes about an operation, oldest first. */
  changesOf(method: string, viewName: string | undefined): readonly AppliedChange[] {
    return this.#plansOf(method, viewName).appliedChanges
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
    const shapes = this.shapesOf(method, viewName)
    const keys = viewName === undefined ? [] : this.#keysOf(viewName).map((name) => `${method} ${name}`)
    const meets = (index: number) => shapes?.meets(index) === true
    return new OperationPlans(changesApplied(this.#changes, keys, meets), shapes)
  }
}
