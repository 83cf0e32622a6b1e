import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler, Request, Response } from 'express'
import { isVersioningError, type VersioningError } from '../errors'
import { pathReference } from '../http/reference'
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

// What a handler may have set for a body that is not sent now (RFC 9110, section 8; RFC 9111, section 5).
const REPRESENTATION = [
  'Accept-Ranges',
  'Content-Digest',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Expires',
  'Last-Modified',
  'Repr-Digest',
  'Transfer-Encoding',
]

/**
 * An error handler that answers {@link VersioningError}s, and only these, as `application/problem+json` (RFC 9457). All
 * others, and all once headers are sent, go on to the next error handler.
 *
 * @throws {TypeError} for options that are none.
 * @example app.use(problemDetails({ base: 'https://api.example.com/errors/' }))
 */
export function problemDetails(options: ProblemDetailsOptions = {}): ErrorRequestHandler {
  checkKeys(OWNER, options, ['base', 'instance', 'supportedVersions'])
  const { base, instance = false, supportedVersions = true } = options
  if (base !== undefined && (typeof base !== 'string' || !URL.canParse(base))) {
    throw badOption(OWNER, 'base', "an absolute URL such as 'https://api.example.com/errors/'", base)
  }
  if (typeof instance !== 'boolean') throw badOption(OWNER, 'instance', 'true or false', instance)
  if (typeof supportedVersions !== 'boolean')
    throw badOption(OWNER, 'supportedVersions', 'true or false', supportedVersions)
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
    res.setHeader('Content-Type', 'application/problem+json')
    res.setHeader('Content-Length', Buffer.byteLength(body))
    res.end(body)
  }
}

/** The versions that the error would have accepted, without those that are gone since. */
function supported(error: VersioningError, req: Request): (string | null)[] {
  const config = peekState(req)?.config
  return error.allowedVersions.filter((version) => version !== null && config?.isGone(version) !== true)
}

function dropRepresentation(res: Response): void {
  for (const name of REPRESENTATION) res.removeHeader(name)
  // What was meant to be cached was the other body; a refusal to cache holds for this one too.
  if (!/no-store|no-cache|private/i.test(String(res.getHeader('Cache-Control')))) res.removeHeader('Cache-Control')
}
