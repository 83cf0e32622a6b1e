// The HTTP API of Prometheus.

import { parsedJson } from '../http/json'

/** One series of a response, with its value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | undefined>>
  readonly value: number
}

/** One series of a response, with its values at several times. Times are in seconds since 1970. */
export interface Track {
  readonly labels: Sample['labels']
  readonly points: readonly (readonly [time: number, value: number])[]
}

/** The times of a question: the last of a length of time, or a time each `step` seconds. */
export type Times = { readonly time: number } | { readonly start: number; readonly end: number; readonly step: number }

/** The questions to a Prometheus, all of which end at one time. */
export interface Asker {
  /** Asks for values at a time, which is now unless one is given. */
  samples(query: string, time?: number): Promise<Sample[]>
  /** Asks for values at several times. */
  tracks(query: string, times: Times): Promise<Track[]>
}

/** The limit of a response's size, in bytes. */
const LIMIT = 64 * 2 ** 20

/** A Prometheus, or a server with the same API. */
export class PrometheusClient {
  readonly #url: URL
  readonly #headers: Headers
  readonly #timeout: number

  constructor(url: URL, headers: Headers, timeout: number) {
    this.#url = url
    this.#headers = headers
    this.#timeout = timeout
  }

  /**
   * Returns the functions that ask.
   *
   * @throws {Error} from each of them, unless Prometheus gives a whole response in time.
   */
  asking(): Asker {
    const signal = AbortSignal.timeout(this.#timeout)
    const asked = async (path: string, query: string, times: object) => {
      try {
        return wholeIn(await this.#responded(path, { query, ...times }, signal))
      } catch (error) {
        if (error instanceof UsageError) throw error
        if (signal.aborted) throw new UsageError(`Prometheus did not respond within ${this.#timeout / 1000} seconds.`)
        throw new UsageError(`Prometheus cannot be asked: ${reasonOf(error)}.`)
      }
    }
    return {
      samples: async (query, time) => samplesIn(await asked('query', query, time === undefined ? {} : { time })),
      tracks: async (query, times) => tracksIn(await asked('step' in times ? 'query_range' : 'query', query, times)),
    }
  }

  async #responded(path: string, parameters: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const url = new URL(this.#url)
    url.pathname += path
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, String(value))
    const response = await fetch(url, { headers: this.#headers, signal })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > LIMIT) throw new UsageError(`Prometheus responded with more than ${LIMIT / 2 ** 20} MiB.`)
      chunks.push(chunk)
    }
    const result = parsedJson(Buffer.concat(chunks).toString())?.value
    if (response.ok && result !== undefined) return result
    const { error } = Object(result)
    const said = typeof error === 'string' ? `: ${error}` : ''
    throw new UsageError(
      response.ok
        ? 'Prometheus responded with something else than JSON.'
        : `Prometheus responded with status ${response.status}${said}.`,
    )
  }
}

/** An error that says why usage is not known. */
export class UsageError extends Error {}

function reasonOf(error: unknown): string {
  const { cause, message } = Object(error)
  // fetch() says "fetch failed", and the cause what failed.
  return String(cause?.code ?? cause?.message ?? message)
}

/** The whole result of a response. */
interface Result {
  readonly type: unknown
  readonly list: readonly unknown[]
}

/** Reads a response. A partial response is rejected: what it lacks may be the last client of a version. */
function wholeIn(response: unknown): Result {
  const { status, data, warnings, isPartial } = Object(response)
  if (isPartial === true || (Array.isArray(warnings) && warnings.length > 0)) {
    const said = Array.isArray(warnings) ? ` It warns: ${warnings.join('; ')}` : ''
    throw new UsageError(`Prometheus responded with a part of what it was asked for.${said}`)
  }
  const { resultType: type, result } = Object(data)
  const list = type === 'scalar' ? [{ metric: {}, value: result }] : result
  if (status !== 'success' || !Array.isArray(list)) throw NO_RESPONSE()
  return { type, list }
}

function samplesIn({ type, list }: Result): Sample[] {
  if (type !== 'scalar' && type !== 'vector') throw NO_RESPONSE()
  return list.map((sample) => {
    const { metric, value } = Object(sample)
    return { labels: labelsIn(metric), value: pointIn(value)[1] }
  })
}

function tracksIn({ type, list }: Result): Track[] {
  if (type !== 'matrix') throw NO_RESPONSE()
  return list.map((track) => {
    const { metric, values } = Object(track)
    if (!Array.isArray(values)) throw NO_RESPONSE()
    return { labels: labelsIn(metric), points: values.map(pointIn) }
  })
}

function labelsIn(metric: unknown): Sample['labels'] {
  if (typeof metric !== 'object' || metric === null) throw NO_RESPONSE()
  return metric as Sample['labels']
}

function pointIn(value: unknown): readonly [time: number, value: number] {
  if (!Array.isArray(value)) throw NO_RESPONSE()
  const [time, number] = value
  if (typeof number !== 'string' || number === '' || !Number.isFinite(Number(number))) {
    throw new UsageError('Prometheus responded with a value that is not a number.')
  }
  return [Number(time), Number(number)]
}

const NO_RESPONSE = () => new UsageError('The response is not one of Prometheus.')
