// The error classes.
import type { LinkFailure } from './types'
import { knowLoads } from './util/brand'
import { visible } from './util/text'

/** Sets an own property that is not enumerable, so that serializers and loggers do not publish it. */
export function hide(target: Error, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true })
}

/** Options of {@link VersioningError}. */
export interface VersioningErrorOptions {
  /** HTTP status, 400 to 599. */
  status: number
  /** Stable code, `ERR_VERSION_...`. */
  code: string
  /** The rejected version. It comes from the client, so it is not enumerable. */
  version?: unknown
  /** The accepted versions. */
  allowedVersions?: readonly (string | null)[] | undefined
  /** The cause; not enumerable. */
  cause?: unknown
}

/** Sets the number of stack frames of new errors. Does nothing where intrinsics are frozen. */
function limitFrames(limit: number): number {
  const { stackTraceLimit } = Error
  Reflect.set(Error, 'stackTraceLimit', limit)
  return stackTraceLimit
}

/**
 * The rejection of a request because of its version. It passes `isHttpError` of `http-errors`, so Express's error handler and
 * handlers for `http-errors` respond with `status` and `message`. Messages are constant and never repeat what the client sent.
 * It has no stack frames: a flood of bad requests must cost little.
 */
export class VersioningError extends Error {
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** The same under the name that `http-errors` uses. */
  readonly statusCode: number
  /** `true`: the message is for clients. */
  readonly expose = true
  /** Stable code, `ERR_VERSION_...`; `docs/errors.md` explains each. */
  readonly code: string
  // Private, so that serializers and loggers do not publish them.
  readonly #version: unknown
  readonly #allowedVersions: readonly (string | null)[]

  /** @param message a string for clients; it must not repeat what they sent. */
  constructor(message: string, options: VersioningErrorOptions) {
    // On the prototype, once for each class: V8 reads the name of every new error.
    const { prototype, name } = new.target
    if (!Object.hasOwn(prototype, 'name')) hide(prototype, 'name', name)
    const frames = limitFrames(0)
    super(message, options)
    limitFrames(frames)
    this.status = options.status
    this.statusCode = options.status
    this.code = options.code
    this.#version = options.version
    this.#allowedVersions = options.allowedVersions ?? NONE
  }

  /** The rejected version, as the client sent it, with control characters written as code points: it is safe in a log. */
  get version(): unknown {
    return typeof this.#version === 'string' ? visible(this.#version) : this.#version
  }

  /** The accepted versions. */
  get allowedVersions(): readonly (string | null)[] {
    return this.#allowedVersions
  }
}

knowLoads(VersioningError, 'VersioningError')

/** Returns the message for a request that does not fit its version. It names the version, which is the server's own word. */
export function notValidIn(version: string | null | undefined): string {
  return `The request is not valid in version ${visible(String(version))}.`
}

const NONE: readonly (string | null)[] = Object.freeze([])

/** Options of {@link NotFound} and {@link NotAcceptable}. */
export type RejectionOptions = Partial<Omit<VersioningErrorOptions, 'status'>>

/** 404: the version named in the URL (path, host or query) does not exist (RFC 9110, section 15.5.5). */
export class NotFound extends VersioningError {
  /** @param message a string for clients; it must not repeat what they sent. */
  constructor(message = 'Not found.', options: RejectionOptions = {}) {
    super(message, { code: 'ERR_VERSION_NOT_FOUND', ...options, status: 404 })
  }
}

knowLoads(NotFound, 'NotFound')

/** Makes the rejection of a request in an older version whose operation nobody described. */
export function unhandled(version: string): NotFound {
  return new NotFound('No handler for this version.', { code: 'ERR_VERSION_UNHANDLED', version, allowedVersions: [] })
}

/** 406: the version named in a request header does not exist (RFC 9110, section 15.5.7). */
export class NotAcceptable extends VersioningError {
  /** @param message a string for clients; it must not repeat what they sent. */
  constructor(message = 'Not acceptable.', options: RejectionOptions = {}) {
    super(message, { code: 'ERR_VERSION_NOT_ACCEPTABLE', ...options, status: 406 })
  }
}

knowLoads(NotAcceptable, 'NotAcceptable')

/** Options of {@link NoReverseMatch}. */
export interface NoReverseMatchOptions {
  /** 400 if the request alone makes the link impossible. Default 500. */
  status?: 500 | 400
  /** The cause. */
  cause?: unknown
  /** The names that were tried, each with the reason why it failed. */
  failures?: readonly LinkFailure[]
  /** The values that no link can carry. If they are the request's own, `req.reverse` gives status 400. */
  unfit?: readonly unknown[]
}

/**
 * The error for a link that cannot be made. It is a programmer's error: status 500, never exposed. If only the request makes
 * the link impossible (its own parameters, version or host, a mount path of `..` segments), the status is 400. Messages name
 * what the programmer wrote, and never repeat what a client may have sent.
 */
export class NoReverseMatch extends Error {
  /** The stable code. */
  readonly code = 'ERR_NO_REVERSE_MATCH'
  /** HTTP status: 500, or 400 if the request alone is at fault. */
  readonly status: 500 | 400
  /** The same under the name that `http-errors` uses. */
  readonly statusCode: 500 | 400
  /** `true` with status 400: the message is for clients. */
  readonly expose: boolean
  /** The names that were tried, each with the reason why it failed. */
  declare readonly failures: readonly LinkFailure[]
  /** The values that no link can carry. */
  declare readonly unfit: readonly unknown[]

  /** @param message a string for programmers; it must not repeat what clients sent. */
  constructor(message: string, options: NoReverseMatchOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    hide(this, 'name', new.target.name)
    this.status = options.status ?? 500
    this.statusCode = this.status
    this.expose = this.status === 400
    hide(this, 'failures', options.failures ?? [])
    hide(this, 'unfit', options.unfit ?? [])
  }
}

knowLoads(NoReverseMatch, 'NoReverseMatch')
