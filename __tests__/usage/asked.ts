// The command `usage`, run in a folder with modules, and the library beside it.
import { prometheusUsage } from 'express-versioning/usage'
import { ended, write } from '../support/folder'
import { DAY, NOW, prometheus, type Said } from '../support/prometheus'

/** Writes a module with the table of an app. */
export const writeModule = (file: string, paths: object, text: string) =>
  write(
    file,
    `const { HeaderVersioning: scheme, namedRoutes } = require('express-versioning')
const { change, versionHistory } = require('express-versioning/changes')
const routes = namedRoutes(${JSON.stringify(paths)})
for (const name of ${JSON.stringify(Object.keys(paths))}) routes.route(name).get((req, res) => res.end())
const response = (value) => value
${text}`,
  )

/** Runs the command, with a Prometheus that says something. */
export async function asked(words: string, said?: Said): Promise<Awaited<ReturnType<typeof ended>>> {
  const address = said === undefined ? [] : ['--prometheus', await prometheus(said)]
  return ended([words, ...address].join(' '))
}
export const usageOf = async (said: Said) => prometheusUsage({ url: await prometheus(said) })()

export const at = (ago: number) => new Date((NOW - ago) * 1000)
/** A line of the log of a cache. */
export const line = (ago: number, state: string, served = 'v2', asked = '-', status = 200) =>
  `${at(ago).toISOString().replace('.000Z', '+00:00')} ${status} ${state} a.test "GET / HTTP/1.1" "${asked}" "*/*" ${served}`
/** Lines of each day. */
export const daily = Array.from({ length: 31 }, (_, day) => line((30.1 - day) * DAY, 'MISS'))
