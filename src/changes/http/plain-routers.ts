// The look-out for JSON that plain routers send to older versions: no named route tells how to convert it.
import type { Request, Response } from 'express'
import { isJsonType } from '../../http/json'
import { matchOf } from '../../request/place'
import type { ConvertedExchange, RequestState } from '../../request/state'

/** The look-out of one history. It warns once. */
export class PlainRouters {
  #hasWarned = false

  /** Looks at the response of a request in an older version whose path no named route has. */
  watch(req: Request, res: Response, state: RequestState): void {
    if (this.#hasWarned) return
    const { version, config } = state
    const path = (req.baseUrl + req.path).slice(0, 100)
    res.once('finish', () => {
      // A later versioning() or byVersion() knows better.
      const isOthers = state.config !== config || state.version !== version || state.served !== undefined
      const { begun, keepsBody } = state.exchange as ConvertedExchange
      const isNamed = (begun ?? matchOf(state.place)?.viewName ?? undefined) !== undefined
      const { statusCode } = res
      if (this.#hasWarned || isOthers || keepsBody || isNamed || statusCode < 200 || statusCode > 299) return
      if (!isJsonType(res.getHeader('Content-Type'))) return
      this.#hasWarned = true
      process.emitWarning(
        `JSON was sent to version ${JSON.stringify(version)} as the newest version has it, because no named route has the path of ${req.method} ${JSON.stringify(path)}. Give it a name in the table, or list the path in "neutral".`,
        { code: 'EXPRESS_VERSIONING_UNCONVERTED' },
      )
    })
  }
}
