// The Standard Schemas that people wrote: which one judges a part of a request, and how.

import { openedSchema } from '../schemas/closed'
import type { Definitions } from '../schemas/definitions'
import { differenceOf, isCompared } from '../schemas/differences'
import { resolveOwn, targetOf } from '../schemas/graph'
import { loneReferenceIn } from '../schemas/keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from '../schemas/model'
import { readSchema } from '../schemas/reading'
import type { Schema } from '../types'
import { isThenable } from '../util/thenable'
import { type ContractIssue, MOST_ISSUES } from './failure'
import { type Judge, OddResult, settledKind } from './validators'

/** A Standard Schema that validates. */
export interface StandardSchema {
  readonly '~standard': { validate(value: unknown): unknown }
}

/**
 * Returns the Standard Schema that somebody wrote for a part of a request in a version.
 *
 * @param schema the schema that the description or a change has.
 * @param json what the schema is in that version, with its definitions in `$defs`.
 * @param selfContained returns what a schema is by itself, in the same form.
 * @returns `undefined` if nobody wrote it, such as one that holds another version's shapes, or one that `fields()` makes.
 */
export function writtenFor(
  schema: Schema,
  json: JsonSchema,
  definitions: Definitions,
  selfContained: (schema: Schema) => JsonSchema,
): StandardSchema | undefined {
  const own = inVersion(schema, definitions)
  if (!isStandard(own)) return undefined
  const names = [...readSchema(own, 'input').definitions.keys()].filter(isName)
  if (!names.some((name) => definitions.get(name)?.isOlder === true)) return own
  // The author may have written what these names are in this version, or what they are today.
  return differenceOf(rootOf(json), rootOf(selfContained(own)), isCompared) === undefined ? own : undefined
}

/** Returns the schema that a version has instead of one with a name. */
function inVersion(schema: Schema, definitions: Definitions): Schema {
  const older = definitions.get(loneReferenceIn(readSchema(schema, 'input').schema) as string)
  return older?.isOlder === true ? older.schema : schema
}

function isStandard(schema: Schema): schema is Schema & StandardSchema {
  const { '~standard': standard } = Object(schema) as Partial<StandardSchema>
  return typeof standard?.validate === 'function'
}

/** Reads a schema with `$defs`, behind a reference to one of them. */
function rootOf(schema: JsonSchema): SchemaReading {
  const reading = openedSchema(schema)
  return targetOf(reading, resolveOwn) ?? reading
}

/** Returns a judge that asks a Standard Schema. */
export function standardJudge({ '~standard': standard }: StandardSchema): Judge {
  return (value, part) => {
    const result = standard.validate(value)
    // Issues may be a list with a property `issues`, as those of arktype are.
    const { issues } = Object(result) as { issues?: unknown }
    if (issues !== undefined && !isThenable(result)) return issuesIn(issues, part)
    if (isObject(result) && 'value' in result && !isThenable(result)) return []
    throw new OddResult(`returned ${settledKind(result)} instead of a value or issues`)
  }
}

/** Reads the issues of a Standard Schema. There is at least one, however odd they are. */
function issuesIn(issues: unknown, part: ContractIssue['in']): ContractIssue[] {
  const list = Array.isArray(issues) ? issues.slice(0, MOST_ISSUES).filter(isObject) : []
  return (list.length === 0 ? [{}] : list).map(({ path, message }: JsonSchema) => ({
    in: part,
    path: Array.isArray(path) ? path.map((step: unknown) => String(isObject(step) ? step.key : step)) : [],
    message: typeof message === 'string' ? message : 'does not fit its schema',
    keyword: '',
  }))
}
