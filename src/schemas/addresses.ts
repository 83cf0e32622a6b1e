import { eachSchema, escaped, stepsOf } from './keywords'
import { isObject, type JsonSchema } from './model'

/** The keywords that give a schema an address. */
export const ADDRESSES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
])

/** Where schemas stand that are there to be referred to. */
export const PARTS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

export const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

/** Stands for the address of a schema that has none. */
const NOWHERE = 'schema://nowhere/'

/** How zod, arktype and TypeBox name what nobody named. */
const GENERATED = /^(?:__schema|alias|domain|intersection|morph|proto|T|type|union|unit)\d+$/

/** The schema with an address that references are relative to. */
interface Home {
  readonly root: string
  readonly address: string
}

/** Knows the names and addresses in a schema. Places in it are JSON pointers from its root on. */
export class Addresses {
  readonly #root: JsonSchema
  /** The roots of schemas with an address of their own, by that. */
  readonly #roots = new Map<string, string>()
  /** The pointers of anchors, by root and name. */
  readonly #anchors = new Map<string, string>()
  /** By pointer. */
  readonly #homes = new Map<string, Home>()
  /** By pointer. */
  readonly #names = new Map<string, string>()
  readonly #targets = new Set<string>()

  /** @throws {TypeError} for a reference to a part that is not there. */
  constructor(root: JsonSchema) {
    this.#root = root
    this.#note(root, '', { root: '', address: NOWHERE }, undefined)
    // When all addresses are known.
    for (const pointer of this.#homes.keys()) this.#noteTargets(pointer)
  }

  /** Returns the value at a pointer; `undefined` for nothing. */
  at(pointer: string): unknown {
    let value: unknown = this.#root
    for (const name of stepsOf(pointer)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      value = (value as Record<string, unknown>)[name]
    }
    return value
  }

  /** Tells whether a schema has a name, or references lead to it. */
  isDefinition(pointer: string): boolean {
    return this.#names.has(pointer) || this.#targets.has(pointer)
  }

  /** The name of a schema; without one, a `#` and its pointer. */
  keyOf(pointer: string): string {
    return this.#names.get(pointer) ?? `#${pointer}`
  }

  /**
   * Where a reference leads that stands in the schema at `from`; `undefined` for one that leads out of the root.
   *
   * @throws {TypeError} for a reference to a part that is not there.
   */
  resolve(reference: string, from: string): string | undefined {
    // A place that is no schema has none.
    const home = this.#homes.get(from) ?? (this.#homes.get('') as Home)
    const hash = `${reference}#`.indexOf('#')
    const fragment = reference.slice(hash + 1)
    const root = hash === 0 ? home.root : this.#roots.get(addressOf(reference.slice(0, hash), home.address))
    const isPointer = fragment === '' || fragment.startsWith('/')
    const pointer = isPointer
      ? root !== undefined && root + pointerOf(fragment)
      : this.#anchors.get(`${root}#${fragment}`)
    if (typeof pointer === 'string' && this.at(pointer) !== undefined) return pointer
    // `extend` may add components.
    if (root === undefined || reference.startsWith('#/components/')) return undefined
    throw new TypeError(`it refers to "${reference}", which is not there`)
  }

  #note(schema: unknown, pointer: string, outer: Home, part: string | undefined): void {
    this.#call(pointer, part)
    if (!isObject(schema)) return
    const { $id, $anchor, $dynamicAnchor } = schema
    const home =
      typeof $id === 'string' ? { root: pointer, address: addressOf($id, outer.address).replace(/#$/, '') } : outer
    this.#homes.set(pointer, home)
    if (home.root === pointer && !this.#roots.has(home.address)) this.#roots.set(home.address, pointer)
    for (const anchor of [$anchor, $dynamicAnchor]) {
      const key = `${home.root}#${anchor}`
      if (typeof anchor === 'string' && !this.#anchors.has(key)) this.#anchors.set(key, pointer)
    }
    this.#call(pointer, nameIn($id))
    eachSchema(schema, (inner, path) => this.#note(inner, pointer + path, home, partName(path)))
  }

  #call(pointer: string, name: string | undefined): void {
    if (name !== undefined && !GENERATED.test(name)) this.#names.set(pointer, name)
  }

  #noteTargets(from: string): void {
    for (const [key, value] of Object.entries(this.at(from) as JsonSchema)) {
      const target = REFERENCES.has(key) && typeof value === 'string' ? this.resolve(value, from) : undefined
      if (target !== undefined) this.#targets.add(target)
    }
  }
}

/** The key of a schema that stands among others only to be referred to. */
function partName(path: string): string | undefined {
  const [keyword, name] = stepsOf(path)
  // A name that begins so would look like a pointer.
  return PARTS.has(keyword as string) && name !== '' && !name?.startsWith('#') ? name : undefined
}

/** The name that an address ends with: `User` of `https://example.com/User.json`. */
function nameIn($id: unknown): string | undefined {
  if (typeof $id !== 'string') return undefined
  const [address] = $id.split(/[?#]/) as [string]
  const last = address.split(/[/:]/).at(-1) as string
  return last.replace(/\.json$/, '') || undefined
}

/** A pointer in the one spelling that places have here. */
function pointerOf(fragment: string): string {
  return stepsOf(fragment)
    .map((step) => `/${escaped(step)}`)
    .join('')
}

/** Resolves an address against another one; a text that is no address stays as it is. */
function addressOf(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}
