// The arguments of the command.
import { parseArgs } from 'node:util'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/text'

/** A mistake that the user of the command can correct. It is printed as a sentence, without a stack. */
export class CommandError extends Error {}

export const USAGE = `Usage: express-versioning routes <module> [options]
       express-versioning openapi <module> --out <folder> [--check] [options]
       express-versioning check <module> [options]
       express-versioning changelog <module> [--from <version>] [--to <version>] [--html | --json] [options]
       express-versioning usage <module> [version] --prometheus <url> [--check | --ready] [options]
       express-versioning draft <document> <document> ... [--out <file>]
       express-versioning init [--scheme <name>]
       express-versioning gateway <module> --target <url> [options]
       express-versioning record <requests> --to <url> --out <file> [options]
       express-versioning compare <recorded> --to <url> [options]
       express-versioning demo

routes prints the routes of each version. openapi writes the OpenAPI document of each version to a file, unless the file means
the same. With --check it writes nothing, and fails if the document of any version but the newest differs in meaning.
check tries the steps of all changes with values that are made of the schemas, and fails if one makes a mistake. It needs the
packages fast-check and ajv. The module may export what is known to be lost: check = { lossy: { Article: ['language'] } }.
changelog prints what changed between two versions, for the people who call the API, with examples as the server has them.
usage prints who uses which version, as Prometheus has it from versionMetrics(). With --check and a version it exits with 0 if
nobody used the version in those days, 1 if somebody did, and 2 if that cannot be said. Caches in front respond unseen: say
--no-cache-in-front, or give their log. With --ready and a version it exits with 0 if all processes know the version, 1 if one
does not, and 2 if that cannot be said. With --consumer and a version it writes a letter: the changes that met the requests of
that consumer, on the way to the newest version, and those that did not.
draft writes a first history from two OpenAPI documents or more, oldest first, as a module. They are JSON; or YAML, with the package
yaml. What no document says is left to do, and the command lists what it could not read.
init looks at the app in this folder, finds its OpenAPI document, and writes versions.mjs with its first version. It prints the
three lines to paste, for Express, NestJS or a gateway. It never overwrites a file.
gateway serves the versions of a service in any language, until SIGTERM: it sends requests on to the service, and converts.
record sends the requests of a file (text as in editors' .http files, HAR, or an access log) twice, and writes the responses. What
differs between the two times is volatile. compare sends them again, and prints the differences. It exits with 1 if there are any.
demo starts a shop in three versions on a free port, with its explorer and documents, and prints requests to try.
The module exports the options of versioning(). For routes, it may export a namedRoutes() table instead; for openapi, the
documents of openapi(). The command loads the module, and nothing listens.

  --json              print JSON (routes, check, usage, changelog)
  --out <path>        the folder of the documents (openapi) or letters (usage --all); the file of the responses (record); the new file of the history
                      (draft), or the file of the changelog: these two are printed by default
  --from <version>    the version that clients are written for (changelog; all versions)
  --to <version>      the version to go to (changelog; the newest one)
  --to <url>          the address of the app, such as http://127.0.0.1:3000 (record, compare)
  --html              write a page (changelog)
  --check             compare the documents, and write nothing (openapi); tell by the exit code whether a version can go (usage)
  --runs <number>     the number of values for each step (check; 100)
  --seed <number>     the seed of the values (check; 1)
  --prometheus <url>  the address of Prometheus, such as http://127.0.0.1:9090 (usage)
  --days <number>     the number of days to look at, 30 by default (usage)
  --prefix <name>     the prefix of the metrics, api_version by default (usage)
  --job <name>        the job of Prometheus to look at (usage)
  --ready             tell by the exit code whether all processes know a version (usage)
  --consumer <name>   write the letter to a consumer of a version; with --check, tell by the exit code whether it is gone (usage)
  --errors            print the errors that the consumer got (usage --consumer)
  --all               write a letter to each consumer of a version, into the folder of --out (usage)
  --change <text>     print the consumers that a change touches, by its description (usage)
  --since <date>      leave out what was before, such as 2026-01-31 (usage)
  --without <name>    leave out a consumer, such as your own tests; may be repeated (usage)
  --markdown          write Markdown: the letter (usage --consumer, --all), or the changelog, by default
  --no-cache-in-front there is no cache in front, or none that stores responses of the API (usage --check, --consumer, --change,
                      --all)
  --cache-log <file>  the log of the cache in front, in the format of docs/operating.md; may be repeated (the same)
  --header <field>    a header field for Prometheus or the app, such as 'Authorization: Bearer ...'; may be repeated (usage, record,
                      compare)
  --target <url>      the address of the service, such as http://127.0.0.1:8000 (gateway)
  --port <number>     the port to listen to, 3000 by default (gateway)
  --host <address>    the address to listen to, 127.0.0.1 by default (gateway)
  --limit <size>      the highest size of a body that is converted, 1mb by default (gateway)
  --timeout <ms>      the milliseconds that the service has for the head of a response, 60000 by default (gateway)
  --docs <path>       the path of the explorer; /openapi then has the document of each version (gateway)
  --ignore <place>    a place that may differ, such as body./createdAt or body./*/id; may be repeated (record, compare)
  --once              send the requests once: a second time, an app whose data they change responds differently (record)
  --as json           compare JSON as values, not byte for byte (compare)
  --scheme <name>     how clients name a version: header, accept, query, path or host; header by default (init)
  --addresses all     show each operation at all its addresses, not only at that of the first carrier
  --mount <path>      the mount path of versioning() and the table, such as /api
  --title <text>      the title of the table or the documents
  --export <name>     the export to use, if there are several
  --help              print this
  --version           print the version of express-versioning
`

const OPTIONS = {
  json: { type: 'boolean' },
  out: { type: 'string' },
  check: { type: 'boolean' },
  runs: { type: 'string' },
  seed: { type: 'string' },
  prometheus: { type: 'string' },
  days: { type: 'string' },
  prefix: { type: 'string' },
  job: { type: 'string' },
  ready: { type: 'boolean' },
  consumer: { type: 'string' },
  errors: { type: 'boolean' },
  all: { type: 'boolean' },
  change: { type: 'string' },
  since: { type: 'string' },
  without: { type: 'string', multiple: true },
  markdown: { type: 'boolean' },
  html: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  'no-cache-in-front': { type: 'boolean' },
  'cache-log': { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  scheme: { type: 'string' },
  target: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  limit: { type: 'string' },
  timeout: { type: 'string' },
  docs: { type: 'string' },
  ignore: { type: 'string', multiple: true },
  once: { type: 'boolean' },
  as: { type: 'string' },
  addresses: { type: 'string' },
  mount: { type: 'string' },
  title: { type: 'string' },
  export: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** The commands, and for each the options that it takes. */
const COMMANDS = {
  routes: ['json', 'addresses', 'mount', 'title', 'export'],
  openapi: ['out', 'check', 'addresses', 'mount', 'title', 'export'],
  check: ['json', 'runs', 'seed', 'export'],
  changelog: ['json', 'markdown', 'html', 'from', 'to', 'out', 'mount', 'title', 'export'],
  usage: [
    ...['json', 'check', 'ready', 'prometheus', 'days', 'prefix', 'job', 'header'],
    ...['consumer', 'errors', 'all', 'out', 'change', 'since', 'without'],
    ...['markdown', 'no-cache-in-front', 'cache-log', 'export'],
  ],
  draft: ['out'],
  init: ['scheme'],
  gateway: ['target', 'port', 'host', 'limit', 'timeout', 'docs', 'title', 'export'],
  record: ['to', 'out', 'header', 'ignore', 'once'],
  compare: ['to', 'header', 'ignore', 'as'],
  demo: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The parsed arguments; `file` is as written. */
export interface Asked {
  readonly command: keyof typeof COMMANDS
  readonly help: boolean
  readonly version: boolean
  readonly json: boolean
  readonly out: string
  readonly check: boolean
  readonly runs: number | undefined
  readonly seed: number | undefined
  readonly file: string
  readonly scheme: string | undefined
  /** The documents, oldest first. */
  readonly documents: readonly string[]
  readonly addresses: 'all' | undefined
  readonly mount: string | undefined
  readonly title: string | undefined
  readonly exportName: string | undefined
  /** The version to look at. */
  readonly ofVersion: string | undefined
  readonly prometheus: string
  readonly days: number | undefined
  readonly prefix: string | undefined
  readonly job: string | undefined
  /** `true`: tell whether all processes know the version. */
  readonly ready: boolean
  /** The consumer of the version that gets a letter. */
  readonly consumer: string | undefined
  /** `true`: print the errors that the consumer got. */
  readonly errors: boolean
  /** `true`: write a letter to each consumer. */
  readonly all: boolean
  /** The description of the change whose consumers are printed. */
  readonly change: string | undefined
  /** The date from which requests count. */
  readonly since: string | undefined
  /** The consumers that are left out. */
  readonly without: readonly string[]
  /** `true`: write Markdown. */
  readonly markdown: boolean
  /** `true`: write a page. */
  readonly html: boolean
  /** The version that a changelog begins with. */
  readonly from: string | undefined
  /** The version that a changelog ends with; or the address of the app whose responses are recorded or compared. */
  readonly to: string | undefined
  /** `true`: nothing responds in front of the processes. */
  readonly isUncached: boolean
  /** The files with the log of the cache in front. */
  readonly cacheLogs: readonly string[]
  readonly headers: readonly string[]
  /** The address of the service behind the gateway. */
  readonly target: string
  readonly port: number
  readonly host: string
  readonly limit: string | undefined
  readonly timeout: number | undefined
  /** The path of the explorer; undefined for none. */
  readonly docs: string | undefined
  /** The places that may differ. */
  readonly ignored: readonly string[]
  /** `true` if requests are sent once, so that nothing is known to be volatile. */
  readonly once: boolean
  /** `json` compares values, not bytes. */
  readonly as: 'json' | undefined
}

const MODULE = './app.js'

/** Examples of the file of each command, and of the other arguments that it needs. */
const EXAMPLES: { readonly [Name in keyof typeof COMMANDS]?: readonly [file: string, others: string] } = {
  openapi: [MODULE, ' --out api'],
  usage: [MODULE, ' v1 --prometheus http://127.0.0.1:9090'],
  draft: ['v1.json', ' v2.json'],
  gateway: [MODULE, ' --target http://127.0.0.1:8000'],
  record: ['./requests.txt', ' --to http://127.0.0.1:3000 --out recorded.json'],
  compare: ['recorded.json', ' --to http://127.0.0.1:3000'],
}

/** Returns a line that runs a command, with the user's own file if there is one. */
export function exampleOf(command: keyof typeof COMMANDS, own = ''): string {
  const [file, others] = EXAMPLES[command] ?? [MODULE, '']
  return `npx express-versioning ${command} ${own || file}${others}`
}

/** Tells whether the arguments are those of `usage`, whose exit code 1 has a meaning. */
export function asksUsage(words: readonly string[]): boolean {
  return words.includes('usage')
}

/** Returns the command of the arguments if it keeps running; undefined for others. */
export function lastingCommand(words: readonly string[]): 'demo' | 'gateway' | undefined {
  const isAsking = words.some((word) => ['--help', '-h', '--version', '-v'].includes(word))
  if (isAsking) return undefined
  if (words.length === 1 && words[0] === 'demo') return 'demo'
  return words[0] === 'gateway' ? 'gateway' : undefined
}

/**
 * Parses the arguments of the program.
 *
 * @throws {CommandError} for unknown arguments, and for a missing command or module.
 */
export function asked(words: readonly string[]): Asked {
  const { values, positionals } = parsed(words)
  const { json = false, out = '', check = false, help = false, version = false } = values
  const { mount, title, addresses, scheme } = values
  const { prometheus = '', days, prefix, job, ready = false, header = [], 'cache-log': cacheLogs = [] } = values
  const { consumer, errors = false, all = false, change, since, without = [], markdown = false } = values
  const { html = false, from, to, once = false } = values
  const { target = '', port = '3000', host = '127.0.0.1', limit, timeout, docs, ignore: ignored = [], as } = values
  const [command = '', file = '', ...others] = positionals
  const known = isCommand(command)
  const [ofVersion] = command === 'usage' ? others.splice(0, 1) : []
  const documents = command === 'draft' ? [file, ...others.splice(0)] : []
  const wanted: Asked = {
    command: known ? command : 'routes',
    ...{ help, version, json, out, check, file, documents, scheme, mount, title, exportName: values.export },
    ...{ runs: numberOf('runs', values.runs), seed: numberOf('seed', values.seed) },
    ...{ ofVersion, prometheus, days: days === undefined ? undefined : numberIn(days), prefix, headers: header },
    ...{ errors, all, change, since, without },
    ...{ html, from, to, job, ready, consumer, markdown, isUncached: values['no-cache-in-front'] === true, cacheLogs },
    ...{ target, host, limit, docs, ignored, once, port: numberIn(port), as: as === undefined ? undefined : 'json' },
    timeout: numberOf('timeout', timeout),
    addresses: addresses === undefined ? undefined : 'all',
  }
  // Somebody who writes `--version v1` would take the exit code for the result about v1.
  if (command === 'usage' && (version || (help && (check || ready)))) {
    throw wrong(`the version stands behind the module: ${exampleOf('usage')} --check`)
  }
  if (help || version) return wanted
  if (command === '') throw wrong('a command is missing.')
  if (!known) throw wrong(`unknown command ${shown(command)}.${didYouMean(near(command, Object.keys(COMMANDS)))}`)
  if (command === 'draft' && documents.length < 2)
    throw wrong(`documents are missing, two or more, oldest first: ${exampleOf('draft')}`)
  const takes: readonly string[] = COMMANDS[command]
  const foreign = Object.keys(values).find((option) => !takes.includes(option))
  if (foreign !== undefined) throw wrong(`${command} takes no --${foreign}.`)
  if (command === 'init' || command === 'demo') {
    if (file !== '') throw wrong(`${command} takes no module; got ${shown(file)}.`)
    return wanted
  }
  if (command === 'record' || command === 'compare') {
    checkRecording(wanted, as, others)
    return wanted
  }
  if (file === '') throw wrong(`the module is missing: ${exampleOf(command)}`)
  if (others.length > 0) throw wrong(`one module at a time; got ${[file, ...others].map(shown).join(', ')}.`)
  if (command === 'openapi' && out === '') throw wrong(`--out is missing: ${exampleOf('openapi', file)}`)
  if (command === 'usage') checkUsage(wanted)
  if (command === 'changelog' && [json, markdown, html].filter(Boolean).length > 1)
    throw wrong('--markdown, --html and --json are three forms. Ask for one.')
  if (command === 'gateway') checkGateway(wanted)
  if (addresses !== undefined && addresses !== 'all')
    throw new CommandError(`--addresses takes "all"; got ${shown(addresses)}.`)
  if (mount?.startsWith('/') === false)
    throw new CommandError(`--mount takes a path such as /api; got ${shown(mount)}.`)
  return wanted
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new CommandError(`--${option} takes a whole number; got ${shown(text)}.`)
}

function checkRecording({ command, file, to, out }: Asked, as: string | undefined, others: readonly string[]): void {
  if (file === '' || others.length > 0) throw wrong(`${command} takes one file: ${exampleOf(command)}`)
  if (!isHttp(String(to)))
    throw wrong(`--to takes the URL of the app, such as http://127.0.0.1:3000; got ${shown(to)}.`)
  if (command === 'record' && out === '') throw wrong(`--out is missing: ${exampleOf('record', file)}`)
  if (as !== undefined && as !== 'json') throw new CommandError(`--as takes "json"; got ${shown(as)}.`)
}

function checkGateway({ target, port, docs }: Asked): void {
  if (!isHttp(target))
    throw wrong(`--target takes the URL of a service, such as http://127.0.0.1:8000; got ${shown(target)}.`)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new CommandError(`--port takes a number from 0 to 65535; got ${shown(port)}.`)
  if (docs?.startsWith('/') === false) throw new CommandError(`--docs takes a path such as /docs; got ${shown(docs)}.`)
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function checkUsage(wanted: Asked): void {
  const { check, ready, consumer, errors, all, out, change, without, since } = wanted
  const { markdown, isUncached, cacheLogs, ofVersion, prometheus, file } = wanted
  const missing = (option: string) => wrong(`--${option} needs a version: ${exampleOf('usage', file)} --${option}`)
  if (prometheus === '')
    throw wrong('--prometheus is missing: the address of Prometheus, such as http://127.0.0.1:9090')
  if (check && ready) throw wrong('--check and --ready are two questions. Ask one at a time.')
  if (check && ofVersion === undefined) throw missing('check')
  if (ready && ofVersion === undefined) throw missing('ready')
  if (consumer !== undefined && ofVersion === undefined) throw missing('consumer acme')
  if (consumer !== undefined && ready) throw wrong('--consumer and --ready are two questions. Ask one at a time.')
  if (consumer === '') throw wrong('--consumer takes the name of a consumer.')
  if (errors && (consumer === undefined || check || markdown)) throw wrong('--errors needs --consumer, and no --check.')
  if (all && (ofVersion === undefined || out === ''))
    throw wrong(`--all needs a version and a folder: ${exampleOf('usage', file)} --all --out letters`)
  if (out !== '' && !all) throw wrong('usage takes --out with --all only.')
  if (all && (check || consumer !== undefined)) throw wrong('--all writes all letters. Ask for it alone.')
  if (change !== undefined && ofVersion === undefined) throw missing('change TEXT')
  if (change !== undefined && (check || all || consumer !== undefined))
    throw wrong('--change prints the consumers of a change. Ask for it alone.')
  if (without.length > 0 && (consumer !== undefined || all)) throw wrong('--without leaves consumers out of a version.')
  if (ready && [since, change, ...without].some((value) => value !== undefined))
    throw wrong('--ready is about processes as they are now.')
  if (markdown && consumer === undefined && !all)
    throw wrong('--markdown needs --consumer or --all: it writes the letter to one.')
  if (markdown && wanted.json) throw wrong('--markdown and --json are two forms. Ask for one.')
  if (!check && [consumer, change].every((name) => name === undefined) && !all && (isUncached || cacheLogs.length > 0))
    throw wrong('--no-cache-in-front and --cache-log need --check, --consumer, --change or --all.')
  if (isUncached && cacheLogs.length > 0)
    throw wrong('--no-cache-in-front says that there is no cache, and --cache-log has its log. Give one of them.')
}

/** Reads a number. A string without digits would be 0 to JavaScript. */
function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

function isCommand(word: string): word is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, word)
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    const { message } = error as Error
    const unknown = /^Unknown option '(-.*?)'\. /s.exec(message)?.[1]
    if (unknown === undefined) throw wrong(visible(message))
    const options = Object.keys(OPTIONS).map((name) => `--${name}`)
    throw wrong(`unknown option ${shown(unknown)}.${didYouMean(near(unknown, options))}`)
  }
}

function wrong(what: string): CommandError {
  return new CommandError(`${what}\n\n${USAGE}`)
}

/** Turns type errors about options or documents into errors of the command, because its user can correct them. */
export function withCommandErrors<Result>(make: () => Result): Result {
  try {
    return make()
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message)
    throw error
  }
}
