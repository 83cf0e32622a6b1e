// The copy of a document, as JSON has it, and the references in it. What its owner changes later does not count.

import { Addresses, type Located, type Place } from '../../schemas/addresses'
import { referenceIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { escaped } from '../../schemas/pointers'
import { kindOf, shown } from '../../util/options'
import { type Findings, OWNER, plain } from './findings'

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

/** The references of a document. */
export class References extends Addresses {
  constructor(
    readonly document: JsonObject,
    addressed: readonly Addressed[],
    private readonly findings: Findings,
  ) {
    super(document)
    // An outer schema comes before those in it.
    for (const { pointer, object } of addressed.toSorted((a, b) => a.pointer.length - b.pointer.length)) {
      this.add(object, pointer)
    }
  }

  /**
   * Follows the references of anything but a schema, such as a response.
   *
   * @returns undefined, with a finding, if they lead to no object.
   */
  object(given: unknown, pointer: string): Located<JsonSchema> | undefined {
    const { value, pointer: at, stop } = this.follow(given, pointer)
    const reference = isObject(value) ? referenceIn(value) : undefined
    if (!isObject(value)) this.findings.add(at, `an object is expected here, got ${kindOf(value)}.`)
    else if (stop === undefined) return { value, pointer: at }
    else if (stop === 'loop')
      this.findings.add(pointer, `the reference "${reference}" leads back to itself. Write what it stands for.`)
    else this.addLost(reference, at, stop)
    return undefined
  }

  /** Adds the finding for a reference that leads nowhere, out of the document, or to no schema. */
  addLost(reference: unknown, pointer: string, place: Place): void {
    const problems = {
      outside: 'which is not in this document. Bundle its files into one first, for example by "redocly bundle".',
      nowhere: 'which does not exist.',
    }
    const problem = typeof place === 'object' ? 'which is no schema.' : problems[place]
    this.findings.add(pointer, `the reference leads to "${reference}", ${problem}`)
  }
}
