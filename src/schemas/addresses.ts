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

/** The names that libraries generate for `$defs`. The vendor of a Standard Schema tells which; plain JSON Schema is of any. */
const GENERATED = /^(?:__schema|alias|domain|intersection|morph|proto|union|unit)\d+$/
const GENERATED_BY = new Map([
  ['zod', /^__schema\d+$/],
  ['arktype', /^(?:alias|domain|intersection|morph|proto|type|union|unit)\d+$/],
])

/** The start of references to the components of an OpenAPI document. */
const COMPONENTS = '#/components/schemas/'

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
  /** The first pointer of each name, once all are known. */
  #pointers: ReadonlyMap<string, string> | undefined
  readonly #targets = new Set<string>()

  /** The number of dynamic anchors of each name. */
  readonly #dynamic = new Map<string, number>()
  readonly #generated: RegExp

  /**
   * @param vendor the vendor of the Standard Schema; undefined for plain JSON Schema.
   * @throws {TypeError} for a reference to a part that does not exist.
   */
  constructor(root: JsonSchema, vendor: string | undefined) {
    this.#root = root
    this.#generated = GENERATED_BY.get(vendor ?? '') ?? GENERATED
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
    const home = this.#homeOf(from)
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

  /**
   * Returns the name that a reference out of the root means: `User` for `User.json`, `https://example.com/User` and
   * `#/components/schemas/User`; `undefined` for a reference to a part of another schema.
   */
  nameOutside(reference: string, from: string): string | undefined {
    if (reference.startsWith(COMPONENTS)) {
      const [name, ...inner] = stepsOf(`/${reference.slice(COMPONENTS.length)}`)
      return inner.length === 0 ? name : undefined
    }
    return /#./.test(reference) ? undefined : nameIn(addressOf(reference, this.#homeOf(from).address))
  }

  /** Returns the pointer of the schema with a name; `undefined` without one. */
  withName(name: string): string | undefined {
    if (this.#pointers === undefined) {
      this.#pointers = new Map([...this.#names].toReversed().map(([pointer, own]) => [own, pointer]))
    }
    return this.#pointers.get(name)
  }

  /**
   * Refuses a dynamic reference with several targets: the way to it selects one (JSON Schema 2020-12, section 8.2.3.2).
   *
   * @throws {TypeError} if it has several targets.
   */
  checkDynamic(reference: string): void {
    if ((this.#dynamic.get(reference.slice(reference.indexOf('#') + 1)) ?? 0) < 2) return
    throw new TypeError(`its "$dynamicRef" "${reference}" may lead to several schemas; write "$ref" to one of them`)
  }

  /** Returns the home of a place. One behind an unknown keyword has that of the nearest schema around it. */
  #homeOf(pointer: string): Home {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const home = this.#homes.get(at)
      if (home !== undefined) return home
    }
    return this.#homes.get('') as Home
  }

  #note(schema: unknown, pointer: string, outer: Home, part: string | undefined): void {
    if (part !== undefined && !this.#generated.test(part)) this.#names.set(pointer, part)
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
    if (typeof $dynamicAnchor === 'string')
      this.#dynamic.set($dynamicAnchor, (this.#dynamic.get($dynamicAnchor) ?? 0) + 1)
    const name = nameIn($id)
    if (name !== undefined) this.#names.set(pointer, name)
    eachSchema(schema, (inner, path) => this.#note(inner, pointer + path, home, partName(path)))
  }

  #noteTargets(from: string): void {
    for (const [key, value] of Object.entries(this.at(from) as JsonSchema)) {
      const target = REFERENCES.has(key) && typeof value === 'string' ? this.resolve(value, from) : undefined
      if (target === undefined) continue
      this.#targets.add(target)
      // It may stand behind an unknown keyword. The loop of the constructor visits what is noted here, too.
      if (!this.#homes.has(target)) this.#note(this.at(target), target, this.#homeOf(target), undefined)
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
