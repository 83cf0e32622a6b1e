// The command `init`: the first version of an app that exists.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutTrailingSlashes } from '../../routes/pattern'
import { quoted } from '../../testing/draft/draft-text'
import { shown } from '../../util/options'
import { didYouMean, near } from '../../util/suggest'
import { visible } from '../../util/text'
import { CommandError } from '../arguments'
import { writeNew } from '../new-file'
import { type Adoption, SCHEMES, type SchemeName } from './adoption'
import { type App, appIn, type Host } from './app'
import { documentIn, type FoundDocument } from './found-document'
import { pagesOf } from './pages'
import { fileFor, importPath, moduleFor } from './written-module'

/**
 * Writes the versions of the app in a folder: a history of one version, and the options of `versioning()`.
 *
 * @param given the scheme, as `--scheme` names it. Default: `header`.
 * @returns what to print: the lines to paste for the host that was found.
 * @throws {CommandError} for an unknown scheme, a folder without an app or a document, and a file that is there already.
 */
export async function initialize(given: string | undefined, directory: string): Promise<string> {
  const scheme = schemeNamed(given ?? 'header')
  const app = appIn(directory)
  const found = app.host === 'nest' ? undefined : await documentIn(directory, app)
  const { mount, version } = placeOf(app, found, scheme)
  const neutral = found === undefined ? [] : pagesOf(app, found.document, mount)
  const adoption = { app, found, scheme, version, mount, neutral, ...fileFor(app) }
  const reason = `${adoption.file} is there already. Nothing was written.`
  const path = join(directory, adoption.file)
  mkdirSync(dirname(path), { recursive: true })
  writeNew(path, moduleFor(adoption), reason)
  return report(adoption)
}

function schemeNamed(name: string): SchemeName {
  if (Object.hasOwn(SCHEMES, name)) return name as SchemeName
  const known = Object.keys(SCHEMES)
  throw new CommandError(
    `--scheme takes one of ${known.join(', ')}; got ${shown(name)}.${didYouMean(near(name, known))}`,
  )
}

/**
 * Returns the mount path of the API, and the name of its version. A version at the end of a server's path is today's, unless a service
 * behind a gateway has it in its paths.
 */
function placeOf(app: App, found: FoundDocument | undefined, scheme: SchemeName): Pick<Adoption, 'mount' | 'version'> {
  const url = found?.document.servers?.[0]?.url
  const path = typeof url === 'string' && !url.includes('{') ? pathOf(url) : ''
  const [whole = '', named] = (scheme === 'path' && app.host === 'express' && /\/(v\d[\w.-]*)$/.exec(path)) || []
  const mount = path.slice(0, path.length - whole.length)
  return { mount, version: named ?? nestVersionIn(app, scheme) ?? versionFor(found, scheme) }
}

/** The types of `enableVersioning()` that read what a scheme reads. */
const NEST_TYPES: { readonly [Name in SchemeName]?: RegExp } = { header: /\.HEADER\b/, accept: /\.MEDIA_TYPE\b/ }

/** Returns the newest of a Nest app's own versions, if `enableVersioning()` reads them where the scheme does: clients send these. */
function nestVersionIn({ host, sources, read }: App, scheme: SchemeName): string | undefined {
  const type = NEST_TYPES[scheme]
  if (host !== 'nest' || type === undefined) return undefined
  const texts = sources.map(read)
  if (!texts.some((text) => text.includes('enableVersioning(') && type.test(text))) return undefined
  const names = texts.flatMap((text) =>
    text
      .split(/\bversion: |\bdefaultVersion: |@Version\(/)
      .slice(1)
      .flatMap(namesAtStart),
  )
  return names.sort(new Intl.Collator('en', { numeric: true }).compare).at(-1)
}

/** Lists the strings with which a text begins: one, or a list. */
function namesAtStart(text: string): readonly string[] {
  const end = text.startsWith('[') ? text.indexOf(']') : text.indexOf(text[0] as string, 1)
  return /^[['"]/.test(text) ? (text.slice(0, end).match(/[\w.-]+/g) ?? []) : []
}

/** Returns the version of the document, if the scheme's place can hold it as it is; else `v1`. */
function versionFor(found: FoundDocument | undefined, scheme: SchemeName): string {
  const version = found?.document.info?.version
  const fits = scheme === 'host' ? /^[a-z0-9]+$/ : /^[\w.-]+$/
  return typeof version === 'string' && fits.test(version) ? version : 'v1'
}

function pathOf(url: string): string {
  try {
    return withoutTrailingSlashes(new URL(url, 'http://localhost').pathname)
  } catch {
    return ''
  }
}

const PLACES: Readonly<Record<Exclude<Host, 'program'>, string>> = {
  express: 'in front of your routers; authentication is between the last two lines',
  nest: 'in front of app.listen(), behind setGlobalPrefix() and enableVersioning()',
  gateway: 'in front of the proxy, whose place it takes; the target is the address of the service',
}

function report(adoption: Adoption): string {
  const { app, found, scheme, version, mount, file } = adoption
  const from = found === undefined ? '' : ` of ${visible(found.file)}`
  const variable = found?.variable === undefined ? '' : `, and behind the line that makes ${found.variable}`
  const place =
    app.host === 'program'
      ? 'Start the gateway, with the address of your service'
      : `Paste into ${visible(app.main ?? 'your app')}, ${PLACES[app.host]}${variable}`
  const lines = linesFor(adoption).map((line) => `  ${line}\n`)
  const install = app.tools.has('express-versioning') ? 'npm install --save-prod' : 'npm install'
  const needed = app.packages.has('express-versioning')
    ? ''
    : `The app needs the package at run time: ${install} express-versioning\n`
  return `${file} is written, with version ${version}${from}. ${place}:

${lines.join('')}
The next step is the first change: ${file} has an example.
${needed}${scheme === 'path' ? movesOf(app.host, mount, version) : ''}${hintsFor(adoption)}`
}

/** Says what moves with versions in the path. */
function movesOf(host: Host, mount: string, version: string): string {
  const stays = `Every address of today stays, as version ${version}. Later versions have theirs behind `
  if (host === 'nest') return `${stays}the global prefix: /NEXT.\n`
  if (host !== 'express') return `${stays}${mount}/NEXT.\n`
  return `${stays}${mount}/NEXT: mount your routers there too, in
front of the addresses of today: app.use(['${mount}/NEXT', '${mount || '/'}'], router).
`
}

/** Returns what else there is to know, besides the lines. */
function hintsFor({ app: { host }, found, scheme, file }: Adoption): string {
  const hosts =
    scheme === 'host'
      ? `Labels of hosts that are no versions, such as api in api.example.com, belong in "ignore" in ${file}.\n`
      : ''
  // Nest has filters for errors, and no module that exports the options.
  if (host === 'nest') return hosts
  const errors = {
    express: `Rejections are errors with a status, for your error handler. To send them as problem details, add
app.use(problemDetails()) of express-versioning behind your routers.
`,
    gateway: 'Rejections are errors for your error handler; without one, they are sent as problem details.\n',
    program: '',
  }
  // The module does not have the options before the app gives the document.
  if (found?.variable !== undefined) return hosts + errors[host]
  return `${hosts}${errors[host]}To try the steps of your changes later: npm install --save-dev ajv fast-check && npx express-versioning check ./${file}
`
}

/** Returns the parser that an app has: it knows the size of its bodies. */
function parserIn(text: string): string {
  return /\b(?:express|bodyParser)\.json\([^()\n]*\)/.exec(text)?.[0] ?? 'express.json()'
}

const SERVICE = 'http://127.0.0.1:8000'

/** Returns the target of the proxy that an app has, as an option. */
function targetIn(text: string): string {
  const [, url, variable, short] = /\btarget(?:: *(?:['"](https?:[^'"]+)['"]|([\w.]+))|( *[,}]))/.exec(text) ?? []
  if (short !== undefined) return 'target'
  return `target: ${variable ?? quoted(url ?? SERVICE)}`
}

/** Returns the lines to paste. */
function linesFor({ app, found, file, mount }: Adoption): string[] {
  const { host, main = '', text, isModule } = app
  const from = quoted(importPath(file, main, isModule))
  const isImport = isModule || /\.(?:mjs|[cm]?ts)$/.test(main) || /^import\s/m.test(text)
  const take = (names: string, of = from) =>
    isImport ? `import { ${names} } from ${of}` : `const { ${names.replaceAll(' as ', ': ')} } = require(${of})`
  const at = mount === '' ? '' : `${quoted(mount)}, `
  const exported = found?.variable === undefined ? 'options' : 'optionsFor'
  // The file may have options of something else.
  const name = text.includes(exported) ? 'versions' : exported
  const options = name === exported ? name : `${exported} as ${name}`
  const value = found?.variable === undefined ? name : `${name}(${found.variable})`
  switch (host) {
    case 'program':
      return [`npx express-versioning gateway ./${file} --target ${SERVICE}`]
    case 'gateway':
      return [take(`gateway, ${options}`), `app.use(gateway(${value}, { ${targetIn(text)} }))`]
    case 'nest':
      return nestLines(text, take, options, name)
    case 'express':
      return [
        take(`convertRequest, ${options}, versioning`),
        `app.use(${at}versioning(${value}))`,
        `app.use(${at}convertRequest.with(${parserIn(text)}))`,
      ]
  }
}

const DECLARED = /^([ \t]*)(?:const|let) (\w+) ?(?::[^=\n]{1,80})?= ?([^\n]*)/gm

/** Returns the lines for the file that makes a Nest app, with its document, or the description of one, if they are at the same place. */
function nestLines(
  text: string,
  take: (names: string, from?: string) => string,
  options: string,
  name: string,
): string[] {
  const declared = [...text.matchAll(DECLARED)].map(([, indent, name, value]) => ({
    indent,
    name,
    value: String(value),
  }))
  const app = declared.find(({ value }) => value.includes('NestFactory.create')) ?? { indent: undefined, name: 'app' }
  const near = declared.filter(({ indent }) => indent === app.indent)
  const made = near.find(({ value }) => /^(?:\(\)\s*=>\s*)?SwaggerModule\.createDocument\(/.test(value))
  const versions = take(`${options}, VersioningModule`)
  const setUp = (document: string) => `VersioningModule.setup(${app.name}, ${document}, ${name})`
  if (made !== undefined) return [versions, setUp(made.value.startsWith('(') ? `${made.name}()` : String(made.name))]
  const [, given] = /\bcreateDocument\(\s*\w+\s*,\s*(\w+)/.exec(text) ?? []
  const config = near.some(({ name }) => name === given) ? given : 'new DocumentBuilder().build()'
  const missing = ['DocumentBuilder', 'SwaggerModule'].filter((name) => !text.includes(name))
  return [
    ...(missing.length === 0 ? [] : [take(missing.join(', '), quoted('@nestjs/swagger'))]),
    versions,
    setUp(`SwaggerModule.createDocument(${app.name}, ${config})`),
  ]
}
