// The options of `fields()` about properties: each takes a definition from the newer version to the older one.
import { NULL, typesAllowed } from '../../../schemas/alternatives'
import type { Resolve } from '../../../schemas/graph'
import { badOption, checkKeys } from '../../../util/options'
import type { StepContext } from '../../types/operations'
import { type Convert, type Draft, type Preset, type Property, propertiesOf, propertyOf } from './draft'
import type { FieldChanges, FieldStep } from './field-changes'
import { accepts, listIn, objectIn } from './field-schemas'
import {
  called,
  checkSchema,
  entriesOf,
  type FieldOption,
  namesOf,
  needed,
  newerName,
  OWNER,
  option,
  propertyOption,
  stepOf,
} from './option'

/** Properties that only the older version has. */
export const removed = option(
  'removed',
  (field, name) => {
    const owner = `${OWNER}: "${name}"`
    checkKeys(owner, field, ['schema', 'value', 'optional'])
    const { schema, value, optional: isOptional = false } = field
    checkSchema(owner, schema)
    if (typeof isOptional !== 'boolean') throw badOption(owner, 'optional', 'true or false', isOptional)
    return { schema, make: stepOf(owner, 'value', value), isOptional }
  },
  (draft, fields) => {
    const added: Property[] = []
    for (const [name, { schema, make, isOptional }] of fields) {
      const isRequired = !isOptional && !draft.isPartial
      if (draft.isFree('removed', name)) added.push(propertyOf({ name, schema: draft.read(name, schema), isRequired }))
      if (make === undefined && !draft.isBody) draft.lacks.push(`has no "value" for the removed "${name}"`)
      if (make === undefined) continue
      draft.made.push({
        name,
        make: (_none, context, whole) =>
          isOptional ? make(whole, context as StepContext) : called(make, whole, context, name),
      })
    }
    draft.add(added)
  },
)

/** Properties with another name in the older version. */
export const renamed = option('renamed', newerName, (draft, names) => {
  const older = new Map<Property, string>()
  for (const [from, to] of names) {
    const property = draft.findRenamed('renamed', from, to)
    if (property === undefined) continue
    if (older.has(property)) draft.settings.fault(`"renamed" has "${to}" twice.`)
    older.set(property, from)
  }
  const moved = [...older.keys()]
  for (const from of older.values()) {
    if (moved.every(({ name }) => name !== from)) draft.isFree('renamed', from)
  }
  draft.rename(older)
})

/** Properties that the older version lacks. */
export const added: FieldOption = (changes) => {
  const values = addedIn(changes.added)
  if (values === undefined) return undefined
  checkOthers(values, changes)
  return (draft) => {
    const presets: Preset[] = []
    for (const [name, { value, make }] of values) {
      const property = draft.find('added', name)
      if (property === undefined) continue
      const when = property.isRequired ? undefined : draft.needing(property)
      const isNeeded = draft.isBody && when?.length !== 0
      const isServed = draft.settings.isServed(draft.readingOf(property))
      if (make === undefined && isNeeded && !isServed)
        draft.lacks.push(`has no value for the added "${name}", which bodies require`)
      if (make !== undefined) {
        if (draft.settings.isPreset) checkAccepted('added', draft, property, value)
        if (isNeeded) {
          presets.push({ property, make: (_none, context, whole) => called(make, whole, context, name), when })
        }
      }
      draft.place ??= draft.properties.indexOf(property)
      property.isAdded = true
      draft.replace(property)
    }
    draft.presets.unshift(...presets)
  }
}

function addedIn(given: FieldChanges['added']) {
  if (!Array.isArray(given)) {
    const values = given as Exclude<typeof given, readonly string[]>
    return entriesOf('added', values, (value, name) => ({ value, make: stepOf(OWNER, name, value) }))
  }
  return new Map(namesOf(given, 'added').map((name) => [name, { value: undefined, make: undefined }]))
}

/** Checks that no other option speaks of an added property. */
function checkOthers(values: ReadonlyMap<string, unknown>, { added: _, ...others }: FieldChanges): void {
  for (const [option, named] of Object.entries(others)) {
    // These name properties of the older version, or objects.
    if (option === 'removed' || option === 'nested') continue
    const names = option === 'renamed' ? Object.values(Object(named)) : Object.keys(Object(named))
    const both = names.find((name) => values.has(name as string))
    if (both !== undefined) {
      throw new TypeError(
        `${OWNER}: "added" and "${option}" both say "${both}", but the older version lacks what is added.`,
      )
    }
  }
}

/** Properties with another schema in the older version. */
export const converted = propertyOption(
  'converted',
  (field, name) => {
    const owner = `${OWNER}: "${name}"`
    checkKeys(owner, field, ['schema', 'response', 'request'])
    checkSchema(owner, field.schema)
    for (const kind of ['response', 'request'] as const) {
      if (field[kind] !== undefined && typeof field[kind] !== 'function')
        throw badOption(owner, kind, 'a function', field[kind])
    }
    return field
  },
  (draft, property, { schema, ...steps }) => {
    const { resolve } = draft.settings
    const { name } = property
    // Named schemas in the older one are those of its version.
    const resolveOlder: Resolve = (reference, from) => draft.inside.get(reference) ?? resolve(reference, from)
    const [kind, conversions] = draft.isBody
      ? (['request', property.newer] as const)
      : (['response', property.older] as const)
    const step = steps[kind]
    const newer = draft.readingOf(property)
    property.schema = draft.read(name, schema)
    const nullOf = [typesAllowed(newer, resolve), typesAllowed(draft.readingOf(property), resolveOlder)]
    const keepsNull = nullOf.every((types) => (types & NULL) !== 0)
    if (step === undefined) draft.lacks.push(`has no "${kind}" for the converted "${name}"`)
    else
      conversions.push((value, context) =>
        value === undefined || (value === null && keepsNull) ? value : called(step, value, context, name),
      )
  },
)

/** Properties of an object that the older version has beside it. */
export const nested = option('nested', namesOf, (draft, objects) => {
  const presets = [...objects].flatMap(([name, names]) => unnest(draft, name, names))
  draft.presets.unshift(...presets)
})

/** Puts the properties of an object beside it. Returns the object where bodies without its properties need it. */
function unnest(draft: Draft, name: string, names: readonly string[]): Preset[] {
  const object = draft.find('nested', name)
  if (object === undefined) return []
  const { fault, resolve } = draft.settings
  const found = objectIn(draft.readingOf(object), resolve)
  if (found === undefined) {
    fault(`"nested" takes objects with "properties" alone, and "${name}" is none.`)
    return []
  }
  const { reading, isNullable } = found
  const { described: inner } = propertiesOf(reading.schema, object)
  for (const one of names) if (inner.every((property) => property.name !== one)) draft.unknown('nested', one, inner)
  const forgotten = inner.filter((property) => !names.includes(property.name)).map((one) => `"${one.name}"`)
  if (forgotten.length > 0) fault(`"nested" leaves out ${forgotten.join(', ')} of "${name}".`)
  const brought = inner.filter((property) => draft.isFree('nested', property.name, object))
  for (const property of brought) {
    property.schema = draft.bring({ ...reading, schema: property.schema })
    // The object is there if any of its properties is.
    for (const one of object.needs) property.needs.add(one)
  }
  object.inner = brought
  const whole = brought.filter(({ isRequired }) => isRequired)
  const needing = draft.needing(object)
  // An older body may then have none of the properties.
  const isBare = isNullable || whole.length === 0
  for (const property of whole) {
    property.isRequired = object.isRequired && !isBare
    for (const one of isBare ? brought : [...brought, ...needing]) if (one !== property) one.needs.add(property)
  }
  draft.replace(object, brought)
  if (!isBare || (!object.isRequired && needing.length === 0)) return []
  const make = () => (isNullable ? null : {})
  return [{ property: object, make, when: object.isRequired ? undefined : needing }]
}

/** Properties that the older version need not have. */
export const required = propertyOption('required', needed, (draft, property, { value, make }) => {
  if (draft.settings.isPreset) checkAccepted('required', draft, property, value)
  // A partial body stays partial.
  if (draft.isPartial) return
  if (!property.isRequired)
    draft.settings.fault(`"required" says "${property.name}", which its newer definition does not require.`)
  property.isRequired = false
  for (const one of draft.needing(property)) one.needs.delete(property)
  if (draft.isBody) fill(property, property.newer, make)
})

/** Properties that the older version must have. */
export const optional = propertyOption('optional', needed, (draft, property, { value, make }) => {
  const { name } = property
  if (property.isRequired && property.mayBeEmpty !== true)
    draft.settings.fault(`"optional" says "${name}", which its newer definition requires.`)
  const [missing] = [...property.needs].filter(({ isRequired }) => !isRequired)
  if (missing !== undefined)
    draft.settings.fault(`"optional" says "${name}", with which its newer definition requires "${missing.name}".`)
  property.isRequired = !draft.isPartial
  if (draft.isBody) return
  checkAccepted('optional', draft, property, value)
  fill(property, property.older, make)
})

/** Properties that are a list in the newer version alone. */
export const listed = option('listed', newerName, (draft, names) => {
  for (const [from, to] of names) {
    const property = draft.findRenamed('listed', from, to)
    if (property === undefined) continue
    const { fault, resolve } = draft.settings
    const found = listIn(draft.readingOf(property), resolve)
    if (found === undefined) {
      fault(`"listed" takes lists of "items" that may have one, and "${to}" is none.`)
      continue
    }
    if (from !== to && draft.isFree('listed', from)) draft.rename(new Map([[property, from]]))
    const { isNullable, isNeverEmpty } = found
    const schema = draft.bring(found.item)
    const itemMayBeNull = (typesAllowed(found.item, resolve) & NULL) !== 0
    const mayBeNull = isNullable || itemMayBeNull
    property.mayLeave = !mayBeNull
    property.mayBeEmpty = !mayBeNull && !isNeverEmpty
    property.schema = isNullable && !itemMayBeNull ? { anyOf: [schema, { type: 'null' }] } : schema
    property.older.push((value) => {
      if (value === null || value === undefined) return value
      if (!Array.isArray(value)) throw new TypeError(`"${to}" is no list.`)
      if (value.length > 0 || mayBeNull) return value.length > 0 ? value[0] : null
      if (property.isRequired && property.isFilled !== true)
        throw new TypeError(`"${to}" is empty, and older versions require "${from}".`)
      return undefined
    })
    property.newer.push((value) => {
      if (value !== null) return value === undefined ? value : [value]
      if (isNeverEmpty) return isNullable ? null : [null]
      return []
    })
  }
})

/** Reports a value that the schema of a property does not accept. A function makes its value later. */
function checkAccepted(option: string, draft: Draft, property: Property, value: unknown): void {
  const { fault, resolve } = draft.settings
  if (typeof value !== 'function' && !accepts(draft.readingOf(property), value, resolve))
    fault(`"${option}" gives "${property.name}" a value that its schema rejects.`)
}

/** Adds a conversion that makes the value where there is none. */
function fill(property: Property, conversions: Convert[], make: FieldStep): void {
  const { name } = property
  property.isFilled = true
  conversions.push((value, context, whole) => (value === undefined ? called(make, whole, context, name) : value))
}
