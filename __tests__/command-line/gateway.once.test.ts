// `npx express-versioning gateway` as a function, in front of a service.
import { EventEmitter, once } from 'node:events'
import type { Server } from 'node:http'
import { asked } from '../../src/command-line/arguments'
import * as gateways from '../../src/command-line/gateway-command'
import { run } from '../../src/command-line/run'
import { document, echo, service } from '../support/behind'
import { ended, folder, write } from '../support/folder'
import { at } from '../support/serve'

const MODULE = (scheme: string, more = '') => `
const versions = require('express-versioning')
const { change, fields, versionHistory } = require('express-versioning/changes')
const { routesOf } = require('express-versioning/openapi')
const document = ${JSON.stringify(document)}
const changes = versionHistory('v1').version('v2', change('Songs have a name.', { Song: fields({ renamed: { title: 'name' } }) }))
exports.options = { scheme: versions.${scheme}, changes, routes: routesOf(document), ${more} }`
write('header.js', MODULE('HeaderVersioning', "defaultVersion: 'v1'"))
write('path.js', MODULE('URLPathVersioning', "defaultVersion: 'v1'"))
write(
  'both.js',
  MODULE('HeaderVersioning', '').replace(
    'scheme: versions.HeaderVersioning',
    "scheme: new versions.CombinedVersioning({ schemes: [new versions.HeaderVersioning(), new versions.URLPathVersioning()], defaultVersion: 'v1' })",
  ),
)
write(
  'param.js',
  MODULE('URLPathVersioning', "versionParam: 'v'").replace(
    'routes: routesOf(document)',
    "routes: versions.namedRoutes({}).include('/:v', routesOf(document))",
  ),
)
write(
  'wrong.js',
  "exports.options = { scheme: require('express-versioning').HeaderVersioning, allowedVersions: ['v1'] }",
)
write('table.js', "exports.routes = require('express-versioning').namedRoutes({ a: '/a' })")
write('misspelt.js', MODULE('HeaderVersioning', 'defaultVersions: 1'))

write(
  'open.js',
  MODULE('HeaderVersioning', "defaultVersion: 'v1'").replaceAll('"schema":{"$ref":"#/components/schemas/Song"}', ''),
)
write(
  'bare.js',
  `const { HeaderVersioning, namedRoutes } = require('express-versioning')
exports.options = { scheme: HeaderVersioning, allowedVersions: ['v1'], routes: namedRoutes({ songs: '/songs' }) }`,
)

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections()
})

async function started(words: string) {
  const target = await service(echo)
  let said = ''
  const wanted = asked(`gateway ${words} --target ${target} --port 0`.split(' '))
  servers.push(await gateways.startGateway(wanted, folder, (text) => (said += text)))
  const [, origin = ''] = /^(\S+) serves/.exec(said) ?? []
  return { ...at(Number(new URL(origin).port)), said, target }
}
const urlOf = ({ headers }: { headers: object }) => JSON.parse((headers as { 'x-got': string })['x-got'])[1]

test('it says what it serves, and serves it', async () => {
  const { said, target, send, get } = await started('header.js')
  expect(said).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+ serves ${target} in the versions v1, v2\\.`))
  const body = '{"title":"Aria"}'
  const headers = { 'Content-Type': 'application/json' }
  expect(await send('POST', '/songs', headers, body)).toMatchObject({ status: 200, text: body })
  expect(await get('/songs', { 'X-API-Version': 'v9' })).toMatchObject({ status: 406, json: { status: 406 } })
  expect((await get('/docs')).status).toBe(404)
})

test('with --docs it has pages', async () => {
  const { get } = await started('header.js --docs /docs --title Songs')
  expect((await get('/openapi/v1.json')).json).toMatchObject({ info: { version: 'v1' } })
  expect((await get('/docs/', { Accept: 'text/html' })).text).toContain('/openapi/v1.json')
})

test.each<[file: string, path: string, sent: string]>([
  ['path.js', '/songs?a', '/songs?a'],
  ['path.js', '/v1/songs', '/songs'],
  ['path.js', '/v2/songs?a=v2', '/songs?a=v2'],
  ['path.js', '/v2/files/v2', '/files/v2'],
  ['param.js', '/v2/files/a%2Fb', '/files/a%2Fb'],
  ['both.js', '/songs?a', '/songs?a'],
  ['both.js', '/v2/files/v2', '/files/v2'],
])('a version in the path of %s: %s is %s of the service', async (file, path, sent) => {
  const { get } = await started(file)
  expect(urlOf(await get(path))).toBe(sent)
})

test.each([
  ['open.js', /in the versions v1, v2\. The document leaves \d+ places open: see the warnings\.\n$/],
  ['bare.js', /in the versions all\.\n$/],
])('what it says of %s', async (file, says) => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  expect((await started(file)).said).toMatch(says)
  warned.mockRestore()
})

test('an address of IPv6', async () => {
  const { said } = await started('header.js --host ::1')
  expect(said).toMatch(/^http:\/\/\[::1\]:\d+ /)
})

test('limits are those of the gateway', async () => {
  const { send } = await started('header.js --limit 5b --timeout 50')
  expect((await send('POST', '/songs', { 'Content-Type': 'application/json' }, '{"title":"Aria"}')).status).toBe(413)
})

test.each<[words: string, says: string]>([
  ['gateway', 'the module is missing'],
  ['gateway header.js', '--target takes the URL of a service'],
  ['gateway header.js --target ftp://a', '--target takes the URL of a service'],
  ['gateway header.js --target http://a --port x', '--port takes a number'],
  ['gateway header.js --target http://a --port 70000', '--port takes a number'],
  ['gateway header.js --target http://a --docs docs', '--docs takes a path'],
  ['gateway header.js --target http://a --mount /a', 'gateway takes no --mount'],
])('%s', async (words, says) => {
  expect((await ended(words)).err).toContain(says)
})

test.each([
  ['wrong.js', 'exports no options with routes'],
  ['table.js', 'exports no options with routes'],
  ['misspelt.js', 'unknown option "defaultVersions"'],
  ['header.js --limit much', 'option "limit"'],
])('%s cannot start: %s', async (words, says) => {
  await expect(started(words)).rejects.toThrow(says)
})

test('a port that is taken', async () => {
  const { origin } = await started('header.js')
  const { port } = new URL(origin)
  const wanted = asked(`gateway header.js --target http://a --port ${port}`.split(' '))
  await expect(gateways.startGateway(wanted, folder, () => {})).rejects.toThrow('EADDRINUSE')
})

/** A process with these arguments, in the folder. */
function processOf(words: string) {
  const printed: string[] = []
  const write = (text: string) => printed.push(text)
  const process = Object.assign(new EventEmitter(), {
    ...{ argv: ['node', 'express-versioning', ...words.split(' ')], exitCode: undefined as number | undefined },
    ...{ stdout: { write }, stderr: { write }, cwd: () => folder },
  })
  return { process, printed, run: () => run(process as unknown as NodeJS.Process) }
}

test('SIGTERM ends it when the open requests have ended', async () => {
  let respond: () => void = () => {}
  const target = await service((_req, res) => {
    respond = () => res.end('late')
  })
  const start = jest.spyOn(gateways, 'startGateway')
  const { process, printed, run: start_ } = processOf(`gateway header.js --target ${target} --port 0`)
  await start_()
  const server = (await start.mock.results[0]?.value) as Server
  start.mockRestore()
  const { get } = at(Number(new URL(printed.join('').split(' ')[0] as string).port))
  const response = get('/songs', { 'X-API-Version': 'v2' })
  await once(server, 'request')
  await new Promise((done) => setTimeout(done, 50))
  const closed = once(server, 'close')
  process.emit('SIGTERM')
  respond()
  expect((await response).text).toBe('late')
  await closed
})

test('mistakes are printed, and its errors are those of the module', async () => {
  const { process, printed, run: start } = processOf('gateway nothing.js --target http://a')
  await start()
  expect([process.exitCode, printed.join('')]).toEqual([1, expect.stringContaining('there is no module')])
  write('throws-here.js', "throw new RangeError('throws')")
  await expect(processOf('gateway throws-here.js --target http://a').run()).rejects.toThrow('throws')
})
