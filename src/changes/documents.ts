// The use of a history for documents: what an operation is in each version.
import { withoutProblem } from '../http/json'
import type {
  ChangesInDocuments,
  ListedChange,
  OlderDescription,
  RequestContract,
  Responses,
  VersionSchema,
} from '../types'
import type { Entry } from './describe/change'
import type { BoundShapes } from './timeline/bound-shapes'
import { type DescribedResponse, olderBodies } from './timeline/older-bodies'
import type { Release } from './timeline/operation-changes'
import type { Composer } from './timeline/plans'
import type { Change } from './types/change'
import type { HeaderContext } from './types/operations'

/** The use of a history for documents and pages. */
export class DocumentedChanges implements ChangesInDocuments {
  readonly #composer: Composer
  readonly #versions: readonly string[]
  /** All changes, oldest first, with the index of their version. */
  readonly #changes: readonly { readonly change: Change<object>; readonly versionIndex: number }[]
  readonly #shapes: BoundShapes | undefined

  /**
   * @param shapes the bound shapes; undefined for a history without any.
   * @param contract returns the contract; undefined for none.
   */
  constructor(
    releases: readonly Release[],
    composer: Composer,
    shapes: BoundShapes | undefined,
    private readonly contract: () => RequestContract | undefined,
  ) {
    this.#composer = composer
    this.#versions = releases.map(({ version }) => version)
    this.#changes = releases.flatMap(({ changes }, versionIndex) => changes.map((change) => ({ change, versionIndex })))
    this.#shapes = shapes
  }

  get hasContract(): boolean {
    return this.contract() !== undefined
  }

  readsRequests(method: string, viewName: string, version: string): boolean {
    const { request, query } = this.#composer.planIn(method, viewName, this.#indexOf(version))
    if (request.length > 0 || query.length > 0) return true
    return this.contract()?.checksOf(method, viewName, version) !== undefined
  }

  olderHead(
    method: string,
    viewName: string,
    version: string,
    status: number,
  ): ReturnType<ChangesInDocuments['olderHead']> {
    const plan = this.#composer.planIn(method, viewName, this.#indexOf(version)).responses.of(status)
    // The last change of a field decides.
    const fields = new Map(plan?.headers.map(({ change: { name, step } }) => [name.toLowerCase(), step]))
    const without = [...fields].flatMap(([name, step]) => (step === null ? name : []))
    return { status: plan?.status ?? status, without: new Set(without) }
  }

  olderType(method: string, viewName: string, version: string, status: number, type: string): string {
    const plan = this.#composer.planIn(method, viewName, this.#indexOf(version)).responses.of(status)
    let older: unknown = plan && plan.steps.length > 0 && plan.status >= 400 ? withoutProblem(type) : type
    for (const { change, status } of plan?.headers ?? []) {
      if (change.name.toLowerCase() !== 'content-type') continue
      try {
        older = change.step?.(older as string, { version, status } as HeaderContext) ?? older
      } catch {
        // It needs a request.
      }
    }
    return (String(older).split(';')[0] as string).trim()
  }

  changesIn(version: string): readonly ListedChange[] {
    const own = this.#indexOf(version)
    return this.#changes.flatMap(({ change: { description }, versionIndex }, index) =>
      versionIndex === own ? { description, shapes: this.#shapes?.placesOf(index) ?? [] } : [],
    )
  }

  changesOf(method: string, viewName: string, version: string): readonly string[] {
    const own = this.#indexOf(version)
    return this.#composer
      .changesOf(method, viewName)
      .filter(
        ({ versionIndex, index, entry }) =>
          versionIndex === own && (says(entry) || this.#shapes?.converts(index, method, viewName)),
      )
      .map(({ change }) => change.description)
  }

  definitionsIn(version: string): ReadonlyMap<string, VersionSchema> {
    return this.#shapes?.definitionsIn(this.#indexOf(version) ?? this.#versions.length) ?? NO_DEFINITIONS
  }

  bodiesIn(
    method: string,
    viewName: string,
    version: string,
    described: DescribedResponse,
    common: Responses,
  ): OlderDescription {
    const own = this.#indexOf(version) ?? this.#versions.length
    const appliedChanges = this.#composer.changesOf(method, viewName)
    return olderBodies(
      appliedChanges.filter(({ versionIndex }) => versionIndex > own),
      described,
      common,
    )
  }

  /** Returns the index of a version; `undefined` for an unknown one, in which nothing changes. */
  #indexOf(version: string): number | undefined {
    const versionIndex = this.#versions.indexOf(version)
    return versionIndex === -1 ? undefined : versionIndex
  }
}

/** Tells whether a change says of an operation more than that it is added or removed. */
function says(entry: Entry | undefined): boolean {
  if (entry === undefined) return false
  const { steps, head, older, path } = entry
  return Object.keys(steps).length > 0 || [head, older, path].some((part) => part !== undefined)
}

const NO_DEFINITIONS: ReadonlyMap<string, VersionSchema> = new Map()
