import type { NextFunction, Request, Response } from 'express'

/** The method that a {@link Callable} calls when it is called. */
export const HANDLE: unique symbol = Symbol('handle')

/** What `app.use` of Express 4 and 5 takes. */
export type Handling = (req: Request, res: Response, next: NextFunction) => void

/** An instance that is also a request handler: the instance is a function that calls its own `[HANDLE]`. */
export abstract class Callable {
  constructor() {
    function table(req: Request, res: Response, next: NextFunction): void {
      self[HANDLE](req, res, next)
    }
    const self = Object.setPrototypeOf(table, new.target.prototype) as this
    // biome-ignore lint/correctness/noConstructorReturn: what a derived class works on is the function
    return self
  }

  abstract [HANDLE](req: Request, res: Response, next: NextFunction): void
}

Object.setPrototypeOf(Callable.prototype, Function.prototype)
