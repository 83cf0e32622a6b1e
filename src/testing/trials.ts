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
import { byDirection, type Direction, type SchemaReading } from '../schemas/model'
import { holding, type NamedSchemas, resolveIn } from '../schemas/reach'
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
    const ofShapes = [...shapes.keys()].flatMap((shape): Trial[] => {
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
      const holdsIn = byDirection((direction) => holding(sides(direction).older, [shape]))
      const holds = (direction: Direction, schema: SchemaReading | null | undefined) =>
        schema != null && holdsIn[direction](schema)
      // Definitions of a document may be in no request.
      const isIn = (direction: Direction) =>
        bound.operations.some(({ bodies }) =>
          bodies[direction].some(({ schemas }) => schemas.some((schema) => holds(direction, schema))),
        )
      const isPut = bound.operations.some(
        ({ name, sent }) => name.startsWith('PUT ') && holds('input', sent.body.schemas[index]),
      )
      const isSent = isIn('input')
      const request = isSent ? stepOf('input') : undefined
      // No response has a shape of bodies alone.
      const response = isSent && !isIn('output') ? undefined : stepOf('output')
      const [body, newer] = [closed('input', 'older'), closed('input', 'newer')]
      const back = isPut && request && body && newer ? { step: request, body, newer } : undefined
      const common = { ...facts, shape, isQuery: false }
      const [from, to] = [closed('output', 'newer'), closed('output', 'older')]
      return [
        ...(response ? [{ ...common, direction: 'response', step: response, from, to, back } as const] : []),
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
  const trialOf = (
    step: CompiledStep,
    direction: Trial['direction'],
    from: Trial['from'],
    to: Trial['to'],
    more: Partial<Trial> = {},
  ): Trial => {
    const operation = step.operation === ALL ? ALL : shapes.name
    return { ...facts, operation, step, direction, from, to, isQuery: false, ...more }
  }
  const closed = ({ schemas, unsaid }: Body, direction: Direction, side: 'older' | 'newer', kind: StepKind) => {
    const reading = schemas[side === 'older' ? index : index + 1]
    const isUnsaid = side === 'older' && unsaid.get(index) === kind
    const { older, newer } = sides(direction)
    return reading && !isUnsaid ? closedIn(reading, new Map([...older, ...newer])) : undefined
  }
  const sent = (part: 'body' | 'query', kind: 'request' | 'query'): Trial[] => {
    const step = entry?.steps[kind]
    if (step === undefined) return []
    const [from, to] = (['older', 'newer'] as const).map((side) => closed(shapes.sent[part], 'input', side, kind))
    return [trialOf(step, 'request', from, to, { isQuery: part === 'query' })]
  }
  const responded = (step: CompiledStep | undefined, isError: boolean): Trial[] => {
    if (step === undefined) return []
    const kind = isError ? 'error' : 'response'
    const bodies = [...shapes.received].flatMap(([status, body]) => (status >= 400 === isError ? body : []))
    const found = bodies.flatMap((body): Trial[] => {
      const to = closed(body, 'output', 'older', kind)
      const isMade = body.made.has(index) && to !== undefined
      const from = isMade ? NOTHING : closed(body, 'output', 'newer', kind)
      return from === undefined ? [] : [trialOf(step, 'response', from, to, { isMade })]
    })
    if (found.length > 0) return found
    // Few say what errors are. Most are problems.
    if (isError) return [trialOf(step, 'response', PROBLEM_SENT, undefined, { isGuess: true })]
    return [trialOf(step, 'response', undefined, undefined)]
  }
  const streamed = (step: CompiledStep | undefined): Trial[] => {
    if (step === undefined) return []
    return shapes.items.flatMap((body) => {
      const [from, to] = [closed(body, 'output', 'newer', 'item'), closed(body, 'output', 'older', 'item')]
      return from === undefined ? [] : [trialOf(step, 'response', from, to && withNull(to))]
    })
  }
  return [
    ...sent('query', 'query'),
    ...sent('body', 'request'),
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
