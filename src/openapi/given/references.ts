// The references of a document, and the places that they lead to.

import { escaped, stepsOf } from '../../schemas/keywords'
import { isObject } from '../../schemas/model'
import { kindOf } from '../../util/options'
import type { Addressed, JsonObject } from './copy'
import type { Findings } from './findings'

/** A value of the document, and its JSON pointer. */
export interface Located<Value = JsonObject> {
  readonly value: Value
  readonly pointer: string
}

/** The home of schemas without an address. */
const NOWHERE = { pointer: '', address: 'schema://document/' }

/** The references of a document. */
export class References {
  /** The pointers of schemas with an address of their own, by that address; and of their anchors. */
  readonly #addresses = new Map<string, string>()
  readonly #anchors = new Map<string, string[]>()
  readonly #homes = new Map<string, string>()

  constructor(
    readonly document: JsonObject,
    addressed: readonly Addressed[],
    private readonly findings: Findings,
  ) {
    // An outer schema comes before those in it.
    for (const { pointer, object } of addressed.toSorted((a, b) => a.pointer.length - b.pointer.length)) {
      if (typeof object.$id !== 'string') continue
      const address = addressOf(object.$id, this.#homeOf(pointer).address)
      this.#homes.set(pointer, address)
      if (!this.#addresses.has(address)) this.#addresses.set(address, pointer)
    }
    for (const { pointer, object } of addressed) {
      for (const name of new Set([object.$anchor, object.$dynamicAnchor])) {
        if (typeof name === 'string') this.#anchors.set(name, [...(this.#anchors.get(name) ?? []), pointer])
      }
    }
  }

  /** Returns the nearest schema around a place that has an address. */
  #homeOf(pointer: string): { readonly pointer: string; readonly address: string } {
    for (let at = this.#homes.size === 0 ? '' : pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const address = this.#homes.get(at)
      if (address !== undefined) return { pointer: at, address }
    }
    return NOWHERE
  }

  /** Returns the value at a pointer; undefined if there is none. */
  at(pointer: string): unknown {
    let value: unknown = this.document
    for (const step of stepsOf(pointer)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
      value = (value as JsonObject)[step]
    }
    return value
  }

  /**
   * Follows the references of anything but a schema, such as a response.
   *
   * @returns undefined, with a finding, if they lead to no object.
   */
  object(given: unknown, pointer: string): Located | undefined {
    let found: Located<unknown> = { value: given, pointer }
    const seen = new Set<string>()
    for (;;) {
      const { value } = found
      if (!isObject(value)) {
        this.findings.add(found.pointer, `an object is expected here, got ${kindOf(value)}.`)
        return undefined
      }
      if (typeof value.$ref !== 'string') return { value, pointer: found.pointer }
      const target = this.#pointerTo(value.$ref, found.pointer)
      if (target === undefined) return undefined
      if (seen.has(target)) {
        this.findings.add(pointer, `the reference "${value.$ref}" leads back to itself. Write what it stands for.`)
        return undefined
      }
      seen.add(target)
      found = { value: this.at(target), pointer: target }
    }
  }

  /**
   * Returns the pointer that a reference leads to.
   *
   * @returns undefined, with a finding, if it leads nowhere, or out of the document.
   */
  #pointerTo(reference: string, from: string): string | undefined {
    const found = this.#resolved(reference, from)
    if (found !== undefined && this.at(found) !== undefined) return found
    const isOutside = found === undefined && !reference.startsWith('#')
    const remedy = isOutside
      ? 'which is not in this document. Bundle its files into one first, for example by "redocly bundle".'
      : 'which does not exist.'
    this.findings.add(from, `the reference leads to "${reference}", ${remedy}`)
    return undefined
  }

  #resolved(reference: string, from: string): string | undefined {
    const home = this.#homeOf(from)
    const hash = `${reference}#`.indexOf('#')
    const fragment = reference.slice(hash + 1)
    const root = hash === 0 ? home.pointer : this.#addresses.get(addressOf(reference.slice(0, hash), home.address))
    if (root === undefined) return undefined
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchored = this.#anchors.get(fragment) ?? []
      return anchored.find((pointer) => this.#homeOf(pointer).pointer === root)
    }
    const inner = pointerOf(fragment)
    // Tools write references from the root of the document, also in schemas with an address of their own.
    return hash === 0 && this.at(root + inner) === undefined ? inner : root + inner
  }

  /** Returns the pointer that a reference of a schema leads to; undefined, with a finding, if it leads to no schema. */
  schema(reference: string, from: string, isDynamic: boolean): string | undefined {
    if (isDynamic && (this.#anchors.get(reference.slice(reference.indexOf('#') + 1)) ?? []).length > 1) {
      this.findings.add(from, `the "$dynamicRef" may lead to several schemas. Write "$ref" to one of them.`)
      return undefined
    }
    const pointer = this.#pointerTo(reference, from)
    if (pointer === undefined) return undefined
    const value = this.at(pointer)
    if (isObject(value) || typeof value === 'boolean') return pointer
    this.findings.add(from, `the reference leads to "${reference}", which is no schema.`)
    return undefined
  }
}

function addressOf(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : reference
}

/** Normalizes the spelling of a pointer. */
function pointerOf(fragment: string): string {
  return stepsOf(fragment)
    .map((step) => `/${escaped(step)}`)
    .join('')
}

/** Returns the pointer of a part. */
export function below(pointer: string, ...steps: readonly (string | number)[]): string {
  return pointer + steps.map((step) => `/${escaped(String(step))}`).join('')
}
