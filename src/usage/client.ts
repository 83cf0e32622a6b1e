// The HTTP API of Prometheus.

/** One series of a response, with its value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | undefined>>
  readonly value: number
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
   * Returns the function that asks queries. All of them end at one time.
   *
   * @throws {Error} from each query, unless Prometheus gives a whole response in time.
   */
  asking(): (query: string, time?: number) => Promise<Sample[]> {
    const signal = AbortSignal.timeout(this.#timeout)
    return async (query, time) => {
      try {
        return samplesIn(await this.#responded(query, time, signal))
      } catch (error) {
        if (error instanceof UsageError) throw error
        if (signal.aborted) throw new UsageError(`Prometheus did not respond within ${this.#timeout / 1000} seconds.`)
        throw new UsageError(`Prometheus cannot be asked: ${reasonOf(error)}.`)
      }
    }
  }

  async #responded(query: string, time: number | undefined, signal: AbortSignal): Promise<unknown> {
    const url = new URL(this.#url)
    url.searchParams.set('query', query)
    if (time !== undefined) url.searchParams.set('time', String(time))
    const response = await fetch(url, { headers: this.#headers, signal })
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > LIMIT) throw new UsageError(`Prometheus responded with more than ${LIMIT / 2 ** 20} MiB.`)
      chunks.push(chunk)
    }
    const result = parsed(Buffer.concat(chunks).toString())
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a response. A partial response is rejected: what it lacks may be the last client of a version. */
function samplesIn(response: unknown): Sample[] {
  const { status, data, warnings, isPartial } = Object(response)
  if (isPartial === true || (Array.isArray(warnings) && warnings.length > 0)) {
    const said = Array.isArray(warnings) ? ` It warns: ${warnings.join('; ')}` : ''
    throw new UsageError(`Prometheus responded with a part of what it was asked for.${said}`)
  }
  const { resultType, result } = Object(data)
  const list = resultType === 'scalar' ? [{ metric: {}, value: result }] : result
  if (status !== 'success' || !['scalar', 'vector'].includes(resultType) || !Array.isArray(list)) throw NO_RESPONSE()
  return list.map((sample) => {
    const { metric, value } = Object(sample)
    if (typeof metric !== 'object' || metric === null || !Array.isArray(value)) throw NO_RESPONSE()
    const [, number] = value
    if (typeof number !== 'string' || number === '' || !Number.isFinite(Number(number))) {
      throw new UsageError('Prometheus responded with a value that is not a number.')
    }
    return { labels: metric, value: Number(number) }
  })
}

const NO_RESPONSE = () => new UsageError('The response is not one of Prometheus.')
