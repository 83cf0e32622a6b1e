// The app that `init` finds in a folder: its files, its host, and where the lines go.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shown } from '../../util/options'
import { CommandError } from '../arguments'

/** The software that runs the handlers of an app; `program` for a service in any language behind the command `gateway`. */
export type Host = 'express' | 'nest' | 'gateway' | 'program'

/** An app in a folder. */
export interface App {
  readonly host: Host
  /** The file that makes the app, below the folder; undefined if no file does. */
  readonly main: string | undefined
  /** The text of that file. */
  readonly text: string
  /** `true` if its files of the extension `.js` are modules with `import`. */
  readonly isModule: boolean
  /** `true` if it is written in TypeScript. */
  readonly isTyped: boolean
  /** The names of the packages that a production install has. */
  readonly packages: ReadonlySet<string>
  /** The names of those that it is developed with. */
  readonly tools: ReadonlySet<string>
  /** The files of the folder, those near the root first. */
  readonly files: readonly string[]
  /** The files of sources among them. */
  readonly sources: readonly string[]
  /** Reads a file. */
  readonly read: (file: string) => string
}

/** Matches folders without sources of the app. */
const OTHERS = /^(?:\..*|node_modules|dist|build|coverage|out|__tests__|tests?|specs?)$/
/** The number of levels of folders that are searched. */
const DEPTH = 4
/** Tells why Fastify is declined. */
const FASTIFY =
  'the handlers of this app get requests and responses of Fastify, and express-versioning converts those of Express. Use @nestjs/platform-express; or put the gateway in front: npx express-versioning gateway ./versions.mjs --target http://127.0.0.1:3000'
const PROXIES = ['http-proxy-middleware', 'http-proxy', 'http-proxy-3', 'express-http-proxy']

/**
 * Looks at the app in a folder.
 *
 * @throws {CommandError} without a `package.json` that depends on Express, on NestJS with `@nestjs/swagger`, or on this package, and for
 *   Fastify.
 */
export function appIn(directory: string): App {
  const { type, dependencies, devDependencies } = manifestIn(directory)
  const packages = new Set(Object.keys({ ...dependencies }))
  const tools = new Set(Object.keys({ ...devDependencies }))
  const has = (name: string) => packages.has(name) || tools.has(name)
  const isNest = has('@nestjs/core')
  if (has('@nestjs/platform-fastify') || (has('fastify') && !has('express'))) throw new CommandError(FASTIFY)
  const isProgram = !isNest && !has('express')
  if (isProgram && !has('express-versioning')) {
    throw new CommandError(
      `the package.json in ${shown(directory)} has neither express nor @nestjs/core. Run it in the folder of your app. For a service in another language, install the gateway first: npm install express-versioning`,
    )
  }
  if (isNest && !has('@nestjs/swagger')) {
    throw new CommandError('the document of a Nest app comes from @nestjs/swagger: npm install @nestjs/swagger')
  }
  const files = filesIn(directory)
  const makes = isNest ? /\bNestFactory\.create\b/ : /\bexpress\(\)/
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file))
  const main = isProgram ? undefined : sources.find((file) => makes.test(read(file)))
  const host = isNest ? 'nest' : isProgram ? 'program' : PROXIES.some(has) ? 'gateway' : 'express'
  const text = main === undefined ? '' : read(main)
  const isTyped = main === undefined ? has('typescript') : /\.[cm]?ts$/.test(main)
  // Nothing compiles the module of a program.
  const isModule = type === 'module' || isProgram
  return { host, main, text, isModule, isTyped: isTyped && !isProgram, packages, tools, files, sources, read }
}

interface Manifest {
  readonly type?: unknown
  readonly dependencies?: object
  readonly devDependencies?: object
}

function manifestIn(directory: string): Manifest {
  try {
    return Object(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')))
  } catch {
    throw new CommandError(
      `there is no readable package.json in ${shown(directory)}. Run it in the folder of your app.`,
    )
  }
}

/** Lists the files of an app, those near its root first. */
function filesIn(directory: string): string[] {
  const found: string[] = []
  let folders = ['']
  for (let depth = 0; depth < DEPTH; depth++) {
    const inner: string[] = []
    for (const folder of folders) {
      const entries = readdirSync(join(directory, folder), { withFileTypes: true })
      for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
        if (entry.isFile()) found.push(folder + entry.name)
        else if (entry.isDirectory() && !OTHERS.test(entry.name)) inner.push(`${folder}${entry.name}/`)
      }
    }
    folders = inner
  }
  return found
}
