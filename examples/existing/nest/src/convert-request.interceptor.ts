import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common'
import { convertRequest } from 'express-versioning/changes'

/** Converts requests behind guards and in front of pipes. */
@Injectable()
export class ConvertRequestInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    convertRequest.now(context.switchToHttp().getRequest())
    return next.handle()
  }
}
