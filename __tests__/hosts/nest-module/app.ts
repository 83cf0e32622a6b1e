// A Nest app with the parts that Nest apps have, and versions by one call. Its argument is the way in which it has versions.
import 'reflect-metadata'
import {
  Body,
  type CanActivate,
  ClassSerializerInterceptor,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Injectable,
  type MessageEvent,
  Module,
  Param,
  Post,
  Query,
  Res,
  Sse,
  StreamableFile,
  UnauthorizedException,
  UploadedFile,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
  VERSION_NEUTRAL,
  VersioningType,
} from '@nestjs/common'
import { ExternalContextCreator, NestFactory } from '@nestjs/core'
import { FileInterceptor } from '@nestjs/platform-express'
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiProduces,
  ApiProperty,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger'
import { Exclude } from 'class-transformer'
import { IsString } from 'class-validator'
import type { Request, Response } from 'express'
import { HeaderVersioning, QueryParameterVersioning, URLPathVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { ConvertRequest, VersioningModule } from 'express-versioning/nest'
import { of } from 'rxjs'

class NewPlant {
  @ApiProperty() @IsString() label: string
}

class Plant extends NewPlant {
  @ApiProperty({ type: 'integer' }) id: number
}

class StoredPlant extends Plant {
  @Exclude() secret = 'of the house'

  constructor(id: number, label: string) {
    super()
    Object.assign(this, { id, label })
  }
}

class Photo extends NewPlant {
  @ApiProperty({ type: 'string', format: 'binary' }) file: unknown
}

@Injectable()
class Guard implements CanActivate {
  canActivate(context: ExecutionContext) {
    const req = context.switchToHttp().getRequest()
    if (req.headers.authorization === 'none') throw new UnauthorizedException()
    return true
  }
}

@UseGuards(Guard)
@Controller('plants')
class Plants {
  @Get() @ApiOkResponse({ type: [Plant] }) @UseInterceptors(ClassSerializerInterceptor) list() {
    return [new StoredPlant(1, 'Fern')]
  }

  @Get('taken') @ApiOkResponse({ type: Plant }) taken(@Res() res: Response) {
    res.json({ id: 4, label: 'Ivy' })
  }

  @Get('file')
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @ApiOkResponse({ type: String })
  file() {
    return new StreamableFile(Buffer.from('label'))
  }

  @Sse('events')
  @ApiOkResponse({ content: { 'text/event-stream': { itemSchema: eventOf('Plant') } } as never })
  events() {
    return of<MessageEvent>({ data: { id: 5, label: 'Moss' } })
  }

  @Get('hidden') @ApiExcludeEndpoint() hidden(@Query('label') label?: string) {
    return { label: label ?? 'hidden' }
  }

  @Get(':id') @ApiOkResponse({ type: Plant }) one(@Param('id') id: string) {
    return { id: Number(id), label: 'Fern' }
  }

  @Post() @ApiCreatedResponse({ type: Plant }) add(@Body() body: NewPlant) {
    return { id: 2, ...body }
  }

  @Post('photos')
  @HttpCode(200)
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: Photo })
  @ApiOkResponse({ type: Plant })
  @UseInterceptors(FileInterceptor('file'), ConvertRequest)
  photo(@Body() body: NewPlant, @UploadedFile() file: { size: number }) {
    return { id: file.size, label: body.label }
  }
}

/** Returns the schema of a server-sent event with a shape in it. */
function eventOf(name: string) {
  const contentSchema = { $ref: `#/components/schemas/${name}` }
  return {
    type: 'object',
    properties: { data: { type: 'string', contentMediaType: 'application/json', contentSchema } },
  }
}

@Controller({ path: 'health', version: VERSION_NEUTRAL })
class Health {
  @Get() @ApiOkResponse({ type: String }) show() {
    return 'fine'
  }
}
@Controller({ path: 'plants', version: '1' })
class PlantsOf1 {
  @Get(':id') @ApiOkResponse({ schema: { type: 'object', properties: { old: { type: 'string' } } } }) one() {
    return { old: 'Fern' }
  }
}

@Controller({ path: 'plants', version: ['2', '3'] })
class PlantsSince2 {
  @Get(':id') @ApiOkResponse({ type: Plant }) one(@Param('id') id: string) {
    return { id: Number(id), label: 'Fern' }
  }

  @Post() @ApiCreatedResponse({ type: Plant }) add(@Body() body: NewPlant) {
    return { id: 2, ...body }
  }
}

@Controller({ path: 'plants', version: '1' })
class PlantsOfDates extends Plants {}

const renamed = () =>
  change('Plants have a `label`.', {
    Plant: fields({ renamed: { name: 'label' } }),
    NewPlant: fields({ renamed: { name: 'label' } }),
    Photo: fields({ renamed: { name: 'label' } }),
  })
const historyOf = (older: string, newer: string) => versionHistory(older).version(newer, renamed())
const byHeader = { scheme: HeaderVersioning, defaultVersion: '1', changes: historyOf('1', '2') }

interface Way {
  readonly controllers: (new () => object)[]
  readonly prefix?: string
  readonly nest?: Parameters<Awaited<ReturnType<typeof NestFactory.create>>['enableVersioning']>[0]
  readonly ignoreGlobalPrefix?: boolean
  readonly options: object
}

const ways: Record<string, Way> = {
  header: { controllers: [Plants, Health], options: byHeader },
  prefix: { controllers: [Plants, Health], prefix: 'api', options: byHeader },
  inner: { controllers: [Plants, Health], prefix: 'api', ignoreGlobalPrefix: true, options: byHeader },
  path: { controllers: [Plants, Health], prefix: 'api', options: { ...byHeader, scheme: URLPathVersioning } },
  bare: { controllers: [Plants, Health], options: { ...byHeader, scheme: URLPathVersioning } },
  query: { controllers: [Plants, Health], prefix: 'api', options: { ...byHeader, scheme: QueryParameterVersioning } },
  dates: {
    controllers: [PlantsOfDates, Health],
    prefix: 'api',
    nest: { type: VersioningType.URI },
    options: { scheme: HeaderVersioning, defaultVersion: '2024-01-01', changes: historyOf('2024-01-01', '2025-01-01') },
  },
  copies: {
    controllers: [PlantsOf1, PlantsSince2, Health],
    prefix: 'api',
    nest: { type: VersioningType.URI },
    options: { scheme: URLPathVersioning, defaultVersion: '2', changes: historyOf2() },
  },
  headers: {
    controllers: [PlantsOf1, PlantsSince2, Health],
    prefix: 'api',
    nest: { type: VersioningType.HEADER, header: 'X-API-Version' },
    options: { scheme: HeaderVersioning, defaultVersion: '2', changes: historyOf2() },
  },
}

function historyOf2() {
  const renames = fields({ renamed: { name: 'label' } })
  return versionHistory('2').version('3', change('Plants have a `label`.', { Plant: renames, NewPlant: renames }))
}

async function start(): Promise<void> {
  const { controllers, prefix, nest, ignoreGlobalPrefix = false, options } = ways[process.argv[2] ?? ''] as Way
  @Module({ controllers })
  class Root {}
  const app = await NestFactory.create(Root, { logger: ['error', 'warn'] })
  if (prefix !== undefined) app.setGlobalPrefix(prefix, { exclude: ['health'] })
  if (nest !== undefined) app.enableVersioning(nest)
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }))
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Plants').build(), {
    ignoreGlobalPrefix,
  })
  VersioningModule.setup(app, document, { ...options, swagger: 'docs', SwaggerModule } as never)
  app.getHttpAdapter().get('/page', (_req: Request, res: Response) => void res.json({ label: 'page' }))
  // As @nestjs/graphql calls its resolvers, whose request is undefined: global interceptors run there too.
  const resolver = { show: () => ({ label: 'Fern' }) }
  const called = app
    .get(ExternalContextCreator)
    .create(resolver, resolver.show, 'show', undefined, undefined, undefined, undefined, undefined, 'graphql')
  app.getHttpAdapter().get('/resolver', async (_req: Request, res: Response) => void res.json(await called(undefined)))
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port })
}

void start()
process.once('disconnect', () => process.exit())
