// What stands around the shop's controllers: a guard, an interceptor, a pipe and a filter.
import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  HttpException,
  type HttpServer,
  Injectable,
  type NestInterceptor,
  ValidationPipe,
} from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import type { ValidationError } from 'class-validator'
import type { Response } from 'express'
import { tap } from 'rxjs'
import { authenticate, notValid, problemOf } from '../shop'

/** Rejects strangers. */
@Injectable()
export class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    authenticate(context.switchToHttp().getRequest().headers.authorization)
    return true
  }
}

/** Tells the parent process what arrived, and what controllers get and return. */
@Injectable()
export class LoggingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const { rawBody, body } = context.switchToHttp().getRequest()
    return next.handle().pipe(tap((value) => process.send?.({ raw: String(rawBody), body, value })))
  }
}

/** Names the wrong fields of a body. */
function fieldsIn({ property, children = [] }: ValidationError): string[] {
  return property === 'items' || children.length === 0
    ? [property]
    : children.flatMap(fieldsIn).map((field) => `${property}.${field}`)
}

export const validation = new ValidationPipe({
  transform: true,
  exceptionFactory: (errors) => notValid(errors.flatMap(fieldsIn)),
})

/** Writes errors as problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const problem = problemOf(error instanceof HttpException ? { status: error.getStatus() } : error)
    const response = host.switchToHttp().getResponse<Response>()
    if (problem.status === 401) response.set('WWW-Authenticate', 'Bearer')
    response.status(problem.status).type('application/problem+json').json(problem)
  }
}

/** Responds as Nest does, and tells in header fields what it says, and the code of the error or of its cause. */
@Catch()
export class TellingFilter extends BaseExceptionFilter {
  constructor(adapter: HttpServer) {
    const reply = (response: Response, body: object, status: number) =>
      adapter.reply(response.set('X-Reply', JSON.stringify(body)), body, status)
    super(Object.create(adapter, { reply: { value: reply } }))
  }

  override catch(error: Error & { code?: string; cause?: { code?: string } }, host: ArgumentsHost): void {
    host
      .switchToHttp()
      .getResponse<Response>()
      .set('X-Code', error.code ?? `cause: ${error.cause?.code}`)
    super.catch(error, host)
  }
}
