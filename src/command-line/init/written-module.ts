// The module that `init` writes: a history of one version, and the options of `versioning()`.
import { posix } from 'node:path'
import { quoted } from '../../testing/draft/draft-text'
import { type Adoption, type Kind, SCHEMES, type SchemeName } from './adoption'
import type { App, Host } from './app'
import type { FoundDocument } from './found-document'

/** Writes an example of the next version, as a statement that may take the place of the one below it. */
function exampleOf(version: string, declares: string): string {
  return `// When you make a breaking change, describe it. You need { change, fields } of express-versioning/changes too:
// ${declares}history = versionHistory(${quoted(version)})
//   .version('NEXT', change('Users have a \`title\` instead of a \`name\`.', { User: fields({ renamed: { name: 'title' } }) }))
`
}

/** The exports of the module beside its options, and the entry that they come from; undefined for the main one and `changes`. */
const HANDLERS: Readonly<Record<Host, { readonly handlers: readonly string[]; readonly entry: string | undefined }>> = {
  express: { handlers: ['convertRequest', 'versioning'], entry: undefined },
  gateway: { handlers: ['gateway'], entry: 'express-versioning/gateway' },
  nest: { handlers: ['VersioningModule'], entry: 'express-versioning/nest' },
  // The command has the gateway.
  program: { handlers: [], entry: 'none' },
}

/** The name of the function that makes the document. */
const MAKER = 'makeDocument'

/** Returns the text of the module. */
export function moduleFor({ app, found, scheme, version, kind, file, neutral, mount }: Adoption): string {
  const isCommon = kind === 'cjs'
  const take = (names: string, from: string) =>
    isCommon
      ? `const { ${names.replaceAll(' as ', ': ')} } = require(${quoted(from)})`
      : `import { ${names} } from '${from}'`
  // A Nest app makes its document itself, and its module the table.
  const isNest = app.host === 'nest'
  const isPath = scheme === 'path' && !isNest
  // Behind a gateway, the service has the mount in its paths.
  const isGateway = app.host === 'program' || app.host === 'gateway'
  const place = `${isGateway ? mount : ''}${isPath ? '{/:version}' : ''}`
  const { handlers, entry } = HANDLERS[app.host]
  const core = [
    SCHEMES[scheme],
    ...(place === '' ? [] : ['namedRoutes']),
    ...(entry === undefined ? ['versioning'] : []),
  ]
  const changes = entry === undefined ? 'convertRequest, versionHistory' : 'versionHistory'
  const imports = [
    ...(found === undefined ? [] : documentImports(found, file, app.isModule, take)),
    take(core.sort().join(', '), 'express-versioning'),
    take(changes, 'express-versioning/changes'),
    ...(handlers.length === 0 || entry === undefined ? [] : [take(handlers.join(), entry)]),
    ...(isNest ? [] : [take('routesOf', 'express-versioning/openapi')]),
  ]
  const document = found === undefined ? '' : documentLine(found, kind, file)
  const declares = isCommon ? 'const ' : 'export const '
  const routes = place === '' ? 'routesOf(document)' : `namedRoutes({}).include(${quoted(place)}, routesOf(document))`
  const parts = [...schemeParts(scheme, version, found), 'changes: history']
  if (!isNest) parts.push(`routes: ${routes}`)
  if (neutral.length > 0) parts.push(`neutral: [${neutral.map(quoted).join(', ')}]`)
  // The app makes the document, and gives it.
  const isGiven = found?.variable !== undefined
  const name = isGiven ? 'optionsFor' : 'options'
  const value = `{ ${parts.join(', ')} }`
  const made = `${declares}${name} = ${isGiven ? `(document${kind === 'ts' ? ': object' : ''}) => (${value})` : value}\n`
  const own = ['history', name, ...handlers]
  const exports = isCommon
    ? `\nmodule.exports = { ${own.join(', ')} }\n`
    : handlers.length === 0
      ? ''
      : `\nexport { ${handlers.join(', ')} }\n`
  const others = isNest
    ? ''
    : `// In older versions, what the document does not have is 404. To let it pass: routesOf(document, { undocumented: 'pass' })\n`
  const moves = isPath
    ? `// Addresses without a version stay, as those of ${quoted(version)}. New versions are at ${mount}/NEXT/...${isGateway ? '' : ': mount the routers there too'}.\n`
    : ''
  return `// The versions of the API, oldest first.
${imports.join('\n')}

${document}${exampleOf(version, declares)}${declares}history = versionHistory(${quoted(version)})

${others}${moves}${made}${exports}`
}

type Take = (names: string, from: string) => string

function documentImports(
  { exportName, isCalled, variable, yaml, file: document }: FoundDocument,
  file: string,
  isModule: boolean,
  take: Take,
): string[] {
  if (variable !== undefined) return []
  if (exportName !== undefined) {
    const path = importPath(document, file, isModule)
    const name = isCalled ? MAKER : 'document'
    const whole = take(name, path).replace(`{ ${name} }`, name)
    if (exportName === 'default') return [whole]
    return [take(exportName === name ? name : `${exportName} as ${name}`, path)]
  }
  return [take('readFileSync', 'node:fs'), ...(yaml === undefined ? [] : [take(yaml.method, yaml.name)])]
}

/** Returns the line that reads the document; empty if an import does. */
function documentLine(
  { exportName, isCalled, variable, yaml, hasMark, file: document }: FoundDocument,
  kind: Kind,
  file: string,
): string {
  if (isCalled) return `const document = ${MAKER}()\n\n`
  if (exportName !== undefined || variable !== undefined) return ''
  const path = quoted(pathTo(document, file))
  // A build moves the module, but not the folder in which the app starts.
  const places = {
    ts: quoted(document),
    mjs: `new URL(${path}, import.meta.url)`,
    cjs: `require.resolve(${path})`,
  }
  const read = `readFileSync(${places[kind]}, 'utf8')`
  const text = yaml === undefined && hasMark ? `${read}.replace('\\uFEFF', '')` : read
  const note = kind === 'ts' ? '// The path is below the folder in which the app is started.\n' : ''
  return `${note}const document = ${yaml?.method ?? 'JSON.parse'}(${text})\n\n`
}

/** Returns the path from one file to another. */
export function pathTo(file: string, from: string): string {
  return posix.relative(posix.dirname(from), file).replace(/^(?!\.)/, './')
}

/** Returns the path by which a file imports another one. Node reads the compiled file, whose extension TypeScript wants to see in ES modules only. */
export function importPath(file: string, from: string, isModule: boolean): string {
  return pathTo(file.replace(/\.ts$/, isModule ? '.js' : ''), from)
}

/** Returns the options of a scheme that keep the requests of today as they are. */
function schemeParts(scheme: SchemeName, version: string, found: FoundDocument | undefined): string[] {
  const [name, given] = [SCHEMES[scheme], `defaultVersion: ${quoted(version)}`]
  if (scheme === 'host') {
    const labels = labelsIn(found)
    const ignored = (labels.length === 0 ? ['api', 'www'] : labels).map(quoted).join(', ')
    return [`scheme: new ${name}({ ignore: [${ignored}], ${given} })`]
  }
  const isTaken = scheme === 'query' && hasParameter(found, 'version')
  return [`scheme: ${name}`, given, ...(isTaken ? ["versionParam: 'api-version'"] : [])]
}

/** Tells whether a document has a query parameter. */
function hasParameter(found: FoundDocument | undefined, name: string): boolean {
  const { paths, components } = Object(found?.document) as { paths?: object; components?: { parameters?: object } }
  const items = Object.values(Object(paths)).flatMap((item) => [item, ...Object.values(Object(item))])
  const shared = Object.values(Object(components?.parameters))
  const all = [...shared, ...items.flatMap((one) => Object(one).parameters ?? [])].map(Object)
  return all.some((one) => one.in === 'query' && one.name === name)
}

/** Lists the first labels of the hosts that the document names, which are no versions. */
function labelsIn(found: FoundDocument | undefined): string[] {
  const urls = found?.document.servers?.map(({ url }) => String(url)) ?? []
  const hosts = urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []))
  const labels = hosts.flatMap((host) => (/^[a-z][^.]*\../i.test(host) ? [host.split('.', 1)[0] as string] : []))
  return [...new Set(labels)]
}

/** Returns the file for an app. */
export function fileFor({ main = '', isTyped, isModule, files }: App): { readonly file: string; readonly kind: Kind } {
  if (!isTyped) {
    const kind = isModule || main.endsWith('.mjs') ? 'mjs' : 'cjs'
    return { file: `versions.${kind}`, kind }
  }
  const isInSources = main.startsWith('src/') || (main === '' && files.some((file) => file.startsWith('src/')))
  return { file: posix.join(isInSources ? 'src' : posix.dirname(main), 'versions.ts'), kind: 'ts' }
}
