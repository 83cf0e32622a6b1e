// The module that `init` writes: a history of one version, and the options of `versioning()`.
import { posix } from 'node:path'
import { quoted } from '../../testing/draft/literal'
import { type Adoption, type Kind, SCHEMES } from './adoption'
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
}

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
  const { handlers, entry } = HANDLERS[app.host]
  const core = [SCHEMES[scheme], ...(isPath ? ['namedRoutes'] : []), ...(entry === undefined ? ['versioning'] : [])]
  const changes = entry === undefined ? 'convertRequest, versionHistory' : 'versionHistory'
  const imports = [
    ...(found === undefined ? [] : documentImports(found, file, take)),
    take(core.sort().join(', '), 'express-versioning'),
    take(changes, 'express-versioning/changes'),
    ...(entry === undefined ? [] : [take(handlers.join(), entry)]),
    ...(isNest ? [] : [take('routesOf', 'express-versioning/openapi')]),
  ]
  const document = found === undefined ? '' : documentLine(found, kind, file)
  const declares = isCommon ? 'const ' : 'export const '
  const routes = isPath ? `namedRoutes({}).include('{/:version}', routesOf(document))` : 'routesOf(document)'
  const labels = scheme === 'host' ? labelsIn(found) : []
  const written =
    labels.length === 0 ? SCHEMES[scheme] : `new ${SCHEMES[scheme]}({ ignore: [${labels.map(quoted).join(', ')}] })`
  const parts = [`scheme: ${written}`, `defaultVersion: ${quoted(version)}`, 'changes: history']
  if (!isNest) parts.push(`routes: ${routes}`)
  if (neutral.length > 0) parts.push(`neutral: [${neutral.map(quoted).join(', ')}]`)
  const made = `${declares}options = { ${parts.join(', ')} }\n`
  const own = ['history', 'options', ...handlers]
  const exports = isCommon ? `module.exports = { ${own.join(', ')} }` : `export { ${handlers.join(', ')} }`
  const moves = isPath
    ? `// Addresses without a version stay, as those of ${quoted(version)}. New versions are at ${mount}/NEXT/...: mount the routers there too.\n`
    : ''
  return `// The versions of the API, oldest first.
${imports.join('\n')}

${document}${exampleOf(version, declares)}${declares}history = versionHistory(${quoted(version)})

${moves}${made}
${exports}
`
}

type Take = (names: string, from: string) => string

function documentImports({ exportName, yaml, file: document }: FoundDocument, file: string, take: Take): string[] {
  if (exportName !== undefined)
    return [take(exportName === 'document' ? 'document' : `${exportName} as document`, pathTo(document, file))]
  return [take('readFileSync', 'node:fs'), ...(yaml === undefined ? [] : [take(yaml.method, yaml.name)])]
}

/** Returns the line that reads the document; empty if an import does. */
function documentLine({ exportName, yaml, hasMark, file: document }: FoundDocument, kind: Kind, file: string): string {
  if (exportName !== undefined) return ''
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
