// The lines that give the app its versions.
import type { CallHandler, ExecutionContext, INestApplication, NestInterceptor } from '@nestjs/common'
import { versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { options } from '../options'

class ConvertRequest implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    convertRequest.now(context.switchToHttp().getRequest())
    return next.handle()
  }
}

/** @param converts `false` if somebody forgot the interceptor. */
export function addVersions(app: INestApplication, document: object, converts: boolean): void {
  app.use('/api', versioning({ ...options, routes: routesOf(document) }))
  if (converts) app.useGlobalInterceptors(new ConvertRequest())
}
