// A Nest app whose DTOs are schemas of zod. A response without a status is that of `@ZodResponse()`; its argument is `errors`, `status`, or none.
import 'reflect-metadata'
import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common'
import { APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core'
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
import { HeaderVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { VersioningModule } from 'express-versioning/nest'
import { cleanupOpenApiDoc, createZodDto, ZodResponse, ZodSerializerInterceptor, ZodValidationPipe } from 'nestjs-zod'
import { z } from 'zod'

const [, , given] = process.argv

class Plant extends createZodDto(z.object({ id: z.number().int(), label: z.string() })) {}
class NewPlant extends createZodDto(z.object({ label: z.string().min(2) })) {}

@Controller('plants')
class Plants {
  // It has more than its type.
  @Get(':id') @ZodResponse({ ...(given === 'status' && { status: 200 }), type: Plant }) one(@Param('id') id: string) {
    return { id: Number(id), label: 'Fern', secret: 'of the house' }
  }

  @Post() @ZodResponse({ status: 201, type: Plant }) add(@Body() body: NewPlant) {
    return { id: 2, ...body }
  }
}

@Module({
  controllers: [Plants],
  providers: [
    { provide: APP_PIPE, useClass: ZodValidationPipe },
    { provide: APP_INTERCEPTOR, useClass: ZodSerializerInterceptor },
  ],
})
class Root {}

const renamed = fields({ renamed: { name: 'label' } })
const changes = versionHistory('1').version(
  '2',
  change('Plants have a `label`.', { Plant_Output: renamed, NewPlant: renamed }),
)

async function start(): Promise<void> {
  const app = await NestFactory.create(Root, { logger: ['error', 'warn'] })
  const document = cleanupOpenApiDoc(
    SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Plants').build()),
  )
  const errors = given === 'errors' ? { errors: { type: 'object' } } : {}
  VersioningModule.setup(app, document, { scheme: HeaderVersioning, defaultVersion: '1', changes, ...errors })
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port })
}

void start()
process.once('disconnect', () => process.exit())
