// `npx express-versioning demo`: a shop in three versions, on a free port, until Ctrl-C.
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CommandError } from '../arguments'
import { demoShop, type ExpressModule, VERSIONS } from './shop'

/**
 * Starts the demo on a free port of this machine.
 *
 * @param directory the folder whose `swagger-ui-dist` is used for "try it", if it has one.
 * @param print gets the commands to try.
 * @returns the server, which listens.
 * @throws {CommandError} without Express.
 */
export async function startDemo(directory: string, print: (text: string) => void): Promise<Server> {
  const server = createServer(demoShop(expressOf(), swaggerUiIn(directory)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  print(linesFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  return server
}

function expressOf(): ExpressModule {
  try {
    return require('express')
  } catch {
    throw new CommandError('the demo needs Express: npm install express')
  }
}

function swaggerUiIn(directory: string): string | undefined {
  try {
    return createRequire(join(directory, 'package.json'))('swagger-ui-dist').absolutePath()
  } catch {
    return undefined
  }
}

/** Returns what is printed: where the pages are, and five commands. */
function linesFor(origin: string): string {
  const [oldest, , newest] = VERSIONS as [string, string, string]
  const api = `${origin}/api`
  const json = `-H 'Content-Type: application/json' -d`
  const commands = [
    ['The oldest client, which names no version:', `curl ${api}/products/1`],
    ['The newest client:', `curl ${api}/products/1 -H 'X-API-Version: ${newest}'`],
    [
      'An old client sends the old format:',
      `curl ${api}/products -H 'X-API-Version: ${oldest}' ${json} '{"name":"Spoon","price":3.5}'`,
    ],
    ['This route was removed in 2025-01-01:', `curl '${api}/bestsellers?version=${newest}'`],
    ['A version that does not exist:', `curl ${api}/products -H 'X-API-Version: 1999-01-01'`],
  ]
  const tries = commands.map(([says, command]) => `${says}\n  ${command}\n`)
  const pages = `Open ${origin} in a browser to send requests in all versions.\nRoutes and versions: ${origin}/docs/\nOpenAPI documents: ${origin}/openapi/\n`
  return `A shop in three versions, with handlers for the newest only.\n\n${pages}\nOr try, in another terminal:\n\n${tries.join('\n')}\nCtrl-C stops it.\n`
}
