// `gateway()`: a history in front of a service in any language.
import express from 'express'
import { convertRequest } from '../changes'
import { isJsonType } from '../http/json'
import { versioning } from '../middleware/versioning'
import type { VersioningOptions } from '../middleware/versioning-options'
import type { Middleware } from '../types'
import { badOption, checkKeys } from '../util/options'
import { failuresOf } from './failures'
import { proxyTo } from './proxy'
import type { Service } from './service'
import { asksForSocket, connectSocket } from './tunnel'

/** Options of {@link gateway}. */
export interface GatewayOptions {
  /** The address of the service, such as `http://127.0.0.1:8000`. A path there is put in front of the paths of requests. */
  target: string
  /** The highest number of bytes of a body that is converted, as `express.json()` takes it. Default: `'1mb'`. */
  limit?: string | number | undefined
  /** The milliseconds, from the end of a request, in which the service must send the head of its response. Default: 60,000. */
  timeout?: number | undefined
}

const OWNER = 'gateway()'

/**
 * Makes a middleware that versions a service in any language: it decides the version, converts, and sends requests on to the service.
 * Requests without anything to convert pass as streams.
 *
 * @param options those of `versioning()`, with `changes` and `routes: routesOf(document)`.
 * @param to the service.
 * @throws {TypeError} for options that are unknown or have wrong values.
 * @example app.use(gateway({ ...options, routes: routesOf(document) }, { target: 'http://127.0.0.1:8000' }))
 */
export function gateway(options: VersioningOptions, to: GatewayOptions): Middleware {
  checkKeys(OWNER, to, ['target', 'limit', 'timeout'])
  const { limit = '1mb', timeout = 60_000 } = to
  if (!isLimit(limit)) throw badOption(OWNER, 'limit', "a number of bytes, or text such as '1mb'", limit)
  if (!(Number.isInteger(timeout) && timeout > 0 && timeout < 2 ** 31))
    throw badOption(OWNER, 'timeout', 'a whole number of milliseconds above 0', timeout)
  const service: Service = { target: targetOf(to.target), timeout }
  const isJson = ({ headers }: { readonly headers: { readonly 'content-type'?: string } }) =>
    isJsonType(headers['content-type'])
  const router = express.Router({ mergeParams: true })
  router.use((req, res, next) => (asksForSocket(req) ? connectSocket(service, req, res, next) : next()))
  router.use(versioning(options))
  const form = express.urlencoded({ limit, extended: false })
  router.use(convertRequest.with(express.json({ limit, strict: false, type: isJson as never }), form))
  router.use(proxyTo(service), failuresOf(router))
  return router
}

function isLimit(limit: unknown): limit is string | number {
  if (typeof limit === 'number') return Number.isInteger(limit) && limit > 0
  return typeof limit === 'string' && /^\d+(?:\.\d+)? ?(?:b|kb|mb|gb)?$/i.test(limit)
}

function targetOf(target: unknown): URL {
  const url = typeof target === 'string' && URL.canParse(target) ? new URL(target) : undefined
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === ''
  if (!isPlain) throw badOption(OWNER, 'target', "the URL of a service, such as 'http://127.0.0.1:8000'", target)
  return url
}
