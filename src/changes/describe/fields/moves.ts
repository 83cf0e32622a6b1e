// The steps of `fields()`: one pass over the properties of a value, in which each moves to its place.
import { put } from '../../../util/collections'
import type { RunContext } from '../../convert/steps'
import type { StepFunction } from '../shape'
import type { Convert, Draft, Properties, Property } from './draft'

/** The fate of a property in responses. */
interface OlderMove {
  /** The older name; undefined for a property that goes. */
  readonly to?: string
  readonly convert?: Convert | undefined
  /** `true` if removed properties stand in this place. */
  readonly isPlace?: boolean | undefined
  /** The moves of the properties of a nested object, which take its place. */
  readonly inner?: OlderMoves | undefined
}

type OlderMoves = ReadonlyMap<string, OlderMove>

/** A response on its way. */
interface Passing {
  readonly value: Properties
  readonly context: RunContext
  readonly result: Properties
  isPlaced: boolean
}

/** The place of a property in the newer version. */
interface PropertyPath {
  readonly name: string
  /** The objects around it, outermost first. */
  readonly path: readonly string[]
}

const GONE = {}

/** Makes the step for responses: the older shape of the newer one. */
export function olderStep(draft: Draft): StepFunction {
  const { origins, properties, names, made } = draft
  // Properties that nobody described must not stand for older ones.
  const moves = new Map<string, OlderMove>([...names].map((name) => [name, GONE]))
  for (const [name, move] of olderMoves(origins)) {
    if (move.to === name && move.convert === undefined) moves.delete(name)
    else moves.set(name, move)
  }
  const filled = origins.flatMap(({ from, isFilled }) => (isFilled === true ? [from as string] : []))
  const leaving = properties
    .filter(({ mayLeave }) => mayLeave === true)
    .map((one) => ({ name: one.name, newer: placeOf(one), needing: draft.needing(one).map(({ name }) => name) }))
  const place = (passing: Passing) => {
    passing.isPlaced = true
    for (const { name, make } of made) {
      const value = make(undefined, passing.context, passing.value)
      if (value !== undefined) put(passing.result, name, value)
    }
  }
  const pass = (passing: Passing, name: string, value: unknown, { to, convert, isPlace, inner }: OlderMove) => {
    const converted = convert === undefined ? value : convert(value, passing.context, passing.value)
    if (to !== undefined && converted !== undefined) put(passing.result, to, converted)
    if (isPlace === true && !passing.isPlaced) place(passing)
    if (inner === undefined || converted === null || converted === undefined) return
    if (!isProperties(converted)) throw new TypeError(`"${name}" is no object.`)
    for (const key of Object.keys(converted)) {
      const move = inner.get(key)
      if (move !== undefined) pass(passing, key, converted[key], move)
    }
  }
  return (value, context) => {
    if (!isProperties(value)) return value
    const result: Properties = {}
    const passing = { value, context, result, isPlaced: made.length === 0 }
    for (const name of Object.keys(value)) {
      const move = moves.get(name)
      if (move === undefined) put(result, name, value[name])
      else pass(passing, name, value[name], move)
    }
    for (const name of filled)
      if (!Object.hasOwn(value, name)) pass(passing, name, undefined, moves.get(name) as OlderMove)
    if (!passing.isPlaced) place(passing)
    for (const { name, newer, needing } of leaving) {
      const other = Object.hasOwn(result, name) ? undefined : needing.find((one) => Object.hasOwn(result, one))
      if (other !== undefined && isThere(value, newer))
        throw new TypeError(`"${newer.name}" is empty, and older versions require "${name}" beside "${other}".`)
    }
    return result
  }
}

function olderMoves(properties: readonly Property[]): OlderMoves {
  return new Map(
    properties.map((property): [string, OlderMove] => {
      const { name, from, isAdded, inner, older } = property
      const convert = inSequence(older)
      if (isAdded === true) return [from as string, { isPlace: true }]
      if (inner !== undefined) return [from as string, { convert, inner: olderMoves(inner) }]
      return [from as string, { to: name, convert }]
    }),
  )
}

/** Makes the step for bodies: the newer shape of the older one. */
export function newerStep({ origins, properties, names, presets }: Draft): StepFunction {
  const moves = new Map<string, (PropertyPath & { readonly convert: Convert | undefined }) | undefined>()
  for (const name of names) moves.set(name, undefined)
  for (const property of properties) {
    const convert = inSequence(property.newer.toReversed())
    const place = placeOf(property)
    const stays = place.name === property.name && place.path.length === 0 && convert === undefined
    if (stays) moves.delete(property.name)
    else if (property.from !== undefined) moves.set(property.name, { ...place, convert })
  }
  const given = presets.map(({ property, make, when }) => ({ ...placeOf(property), make, when: when?.map(placeOf) }))
  // The other ones were converted on the way.
  const late = origins
    .filter(({ inner, isFilled }) => inner !== undefined || isFilled === true)
    .map(({ from, inner, newer }) => ({
      name: from as string,
      isObject: inner !== undefined,
      convert: inSequence(newer.toReversed()),
    }))
  return (value, context) => {
    if (!isProperties(value)) return value
    const result: Properties = {}
    for (const name of Object.keys(value)) {
      const move = moves.get(name)
      if (move !== undefined) {
        const { convert, path } = move
        const target = path.length === 0 ? result : objectAt(result, path)
        put(target, move.name, convert === undefined ? value[name] : convert(value[name], context, value))
      } else if (!moves.has(name)) put(result, name, value[name])
    }
    for (const preset of given) {
      if (isThere(result, preset)) continue
      if (preset.when === undefined || preset.when.some((place) => isThere(result, place)))
        put(objectAt(result, preset.path), preset.name, preset.make(undefined, context, value))
    }
    for (const { name, isObject, convert } of late) {
      const isMissing = !Object.hasOwn(result, name)
      if (convert === undefined || (!isMissing && !isObject)) continue
      const made = convert(isMissing ? undefined : result[name], context, value)
      if (made !== undefined) put(result, name, made)
    }
    return result
  }
}

function placeOf({ from, around }: Property): PropertyPath {
  const path: string[] = []
  for (let object = around; object !== undefined; object = object.around) path.unshift(object.from as string)
  return { name: from as string, path }
}

/** Returns the object at a path of a result, and makes it where it is missing. */
function objectAt(result: Properties, path: readonly string[]): Properties {
  let object = result
  for (const name of path) {
    if (!Object.hasOwn(object, name)) put(object, name, {})
    object = object[name] as Properties
  }
  return object
}

function isThere(result: Properties, { name, path }: PropertyPath): boolean {
  let object: unknown = result
  for (const outer of path) {
    object = Object.hasOwn(object as Properties, outer) ? (object as Properties)[outer] : undefined
    // A nested object may be null.
    if (!isProperties(object)) return false
  }
  return Object.hasOwn(object as Properties, name)
}

/** Joins conversions that follow each other. */
function inSequence(conversions: readonly Convert[]): Convert | undefined {
  if (conversions.length < 2) return conversions[0]
  return (value, context, whole) => conversions.reduce((current, convert) => convert(current, context, whole), value)
}

function isProperties(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
