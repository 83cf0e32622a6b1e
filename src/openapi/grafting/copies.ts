// The places of a document where inline schemas are copies of a component.
import { stepsOf } from '../../schemas/pointers'

/** A part of a document that has such copies in it. */
export interface Copies {
  /** The component that the schema here is a copy of; undefined if it is none. */
  readonly name: string | undefined
  /** Returns what is at a JSON pointer from here; undefined if no copies are there. */
  at(pointer: string): Copies | undefined
}

class Node implements Copies {
  name: string | undefined
  readonly inner = new Map<string, Node>()

  at(pointer: string): Node | undefined {
    let node: Node | undefined = this
    for (const step of stepsOf(pointer)) node = node?.inner.get(step)
    return node
  }
}

/** Sorts copies by their places. */
export function copiesIn(copies: ReadonlyMap<string, string>): Copies {
  const root = new Node()
  for (const [pointer, name] of copies) {
    let node = root
    for (const step of stepsOf(pointer)) {
      const inner = node.inner.get(step) ?? new Node()
      node.inner.set(step, inner)
      node = inner
    }
    node.name = name
  }
  return root
}
