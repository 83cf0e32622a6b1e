// The app that `init` finds in a folder: its files, its host, and where the lines go.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shown } from '../../util/options'
import { CommandError } from '../arguments'

/** The software that runs the handlers of an app. */
export type Host = 'express' | 'nest' | 'gateway'

/** An app in a folder. */
export interface App {
  readonly host: Host
  /** The file that makes the app, below the folder; undefined if no file does. */
  readonly main: string | undefined
  /** `true` if its files of the extension `.js` are modules with `import`. */
  readonly isModule: boolean
  /** The names of the packages that it depends on. */
  readonly packages: ReadonlySet<string>
  /** The files of the folder, those near the root first. */
  readonly files: readonly string[]
}

/** Matches folders without sources of the app. */
const OTHERS = /^(?:\..*|node_modules|dist|build|coverage|out|__tests__|tests?|specs?)$/
/** The number of levels of folders that are searched. */
const DEPTH = 4
const PROXIES = ['http-proxy-middleware', 'http-proxy', 'http-proxy-3', 'express-http-proxy']

/**
 * Looks at the app in a folder.
 *
 * @throws {CommandError} without a `package.json` that depends on Express, or on NestJS with `@nestjs/swagger`.
 */
export function appIn(directory: string): App {
  const { type, dependencies, devDependencies } = manifestIn(directory)
  const packages = new Set(Object.keys({ ...devDependencies, ...dependencies }))
  const isNest = packages.has('@nestjs/core')
  if (!isNest && !packages.has('express')) {
    throw new CommandError(
      `the package.json in ${shown(directory)} has neither express nor @nestjs/core. Run it in the folder of your app.`,
    )
  }
  if (isNest && !packages.has('@nestjs/swagger')) {
    throw new CommandError('the document of a Nest app comes from @nestjs/swagger: npm install @nestjs/swagger')
  }
  const files = filesIn(directory)
  const makes = isNest ? /\bNestFactory\.create\b/ : /\bexpress\(\)/
  const main = files.find(
    (file) => /\.[cm]?[jt]s$/.test(file) && makes.test(readFileSync(join(directory, file), 'utf8')),
  )
  const host = isNest ? 'nest' : PROXIES.some((name) => packages.has(name)) ? 'gateway' : 'express'
  return { host, main, isModule: type === 'module', packages, files }
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
