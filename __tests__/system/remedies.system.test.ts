// The decorators of Nest that messages print, obeyed in an app of Nest: its document then says what was missing.
import { join } from 'node:path'
import { HeaderVersioning, versioning } from 'express-versioning'
import { versionHistory } from 'express-versioning/changes'
import { routesOf } from 'express-versioning/openapi'
import { documentOf } from '../support/documents'
import { json, object } from '../support/parts'
import { install, run, temporary, tested } from './support/projects'

const temp = temporary()

/** Reads a document, and returns what its start says that it leaves open. */
function openIn(document: object): string[] {
  const warned: string[] = []
  const spy = jest.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(String(warning)))
  versioning({
    scheme: HeaderVersioning,
    defaultVersion: '1',
    routes: routesOf(document),
    changes: versionHistory('1'),
  })
  spy.mockRestore()
  return warned.flatMap((warning) => warning.split('\n').slice(1))
}

const anything = { type: 'object' }
const OPEN = {
  bare: anything,
  list: { type: 'array' },
  others: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
  value: {},
}
const answer = (content: object) => ({ description: '', content })
const DOCUMENT = documentOf(
  {
    '/a': {
      post: {
        requestBody: { content: json(undefined) },
        responses: {
          200: answer(json({ $ref: '#/components/schemas/One' })),
          201: answer(json(undefined)),
          400: answer(json(undefined)),
          '5XX': answer(json(undefined)),
        },
      },
    },
  },
  { schemas: { One: object(OPEN) } },
)

test('each decorator that is printed says in the document what was missing', async () => {
  const lines = openIn(DOCUMENT)
  expect(lines).toHaveLength(8)
  const decorators = lines.flatMap((line) => line.match(/@Api\w+\(\{.*?\}\)/g) ?? [])
  expect(decorators.filter((one) => one.startsWith('@ApiProperty'))).toHaveLength(4)
  const code = decorators.map((one) =>
    one.replace('additionalProperties: ...', "additionalProperties: { type: 'string' }").replace('...', 'Item'),
  )
  const fields = code.filter((one) => one.startsWith('@ApiProperty')).map((one, at) => `  ${one} field${at}: unknown`)
  const methods = code
    .filter((one) => !one.startsWith('@ApiProperty'))
    .map((one, at) => {
      const response = /@Api\w*Response/.test(one) ? '' : '@ApiOkResponse({ type: Item }) '
      return `  @${response === '' ? 'Get' : 'Post'}('${at}') ${response}${one} method${at}(${response && '@Body() _: unknown'}) {}`
    })
  const names = [...new Set(code.map((one) => one.slice(1, one.indexOf('('))))]
  const text = `import 'reflect-metadata'
import { Body, Controller, Get, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ${names.join(', ')}, DocumentBuilder, SwaggerModule } from '@nestjs/swagger'
class Item { @ApiProperty() name: string }
class One {
${fields.join('\n')}
}
@Controller('a') class Things {
  @Get() @ApiOkResponse({ type: One }) one() {}
${methods.join('\n')}
}
@Module({ controllers: [Things] }) class App {}
void NestFactory.create(App, { logger: false }).then((app) => {
  console.log(JSON.stringify(SwaggerModule.createDocument(app, new DocumentBuilder().build())))
})
`
  const nest = Object.fromEntries(
    ['common', 'core', 'platform-express', 'swagger'].map((name) => [`@nestjs/${name}`, '^11.0.0']),
  )
  const compilerOptions = {
    module: 'commonjs',
    target: 'es2021',
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    strictPropertyInitialization: false,
  }
  const dependencies = { ...nest, 'reflect-metadata': '^0.2.2', rxjs: '^7.8.2', typescript: tested('typescript') }
  await install(temp, dependencies, {
    'app.ts': text,
    'tsconfig.json': { compilerOptions: { ...compilerOptions, skipLibCheck: true } },
  })
  await run(temp, 'npx', '--no', 'tsc')
  const document = JSON.parse(await run(temp, process.execPath, join(temp, 'app.js')))
  expect(openIn(document)).toEqual([])
  const { paths } = document
  expect(Object.keys(paths)).toHaveLength(1 + methods.length)
}, 300_000)
