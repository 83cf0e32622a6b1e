// The addresses in a schema or in a document, and the targets of its references.
import { referenceIn } from './keywords'
import { isObject, type JsonSchema } from './model'
import { below, stepsOf, valueAt } from './pointers'

/** The address of a root without one. */
const NOWHERE = 'schema://nowhere/'

/** The nearest schema with an address. References are relative to it. */
interface Home {
  readonly root: string
  readonly address: string
}

/** The place that a reference leads to: the JSON pointer of a value; `outside` the root, or where there is no value. */
export type Place = { readonly pointer: string } | 'outside' | 'nowhere'

/** A value in a root, and its JSON pointer. */
export interface Located<Value = JsonSchema> {
  readonly value: Value
  readonly pointer: string
}

/** The last part that references lead to, and why its own reference leads no further; `stop` is undefined where it has none. */
interface End extends Located<unknown> {
  readonly stop?: 'loop' | 'outside' | 'nowhere'
}

/** The addresses in a root: a schema, or a document. Places in it are JSON pointers. */
export class Addresses {
  /** The schemas with their own address, by that address. */
  readonly #roots = new Map<string, string>([[NOWHERE, '']])
  /** The pointers of anchors, by home and name. */
  readonly #anchors = new Map<string, string>()
  /** The addresses of schemas, by pointer. */
  readonly #homes = new Map<string, string>()
  /** The number of dynamic anchors of each name. */
  readonly #dynamic = new Map<string, number>()

  constructor(readonly root: unknown) {}

  /** Adds a schema, if it has an address or an anchor. An outer schema must come before those in it. */
  add({ $id, $anchor, $dynamicAnchor }: JsonSchema, pointer: string): void {
    if (typeof $id === 'string') {
      const address = addressOf($id, this.#homeOf(pointer).address)
      this.#homes.set(pointer, address)
      if (!this.#roots.has(address)) this.#roots.set(address, pointer)
    }
    for (const anchor of [$anchor, $dynamicAnchor]) {
      const key = `${this.#homeOf(pointer).root}#${anchor}`
      if (typeof anchor === 'string' && !this.#anchors.has(key)) this.#anchors.set(key, pointer)
    }
    if (typeof $dynamicAnchor === 'string')
      this.#dynamic.set($dynamicAnchor, (this.#dynamic.get($dynamicAnchor) ?? 0) + 1)
  }

  /** Returns the value at a pointer; undefined if there is none. */
  at(pointer: string): unknown {
    return valueAt(this.root, pointer)
  }

  /** Returns the place that a reference of the schema at `from` leads to. */
  resolve(reference: string, from: string): Place {
    const home = this.#homeOf(from)
    const hash = `${reference}#`.indexOf('#')
    const fragment = reference.slice(hash + 1)
    const root = hash === 0 ? home.root : this.#roots.get(addressOf(reference.slice(0, hash), home.address))
    if (root === undefined) return 'outside'
    const pointer =
      fragment === '' || fragment.startsWith('/')
        ? root + below('', ...stepsOf(fragment))
        : this.#anchors.get(`${root}#${fragment}`)
    if (pointer !== undefined && this.at(pointer) !== undefined) return { pointer }
    // Tools write references from the outermost root, also in schemas with an address of their own.
    const outer = hash === 0 && root !== '' ? below('', ...stepsOf(fragment)) : undefined
    return outer === undefined || this.at(outer) === undefined ? 'nowhere' : { pointer: outer }
  }

  /** Follows the references of a part, whatever stands beside them. */
  follow(value: unknown, pointer: string): End {
    const seen = new Set<string>()
    let end: Located<unknown> = { value, pointer }
    for (;;) {
      const reference = isObject(end.value) ? referenceIn(end.value) : undefined
      if (reference === undefined) return end
      const place = this.resolve(reference, end.pointer)
      if (typeof place !== 'object') return { ...end, stop: place }
      if (seen.has(place.pointer)) return { ...end, stop: 'loop' }
      seen.add(place.pointer)
      end = { value: this.at(place.pointer), pointer: place.pointer }
    }
  }

  /** Returns the whole address that a reference of the schema at `from` means. */
  addressFrom(reference: string, from: string): string {
    return addressOf(reference, this.#homeOf(from).address)
  }

  /** Tells whether a dynamic reference has several targets: the way to it selects one (JSON Schema 2020-12, section 8.2.3.2). */
  isAmbiguous(reference: string): boolean {
    return (this.#dynamic.get(reference.slice(reference.indexOf('#') + 1)) ?? 0) > 1
  }

  #homeOf(pointer: string): Home {
    for (let at = this.#homes.size === 0 ? '' : pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const address = this.#homes.get(at)
      if (address !== undefined) return { root: at, address }
    }
    return { root: '', address: this.#homes.get('') ?? NOWHERE }
  }
}

/** Returns a part of a document behind its references, whatever stands beside them. */
export function behindReferences(value: unknown, document: unknown): unknown {
  return new Addresses(document).follow(value, '').value
}

/** Resolves an address against another one. A string that is not an address stays as it is. */
function addressOf(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : reference
}
