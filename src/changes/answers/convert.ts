// The start of a conversion: the methods that convert are put on a response, once.
import type { Request, Response } from 'express'
import type { RequestState } from '../../request/state'
import { Answer } from './answer'
import { ExpressMethods } from './express-methods'
import { NodeMethods } from './node-methods'

/**
 * Converts an answer to the request's version, however it is sent, with own methods of the response. They are put on a response
 * once, and read the plan of the request when it is sent.
 */
export function convertAnswers(req: Request, res: Response, state: RequestState): void {
  if (state.converting === res) return
  state.converting = res
  const answer = new Answer(req, res, state)
  answer.install(new ExpressMethods(answer), new NodeMethods(answer))
}
