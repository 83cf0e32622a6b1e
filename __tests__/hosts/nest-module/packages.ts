// A Nest app with the packages that Nest apps have: a limit, a cache, GraphQL, a microservice, static files, a filter for everything.
// Its arguments are the name of its scheme, a folder of static files, and the port of the microservice.
import 'reflect-metadata'
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager'
import {
  type ArgumentsHost,
  Body,
  Catch,
  ClassSerializerInterceptor,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Module,
  Post,
  Query as QueryOf,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common'
import { HttpAdapterHost, NestFactory, Reflector } from '@nestjs/core'
import { Args, Field, GraphQLModule, InputType, Int, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql'
import { ClientProxyFactory, MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices'
import { ServeStaticModule } from '@nestjs/serve-static'
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiProperty,
  ApiQuery,
  DocumentBuilder,
  SwaggerModule,
} from '@nestjs/swagger'
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler'
import { Exclude } from 'class-transformer'
import { IsString } from 'class-validator'
import type { Request, Response } from 'express'
import { HeaderVersioning, URLPathVersioning } from 'express-versioning'
import { change, fields, versionHistory } from 'express-versioning/changes'
import { VersioningModule } from 'express-versioning/nest'
import { firstValueFrom } from 'rxjs'

const [, , way = '', files = '', port = ''] = process.argv

@InputType()
class NewPlant {
  @ApiProperty() @IsString() @Field() label: string
}

@ObjectType()
class Plant {
  @ApiProperty() @Field() label: string
  @ApiProperty({ type: 'integer' }) @Field(() => Int) calls: number
  @Exclude() secret = 'of the house'

  constructor(label: string, calls: number) {
    Object.assign(this, { label, calls })
  }
}

/** The key of a cached operation whose query changes: the version, and the URL that the client sent. */
class VersionedCache extends CacheInterceptor {
  override trackBy(context: ExecutionContext) {
    const { version } = context.switchToHttp().getRequest<Request>()
    return `${version} ${super.trackBy(context)}`
  }
}

let calls = 0

@Controller('plants')
class Plants {
  @Get('cached') @ApiOkResponse({ type: Plant }) @UseInterceptors(CacheInterceptor) cached() {
    return new Plant('Fern', ++calls)
  }

  @Get('found')
  @ApiQuery({ name: 'label', required: false })
  @ApiOkResponse({ type: Plant })
  @UseInterceptors(VersionedCache)
  found(@QueryOf('label') label = 'all') {
    return new Plant(label, ++calls)
  }

  @Get('limited') @ApiOkResponse({ type: Plant }) @UseGuards(ThrottlerGuard) limited() {
    return new Plant('Ivy', 0)
  }

  @Get('broken') @ApiOkResponse({ type: Plant }) broken(): Plant {
    throw new Error('of the house')
  }

  @Post() @ApiCreatedResponse({ type: Plant }) add(@Body() { label }: NewPlant) {
    return new Plant(label, 0)
  }

  @MessagePattern('plant') message({ label }: NewPlant) {
    return new Plant(label, 0)
  }
}

@Resolver(() => Plant)
class PlantResolver {
  @Query(() => [Plant]) plants() {
    return [new Plant('Fern', 0)]
  }

  @Mutation(() => Plant) add(@Args('plant') { label }: NewPlant) {
    return new Plant(label, 0)
  }
}

/** The filter of Nest's documentation, which knows `HttpException` alone. */
@Catch()
class AllExceptionsFilter implements ExceptionFilter {
  constructor(private readonly adapter: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const status = exception instanceof HttpException ? exception.getStatus() : 500
    const code = Object(Object(exception).cause).code
    this.adapter.httpAdapter.reply(host.switchToHttp().getResponse(), { statusCode: status, code }, status)
  }
}

@Module({
  imports: [
    CacheModule.register({ ttl: 60_000 }),
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: 2 }]),
    GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true, playground: false }),
    ServeStaticModule.forRoot({ rootPath: files, serveRoot: '/pages' }),
  ],
  controllers: [Plants],
  providers: [PlantResolver],
})
class Root {}

const renamed = fields({ renamed: { name: 'label' } })
const changes = versionHistory('1').version(
  '2',
  change('Plants have a `label`.', {
    Plant: renamed,
    NewPlant: renamed,
    'GET /api/plants/found': {
      query: ({ name, ...query }) => (name === undefined ? query : { ...query, label: name }),
    },
  }),
)
const schemes = { header: HeaderVersioning, path: URLPathVersioning }

async function start(): Promise<void> {
  const app = await NestFactory.create(Root, { logger: ['error', 'warn'] })
  app.setGlobalPrefix('api', { exclude: ['health'] })
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }))
  app.useGlobalInterceptors(new ClassSerializerInterceptor(app.get(Reflector)))
  app.useGlobalFilters(new AllExceptionsFilter(app.get(HttpAdapterHost)))
  const own = { transport: Transport.TCP as const, options: { host: '127.0.0.1', port: Number(port) } }
  app.connectMicroservice<MicroserviceOptions>(own, { inheritAppConfig: true })
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('Plants').build())
  const scheme = schemes[way as keyof typeof schemes]
  VersioningModule.setup(app, document, { scheme, defaultVersion: '1', changes })
  await app.startAllMicroservices()
  const client = ClientProxyFactory.create(own)
  const ask = async (_req: Request, res: Response) =>
    void res.json(await firstValueFrom(client.send('plant', { label: 'Moss' })))
  app.getHttpAdapter().get('/message', ask)
  await app.listen(0, '127.0.0.1')
  process.send?.({ port: app.getHttpServer().address().port })
}

void start()
process.once('disconnect', () => process.exit())
