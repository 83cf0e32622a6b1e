// The start of a conversion: the methods that convert are put on a response, once.
import type { Request, Response } from 'express'
import type { RequestState } from '../request/state'
import { Answer } from './answer'
import { ExpressWays } from './sending'
import { NodeWays } from './writing'

/**
 * Converts an answer to the request's version, however it is sent, with own methods of the response. They are put on a response
 * once, and read the history, operation and version when it is sent.
 */
export function convertAnswers(req: Request, res: Response, state: RequestState): void {
  if (state.converting === res) return
  state.converting = res
  const answer = new Answer(req, res, state)
  const express = new ExpressWays(answer)
  const node = new NodeWays(answer)
  answer.install({
    send: (...args) => express.send(args),
    json: (...args) => express.json(args),
    jsonp: (...args) => express.jsonp(args),
    writeHead: (...args) => node.writeHead(args),
    write: (...args) => node.write(args),
    end: (...args) => node.end(args),
  })
}
