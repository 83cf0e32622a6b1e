// The interceptors that convert requests of controllers: behind guards, in front of pipes.
import type { Request } from 'express'
import { convertRequest } from '../changes/http/convert-request'
import { knowLoads } from '../util/brand'
import { type HttpContext, metadataOf } from './nest'
import { type Trip, tripOf } from './trip'

/**
 * The interceptor that converts requests where the global one of `VersioningModule.setup()` is too early: behind interceptors that
 * read uploads. It does nothing in contexts that are not HTTP.
 *
 * @example @UseInterceptors(FileInterceptor('file'), ConvertRequest)
 */
export class ConvertRequest {
  /**
   * Converts the request, and goes on. Nest calls it.
   *
   * @throws {Error} an exception of Nest for a request that does not fit its version.
   */
  intercept<Result>(context: HttpContext, next: { handle(): Result }): Result | Promise<Result> {
    if (context.getType() !== 'http') return next.handle()
    const req = context.switchToHttp().getRequest() as Request
    return converted(req, tripOf(req), next)
  }
}

knowLoads(ConvertRequest, 'ConvertRequest')

/** The interceptor of all controllers. */
export class ConvertRequests {
  intercept<Result>(context: HttpContext, next: { handle(): Result }): Result | Promise<Result> {
    if (context.getType() !== 'http') return next.handle()
    const req = context.switchToHttp().getRequest() as Request
    const trip = tripOf(req)
    if (trip === undefined || trip.passes || trip.app.passes(context)) return next.handle()
    const go = () => {
      // The path may be read as one of the document all the same.
      trip.app.checkDocumented(context, req)
      return isLeft(req, context) ? next.handle() : converted(req, trip, next)
    }
    // The document does not have the route: nobody has decided on its version.
    return trip.isDecided ? go() : trip.app.decided(req).then(go)
  }
}

function converted<Result>(req: Request, trip: Trip | undefined, next: { handle(): Result }): Result {
  try {
    convertRequest.now(req)
  } catch (error) {
    throw trip === undefined ? error : trip.app.exceptionOf(error, req)
  }
  return next.handle()
}

/** Tells whether an interceptor of the controller converts the request, when it has read the upload. */
function isLeft(req: Request, context: HttpContext): boolean {
  return isUpload(req) && convertsItself(context.getClass(), context.getHandler())
}

function isUpload({ headers }: Request): boolean {
  return /^\s*multipart\//i.test(String(headers['content-type']))
}

/** Lists the interceptors of a method of a controller. */
export function interceptorsOf(controller: object, handler: object): readonly unknown[] {
  return [controller, handler].flatMap(
    (target) => (metadataOf('__interceptors__', target) as unknown[] | undefined) ?? [],
  )
}

/** Tells whether {@link ConvertRequest} is among the interceptors of a method of a controller. */
export function convertsItself(controller: object, handler: object): boolean {
  const isOne = (one: unknown) => one instanceof ConvertRequest
  // Nest takes classes and instances.
  return interceptorsOf(controller, handler).some((one) => isOne(one) || isOne(Object(one).prototype))
}
