// The shop in Nest, in a process of its own. With the argument `versioned`, it has the package.
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { Shop } from '../shop'
import { HealthController, OrdersController, StatsController, UsersController } from './controllers'
import { LoggingInterceptor, ProblemFilter, validation } from './parts'
import { addVersions } from './versions'

@Module({
  controllers: [UsersController, OrdersController, StatsController, HealthController],
  providers: [Shop],
})
class ShopModule {}

async function start(): Promise<void> {
  const app = await NestFactory.create(ShopModule, { logger: ['error', 'warn'] })
  app.setGlobalPrefix('api')
  const config = new DocumentBuilder().setTitle('Shop').setVersion('2026-01-01').build()
  const document = SwaggerModule.createDocument(app, config, { ignoreGlobalPrefix: true })
  if (process.argv[2] === 'versioned') addVersions(app, document)
  app.useGlobalInterceptors(new LoggingInterceptor())
  app.useGlobalPipes(validation)
  app.useGlobalFilters(new ProblemFilter())
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port, document })
}

void start()
process.once('disconnect', () => process.exit())
