// The steps of a history to try, each with the schemas of its two sides.

import type { VersionChanges } from '../bound-changes'
import type { CompiledStep, StepKind } from '../changes/convert/steps'
import { releasesOf } from '../changes/history'
import { boundShapes } from '../changes/timeline/bound-shapes'
import { changesByOperation, routeNames } from '../changes/timeline/operation-changes'
import type { Body, OperationShapes } from '../changes/timeline/operation-shapes'
import { copiedShapes } from '../changes/timeline/shape-copies'
import { PROBLEM } from '../openapi/version-facts'
import type { RouteRegistry } from '../registry'
import { type ClosedSchema, closedSchema } from '../schemas/closed'
import type { Direction, SchemaReading } from '../schemas/model'
import { Holding, type NamedSchemas, resolveIn } from '../schemas/reach'
import { ALL } from '../util/operation'

/** One step between its two sides. */
export interface Trial {
  /** The description of its change. */
  readonly change: string
  /** The older version, whose clients meet the step. */
  readonly version: string
  readonly shape?: string | undefined
  readonly operation?: string | undefined
  readonly direction: 'request' | 'response'
  readonly step: CompiledStep
  /** The schemas of the value that it gets, and of the one that it gives; undefined if nobody said it. */
  readonly from: ClosedSchema | undefined
  readonly to: ClosedSchema | undefined
  /** `true` for a query, whose numbers are texts. */
  readonly isQuery: boolean
  /** `true` if nobody described the value that it gets. Then it gets a problem of RFC 9457. */
  readonly isGuess?: boolean | undefined
  /** `true` if the step makes the body of a response without one, so it gets nothing. */
  readonly isMade?: boolean | undefined
  /** The step for the body that a client sends back as a whole, if there is such a request. */
  readonly back?: { readonly step: CompiledStep; readonly body: ClosedSchema; readonly newer: ClosedSchema } | undefined
}

const NOTHING: ClosedSchema = { const: null, $defs: {} }
const PROBLEM_SENT: ClosedSchema = {
  type: 'object',
  properties: Object.fromEntries(
    (PROBLEM.required as string[]).map((name) => [name, Object(PROBLEM.properties)[name]]),
  ),
  required: PROBLEM.required,
  $defs: {},
}
const DIRECTIONS = { output: 'response', input: 'request' } as const
/** The shapes of a history say themselves what is missing. */
const LENIENT = { report: () => {}, check: () => {} }

/** Lists the steps of all shapes and operations, oldest first. */
export function trialsOf(
  history: VersionChanges,
  routes: RouteRegistry,
  isNeutral: (viewName: string, method: string) => boolean,
): Trial[] {
  const releases = releasesOf(history)
  const versions = releases.map(({ version }) => version)
  const changes = changesByOperation(releases, routeNames(routes.names(), versions), copiedShapes(routes))
  const bound = boundShapes(changes, routes, isNeutral, LENIENT)
  const all = changes.all.flatMap(({ versionIndex, description, shapes }, index): Trial[] => {
    const version = versions[versionIndex - 1] as string
    const facts = { change: description, version }
    const sides = (direction: Direction) => {
      const { tables } = bound.definitions[direction]
      return { older: tables[index] as NamedSchemas, newer: tables[index + 1] as NamedSchemas }
    }
    const ofShapes = [...shapes.keys()].flatMap((shape) => {
      const closed = (direction: Direction, side: 'older' | 'newer') => {
        const { [side]: table, newer, older } = sides(direction)
        const reading = table.get(shape)
        // A step sees the shapes inside as the newer version has them.
        return reading && closedIn(reading, new Map([...older, ...newer]))
      }
      const stepOf = (direction: Direction): CompiledStep | undefined => {
        const run = bound.definitions[direction].older[index]?.get(shape)?.step
        return run && { kind: DIRECTIONS[direction], operation: shape, description, run }
      }
      const holding = new Holding(sides('input').older, new Set([shape]))
      const holds = (schema: SchemaReading | null | undefined) => schema != null && holding.holds(schema)
      const isPut = bound.operations.some(
        ({ name, sent }) => name.startsWith('PUT ') && holds(sent.body.schemas[index]),
      )
      // Definitions of a document may be in no request.
      const isSent = bound.operations.some(({ sent }) =>
        [sent.body, sent.query].some(({ schemas }) => schemas.some(holds)),
      )
      const inResponses = new Holding(sides('output').older, new Set([shape]))
      const isReceived = bound.operations.some(({ bodies }) =>
        bodies.output.some(({ schemas }) => schemas.some((schema) => schema !== null && inResponses.holds(schema))),
      )
      const request = isSent ? stepOf('input') : undefined
      const [body, newer] = [closed('input', 'older'), closed('input', 'newer')]
      const back = isPut && request && body && newer ? { step: request, body, newer } : undefined
      const common = { ...facts, shape, isQuery: false }
      // No response has a shape of bodies alone.
      const response = isSent && !isReceived ? undefined : stepOf('output')
      return [
        ...(response
          ? [
              {
                ...common,
                direction: 'response',
                step: response,
                from: closed('output', 'newer'),
                to: closed('output', 'older'),
                back,
              } as const,
            ]
          : []),
        ...(request ? [{ ...common, direction: 'request', step: request, from: body, to: newer } as const] : []),
      ]
    })
    const ofOperations = bound.operations.flatMap((operation) => operationTrials(facts, operation, index, sides))
    return [...ofShapes, ...ofOperations]
  })
  // A step for all operations is tried once for each pair of schemas.
  const known = new Set<string>()
  return all.filter(({ step, operation, from, to }) => {
    const key = JSON.stringify([step.description, step.kind, operation, step.operation, from, to])
    return !known.has(key) && known.add(key)
  })
}

/** Lists the own steps of an operation. */
function operationTrials(
  facts: Pick<Trial, 'change' | 'version'>,
  shapes: OperationShapes,
  index: number,
  sides: (direction: Direction) => { readonly older: NamedSchemas; readonly newer: NamedSchemas },
): Trial[] {
  const { entry, error } = { ...shapes.changes.find((one) => one.index === index) }
  const commonOf = (step: CompiledStep) => ({
    ...facts,
    operation: step.operation === ALL ? ALL : shapes.name,
    step,
  })
  const closed = ({ schemas, unsaid }: Body, direction: Direction, side: 'older' | 'newer', kind: StepKind) => {
    const reading = schemas[side === 'older' ? index : index + 1]
    const isUnsaid = side === 'older' && unsaid.get(index) === kind
    const { older, newer } = sides(direction)
    return reading && !isUnsaid ? closedIn(reading, new Map([...older, ...newer])) : undefined
  }
  const sent = (part: 'body' | 'query'): Trial[] => {
    const kind = part === 'body' ? 'request' : 'query'
    const step = entry?.steps[kind]
    if (step === undefined) return []
    const body = shapes.sent[part]
    const [from, to] = [closed(body, 'input', 'older', kind), closed(body, 'input', 'newer', kind)]
    return [{ ...commonOf(step), direction: 'request', from, to, isQuery: part === 'query' }]
  }
  const responded = (step: CompiledStep | undefined, isError: boolean): Trial[] => {
    if (step === undefined) return []
    const bodies = [...shapes.received].flatMap(([status, body]) => (status >= 400 === isError ? body : []))
    const found = bodies.flatMap((body): Trial[] => {
      const kind = isError ? 'error' : 'response'
      const from = closed(body, 'output', 'newer', kind)
      const to = closed(body, 'output', 'older', kind)
      const isMade = body.made.has(index) && to !== undefined
      const given = isMade ? NOTHING : from
      return given === undefined
        ? []
        : [{ ...commonOf(step), direction: 'response', from: given, to, isQuery: false, isMade }]
    })
    if (found.length > 0) return found
    // Few say what errors are. Most are problems.
    if (isError) {
      return [
        { ...commonOf(step), direction: 'response', from: PROBLEM_SENT, to: undefined, isQuery: false, isGuess: true },
      ]
    }
    return [{ ...commonOf(step), direction: 'response', from: undefined, to: undefined, isQuery: false }]
  }
  const streamed = (step: CompiledStep | undefined): Trial[] =>
    (step === undefined ? [] : shapes.items).flatMap((body) => {
      const [from, to] = [closed(body, 'output', 'newer', 'item'), closed(body, 'output', 'older', 'item')]
      const told = to && withNull(to)
      return from === undefined
        ? []
        : [{ ...commonOf(step as CompiledStep), direction: 'response', from, to: told, isQuery: false }]
    })
  return [
    ...sent('query'),
    ...sent('body'),
    ...responded(entry?.steps.response, false),
    ...responded(error, true),
    ...streamed(entry?.steps.item),
  ]
}

function closedIn(reading: SchemaReading, table: NamedSchemas): ClosedSchema {
  const nameOf = (_reference: string, index: number) => `s${index}`
  return closedSchema(reading, resolveIn(table), nameOf, () => undefined)
}

/** Returns the schema of an item that a step may drop. */
function withNull({ $defs, ...item }: ClosedSchema): ClosedSchema {
  return { anyOf: [item, { type: 'null' }], $defs }
}
