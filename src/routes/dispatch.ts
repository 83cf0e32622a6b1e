import type Router from 'router'
import type { Indexed, PathIndex } from './path-index'

/** An entry of a table's index that `router` has a layer for; without one it is a name that has no handlers yet. */
export interface Dispatched extends Indexed {
  readonly layer: Router.Layer | undefined
}

/** What `router` reads of a layer before it knows whether it matches. */
type Candidate = Pick<Router.Layer, 'match'> & { readonly route?: unknown }

/**
 * Stands in for a router during one request, as `this` of the router's own `handle`, with a stack that holds only the layers
 * that may match. It is itself the layer before each of them: asked whether it matches, it says no, and appends the next one.
 * It is given the path of that moment, so layers that middleware moved the request to (by `req.url`) are found as well.
 */
export class Dispatch implements Candidate {
  readonly stack: Candidate[] = [this]
  readonly mergeParams = true
  /** As a layer it has no route. */
  readonly route = undefined
  private found: readonly Dispatched[] = []
  private next = 0
  private last = -1
  private path: string | null | undefined = undefined
  private version = -1

  constructor(
    private readonly index: PathIndex<Dispatched>,
    /** The callbacks of `router.param`. */
    readonly params: Router.Router['params'],
  ) {}

  match(path: string | null | undefined): false {
    if (path !== this.path || this.index.version !== this.version) this.find(path as string)
    const entry = this.found[this.next++]
    if (entry?.layer !== undefined) {
      this.last = entry.order
      this.stack.push(entry.layer, this)
    }
    return false
  }

  /** What may match a path, from where the request stands in the table's order. */
  private find(path: string): void {
    this.path = path
    this.version = this.index.version
    this.found = this.index.find(path)
    this.next = this.last === -1 ? 0 : this.found.findIndex(({ order }) => order > this.last)
    if (this.next === -1) this.next = this.found.length
  }
}
