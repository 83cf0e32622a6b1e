// The brands by which all loads of one version of this package know what any of them made.
// A process may load the package twice: jest.resetModules(), an emptied `require.cache`, two paths of one folder. A class or a private
// field knows its own load only.

/** The version of the package, as package.json has it. */
export const VERSION = '1.0.0'

/** The things that users take from one function of this package and give to another one. */
export type Kind = 'change' | 'contract' | 'history' | 'scheme' | 'shape' | 'table'

const keyOf = (kind: Kind) => Symbol.for(`express-versioning.${kind}`)

/** Marks what a function of this package made, or the prototype of a class. */
export function brand<Thing extends object>(kind: Kind, thing: Thing): Thing {
  return Object.defineProperty(thing, keyOf(kind), { value: VERSION })
}

/**
 * Tells whether this version of the package made a thing.
 *
 * @throws {TypeError} for a thing of another version.
 */
export function isMade(kind: Kind, thing: unknown): boolean {
  const version: unknown = thing === undefined || thing === null ? undefined : (thing as never)[keyOf(kind)]
  if (version === undefined || version === VERSION) return version === VERSION
  throw new TypeError(
    `This ${kind} was made by version ${version} of express-versioning, and this is version ${VERSION}. \`npm ls express-versioning\` shows where the copies are, and \`npm dedupe\` may join them.`,
  )
}

/** Returns a registry that all loads of this version share. */
export function sharedByLoads<Registry extends object>(name: string, make: () => Registry): Registry {
  const key = Symbol.for(`express-versioning.${name} ${VERSION}`)
  const registry = (globalThis as { [key: symbol]: Registry })[key] ?? make()
  // Where the global object is frozen, each load has its own.
  Reflect.defineProperty(globalThis, key, { value: registry })
  return registry
}

/** Gives a class the name that messages contain. Minifiers and bundlers rename classes. */
export function nameClass(type: { readonly name: string }, name: string): void {
  Object.defineProperty(type, 'name', { value: name, configurable: true })
}

/** Names a class, and lets its `instanceof` know the instances of other loads too. Subclasses of users know only their own. */
export function knowLoads(type: { readonly name: string; readonly prototype: object }, name: string): void {
  nameClass(type, name)
  const key = Symbol.for(`express-versioning.${name}`)
  Object.defineProperty(type.prototype, key, { value: VERSION })
  Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== type) return Reflect.apply(Function.prototype[Symbol.hasInstance], this, [value])
      return typeof value === 'object' && value !== null && key in value
    },
  })
}
