// The trial of a history's steps: `checkHistory()`, its options and its findings.
import { isDeepStrictEqual } from 'node:util'
import type * as FastCheck from 'fast-check'
import { type CompiledStep, copyOf, resultOf } from '../changes/convert/steps'
import { jsonCopy } from '../http/json'
import { compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import { type ClosedSchema, openedSchema } from '../schemas/closed'
import { propertiesOf, resolveOwn } from '../schemas/graph'
import { isObject } from '../schemas/model'
import { badOption, checkKeys } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { valuesOf } from './generated-values'
import { type Judge, loadTools, type Tools } from './tools'
import { contextOf, type Trial, trialsOf } from './trials'

/** Options of {@link checkHistory}. */
export interface CheckOptions {
  /** The number of values for each step and kind of mistake. Default 100. */
  runs?: number | undefined
  /** The seed of the values: one seed gives one result. Default 1. */
  seed?: number | undefined
  /** The properties of shapes that are known to be lost when an old client sends a whole body back. */
  lossy?: { readonly [shape: string]: readonly string[] } | undefined
}

/** One mistake of a step, with the smallest value that shows it. */
export interface HistoryProblem {
  /**
   * The kind: the step throws, gives what its side's schema rejects, differs from call to call, adds properties to a partial body,
   * loses a property of a whole body, makes an empty object of an error; or it was not tried, because a schema is missing.
   */
  kind: 'throws' | 'misfit' | 'unstable' | 'partial' | 'lost' | 'empty' | 'untried'
  /** The description of the change. */
  change: string
  /** The older version, whose clients meet the step. */
  version: string
  /** The name of the shape, for a step of a shape. */
  shape?: string
  /** The operation, for a step of an operation. */
  operation?: string
  /** The direction of the step; `response` for what is lost on the way there and back. */
  direction: 'request' | 'response'
  /** The way to the property at fault. */
  path: string[]
  /** The value that the step got. */
  value?: unknown
  /** The value that it made, at the path; undefined where there is none. */
  got?: unknown
  /** The mistake, for people. */
  message: string
}

const OWNER = 'checkHistory()'

/**
 * Tries each step of a history alone, between its own two sides, with values that are made of the schemas. It needs the packages
 * `fast-check` and `ajv` beside this one.
 *
 * @param options the options of `versioning()`, with `changes` and `routes`.
 * @returns the mistakes; empty if there are none.
 * @throws {TypeError} for wrong options, as `versioning()`, and for an unknown shape in `lossy`.
 * @throws {Error} if `fast-check` or `ajv` is missing.
 * @example expect(await checkHistory(options)).toEqual([])
 */
export async function checkHistory(options: VersioningOptions, settings: CheckOptions = {}): Promise<HistoryProblem[]> {
  checkKeys(OWNER, settings, ['runs', 'seed', 'lossy'])
  const { runs = 100, seed = 1, lossy = {} } = settings
  if (!Number.isSafeInteger(runs) || runs < 1) throw badOption(OWNER, 'runs', 'a whole number above 0', runs)
  if (!Number.isSafeInteger(seed)) throw badOption(OWNER, 'seed', 'a whole number', seed)
  const { routes, neutral } = compileOptions(options)
  const { changes } = options
  if (changes === undefined || routes === undefined) {
    throw new TypeError(`${OWNER} needs the options "changes" and "routes" of versioning().`)
  }
  const trials = trialsOf(changes, routes, (viewName, method) => neutral?.hasName(viewName, method) === true)
  checkLossy(lossy, trials)
  const tools = await loadTools(OWNER)
  return trials.flatMap((trial) => new Tried(trial, tools, { runs, seed }, lossy).problems())
}

function checkLossy(lossy: NonNullable<CheckOptions['lossy']>, trials: readonly Trial[]): void {
  const known = [...new Set(trials.flatMap(({ shape }) => shape ?? []))]
  for (const [shape, properties] of Object.entries(lossy)) {
    if (!known.includes(shape)) {
      throw new TypeError(
        `${OWNER}: option "lossy" speaks of the shape "${shape}", which no change has.${didYouMean(near(shape, known))}`,
      )
    }
    const isList = Array.isArray(properties) && properties.every((property) => typeof property === 'string')
    if (!isList) throw badOption(OWNER, `lossy.${shape}`, 'a list of properties', properties)
  }
}

type Found = Pick<HistoryProblem, 'path' | 'got' | 'message'>

/** One step, tried in every way. */
class Tried {
  readonly #trial: Trial
  readonly #tools: Tools
  readonly #settings: { readonly runs: number; readonly seed: number }
  readonly #lossy: readonly string[]

  constructor(
    trial: Trial,
    tools: Tools,
    settings: { readonly runs: number; readonly seed: number },
    lossy: NonNullable<CheckOptions['lossy']>,
  ) {
    this.#trial = trial
    this.#tools = tools
    this.#settings = settings
    this.#lossy = trial.shape === undefined ? [] : (lossy[trial.shape] ?? [])
  }

  problems(): HistoryProblem[] {
    const { from, to, back, step, direction, isGuess } = this.#trial
    if (from === undefined) {
      const what = direction === 'request' ? 'its "older"' : 'the response in describe()'
      return [this.#problem('untried', { path: [], got: undefined, message: `was not tried: ${what} is missing` })]
    }
    const empty = step.kind === 'error' ? this.#find('empty', from, (value) => this.#empty(value, from)) : []
    if (isGuess) return empty
    const thrown = this.#find('throws', from, (value) => this.#thrownBy(step, value))
    // The other mistakes are those of values that the step takes.
    return [
      ...thrown,
      ...empty,
      ...(to === undefined ? [] : this.#find('misfit', from, (value) => this.#misfit(value, this.#tools.judgeOf(to)))),
      ...this.#find('unstable', from, (value) => this.#unstable(value)),
      ...(direction === 'request' ? this.#partial(from) : []),
      ...(back === undefined ? [] : this.#lost(from, back)),
    ]
  }

  #problem(kind: HistoryProblem['kind'], found: Found & { value?: unknown }): HistoryProblem {
    const { change, version, shape, operation, direction } = this.#trial
    return {
      kind,
      change,
      version,
      ...(shape === undefined ? {} : { shape }),
      ...(operation === undefined ? {} : { operation }),
      direction,
      ...found,
    }
  }

  /** Looks for the smallest value that shows a mistake. */
  #find(
    kind: HistoryProblem['kind'],
    schema: ClosedSchema,
    mistakeOf: (value: unknown) => Found | undefined,
  ): HistoryProblem[] {
    const { judgeOf } = this.#tools
    const fc: typeof FastCheck = this.#tools.fc
    const { runs, seed } = this.#settings
    const { isQuery } = this.#trial
    const judge = judgeOf(schema)
    const sent = (value: unknown) => (isQuery ? asTexts(value) : value)
    const values = valuesOf(fc, schema).map((value) => JSON.parse(JSON.stringify(value)))
    const fits = fc.property(values, (value) => {
      fc.pre(judge(value) === undefined)
      return mistakeOf(sent(value)) === undefined
    })
    const { failed, counterexample } = fc.check(fits, { seed, numRuns: runs, maxSkipsPerRun: 100, endOnFailure: false })
    if (!failed) return []
    if (counterexample === null) {
      const message = 'was not tried: no values of its schema could be made'
      return kind === 'throws' ? [this.#problem('untried', { path: [], got: undefined, message })] : []
    }
    const value = sent(counterexample[0])
    return [this.#problem(kind, { value, ...(mistakeOf(value) as Found) })]
  }

  #run(step: CompiledStep, value: unknown): unknown {
    const context = contextOf(this.#trial)
    const given = this.#trial.isMade ? undefined : jsonCopy(value)
    return copyOf(step, resultOf(step, given, context), context)
  }

  #thrownBy(step: CompiledStep, value: unknown): Found | undefined {
    try {
      this.#run(step, value)
      return undefined
    } catch (error) {
      const { cause = error } = error as { cause?: unknown }
      const told = cause instanceof Error ? cause.message : String(cause)
      return { path: [], got: undefined, message: `throws: ${told}` }
    }
  }

  /** Returns the result of the step; undefined if it throws, which is another mistake. */
  #resultOf(value: unknown): { readonly result: unknown } | undefined {
    return this.#thrownBy(this.#trial.step, value) === undefined
      ? { result: this.#run(this.#trial.step, value) }
      : undefined
  }

  #misfit(value: unknown, judge: Judge): Found | undefined {
    const made = this.#resultOf(value)
    const fault = made && judge(made.result, this.#trial.isQuery)
    return (
      fault && {
        path: fault.path,
        got: valueAt(made?.result, fault.path),
        message: `gives what the other side's schema rejects: ${fault.message}`,
      }
    )
  }

  /** Looks for an error of which nothing is left, although it has all of its properties. */
  #empty(value: unknown, from: ClosedSchema): Found | undefined {
    const isWhole = isObject(value) && [...namesIn(from)].every((name) => Object.hasOwn(value, name))
    const { result } = (isWhole && Object.keys(value).length > 0 && this.#resultOf(value)) || {}
    if (!isObject(result) || Object.keys(result).length > 0) return undefined
    return { path: [], got: result, message: 'makes an empty object of an error such as a problem of RFC 9457' }
  }

  #unstable(value: unknown): Found | undefined {
    const [one, other] = [this.#resultOf(value), this.#resultOf(value)]
    if (isDeepStrictEqual(one, other)) return undefined
    return { path: [], got: other?.result, message: 'gives another result each time' }
  }

  /** Looks for properties that nobody sent, in the result of a body without properties. */
  #partial(from: ClosedSchema): HistoryProblem[] {
    const { isQuery, to } = this.#trial
    const isPartial =
      this.#tools.judgeOf(from)({}) === undefined && to !== undefined && this.#tools.judgeOf(to)({}) === undefined
    const made = isPartial && !isQuery ? this.#resultOf({}) : undefined
    return Object.entries(isObject(made?.result) ? made.result : {}).map(([name, got]) =>
      this.#problem('partial', {
        value: {},
        path: [name],
        got,
        message: `adds "${name}" to a partial body, and nobody sent it`,
      }),
    )
  }

  /** Looks for properties that an old client loses when it sends back what it got. */
  #lost(from: ClosedSchema, { step, body, newer }: NonNullable<Trial['back']>): HistoryProblem[] {
    const judge = this.#tools.judgeOf(body)
    const known = namesIn(newer)
    const ignored = new Set(this.#lossy)
    const all: HistoryProblem[] = []
    for (;;) {
      const [found] = this.#find('lost', from, (value) => {
        const older = this.#resultOf(value)
        if (older === undefined || !isObject(value) || !isObject(older.result)) return undefined
        const sent = Object.fromEntries(Object.entries(older.result).filter(([name]) => namesIn(body).has(name)))
        if (judge(sent) !== undefined || this.#thrownBy(step, sent) !== undefined) return undefined
        const back = this.#run(step, sent)
        const lost = Object.keys(value).find(
          (name) => known.has(name) && !ignored.has(name) && !isDeepStrictEqual(valueAt(back, [name]), value[name]),
        )
        return lost === undefined ? undefined : { path: [lost], got: valueAt(back, [lost]), message: lostMessage(lost) }
      })
      if (found === undefined) return all
      all.push(found)
      ignored.add(found.path[0] as string)
    }
  }
}

function lostMessage(name: string): string {
  return `loses "${name}" when a client sends back as a whole what it got`
}

/** Returns the names of the properties that a schema lists. */
function namesIn(schema: ClosedSchema): Set<string> {
  return new Set(propertiesOf(openedSchema(schema), resolveOwn).keys())
}

/** Returns the value at a path. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value)
}

/** Writes the values of a query as a parser gives them: as texts. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asTexts(inner)]))
  return String(value)
}
