// What the middleware in front tells the interceptors of a request.
import type { Request } from 'express'
import type { HttpContext } from './nest'

/** The app of a request. */
interface VersionedApp {
  /** Tells whether the route of a controller passes as it is: a copy of a version that the history does not have. */
  passes(context: HttpContext): boolean
  /** @throws {Error} an exception of Nest for a request in an older version whose route the document does not have. */
  checkDocumented(context: HttpContext, req: Request): void
  /** Decides on the version of a request whose route the document does not have. It rejects with an exception of Nest. */
  decided(req: Request): Promise<void>
  /** Makes the exception of Nest for a rejection; other errors stay. */
  exceptionOf(error: unknown, req: Request): unknown
}

/** A request behind the middleware in front. */
export interface Trip {
  readonly app: VersionedApp
  /** `true` if its version was decided in front. */
  readonly isDecided: boolean
  /** `true` if it passes as it is. */
  readonly passes: boolean
}

const trips = new WeakMap<object, Trip>()

/** Notes what the middleware in front has done with a request. */
export function noteTrip(req: Request, trip: Trip): void {
  trips.set(req, trip)
}

/** Returns what the middleware in front has done; undefined without one. */
export function tripOf(req: Request): Trip | undefined {
  return trips.get(req)
}
