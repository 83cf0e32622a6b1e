// The shop in Nest, in a process of its own. Its arguments are `package`, if it has the package, `interceptor` and `filter`.
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { HttpAdapterHost, NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { Shop } from '../shop'
import { HealthController, OrdersController, StatsController, UsersController } from './controllers'
import { LoggingInterceptor, ProblemFilter, TellingFilter, validation } from './parts'
import { addVersions } from './versions'

@Module({
  controllers: [UsersController, OrdersController, StatsController, HealthController],
  providers: [Shop],
})
class ShopModule {}

async function start(): Promise<void> {
  const app = await NestFactory.create(ShopModule, { logger: ['error', 'warn'], rawBody: true })
  app.setGlobalPrefix('api')
  const config = new DocumentBuilder().setTitle('Shop').setVersion('2026-01-01').build()
  const document = SwaggerModule.createDocument(app, config, { ignoreGlobalPrefix: true })
  if (process.argv.includes('package')) addVersions(app, document, process.argv.includes('interceptor'))
  app.useGlobalInterceptors(new LoggingInterceptor())
  app.useGlobalPipes(validation)
  const { httpAdapter } = app.get(HttpAdapterHost)
  app.useGlobalFilters(process.argv.includes('filter') ? new ProblemFilter() : new TellingFilter(httpAdapter))
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port })
}

void start()
process.once('disconnect', () => process.exit())
