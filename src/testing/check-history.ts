// The trial of a history's steps: `checkHistory()`, its options and its findings.
import { isDeepStrictEqual } from 'node:util'
import type * as FastCheck from 'fast-check'
import { type CompiledStep, copyOf, resultOf } from '../changes/convert/steps'
import { jsonCopy } from '../http/json'
import { compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import { type ClosedSchema, openedSchema } from '../schemas/closed'
import { propertiesOf, resolveOwn } from '../schemas/graph'
import { isObject } from '../schemas/model'
import { plainStepsOf } from '../schemas/pointers'
import { badOption, checkKeys } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { valuesOf } from './generated-values'
import { type Trial, trialsOf } from './trials'

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
  return trials.flatMap((trial) => problemsOf(trial, tools, { runs, seed }, lossy[trial.shape ?? ''] ?? []))
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

/** Tries one step in every way. */
function problemsOf(
  trial: Trial,
  tools: Tools,
  { runs, seed }: { readonly runs: number; readonly seed: number },
  lossy: readonly string[],
): HistoryProblem[] {
  const { judgeOf } = tools
  const fc: typeof FastCheck = tools.fc
  const { change, version, shape, operation, from, to, back, step, direction, isGuess, isQuery, isMade } = trial

  function problem(kind: HistoryProblem['kind'], found: Found & { value?: unknown }): HistoryProblem {
    const named = { ...(shape === undefined ? {} : { shape }), ...(operation === undefined ? {} : { operation }) }
    return { kind, change, version, ...named, direction, ...found }
  }

  const untried = (message: string) => [problem('untried', { path: [], got: undefined, message })]

  /** Looks for the smallest value that shows a mistake. */
  function find(
    kind: HistoryProblem['kind'],
    schema: ClosedSchema,
    mistakeOf: (value: unknown) => Found | undefined,
  ): HistoryProblem[] {
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
      return kind === 'throws' ? untried('was not tried: no values of its schema could be made') : []
    }
    const value = sent(counterexample[0])
    return [problem(kind, { value, ...(mistakeOf(value) as Found) })]
  }

  function run(step: CompiledStep, value: unknown): unknown {
    const context = { version }
    return copyOf(step, resultOf(step, isMade ? undefined : jsonCopy(value), context), context)
  }

  function thrownBy(step: CompiledStep, value: unknown): Found | undefined {
    try {
      run(step, value)
      return undefined
    } catch (error) {
      const { cause = error } = error as { cause?: unknown }
      const told = cause instanceof Error ? cause.message : String(cause)
      return { path: [], got: undefined, message: `throws: ${told}` }
    }
  }

  /** Returns the result of the step; undefined if it throws, which is another mistake. */
  function made(value: unknown): { readonly result: unknown } | undefined {
    return thrownBy(step, value) === undefined ? { result: run(step, value) } : undefined
  }

  function misfit(value: unknown, judge: Judge): Found | undefined {
    const one = made(value)
    const fault = one && judge(one.result, isQuery)
    return (
      fault && {
        path: fault.path,
        got: valueAt(one?.result, fault.path),
        message: `gives what the other side's schema rejects: ${fault.message}`,
      }
    )
  }

  /** Looks for an error of which nothing is left, although it has all of its properties. */
  function emptied(value: unknown, from: ClosedSchema): Found | undefined {
    const isWhole = isObject(value) && [...namesIn(from)].every((name) => Object.hasOwn(value, name))
    const { result } = (isWhole && Object.keys(value).length > 0 && made(value)) || {}
    if (!isObject(result) || Object.keys(result).length > 0) return undefined
    return { path: [], got: result, message: 'makes an empty object of an error such as a problem of RFC 9457' }
  }

  function unstable(value: unknown): Found | undefined {
    const [one, other] = [made(value), made(value)]
    if (isDeepStrictEqual(one, other)) return undefined
    return { path: [], got: other?.result, message: 'gives another result each time' }
  }

  /** Looks for properties that nobody sent, in the result of a body without properties. */
  function partial(from: ClosedSchema): HistoryProblem[] {
    const isPartial = judgeOf(from)({}) === undefined && to !== undefined && judgeOf(to)({}) === undefined
    const { result } = (isPartial && !isQuery && made({})) || {}
    return Object.entries(isObject(result) ? result : {}).map(([name, got]) =>
      problem('partial', {
        value: {},
        path: [name],
        got,
        message: `adds "${name}" to a partial body, and nobody sent it`,
      }),
    )
  }

  /** Looks for properties that an old client loses when it sends back what it got. */
  function lost(from: ClosedSchema, { step: stepBack, body, newer }: NonNullable<Trial['back']>): HistoryProblem[] {
    const judge = judgeOf(body)
    const known = namesIn(newer)
    const ignored = new Set(lossy)
    const all: HistoryProblem[] = []
    for (;;) {
      const [found] = find('lost', from, (value) => {
        const older = made(value)
        if (older === undefined || !isObject(value) || !isObject(older.result)) return undefined
        const sent = Object.fromEntries(Object.entries(older.result).filter(([name]) => namesIn(body).has(name)))
        if (judge(sent) !== undefined || thrownBy(stepBack, sent) !== undefined) return undefined
        const back = run(stepBack, sent)
        const lost = Object.keys(value).find(
          (name) => known.has(name) && !ignored.has(name) && !isDeepStrictEqual(valueAt(back, [name]), value[name]),
        )
        if (lost === undefined) return undefined
        const message = `loses "${lost}" when a client sends back as a whole what it got`
        return { path: [lost], got: valueAt(back, [lost]), message }
      })
      if (found === undefined) return all
      all.push(found)
      ignored.add(found.path[0] as string)
    }
  }

  if (from === undefined) {
    return untried(
      `was not tried: ${direction === 'request' ? 'its "older"' : 'the response in describe()'} is missing`,
    )
  }
  const empty = step.kind === 'error' ? find('empty', from, (value) => emptied(value, from)) : []
  if (isGuess) return empty
  // The other mistakes are those of values that the step takes.
  return [
    ...find('throws', from, (value) => thrownBy(step, value)),
    ...empty,
    ...(to === undefined ? [] : find('misfit', from, (value) => misfit(value, judgeOf(to)))),
    ...find('unstable', from, unstable),
    ...(direction === 'request' ? partial(from) : []),
    ...(back === undefined ? [] : lost(from, back)),
  ]
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

/** A function that judges a value. It returns the first fault. */
type Judge = (value: unknown, isText?: boolean) => { readonly path: string[]; readonly message: string } | undefined

/** fast-check, which makes values, and Ajv, which judges them. */
interface Tools {
  readonly fc: typeof FastCheck
  judgeOf(schema: ClosedSchema): Judge
}

interface Validate {
  (value: unknown): unknown
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null
}

type Ajv = new (options: object) => { compile(schema: object): Validate }

const TAKES = 'fast-check 4 and Ajv 8'

/**
 * Loads both packages.
 *
 * @throws {Error} if one is missing, or of another major version.
 */
async function loadTools(owner: string): Promise<Tools> {
  let fc: typeof FastCheck
  let Ajv2020: Ajv
  try {
    // Its types differ between module systems.
    fc = (await import('fast-check')) as unknown as typeof FastCheck
    Ajv2020 = ((await import('ajv/dist/2020.js')) as unknown as { Ajv2020: Ajv }).Ajv2020
  } catch (cause) {
    const wanted = 'needs two packages beside this one: npm install --save-dev fast-check ajv'
    throw new Error(`${owner} ${wanted}. It takes ${TAKES}.`, { cause })
  }
  // Peers of any version install; Ajv 6 and 7 lack the module above.
  if (!fc.__version.startsWith('4.')) throw new Error(`${owner} takes ${TAKES}; got fast-check ${fc.__version}.`)
  // Formats are for the user's own validator: the values have them, and the steps do not depend on them.
  const settings = { strict: false, validateFormats: false, logger: false }
  const compilerOf = (more: object) => {
    const [strict, loose] = [true, false].map((unicodeRegExp) => new Ajv2020({ ...settings, ...more, unicodeRegExp }))
    return (schema: ClosedSchema): Validate => {
      try {
        return (strict as InstanceType<Ajv>).compile(schema)
      } catch {
        // A pattern may only compile without the flag "u".
        return (loose as InstanceType<Ajv>).compile(schema)
      }
    }
  }
  const [plain, strings] = [compilerOf({}), compilerOf({ coerceTypes: 'array' })]
  const known = new Map<ClosedSchema, Judge>()
  const judgeOf = (schema: ClosedSchema): Judge => {
    const values = plain(schema)
    let queries: Validate | undefined
    return (value, isText = false) => {
      if (isText) queries ??= strings(schema)
      const validate = isText ? (queries as Validate) : values
      if (validate(JSON.parse(JSON.stringify(value))) === true) return undefined
      const [error] = validate.errors as [NonNullable<Validate['errors']>[number]]
      return { path: plainStepsOf(error.instancePath), message: String(error.message) }
    }
  }
  return {
    fc,
    judgeOf: (schema) => {
      const judge = known.get(schema) ?? judgeOf(schema)
      known.set(schema, judge)
      return judge
    },
  }
}
