import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Request, Response } from 'express'
import { isVersioningError, type VersioningError } from '../errors'
import { pathReference } from '../http/reference'
import { dropRepresentation } from '../http/representation'
import { originalPathOf } from '../request/place'
import { peekState } from '../request/state'
import { badOption, checkKeys } from '../util/options'

/** Options of {@link problemDetails}. */
export interface ProblemDetailsOptions {
  /** Where the errors are documented: `type` is this URL with the error's code behind it. Default: `type` is `about:blank`. */
  base?: string | undefined
  /** Whether to tell the request's path as `instance`. Default `false`: an answer then echoes nothing. */
  instance?: boolean | undefined
  /** Whether to tell the accepted versions. Default `true`. */
  supportedVersions?: boolean | undefined
  /**
   * Whether an older version gets what the `error` steps of its changes make of it, as `application/json`. Default `true`.
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
  ERR_VERSION_BODY: 'Request does not fit its version',
}

/** In place of the message of a request without a version, which is that of a wrong one. */
const MISSING = 'The request names no version, and must name one.'

/**
 * An error handler that answers {@link VersioningError}s, and only these, as `application/problem+json` (RFC 9457). All
 * others, and all once headers are sent, go on to the next error handler.
 *
 * @throws {TypeError} for options that are none.
 * @example app.use(problemDetails({ base: 'https://api.example.com/errors/' }))
 */
export function problemDetails(options: ProblemDetailsOptions = {}): ErrorRequestHandler {
  checkKeys(OWNER, options, ['base', 'instance', 'supportedVersions', 'convert'])
  const { base, instance = false, supportedVersions = true, convert = true } = options
  if (base !== undefined && (typeof base !== 'string' || !URL.canParse(base))) {
    throw badOption(OWNER, 'base', "an absolute URL such as 'https://api.example.com/errors/'", base)
  }
  if (typeof instance !== 'boolean') throw badOption(OWNER, 'instance', 'true or false', instance)
  if (typeof supportedVersions !== 'boolean')
    throw badOption(OWNER, 'supportedVersions', 'true or false', supportedVersions)
  if (typeof convert !== 'boolean') throw badOption(OWNER, 'convert', 'true or false', convert)
  const prefix = base === undefined || /[/#=:]$/.test(base) ? base : `${base}/`

  return function problemDetailsHandler(error, req, res, next) {
    if (!isVersioningError(error) || res.headersSent) {
      next(error)
      return
    }
    const { status, code, message } = error
    const phrase = STATUS_CODES[status] ?? 'Error'
    const missing = code === 'ERR_VERSION_MISSING'
    const versions = supportedVersions ? supported(error, req) : []
    const body = JSON.stringify({
      type: prefix === undefined ? 'about:blank' : `${prefix}${code}`,
      // A problem of type about:blank should be titled as its status (RFC 9457, section 4.2.1); but a request without a version
      // has the status of a wrong one, and people read the title first.
      title: prefix === undefined && !missing ? phrase : (TITLES[code] ?? phrase),
      status,
      detail: missing ? MISSING : message,
      code,
      ...(instance ? { instance: pathReference(originalPathOf(req)) } : {}),
      ...(versions.length > 0 ? { supportedVersions: versions } : {}),
    })
    dropRepresentation(res)
    res.statusCode = status
    res.statusMessage = phrase
    res.setHeader('Content-Type', isConverted(req, res, convert) ? 'application/json' : 'application/problem+json')
    res.setHeader('Content-Length', Buffer.byteLength(body))
    res.end(body)
  }
}

/** The versions that the error would have accepted, without those that are gone since. */
function supported(error: VersioningError, req: Request): (string | null)[] {
  const config = peekState(req)?.config
  return error.allowedVersions.filter((version) => version !== null && config?.isGone(version) !== true)
}

/** Whether the older version of a request has a format of its own for errors: what is sent is converted on its way. */
function isConverted(req: Request, res: Response, convert: boolean): boolean {
  const state = peekState(req)
  const changes = state?.config?.changes
  if (state === undefined || changes === undefined) return false
  state.keepsBody = !convert
  return convert && changes.convertsAnswer(req, res, res.statusCode)
}
