// The shop in Nest, in a process of its own. Its arguments are `package`, if it has the package, `interceptor` and `filter`.
import 'reflect-metadata'
import { type CallHandler, type ExecutionContext, Module, type NestInterceptor } from '@nestjs/common'
import { HttpAdapterHost, NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { versioning } from 'express-versioning'
import { convertRequest } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { options } from '../options'
import { Shop } from '../shop'
import { HealthController, OrdersController, StatsController, UsersController } from './controllers'
import { LoggingInterceptor, ProblemFilter, TellingFilter, validation } from './parts'

@Module({
  controllers: [UsersController, OrdersController, StatsController, HealthController],
  providers: [Shop],
})
class ShopModule {}

class ConvertRequest implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    convertRequest.now(context.switchToHttp().getRequest())
    return next.handle()
  }
}

async function start(): Promise<void> {
  const [hasPackage, converts, hasFilter] = ['package', 'interceptor', 'filter'].map((word) =>
    process.argv.includes(word),
  )
  const app = await NestFactory.create(ShopModule, { logger: ['error', 'warn'], rawBody: true })
  app.setGlobalPrefix('api')
  const config = new DocumentBuilder().setTitle('Shop').setVersion('2026-01-01').build()
  const document = SwaggerModule.createDocument(app, config, { ignoreGlobalPrefix: true })
  if (hasPackage) app.use('/api', versioning({ ...options, routes: routesOf(document) }))
  if (converts) app.useGlobalInterceptors(new ConvertRequest())
  app.useGlobalInterceptors(new LoggingInterceptor())
  app.useGlobalPipes(validation)
  const { httpAdapter } = app.get(HttpAdapterHost)
  app.useGlobalFilters(hasFilter ? new ProblemFilter() : new TellingFilter(httpAdapter))
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port })
}

void start()
process.once('disconnect', () => process.exit())
