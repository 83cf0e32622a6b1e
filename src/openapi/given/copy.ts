// The copy of a document, as JSON has it: what its owner changes later does not count.
import { escaped } from '../../schemas/pointers'
import { shown } from '../../util/options'
import { OWNER, plain } from './findings'

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown }

/** The limit of values in values. No document that people use comes near it. */
const DEEPEST = 500
/** The limit of values, if shared objects are written out. GitHub's document has 260,000. */
const MOST = 20_000_000

const BUNDLED = 'Give the document as it is before its references are replaced ("bundle", not "dereference").'

const IN_JSON = 'Write it as JSON Schema, or describe the operation by describe() of the table.'

/** A schema that has an address or an anchor of its own. */
export interface Addressed {
  readonly pointer: string
  readonly object: JsonObject
}

/** The size of a copy if it is written out, and the number of values in each other. */
interface Measured {
  readonly copy: object
  size: number
  height: number
}

/**
 * Copies a document. Objects that it shares are shared in the copy too.
 *
 * @param addressed gets the objects with `$id`, `$anchor` or `$dynamicAnchor`.
 * @throws {TypeError} for cyclic objects, and for what is too large or too deep.
 */
export function copyOf(document: JsonObject, addressed: Addressed[]): JsonObject {
  return new Copying(addressed).copied(document).copy as JsonObject
}

class Copying {
  /** The copies by their originals; `undefined` while one is made. */
  readonly #known = new Map<object, Measured | undefined>()
  readonly #names = new Set<string>()
  /** The way to the current object. */
  readonly #way: (string | number)[] = []

  constructor(private readonly addressed: Addressed[]) {}

  copied(given: object): Measured {
    const known = this.#known.get(given)
    if (known === undefined && this.#known.has(given)) throw this.#error('the document contains itself', ` ${BUNDLED}`)
    if (this.#way.length + (known?.height ?? 0) >= DEEPEST)
      throw this.#error(`the document has more than ${DEEPEST} values in each other`)
    if (known !== undefined) return known
    this.#known.set(given, undefined)
    const made = Array.isArray(given) ? this.#list(given) : this.#object(given as JsonObject)
    if (made.size > MOST)
      throw this.#error(`the document has more than ${MOST} values if shared objects are written out`, ` ${BUNDLED}`)
    this.#known.set(given, made)
    return made
  }

  #list(given: readonly unknown[]): Measured {
    const copy: unknown[] = []
    const made = { copy, size: 1, height: 0 }
    // JSON has null for what it cannot express in a list.
    for (let index = 0; index < given.length; index++) copy.push(this.#part(given[index], index, made) ?? null)
    return made
  }

  #object(given: JsonObject): Measured {
    const copy: Record<string, unknown> = {}
    const made = { copy, size: 1, height: 0 }
    for (const name of Object.keys(given)) {
      this.#checkName(name)
      const value = this.#part(given[name], name, made)
      if (value === undefined) continue
      if (name === '__proto__') Object.defineProperty(copy, name, { value, enumerable: true })
      else copy[name] = value
    }
    const { $id, $anchor, $dynamicAnchor } = copy
    const isAddressed = typeof ($id ?? $anchor ?? $dynamicAnchor) === 'string'
    if (isAddressed) this.addressed.push({ pointer: this.#pointer(), object: copy })
    return made
  }

  #part(given: unknown, step: string | number, made: Measured): unknown {
    if (isLibrarys(given)) {
      this.#way.push(step)
      throw this.#error('a schema of a library, or of events(), is no part of a document', ` ${IN_JSON}`)
    }
    const value = plainOf(given)
    made.size++
    if (typeof value === 'bigint') throw this.#error(`JSON has no ${shown(value)}`)
    if (typeof value !== 'object' || value === null) return value
    this.#way.push(step)
    const part = this.copied(value)
    this.#way.pop()
    made.size += part.size
    made.height = Math.max(made.height, part.height + 1)
    return part.copy
  }

  /** @throws {TypeError} for a name that no JSON pointer can have. */
  #checkName(name: string): void {
    if (this.#names.has(name)) return
    if (/\p{Surrogate}/u.test(name)) throw this.#error(`the name ${shown(name)} has a lone surrogate`)
    this.#names.add(name)
  }

  #error(what: string, remedy = ''): TypeError {
    return new TypeError(`${OWNER}: ${what}, at "${plain(this.#pointer()).slice(0, 200)}".${remedy}`)
  }

  #pointer(): string {
    return this.#way.map((step) => `/${escaped(String(step))}`).join('')
  }
}

/** Tells whether a value is a Standard Schema, of which JSON would keep nothing. Those of arktype are functions. */
function isLibrarys(value: unknown): boolean {
  return Object(value) === value && '~standard' in (value as object)
}

/** Returns a value as JSON has it: dates are strings, and functions nothing. */
function plainOf(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value) : value
}
