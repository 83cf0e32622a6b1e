// The command `init`: the first version of an app that exists.
import { existsSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { withoutTrailingSlashes } from '../../routes/pattern'
import { quoted } from '../../testing/draft/literal'
import { shown } from '../../util/options'
import { didYouMean, near } from '../../util/suggest'
import { visible } from '../../util/visible'
import { CommandError } from '../arguments'
import { type App, appIn, type Host } from './app'
import { documentIn, type FoundDocument } from './document'

/** The file that the command writes. */
const FILE = 'versions.mjs'
/** Its types, for an app in TypeScript. */
const TYPES = 'versions.d.mts'

/** The schemes that `--scheme` names, and their classes. */
const SCHEMES = {
  header: 'HeaderVersioning',
  accept: 'AcceptHeaderVersioning',
  query: 'QueryParameterVersioning',
  path: 'URLPathVersioning',
  host: 'HostNameVersioning',
} as const

type SchemeName = keyof typeof SCHEMES

/**
 * Writes `versions.mjs` for the app in a folder: a history of one version, and the options of `versioning()`.
 *
 * @param given the scheme, as `--scheme` names it. Default: `header`.
 * @returns what to print: the lines to paste for the host that was found.
 * @throws {CommandError} for an unknown scheme, a folder without an app or a document, and a file that is there already.
 */
export async function initialize(given: string | undefined, directory: string): Promise<string> {
  const scheme = schemeNamed(given ?? 'header')
  const app = appIn(directory)
  if (app.host === 'nest' && scheme === 'path') {
    throw new CommandError('for versions in the path of a Nest app, read "path versions" in docs/existing-apis.md.')
  }
  const found = app.host === 'nest' ? undefined : await documentIn(directory, app)
  const version = versionFor(found, scheme)
  const module = found === undefined ? nestModule(scheme, version) : moduleOf(found, scheme, version)
  const isTyped = app.main !== undefined && /\.[cm]?ts$/.test(app.main)
  write(directory, new Map([[FILE, module], ...(isTyped ? [[TYPES, typesFor(app.host)] as const] : [])]))
  return report(app, found, scheme, version)
}

function schemeNamed(name: string): SchemeName {
  if (Object.hasOwn(SCHEMES, name)) return name as SchemeName
  const known = Object.keys(SCHEMES)
  throw new CommandError(
    `--scheme takes one of ${known.join(', ')}; got ${shown(name)}.${didYouMean(near(name, known))}`,
  )
}

/** Returns the version of the document, if the scheme's place can hold it as it is; else `v1`. */
function versionFor(found: FoundDocument | undefined, scheme: SchemeName): string {
  const version = found?.document.info?.version
  const fits = scheme === 'host' ? /^[a-z0-9]+$/ : /^[\w.-]+$/
  return typeof version === 'string' && fits.test(version) ? version : 'v1'
}

function write(directory: string, texts: ReadonlyMap<string, string>): void {
  const present = [...texts.keys()].find((file) => existsSync(join(directory, file)))
  if (present !== undefined) throw new CommandError(`${present} is there already. Nothing was written.`)
  for (const [file, text] of texts) writeFileSync(join(directory, file), text, { flag: 'wx' })
}

/** Writes an example of the next version, as a statement that may take the place of the one below it. */
function exampleOf(version: string): string {
  return `// When you make a breaking change, describe it. Import { change, fields } too:
// export const history = versionHistory(${quoted(version)})
//   .version('NEXT', change('Users have a \`title\` instead of a \`name\`.', { User: fields({ renamed: { name: 'title' } }) }))
`
}

function headOf(scheme: SchemeName, more: readonly string[] = []): string {
  const imports = [
    ...more,
    `import { ${SCHEMES[scheme]} } from 'express-versioning'`,
    `import { versionHistory } from 'express-versioning/changes'`,
    `import { routesOf } from 'express-versioning/openapi'`,
  ]
  return `// The versions of the API, oldest first.
${imports.join('\n')}

export { versioning } from 'express-versioning'
export { convertRequest } from 'express-versioning/changes'

`
}

function historyOf(version: string): string {
  return `${exampleOf(version)}export const history = versionHistory(${quoted(version)})\n\n`
}

function optionsOf(scheme: SchemeName, version: string): string {
  const parts = [`scheme: ${SCHEMES[scheme]}`, 'changes: history', 'routes: routesOf(document)']
  // A path always names a version. Clients that name none have the oldest one.
  if (scheme !== 'path') parts.splice(1, 0, `defaultVersion: ${quoted(version)}`)
  return `{ ${parts.join(', ')} }`
}

function moduleOf({ imports, line }: FoundDocument, scheme: SchemeName, version: string): string {
  const document = line === undefined ? '' : `${line}\n\n`
  return `${headOf(scheme, imports)}${document}${historyOf(version)}export const options = ${optionsOf(scheme, version)}\n`
}

function nestModule(scheme: SchemeName, version: string): string {
  return `${headOf(scheme)}${historyOf(version)}/** The options for the document of SwaggerModule.createDocument(). */
export const optionsFor = (document) => (${optionsOf(scheme, version)})\n`
}

function typesFor(host: Host): string {
  const options = host === 'nest' ? 'function optionsFor(document: object):' : 'const options:'
  return `import type { VersioningOptions } from 'express-versioning'

export { versioning } from 'express-versioning'
export { convertRequest } from 'express-versioning/changes'
export declare ${options} VersioningOptions
`
}

const PLACES: Readonly<Record<Host, string>> = {
  express: 'in front of your routers; authentication is between the last two lines',
  nest: 'in front of app.listen()',
  gateway: 'in front of the proxy',
}

/** Returns what else there is to know, besides the lines. */
function hintsFor(host: Host): string {
  // Nest has filters for errors, and no module that exports the options.
  if (host === 'nest') return ''
  return `Rejections are errors with a status, for your error handler. To send them as problem details, add
app.use(problemDetails()) of express-versioning behind ${host === 'gateway' ? 'the proxy' : 'your routers'}.
To try the steps of your changes later: npm install --save-dev ajv fast-check && npx express-versioning check ./${FILE}
`
}

function report(app: App, found: FoundDocument | undefined, scheme: SchemeName, version: string): string {
  const from = found === undefined ? '' : ` of ${visible(found.file)}`
  const lines = linesFor(app, found, scheme).map((line) => `  ${line}\n`)
  return `${FILE} is written, with version ${version}${from}. Paste into ${visible(app.main ?? 'your app')}, ${PLACES[app.host]}:

${lines.join('')}
The next step is the first change: docs/existing-apis.md
${hintsFor(app.host)}`
}

/** Returns the three lines to paste. */
function linesFor({ host, main = '', isModule }: App, found: FoundDocument | undefined, scheme: SchemeName): string[] {
  const from = quoted(posix.relative(posix.dirname(main), FILE).replace(/^(?!\.)/, './'))
  const names = `convertRequest, ${host === 'nest' ? 'optionsFor' : 'options'}, versioning`
  const isImport = isModule || /\.(?:mjs|[cm]?ts)$/.test(main)
  const first = isImport ? `import { ${names} } from ${from}` : `const { ${names} } = require(${from})`
  if (host === 'nest') {
    return [
      first,
      'app.use(versioning(optionsFor(SwaggerModule.createDocument(app, config))))',
      'app.useGlobalInterceptors({ intercept: (context, next) => (convertRequest.now(context.switchToHttp().getRequest()), next.handle()) })',
    ]
  }
  const mount = mountOf(found, scheme)
  const at = mount === '' ? '' : `${quoted(mount)}, `
  const convert = host === 'gateway' ? 'convertRequest.with(express.json())' : 'express.json(), convertRequest'
  return [first, `app.use(${at}versioning(options))`, `app.use(${at}${convert})`]
}

/** Returns the mount path of the API: that of the document's server, and the place of the version. */
function mountOf(found: FoundDocument | undefined, scheme: SchemeName): string {
  const url = found?.document.servers?.[0]?.url
  const path = typeof url === 'string' && !url.includes('{') ? pathOf(url) : ''
  return scheme === 'path' ? `${path.replace(/\/v\d[\w.]*$/, '')}/:version` : path
}

function pathOf(url: string): string {
  try {
    return withoutTrailingSlashes(new URL(url, 'http://localhost').pathname)
  } catch {
    return ''
  }
}
