// The command `init`: the first version of an app that exists.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutTrailingSlashes } from '../../routes/pattern'
import { quoted } from '../../testing/draft/literal'
import { shown } from '../../util/options'
import { didYouMean, near } from '../../util/suggest'
import { visible } from '../../util/visible'
import { CommandError } from '../arguments'
import { writeNew } from '../new-file'
import { type Adoption, SCHEMES, type SchemeName } from './adoption'
import { type App, appIn, type Host } from './app'
import { documentIn, type FoundDocument } from './found-document'
import { pagesIn } from './pages'
import { fileFor, moduleFor, pathTo } from './written-module'

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
  const { mount, version } = placeOf(found, scheme)
  const neutral = found === undefined ? [] : pagesIn(app.text, found.document, mount)
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

/** Returns the mount path of the API, and the name of its version. A version at the end of a server's path is today's. */
function placeOf(found: FoundDocument | undefined, scheme: SchemeName): Pick<Adoption, 'mount' | 'version'> {
  const url = found?.document.servers?.[0]?.url
  const path = typeof url === 'string' && !url.includes('{') ? pathOf(url) : ''
  const [whole = '', named] = (scheme === 'path' && /\/(v\d[\w.-]*)$/.exec(path)) || []
  const mount = path.slice(0, path.length - whole.length)
  return { mount, version: named ?? versionFor(found, scheme) }
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

const PLACES: Readonly<Record<Host, string>> = {
  express: 'in front of your routers; authentication is between the last two lines',
  nest: 'in front of app.listen()',
  gateway: 'in front of the proxy, whose place it takes; the target is the address of the service',
}

function report({ app, found, scheme, version, mount, file, kind }: Adoption): string {
  const from = found === undefined ? '' : ` of ${visible(found.file)}`
  const lines = linesFor(app, file, kind, mount).map((line) => `  ${line}\n`)
  const needed = app.tools.has('express-versioning')
    ? 'The app needs the package at run time: npm install --save-prod express-versioning\n'
    : ''
  return `${file} is written, with version ${version}${from}. Paste into ${visible(app.main ?? 'your app')}, ${PLACES[app.host]}:

${lines.join('')}
The next step is the first change: ${file} has an example.
${needed}${scheme === 'path' ? movesOf(app.host, mount, version) : ''}${hintsFor(app.host, file)}`
}

/** Says what moves with versions in the path. */
function movesOf(host: Host, mount: string, version: string): string {
  const stays = `Every address of today stays, as version ${version}. Later versions have theirs behind `
  if (host === 'nest') return `${stays}the global prefix: /NEXT.\n`
  return `${stays}${mount}/NEXT: mount your routers there too, in
front of the addresses of today: app.use(['${mount}/NEXT', '${mount || '/'}'], router).
`
}

/** Returns what else there is to know, besides the lines. */
function hintsFor(host: Host, file: string): string {
  // Nest has filters for errors, and no module that exports the options.
  if (host === 'nest') return ''
  const errors =
    host === 'gateway'
      ? 'Rejections are errors for your error handler; without one, they are sent as problem details.\n'
      : `Rejections are errors with a status, for your error handler. To send them as problem details, add
app.use(problemDetails()) of express-versioning behind your routers.
`
  return `${errors}To try the steps of your changes later: npm install --save-dev ajv fast-check && npx express-versioning check ./${file}
`
}

/** Returns the parser that an app has: it knows the size of its bodies. */
function parserIn(text: string): string {
  return /\b(?:express|bodyParser)\.json\([^()\n]*\)/.exec(text)?.[0] ?? 'express.json()'
}

/** Returns the lines to paste. */
function linesFor(
  { host, main = '', text, isModule }: App,
  file: string,
  kind: Adoption['kind'],
  mount: string,
): string[] {
  // Node reads the compiled module, whose extension TypeScript wants to see in ES modules only.
  const from = quoted(pathTo(kind === 'ts' ? file.replace(/\.ts$/, isModule ? '.js' : '') : file, main))
  const isImport = isModule || /\.(?:mjs|[cm]?ts)$/.test(main) || /^import\s/m.test(text)
  const take = (names: string) =>
    isImport ? `import { ${names} } from ${from}` : `const { ${names} } = require(${from})`
  const at = mount === '' ? '' : `${quoted(mount)}, `
  if (host === 'gateway') {
    const [, target = 'http://127.0.0.1:8000'] = /\btarget: *['"](https?:[^'"]+)['"]/.exec(text) ?? []
    return [take('gateway, options'), `app.use(${at}gateway(options, { target: ${quoted(target)} }))`]
  }
  if (host === 'nest') {
    return [
      take('options, VersioningModule'),
      'VersioningModule.setup(app, SwaggerModule.createDocument(app, config), options)',
    ]
  }
  return [
    take('convertRequest, options, versioning'),
    `app.use(${at}versioning(options))`,
    `app.use(${at}convertRequest.with(${parserIn(text)}))`,
  ]
}
