// An index that finds the entries of a table by path.
import { ANY, type Branches } from './segments'

/** An entry of a {@link PathIndex}. Each `order` is unique; after a change of it, call {@link PathIndex.reordered}. */
export interface Indexed {
  readonly order: number
}

/** A point of the index, reached by the segments of a path. */
class IndexNode<Entry extends Indexed> {
  readonly named = new Map<string, IndexNode<Entry>>()
  any: IndexNode<Entry> | undefined
  /** The entries for paths that end here. */
  readonly ending: Entry[] = []
  /** The entries for paths that end here or go on below. */
  readonly open: Entry[] = []
  /** The lists of `ending` and `open`, each with the `open` entries of all parents, in order, as of `version`. */
  endingList: readonly Entry[] = []
  openList: readonly Entry[] = []
  version = -1

  constructor(readonly parent: IndexNode<Entry> | undefined) {}
}

/**
 * An index of the entries that a path may belong to: a trie of path segments. A look-up costs time by the length of the
 * path, not by the number of entries. It allocates nothing unless static and parameter segments compete.
 */
export class PathIndex<Entry extends Indexed> {
  /** The number of changes so far. It shows whether a list is out of date. */
  version = 0
  readonly #root = new IndexNode<Entry>(undefined)

  constructor(private readonly caseSensitive: boolean) {}

  /** Adds an entry at each of its places. */
  add(entry: Entry, branches: Branches): void {
    for (const { segments, open } of branches) {
      let node = this.#root
      for (const segment of segments) node = segment === ANY ? this.#any(node) : this.#named(node, segment)
      const list = open ? node.open : node.ending
      // Two places of an entry may be the same node. The earlier one is then the last in the list.
      if (list.at(-1) !== entry) list.push(entry)
    }
    this.version++
  }

  /** Updates the lists after a change of an entry's `order`. */
  reordered(): void {
    this.version++
  }

  /** Returns the entries that may match a path, in order. All that match are among them. */
  find(path: string): readonly Entry[] {
    const key = this.caseSensitive ? path : path.toLowerCase()
    if (key === '') return this.#listed(this.#root).endingList
    return key.charCodeAt(0) === 47 ? this.#walk(this.#root, key, 1) : this.#listed(this.#root).openList
  }

  #any(node: IndexNode<Entry>): IndexNode<Entry> {
    node.any ??= new IndexNode(node)
    return node.any
  }

  #named(node: IndexNode<Entry>, segment: string): IndexNode<Entry> {
    const key = this.caseSensitive ? segment : segment.toLowerCase()
    let child = node.named.get(key)
    if (child === undefined) {
      child = new IndexNode(node)
      node.named.set(key, child)
    }
    return child
  }

  #walk(from: IndexNode<Entry>, path: string, offset: number): readonly Entry[] {
    let node = from
    let start = offset
    while (start < path.length) {
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      const named = node.named.size === 0 ? undefined : node.named.get(path.slice(start, end))
      const any = end > start ? node.any : undefined
      start = end + 1
      if (named !== undefined && any !== undefined) {
        return this.#joined(node, this.#walk(named, path, start), this.#walk(any, path, start))
      }
      const next = named ?? any
      if (next === undefined) return this.#listed(node).openList
      node = next
    }
    const { endingList } = this.#listed(node)
    // An empty last segment is left: a trailing slash, which a pattern may have or ignore.
    const slashed = start === path.length ? node.named.get('') : undefined
    return slashed === undefined ? endingList : merged(endingList, this.#listed(slashed).endingList)
  }

  /** Merges two lists found below `node`. A list with only the open entries of `node` is part of the other. */
  #joined(node: IndexNode<Entry>, left: readonly Entry[], right: readonly Entry[]): readonly Entry[] {
    const { openList } = this.#listed(node)
    if (right === openList) return left
    return left === openList ? right : merged(left, right)
  }

  #listed(node: IndexNode<Entry>): IndexNode<Entry> {
    if (node.version === this.version) return node
    const outer = node.parent === undefined ? [] : this.#listed(node.parent).openList
    node.openList = node.open.length === 0 ? outer : merged(outer, inOrder(node.open))
    node.endingList = node.ending.length === 0 ? node.openList : merged(node.openList, inOrder(node.ending))
    node.version = this.version
    return node
  }
}

function inOrder<Entry extends Indexed>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => a.order - b.order)
}

/** Merges two ordered lists. Each entry stays once. */
function merged<Entry extends Indexed>(left: readonly Entry[], right: readonly Entry[]): readonly Entry[] {
  if (left.length === 0) return right
  const both: Entry[] = []
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const a = left[l]
    const b = right[r]
    const first = b === undefined || (a !== undefined && a.order <= b.order) ? (a as Entry) : b
    both.push(first)
    if (first === a) l++
    if (first === b) r++
  }
  return both
}
