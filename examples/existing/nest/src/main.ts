import 'reflect-metadata'
import { type INestApplication, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { HeaderVersioning, versioning } from 'express-versioning'
import { openapi, routesOf } from 'express-versioning/openapi'
import { ConvertRequestInterceptor } from './convert-request.interceptor.js'
import { history } from './history.js'
import { UsersModule } from './users.js'

export async function createApp(): Promise<INestApplication> {
  const app = await NestFactory.create(UsersModule, { logger: ['error', 'warn'] })
  app.useGlobalPipes(new ValidationPipe())
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Users').build())

  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes: history, routes: routesOf(document) }
  const documents = openapi(options)
  for (const version of history.versions) SwaggerModule.setup(`docs/${version}`, app, documents.document(version))

  app.use(versioning(options))
  app.useGlobalInterceptors(new ConvertRequestInterceptor())
  return app
}
