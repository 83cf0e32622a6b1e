// The error handler that sends rejections as `application/problem+json`.
import { STATUS_CODES } from 'node:http'
import type { Request, Response } from 'express'
import { VersioningError } from '../errors'
import { pathReference } from '../http/reference'
import { dropRepresentation, setReason } from '../http/representation'
import { originalPathOf } from '../request/place'
import { peekState } from '../request/state'
import type { ErrorMiddleware } from '../types'
import { badOption, checkKeys } from '../util/options'

/** Options of {@link problemDetails}. */
export interface ProblemDetailsOptions {
  /** The URL of the errors' documentation. `type` is this URL followed by the error's code. Default: `type` is `about:blank`. */
  base?: string | undefined
  /** `true` sends the request's path as `instance`. Default `false`: the response then echoes nothing. */
  instance?: boolean | undefined
  /** `true` sends the accepted versions. Default `true`. */
  supportedVersions?: boolean | undefined
  /**
   * `true` converts the response of an older version by its changes of errors, and sends it with the media type that errors have
   * there. Default `true`.
   */
  convert?: boolean | undefined
}

const OWNER = 'problemDetails()'

const TITLES: Readonly<Record<string, string>> = {
  ERR_VERSION_NOT_FOUND: 'Version not found',
  ERR_VERSION_NOT_ACCEPTABLE: 'Version not acceptable',
  ERR_VERSION_MISSING: 'Version missing',
  ERR_VERSION_HOST: 'Ambiguous host',
  ERR_VERSION_CONFLICT: 'Conflicting versions',
  ERR_VERSION_UNHANDLED: 'Version not supported here',
  ERR_VERSION_GONE: 'Version gone',
  ERR_VERSION_BROWNOUT: 'Version paused',
  ERR_VERSION_BODY: 'Request does not fit its version',
  ERR_VERSION_CONTRACT: 'Request does not fit its version',
}

/** The detail for a request without a version, whose error has the message of a wrong version. */
const MISSING = 'The request names no version, and must name one.'

/**
 * Makes an error handler that sends {@link VersioningError}s as `application/problem+json` (RFC 9457). It passes on all other
 * errors, and every error once headers are sent.
 *
 * @throws {TypeError} for unknown options and wrong values.
 * @example app.use(problemDetails({ base: 'https://api.example.com/errors/' }))
 */
export function problemDetails(options: ProblemDetailsOptions = {}): ErrorMiddleware {
  checkKeys(OWNER, options, ['base', 'instance', 'supportedVersions', 'convert'])
  const { base, instance = false, supportedVersions = true, convert = true } = options
  if (base !== undefined && (typeof base !== 'string' || !URL.canParse(base))) {
    throw badOption(OWNER, 'base', "an absolute URL such as 'https://api.example.com/errors/'", base)
  }
  for (const [name, flag] of Object.entries({ instance, supportedVersions, convert })) {
    if (typeof flag !== 'boolean') throw badOption(OWNER, name, 'true or false', flag)
  }
  const prefix = base === undefined || /[/#=:]$/.test(base) ? base : `${base}/`

  return function problemDetailsHandler(error, req, res, next) {
    if (!(error instanceof VersioningError) || res.headersSent) {
      next(error)
      return
    }
    const { status } = error
    const body = JSON.stringify(detailsOf(error, req, prefix, { instance, supportedVersions }))
    dropRepresentation(res)
    res.statusCode = status
    setReason(res, phraseOf(status))
    res.setHeader('Content-Type', 'application/problem+json')
    prepareConversion(req, res, convert)
    res.setHeader('Content-Length', Buffer.byteLength(body))
    res.end(body)
  }
}

/** Returns the fields of a rejection. */
export function detailsOf(
  error: VersioningError,
  req: Request,
  prefix?: string,
  { instance = false, supportedVersions = true }: { instance?: boolean; supportedVersions?: boolean } = {},
): { readonly [field: string]: unknown } {
  const { status, code, message } = error
  const missing = code === 'ERR_VERSION_MISSING'
  const versions = supportedVersions ? supported(error, req) : []
  return {
    type: prefix === undefined ? 'about:blank' : `${prefix}${code}`,
    // The title of an about:blank problem should be its status phrase (RFC 9457, section 4.2.1). A missing version has the
    // status of a wrong one, and people read the title first, so it has its own.
    title: prefix === undefined && !missing ? phraseOf(status) : (TITLES[code] ?? phraseOf(status)),
    status,
    detail: missing ? MISSING : message,
    code,
    ...(instance ? { instance: pathReference(originalPathOf(req)) } : {}),
    ...(versions.length > 0 ? { supportedVersions: versions } : {}),
    ...('issues' in error ? { errors: (error.issues as readonly Issue[]).map(problemOf) } : {}),
  }
}

function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error'
}

interface Issue {
  readonly in: string
  readonly path: readonly string[]
  readonly message: string
}

/** Writes an issue of a contract as the example of RFC 9457, section 3 has it: a JSON Pointer as a URI fragment (RFC 6901, section 6). */
function problemOf({ in: part, path, message }: Issue): object {
  // Keys of a map are the client's. Only well-formed text can be percent-encoded.
  const steps = path.map((step) => Buffer.from(step.replaceAll('~', '~0').replaceAll('/', '~1')).toString())
  return { in: part, pointer: ['#', ...steps.map(encodeURIComponent)].join('/'), detail: message }
}

/** Returns the versions that the error would have accepted, without those that are gone or previews. */
function supported(error: VersioningError, req: Request): (string | null)[] {
  const config = peekState(req)?.config
  return error.allowedVersions.filter((version) => version !== null && config?.isAnnounced(version) !== false)
}

/** Lets the request's older version convert the response as it is sent. */
export function prepareConversion(req: Request, res: Response, convert: boolean): void {
  const state = peekState(req)
  const changes = state?.changes
  if (state === undefined || changes === undefined) return
  if (state.exchange === undefined) changes.putExchange(state)
  const { exchange } = state
  if (exchange === undefined) return
  exchange.keepsBody = !convert
  if (convert) exchange.prepareResponse(req, res)
}
