import 'reflect-metadata'
import { type INestApplication, ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { HeaderVersioning } from 'express-versioning'
import { VersioningModule } from 'express-versioning/nest'
import { history } from './history.js'
import { UsersModule } from './users.js'

export async function createApp(): Promise<INestApplication> {
  const app = await NestFactory.create(UsersModule, { logger: ['error', 'warn'] })
  app.useGlobalPipes(new ValidationPipe())
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Users').build())

  const options = { scheme: HeaderVersioning, defaultVersion: 'v1', changes: history }
  VersioningModule.setup(app, document, { ...options, swagger: 'docs', SwaggerModule })
  return app
}
