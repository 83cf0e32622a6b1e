import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, {
  type Application,
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { VersioningError } from 'express-versioning'

/** The parts of a request after Node parsed it. Header names are in lower case. */
export interface Sent {
  method?: string
  url: string
  headers?: Record<string, string>
}

/** The outcome of a request. */
export interface Outcome {
  req: Request
  res: Response
  /** Handlers that were reached. */
  served: number
  /** The errors that reached the error handler. */
  errors: VersioningError[]
}

const outcomes = new WeakMap<object, Outcome>()
const outcomeOf = (res: Response) => outcomes.get(res) as Outcome
const arrived: RequestHandler = (_req, res) => void outcomeOf(res).served++
const failed: ErrorRequestHandler = (error, _req, res, _next) => void outcomeOf(res).errors.push(error)

/** Builds an app that counts the requests and errors that reach its end. `build` adds middleware in front. */
export function appOf(build: (app: Application) => void): Application {
  const app = express()
  build(app)
  return app.use(arrived, failed)
}

function messages({ method = 'GET', url, headers = {} }: Sent): Outcome {
  const req = new IncomingMessage(new Socket()) as object as Request
  Object.assign(req, { method, url, headers })
  const res = new ServerResponse(req) as object as Response
  return { req, res, served: 0, errors: [] }
}

/** Sends a request through an app of {@link appOf}, without a socket: real messages, Express's own dispatch. */
export function dispatch(app: Application, sent: Sent): Outcome {
  const outcome = messages(sent)
  outcomes.set(outcome.res, outcome)
  app(outcome.req, outcome.res)
  return outcome
}

const shared = express()

/** Hands a request to one handler as an app would. This is many times faster than an app. */
export function run(handler: RequestHandler, sent: Sent, more: Partial<Request> = {}): Outcome {
  const outcome = messages(sent)
  const { req, res } = outcome
  Object.setPrototypeOf(req, shared.request)
  Object.setPrototypeOf(res, shared.response)
  Object.assign(req, { originalUrl: sent.url, baseUrl: '', params: {}, res, ...more })
  handler(req, res, (error?: unknown) => {
    if (error === undefined) outcome.served++
    else outcome.errors.push(error as VersioningError)
  })
  return outcome
}
