// `npx express-versioning gateway`: a history in front of a service, as a program.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { explorer } from '../explorer'
import { gateway } from '../gateway'
import { compileOptions, type VersioningOptions } from '../middleware/versioning-options'
import { openapi } from '../openapi'
import type { RouteFacts } from '../registry'
import { namedRoutes } from '../routes/named-routes'
import { pathParameterOf } from '../schemes/carriers'
import { shown } from '../util/options'
import { visible } from '../util/text'
import { type Asked, CommandError, withCommandErrors } from './arguments'
import { exported, load } from './module'

type Wanted = Pick<Asked, 'file' | 'exportName' | 'target' | 'port' | 'host' | 'limit' | 'timeout' | 'docs' | 'title'>

/**
 * Starts the gateway of a module that exports the options of `versioning()`.
 *
 * @param print gets the line about what it serves.
 * @returns the server, which listens.
 * @throws {CommandError} for a module without options, for wrong options, and for a port that is taken.
 */
export async function startGateway(wanted: Wanted, directory: string, print: (text: string) => void): Promise<Server> {
  const { file, exportName, target, port, host, docs } = wanted
  const { options: given } = exported(await load(file, directory), file, exportName)
  if (given?.routes === undefined)
    throw new CommandError(`${shown(file)} exports no options with routes: routes: routesOf(document)`)
  const options = withCommandErrors(() => reachable(given))
  const app = withCommandErrors(() => {
    const made = express().disable('x-powered-by')
    if (docs !== undefined) addPages(made, options, docs, wanted.title)
    return made.use(gateway(options, { target, limit: wanted.limit, timeout: wanted.timeout }))
  })
  const server = createServer(app)
  // A client may close its side once it has sent its request.
  Object.assign(server, { httpAllowHalfOpen: true })
  await new Promise<void>((done, failed) => {
    server.once('error', (error) => failed(new CommandError(error.message)))
    server.listen(port, host, done)
  })
  const { address, port: at } = server.address() as AddressInfo
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${at}`
  const versions = given.changes?.versions.join(', ') ?? 'all'
  const open = given.routes.elsewhere()?.open.length ?? 0
  const leaves = open === 0 ? '' : ` The document leaves ${open} places open: see the warnings.`
  print(`${origin} serves ${visible(target)} in the versions ${visible(versions)}.${leaves}\n`)
  return server
}

/** Lets a scheme of the path read the version in front of the document's paths, and keeps the addresses without one. */
function reachable(options: VersioningOptions): VersioningOptions {
  const { routes } = options
  const parameter = pathParameterOf(compileOptions(options).scheme.carriers('1'))
  const isThere = ({ paths }: RouteFacts) =>
    paths.some((parts) => parts.some((part) => typeof part === 'object' && part.name === parameter))
  if (parameter === undefined || routes === undefined || routes.facts().some(isThere)) return options
  return { ...options, routes: namedRoutes({}).include(`{/:${parameter}}`, routes as never) }
}

function addPages(app: express.Application, options: VersioningOptions, docs: string, title: string | undefined): void {
  app.use('/openapi', openapi(options, { info: { title } }))
  app.use(docs, explorer(options, { title, documents: '/openapi' }))
}
