import type { LinkFailure } from './types'

/** Marks an error's diagnostics as own but not enumerable, so that serializers and loggers do not publish them. */
function hide(target: Error, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, configurable: true, writable: true })
}

/** What a {@link VersioningError} is made from. */
export interface VersioningErrorOptions {
  /** HTTP status, 400 to 599. */
  status: number
  /** Stable code, `ERR_VERSION_...`. */
  code: string
  /** The version that was refused; kept off serialized output, because it is what the client sent. */
  version?: unknown
  /** The versions that would have been accepted. */
  allowedVersions?: readonly (string | null)[] | undefined
  /** What led to it; kept off serialized output. */
  cause?: unknown
}

/** Sets how many frames errors get that are made from now on. Where intrinsics are frozen, they keep theirs. */
function limitFrames(limit: number): number {
  const { stackTraceLimit } = Error
  Reflect.set(Error, 'stackTraceLimit', limit)
  return stackTraceLimit
}

/**
 * A request was refused because of its version. Passes `http-errors`' `isHttpError`, so that Express's error handler and
 * those written for `http-errors` answer `status` with `message`. Messages are constant: nothing the client sent is in them.
 * It has no stack frames: what is wrong is the request, and a flood of bad ones must cost little.
 */
export class VersioningError extends Error {
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** The same, by the name that `http-errors` gives it. */
  readonly statusCode: number
  /** That the message is for clients. */
  readonly expose = true
  /** Stable code, `ERR_VERSION_...`; `docs/errors.md` explains each. */
  readonly code: string
  // Not own properties, so that serializers and loggers do not publish them.
  readonly #version: unknown
  readonly #allowedVersions: readonly (string | null)[]

  /** The message is for clients: it must repeat nothing that they sent. */
  constructor(message: string, options: VersioningErrorOptions) {
    // On the prototype, once for each class: V8 reads it whenever an error is made.
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

  /** The version that was refused: what the client sent. */
  get version(): unknown {
    return this.#version
  }

  /** The versions that would have been accepted. */
  get allowedVersions(): readonly (string | null)[] {
    return this.#allowedVersions
  }
}

const NONE: readonly (string | null)[] = Object.freeze([])

/** By which the refusals of all copies of this package are known. */
const BRAND: unique symbol = Symbol.for('express-versioning.error') as never
Object.defineProperty(VersioningError.prototype, BRAND, { value: true })

/** Whether an error is a refusal of this package, or of another copy of it in the same process. */
export function isVersioningError(error: unknown): error is VersioningError {
  return (error as { [BRAND]?: true } | null | undefined)?.[BRAND] === true
}

/** What the two refusals of the schemes take beside their message. */
export type RefusalOptions = Partial<Omit<VersioningErrorOptions, 'status'>>

/** 404: the version named in the URL (path, host or query) does not exist (RFC 9110, section 15.5.5). */
export class NotFound extends VersioningError {
  /** The message is for clients: it must repeat nothing that they sent. */
  constructor(message = 'Not found.', options: RefusalOptions = {}) {
    super(message, { code: 'ERR_VERSION_NOT_FOUND', ...options, status: 404 })
  }
}

/** 406: the version named in a request header does not exist (RFC 9110, section 15.5.7). */
export class NotAcceptable extends VersioningError {
  /** The message is for clients: it must repeat nothing that they sent. */
  constructor(message = 'Not acceptable.', options: RefusalOptions = {}) {
    super(message, { code: 'ERR_VERSION_NOT_ACCEPTABLE', ...options, status: 406 })
  }
}

/** What a {@link NoReverseMatch} is made from. */
export interface NoReverseMatchOptions {
  /** 400 when the request alone makes the link impossible. Default 500. */
  status?: 500 | 400
  /** What led to it. */
  cause?: unknown
  /** Each name that was tried, and why it did not do. */
  failures?: readonly LinkFailure[]
  /** Values of the call that no link can carry; where they are the request's own, `req.reverse` gives status 400. */
  unfit?: readonly unknown[]
}

/**
 * No link can be made for a name and its arguments. A programmer's error: status 500, never exposed. The one exception is a
 * link that only the request itself makes impossible (its own parameters, its version or host, a mount path of `..` segments):
 * 400. Messages name what the programmer wrote, and repeat nothing that a client may have sent.
 */
export class NoReverseMatch extends Error {
  /** Stable code. */
  readonly code = 'ERR_NO_REVERSE_MATCH'
  /** HTTP status: 500, or 400 where the request alone is at fault. */
  readonly status: 500 | 400
  /** The same, by the name that `http-errors` gives it. */
  readonly statusCode: 500 | 400
  /** Whether the message is for clients: with status 400. */
  readonly expose: boolean
  /** Each name that was tried, and why it did not do. */
  declare readonly failures: readonly LinkFailure[]
  /** Values of the call that no link can carry. */
  declare readonly unfit: readonly unknown[]

  /** The message is for programmers: it must repeat nothing that clients sent. */
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
