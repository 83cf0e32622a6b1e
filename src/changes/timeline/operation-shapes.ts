// The bodies of an operation in each version, and the conversions of their shapes.
import { ITEM_KINDS, type ItemKind } from '../../http/framing'
import { isBodyless, isError, isSuccess } from '../../http/representation'
import { type Alternative, alternativesOf, hasMarks } from '../../schemas/alternatives'
import { resolveOwn } from '../../schemas/graph'
import type { SchemaLocation } from '../../schemas/location'
import { type Direction, isObject, type SchemaReading } from '../../schemas/model'
import { type ByStatus, rangeOf, saidOf, statusNumber } from '../../schemas/responses'
import { ALL } from '../../util/operation'
import type { ShapeConverter } from '../convert/shape-converter'
import { ChangeFailure, type ShapeConversion, type StepKind } from '../convert/steps'
import type { Definitions } from './definition-table'
import type { DescribedBodies, OtherBody } from './descriptions'
import { type AppliedChange, presenceIn, type ReleasedChange } from './operation-changes'
import { itemTrail, requestTrail, responseTrail, type Stage } from './trails'

/** The part of a change about an operation, with its schemas read. */
export type ReadChange = AppliedChange<SchemaReading, SchemaReading>

/** One kind of body of an operation, in all versions. */
export interface Body {
  /** Its place, for errors. */
  readonly location: SchemaLocation
  readonly isQuery: boolean
  /** Its schemas by the number of changes that a version includes; `null` for one without a schema. */
  readonly schemas: readonly (SchemaReading | null)[]
  /** The steps that convert it without describing the older body, by the index of their change. */
  readonly unsaid: ReadonlyMap<number, StepKind>
}

/** A body, and the conversions of its shapes by the index of their change. */
export interface ConvertedBody extends Body {
  readonly conversions: readonly (ShapeConversion | undefined)[]
}

/** A kind of response. */
export interface Received extends ConvertedBody {
  /** The changes with a step that makes the body, because the newer status has none. */
  readonly made: ReadonlySet<number>
}

/** The changed shapes in the bodies of one operation, as its plans need them. */
export type BodyShapes = Pick<
  OperationShapes,
  | 'successes'
  | 'meets'
  | 'meetsResponses'
  | 'rejectsUnknown'
  | 'ofRequest'
  | 'ofResponse'
  | 'ofItem'
  | 'ofOthers'
  | 'describesItem'
>

/** A success of a media type that nobody converts, though it holds shapes that changes convert. */
export interface Unconverted extends OtherBody {
  /** The first shape of each change that it holds, by the index of the change. */
  readonly changed: ReadonlyMap<number, string>
}

/** The media types of a response that nobody converts, and the rejection of them. */
export interface RejectedTypes {
  readonly types: readonly string[]
  readonly rejection: ShapeConversion
}

/** The ranges that `default` stands for. */
const RANGES = ['2XX', '3XX', '4XX', '5XX'].map(statusNumber)

/** The bodies of one operation, and the conversions of their shapes. Changes are named by their index. */
export type OperationShapes = ReturnType<typeof operationShapes>

/**
 * Finds the changed shapes in the bodies of one operation.
 *
 * @param changes the parts of changes about the operation, oldest first.
 * @param all all changes of the history.
 * @param converters those of each change; undefined for a change without shapes.
 * @param isElsewhere `true` if its handlers may be outside of the table, where nobody sees what they send.
 * @param changedIn returns a shape of a change that a schema of responses holds.
 */
export function operationShapes(
  described: DescribedBodies,
  changes: readonly ReadChange[],
  all: readonly ReleasedChange[],
  converters: Readonly<Record<Direction, readonly (ShapeConverter | undefined)[]>>,
  isElsewhere: boolean,
  changedIn: Definitions['changedIn'],
) {
  const { name } = described
  const newestFirst = changes.toReversed()
  const older = Array.from({ length: all.at(-1)?.versionIndex ?? 0 }, (_, version) => version)
  /** The index of the first version that has the operation; undefined if no older one has. */
  const since = older.find((version) => presenceIn(changes, version).present)
  const changeAt = (index: number) => all[index] as ReleasedChange
  /** Tells whether a change meets the operation at all, which it does not before a version has the operation. */
  const isThereBefore = (index: number) => since !== undefined && changeAt(index).versionIndex > since
  const converterOf = (direction: Direction, index: number) =>
    isThereBefore(index) ? converters[direction][index] : undefined

  /** Makes a body of its stages, the newest first. A change without a stage leaves it as it is. */
  const bodyOf = (
    direction: Direction,
    part: string,
    key: string,
    newest: SchemaReading | null,
    stages: readonly Stage<SchemaReading>[],
  ): ConvertedBody => {
    const location = { root: `the ${part} of "${name}"`, place: `${name} ${key}`, path: '' }
    const isQuery = key === 'query'
    const found = new Map(stages.map((stage) => [stage.applied.index, stage]))
    const unsaid = new Map<number, StepKind>()
    const schemas = [newest]
    for (const index of [...all.keys()].toReversed()) {
      const stage = found.get(index)
      schemas.unshift((stage === undefined ? schemas[0] : stage.body) ?? null)
      if (stage?.step !== undefined && stage.applied === stage.unknownSince) unsaid.set(index, stage.step.kind)
    }
    const conversions = all.map((_, index) => {
      const schema = schemas[index] ?? null
      return schema === null ? undefined : converterOf(direction, index)?.conversionOf(schema, location, isQuery)
    })
    return { location, isQuery, schemas, unsaid, conversions }
  }

  const sentPart = (part: 'body' | 'query') =>
    bodyOf('input', part, part, described[part], requestTrail(part, newestFirst, described[part]))
  const sent = { body: sentPart('body'), query: sentPart('query') }

  const saidFor = (status: number) => saidOf(described.responses, status)
  /** Tells whether responses of a status may have a body, but have no JSON by their description. */
  const isNull = (status: number) => saidFor(status) === null && !isBodyless(status)
  /** The responses whose bodies differ, by their status of the newest version, with one status for a whole range. */
  const received: ReadonlyMap<number, Received> = new Map(
    statusesOf(described.responses, changes).map((newest) => {
      const newer = saidFor(newest) ?? null
      const stages = responseTrail(newest, newestFirst, newer)
      const made = new Set(stages.flatMap(({ makes, applied }) => (makes ? applied.index : [])))
      const status = toldStatus(newest)
      return [newest, { ...bodyOf('output', `response ${status}`, status, newer, stages), made }]
    }),
  )
  const itemsOf = (kind: ItemKind) =>
    new Map(
      [...received.keys()].map((newest) => {
        const newer = saidOf(described.items[kind], newest) ?? null
        const status = toldStatus(newest)
        const stages = itemTrail(newest, newestFirst, newer)
        return [newest, bodyOf('output', `items of the response ${status}`, `${status} item`, newer, stages)]
      }),
    )
  /** The items of its streams, by their kind and by their status of the newest version. */
  const items: Readonly<Record<ItemKind, ReadonlyMap<number, ConvertedBody>>> = {
    events: itemsOf('events'),
    lines: itemsOf('lines'),
  }
  const allItems = ITEM_KINDS.flatMap((kind) => [...items[kind].values()])
  /** Its body and its query, and its responses and items. */
  const bodies: Readonly<Record<Direction, readonly ConvertedBody[]>> = {
    input: Object.values(sent),
    output: [...received.values(), ...allItems],
  }
  const hasItems = (status: number) =>
    ITEM_KINDS.some((kind) => (saidOf(described.items[kind], status) ?? null) !== null)
  const [first = 200, ...others] = [...received.keys()].filter(
    (status) => isSuccess(status) && (saidFor(status) ?? hasItems(status)),
  )

  /** The media types that nobody converts, by status. */
  const heldBy: ByStatus<readonly Unconverted[]> = new Map(
    [...described.others].map(([status, media]) => {
      const held = media.flatMap((one): Unconverted[] => {
        const changed = all.flatMap((_, index) => {
          const shape = isThereBefore(index) ? changedIn(one.reading, index) : undefined
          return shape === undefined ? [] : [[index, shape] as const]
        })
        return changed.length === 0 ? [] : [{ ...one, changed: new Map(changed) }]
      })
      return [status, held] as const
    }),
  )
  const unconverted = [...heldBy.values()].flat()
  /** The kinds of items, by the schemas of items. */
  const alternatives = new Map<SchemaReading, readonly Alternative[]>()

  const holds = (direction: Direction, index: number) =>
    bodies[direction].some(({ conversions }) => conversions[index] !== undefined)
  /** Tells whether a change with shapes meets a response that has no JSON by its description, or a media type that nobody converts. */
  const rejects = (index: number) =>
    unconverted.some(({ changed }) => changed.has(index)) ||
    (converterOf('output', index) !== undefined && [...received.keys()].some(isNull))
  /** Tells whether a change converts a shape in its body, its query or a response. */
  const converts = (index: number) => holds('input', index) || holds('output', index)
  /** Tells whether a change converts any shape in its responses, or rejects one of them. */
  const meetsResponses = (index: number) => holds('output', index) || rejects(index)
  /** Tells whether a change rejects successes that nobody described, though it converts nothing of the operation. */
  const rejectsUnknown = (index: number) => isElsewhere && converterOf('output', index) !== undefined

  return {
    name,
    described,
    changes,
    sent,
    received,
    bodies,
    /** The items of its streams. */
    items: allItems,
    /** The described statuses of its responses with success; 200 if there are none. */
    successes: [first, ...others] as readonly [number, ...number[]],
    /** The successes of media types that nobody converts, though they hold shapes that change. */
    unconverted,
    isThereBefore,
    converts,
    meetsResponses,
    rejectsUnknown,

    /** Tells whether a change converts any shape in its bodies, or rejects one of its responses. */
    meets: (index: number): boolean => converts(index) || rejects(index),

    /** Returns the conversion of a change for the shapes in its body or its query. */
    ofRequest: (part: 'body' | 'query', index: number): ShapeConversion | undefined => sent[part].conversions[index],

    /**
     * Returns the conversion of a change for the shapes in its responses of a status of the newest version, or a rejection of that
     * status.
     *
     * @param source the handler, or a step that made the body.
     */
    ofResponse(index: number, newest: number, source: 'handler' | 'step'): ShapeConversion | undefined {
      const responses = `responses of "${name}" with status ${newest}`
      const isHandlers = source === 'handler'
      if (isHandlers && isNull(newest) && converterOf('output', index) !== undefined) {
        return rejecting(changeAt(index), 'response', `the JSON in ${responses}, where describe() says null`)
      }
      const isUnknown = isHandlers && isUnsaid(described.responses, newest) && name !== ALL
      if (isUnknown && (meetsResponses(index) || rejectsUnknown(index))) {
        return rejecting(changeAt(index), 'response', `${responses}, which nobody had described ${LATE}`)
      }
      return (received.get(newest) ?? received.get(rangeOf(newest)))?.conversions[index]
    },

    /**
     * Returns the conversion of a change for the shapes in the items of a response of a status of the newest version, or a rejection
     * of items that nobody described.
     */
    ofItem(index: number, newest: number, kind: ItemKind): ShapeConversion | undefined {
      const said = described.items[kind]
      const isNone = saidOf(said, newest) === null && !isBodyless(newest)
      const isUnknown = isNone || (isUnsaid(said, newest) && name !== ALL)
      if (isUnknown && converterOf('output', index) !== undefined) {
        const what = `the items of responses of "${name}" with status ${newest}`
        return rejecting(changeAt(index), 'response', `${what}, which nobody had described ${LATE}`)
      }
      return (items[kind].get(newest) ?? items[kind].get(rangeOf(newest)))?.conversions[index]
    },

    /** Returns the rejection of a change for the media types of a status of the newest version that hold its shapes. */
    ofOthers(index: number, newest: number): RejectedTypes | undefined {
      const own = isSuccess(newest) ? (saidOf(heldBy, newest) ?? []) : []
      const types = own.filter(({ changed }) => changed.has(index)).map(({ type }) => type)
      if (types.length === 0) return undefined
      const what = `responses of "${name}" with status ${newest} as ${types.join(', ')}, which nobody converts`
      return { types, rejection: rejecting(changeAt(index), 'response', what) }
    },

    /** Tells whether an item is of a described kind: events of other names, and other JSON, may contain shapes anywhere. */
    describesItem(item: unknown, newest: number, kind: ItemKind): boolean {
      const reading = saidOf(described.items[kind], newest)
      if (!isObject(item) || !reading) return true
      const known = alternatives.get(reading) ?? alternativesOf(reading, resolveOwn)
      alternatives.set(reading, known)
      return known.some((one) => hasMarks(item, one))
    },
  }
}

/** Lists the statuses of an operation whose bodies may differ. */
function statusesOf(responses: DescribedBodies['responses'], changes: readonly ReadChange[]): number[] {
  const described = [...responses.keys()].flatMap((key) => (key === 'default' ? RANGES : statusNumber(key)))
  // Steps may tell the statuses of a range apart.
  const told = changes.flatMap(({ head, older }) => [
    ...(head?.status.keys() ?? []),
    ...[...older.responses.keys()].filter((key) => key !== 'default').map(statusNumber),
  ])
  const known = told.filter((status) => isBodyless(status) || saidOf(responses, status) !== undefined)
  return [...new Set([...described, ...known])]
}

/** Tells whether JSON with a status must be described, as that of errors need not be. */
function isClosed(status: number): boolean {
  return !isError(status) && !isBodyless(status)
}

/** Tells whether nobody described JSON that must be. No description is about 600 and more, which is no status of HTTP. */
function isUnsaid(responses: ByStatus<unknown>, status: number): boolean {
  return isClosed(status) && (status >= 600 || saidOf(responses, status) === undefined)
}

/** Writes a status, or the range that a number stands for. */
function toldStatus(status: number): string {
  return status === rangeOf(status) ? `${String(status)[0]}XX` : String(status)
}

const LATE = 'when versioning() was called'

/**
 * Returns the shapes of an operation that was added after `versioning()` got the history. Its bodies cannot be converted.
 *
 * @param common the responses that all operations share.
 */
export function lateShapes(all: readonly ReleasedChange[], operation: string, common: BodyShapes): BodyShapes {
  const meets = (index: number) => (all[index] as ReleasedChange).shapes.size > 0
  const rejected = (index: number, kind: 'request' | 'response', what: string) => {
    const told = `${what} of "${operation}", which nobody had described ${LATE}`
    return meets(index) ? rejecting(all[index] as ReleasedChange, kind, told) : undefined
  }
  return {
    successes: [200],
    meets,
    meetsResponses: meets,
    rejectsUnknown: meets,
    ofRequest: (part, index) => (part === 'body' ? rejected(index, 'request', 'the body') : undefined),
    ofResponse: (index, status, source) =>
      isClosed(status) ? rejected(index, 'response', 'the responses') : common.ofResponse(index, status, source),
    ofItem: (index, status, kind) =>
      isClosed(status) ? rejected(index, 'response', 'the responses') : common.ofItem(index, status, kind),
    ofOthers: () => undefined,
    describesItem: (item, status, kind) => common.describesItem(item, status, kind),
  }
}

/** Makes a conversion that rejects a body, because it may contain shapes anywhere. */
function rejecting(
  { description, shapes }: ReleasedChange,
  kind: 'request' | 'response',
  what: string,
): ShapeConversion {
  const named = { kind, description, operation: [...shapes.keys()].join('", "') }
  return {
    ...named,
    rejects: true,
    convert: (_value, context) => {
      throw new ChangeFailure(named, `does not know ${what}`, context)
    },
  }
}
