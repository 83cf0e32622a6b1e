import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, { type Application, type ErrorRequestHandler, type RequestHandler } from 'express'
import type { VersioningError } from 'express-versioning'

/** The parts of a request after Node parsed it. Header names are in lower case. */
export type Sent = { method?: string; url: string; headers?: Record<string, string> }

const shared = express()
const ends = new WeakMap<object, (error?: unknown) => void>()

/** Hands a request to an app, or to a handler as an app would: real messages without a socket. A handler is many times faster. */
export function run(handler: RequestHandler, sent: Sent, more: Partial<express.Request> = {}) {
  const { method = 'GET', url, headers = {} } = sent
  const req = new IncomingMessage(new Socket()) as object as express.Request
  const res = new ServerResponse(req) as object as express.Response
  Object.setPrototypeOf(req, shared.request)
  Object.setPrototypeOf(res, shared.response)
  Object.assign(req, { method, url, headers, originalUrl: url, baseUrl: '', params: {}, res, ...more })
  // How often it was passed on, and with which errors.
  const outcome = { req, res, served: 0, errors: [] as VersioningError[] }
  const end = (error?: unknown) => {
    if (error === undefined) outcome.served++
    else outcome.errors.push(error as VersioningError)
  }
  ends.set(res, end)
  handler(req, res, end)
  return outcome
}

export const dispatch = (app: Application, sent: Sent) => run(app, sent)

const arrived: RequestHandler = (_req, res) => ends.get(res)?.()
const failed: ErrorRequestHandler = (error, _req, res, _next) => ends.get(res)?.(error)
/** Builds an app for requests that reach its end at once, as its own end is later. `build` adds middleware in front. */
export function appOf(build: (app: Application) => void): Application {
  const app = express()
  build(app)
  return app.use(arrived, failed)
}
