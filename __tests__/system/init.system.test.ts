import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { startHost } from './support/hosts'
import { APPS, type OldApp } from './support/old-apps'
import { install, packed, run, temporary, tested, write } from './support/projects'

// What `init` prints is done in apps of every kind, by a production install: every URL answers as it did the day before.

const SCHEMES = ['header', 'accept', 'query', 'path', 'host']
const NEST = ['common', 'core', 'platform-express', 'swagger']
const temp = temporary()
const COMMAND = join(temp, 'node_modules/express-versioning/dist/command-line/main.js')
const folderOf = (kind: string, scheme = 'before') => join(temp, 'apps', `${kind.replaceAll(/\W+/g, '-')}-${scheme}`)

beforeAll(async () => {
  await install(
    temp,
    {
      ...{
        express: tested('express'),
        'express-versioning': packed().specifier,
        yaml: '^2',
        'swagger-jsdoc': '^6.2.8',
      },
      ...{ 'express-openapi-validator': '^5.5.0', 'http-proxy-middleware': '^3.0.5', tsoa: '^6.6.0' },
      ...Object.fromEntries(NEST.map((name) => [`@nestjs/${name}`, '^11.0.0'])),
      ...{ 'reflect-metadata': '^0.2.2', rxjs: '^7.8.2' },
    },
    {},
    {
      devDependencies: {
        '@types/express': '^5.0.0',
        '@types/node': tested('@types/node'),
        '@types/swagger-jsdoc': '^6.0.4',
        typescript: '~5.9.0',
      },
    },
  )
  await makeAll()
}, 300_000)

/** Pastes the lines that `init` has printed: imports at the top, the others where the app says. */
function paste(folder: string, main: string, printed: string): void {
  const lines = [...printed.matchAll(/^ {2}(\S.*)$/gm)].map(([, line = '']) => line)
  const isImport = (line: string) => /^import\b/.test(line) || /= require\(/.test(line)
  const text = readFileSync(join(folder, main), 'utf8')
  const own = text.replace('// PASTE', lines.filter((line) => !isImport(line)).join('\n'))
  const top = lines.filter(isImport).join('\n')
  write(folder, {
    [main]: /^'use strict'/.test(own) ? own.replace("'use strict'", `'use strict'\n${top}`) : `${top}\n${own}`,
  })
}

/** Compiles the sources of an app to `dist`, and leaves nothing else of them, as in an image. */
function compile(folder: string, isModule: boolean): void {
  for (const file of readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const { outputText } = transpileModule(readFileSync(join(folder, 'src', file), 'utf8'), {
      compilerOptions: {
        ...{ module: isModule ? ModuleKind.ESNext : ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
        ...{ esModuleInterop: true, experimentalDecorators: true, emitDecoratorMetadata: true },
      },
    })
    write(folder, { [`dist/${file.replace(/\.ts$/, '.js')}`]: outputText })
  }
  rmSync(join(folder, 'src'), { recursive: true })
}

/** Makes an app, in a scheme or as it was before. */
async function make(kind: string, { files, main, isTyped, build }: OldApp, scheme?: string): Promise<void> {
  const folder = folderOf(kind, scheme)
  write(folder, files)
  if (build !== undefined) await run(folder, join(temp, 'node_modules/.bin', build[0] as string), ...build.slice(1))
  if (scheme !== undefined) {
    paste(folder, main, await run(folder, process.execPath, COMMAND, 'init', '--scheme', scheme))
  }
  if (isTyped) {
    cpSync(join(folder, 'src'), join(folder, 'typed'), { recursive: true })
    compile(folder, JSON.stringify(files['package.json']).includes('module'))
  }
}

type Asked = readonly [method: string, path: string, body?: string]
const requestsFor = ({ paths, files }: OldApp): readonly Asked[] => {
  const gets = paths ?? ['', '/api', '/v1'].flatMap((mount) => [`${mount}/seeds`, `${mount}/seeds/7?version=3`])
  const pages = ['/seeds?version=9', '/health', '/docs/', '/docs', '/late', '/nothing', '/2/seeds', '/v1', '/']
  const isStatic = JSON.stringify(files).includes('tsoa')
  const all = [...gets, ...(paths === undefined ? pages : [])].map((path): Asked => ['GET', path])
  if (isStatic) return all
  const posts = ['', '/api', '/v1'].map((mount): Asked => ['POST', `${mount}/seeds`, '{"id":"1","label":"Moss"}'])
  return [...all, ...posts, ['POST', '/seeds', '{'], ['HEAD', '/seeds'], ['OPTIONS', '/seeds'], ['DELETE', '/seeds/7']]
}

/** Lists what an app responds. */
async function responses(port: number, asked: readonly Asked[], own: OldApp['headers']): Promise<unknown[]> {
  const found: unknown[] = []
  for (const [method, path, body] of asked) {
    const headers = { 'Content-Type': 'application/json', Host: 'api.seeds.example', ...own }
    const init = { method, headers, redirect: 'manual' as const, ...(body === undefined ? {} : { body }) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    const [type, location] = ['Content-Type', 'Location'].map((name) => response.headers.get(name))
    // Stacks have the paths of folders.
    const text = (await response.text()).replaceAll(/<br>.*/g, '')
    // With a path scheme, a page that is not there may be one of a version that is not.
    found.push([method, path, body, response.status, ...(response.status === 404 ? [] : [type, location, text])])
  }
  return found
}

async function answersOf(kind: string, app: OldApp, scheme?: string): Promise<unknown[]> {
  const { main, isTyped } = app
  const { port, close } = await startHost(
    join(folderOf(kind, scheme), isTyped ? main.replace('src/', 'dist/').replace('.ts', '.js') : main),
    [],
    process.execPath,
    folderOf(kind, scheme),
  )
  const found = await responses(port, requestsFor(app), app.headers)
  await close()
  return found
}

/** Makes all apps, checks the types, and leaves what a production install has. */
async function makeAll(): Promise<void> {
  for (const [kind, app] of Object.entries(APPS)) {
    await Promise.all([undefined, ...(app.schemes ?? SCHEMES)].map((scheme) => make(kind, app, scheme)))
  }
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', types: ['node'], strict: true, noEmit: true },
    ...{ noImplicitAny: false, skipLibCheck: true, experimentalDecorators: true },
  }
  write(temp, { 'tsconfig.json': { compilerOptions, include: ['apps/*/typed'] } })
  expect(await run(temp, 'npx', '--no', 'tsc', '--pretty', 'false')).toBe('')
  await run(temp, 'npm', 'prune', '--omit=dev', '--no-audit', '--no-fund', '--ignore-scripts')
}

test.each(Object.entries(APPS))('%s', async (kind, app) => {
  const before = await answersOf(kind, app)
  expect(before.filter((one) => (one as unknown[])[3] === 200).length).toBeGreaterThan(2)
  for (const scheme of app.schemes ?? SCHEMES) {
    expect([scheme, await answersOf(kind, app, scheme)]).toEqual([scheme, before])
  }
})

test('a service in another language gets the gateway as a program', async () => {
  const { files } = APPS['a gateway of its own'] as OldApp
  const document = files['openapi.json'] as object
  const service = createServer((req, res) => {
    res
      .writeHead(req.url?.startsWith('/v1/seeds') ? 200 : 404, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ at: req.url }))
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const target = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  for (const scheme of SCHEMES) {
    const folder = folderOf('program', scheme)
    write(folder, {
      'package.json': { dependencies: { 'express-versioning': '*' } },
      'openapi.json': { ...document, servers: [{ url: '/v1' }] },
    })
    const printed = await run(folder, process.execPath, COMMAND, 'init', '--scheme', scheme)
    const [, words = ''] = /^ {2}npx express-versioning (.*)$/m.exec(printed) ?? []
    const own = words.replace('http://127.0.0.1:8000', target).split(' ')
    const child = spawn(process.execPath, [COMMAND, ...own, '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    const [origin] = String(said).split(' ')
    const found = []
    for (const path of ['/v1/seeds', '/v1/seeds/7?a=b', '/nothing']) {
      const response = await fetch(origin + path)
      found.push([response.status, await response.text()])
    }
    expect([scheme, ...found]).toEqual([
      scheme,
      [200, '{"at":"/v1/seeds"}'],
      [200, '{"at":"/v1/seeds/7?a=b"}'],
      [404, '{"at":"/nothing"}'],
    ])
    child.kill()
    await once(child, 'exit')
  }
  service.close()
})
