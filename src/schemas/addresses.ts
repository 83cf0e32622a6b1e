// The names and addresses in a schema, and the targets of its references.
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

/** The keywords that hold schemas only for references. */
export const PARTS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

export const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])

/** The address of a schema without one. */
const NOWHERE = 'schema://nowhere/'

/** The pattern of names that zod, arktype and TypeBox generate. */
const GENERATED = /^(?:__schema|alias|domain|intersection|morph|proto|T|type|union|unit)\d+$/

/** The nearest schema with an address. References are relative to it. */
interface Home {
  readonly root: string
  readonly address: string
}

/** The names and addresses in a schema. Places in the schema are JSON pointers from its root. */
export class Addresses {
  readonly #root: JsonSchema
  /** The schemas with their own address, by that address. */
  readonly #roots = new Map<string, string>()
  /** The pointers of anchors, by root and name. */
  readonly #anchors = new Map<string, string>()
  /** The home of each schema, by pointer. */
  readonly #homes = new Map<string, Home>()
  /** The names of schemas, by pointer. */
  readonly #names = new Map<string, string>()
  readonly #targets = new Set<string>()

  /** @throws {TypeError} for a reference to a part that does not exist. */
  constructor(root: JsonSchema) {
    this.#root = root
    this.#note(root, '', { root: '', address: NOWHERE }, undefined)
    // Resolve references once all addresses are known.
    for (const pointer of this.#homes.keys()) this.#noteTargets(pointer)
  }

  /** Returns the value at a pointer; `undefined` if there is no value. */
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

  /** Returns the name of a schema; without one, `#` and its pointer. */
  keyOf(pointer: string): string {
    return this.#names.get(pointer) ?? `#${pointer}`
  }

  /**
   * Returns the pointer that a reference in the schema at `from` leads to; `undefined` if it leads out of the root.
   *
   * @throws {TypeError} for a reference to a part that does not exist.
   */
  resolve(reference: string, from: string): string | undefined {
    // A place that is not a schema has no home of its own.
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
    throw new TypeError(`it refers to "${reference}", which does not exist`)
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

/** Returns the key of a schema that only references use. */
function partName(path: string): string | undefined {
  const [keyword, name] = stepsOf(path)
  // A name that begins with `#` would look like a pointer.
  return PARTS.has(keyword as string) && name !== '' && !name?.startsWith('#') ? name : undefined
}

/** Returns the name at the end of an address: `User` of `https://example.com/User.json`. */
function nameIn($id: unknown): string | undefined {
  if (typeof $id !== 'string') return undefined
  const [address] = $id.split(/[?#]/) as [string]
  const last = address.split(/[/:]/).at(-1) as string
  return last.replace(/\.json$/, '') || undefined
}

/** Normalizes the spelling of a pointer. */
function pointerOf(fragment: string): string {
  return stepsOf(fragment)
    .map((step) => `/${escaped(step)}`)
    .join('')
}

/** Resolves an address against another one. A text that is not an address stays as it is. */
function addressOf(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}
