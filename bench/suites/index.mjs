import { carriers } from './carriers.mjs'
import { cost } from './cost.mjs'
import { links } from './links.mjs'
import { names } from './names.mjs'
import { sockets } from './sockets.mjs'
import { tables } from './tables.mjs'
import { versions } from './versions.mjs'

/** Every suite, in the order of the report. */
export const SUITES = [carriers(5), carriers(4), versions, tables, names, ...links, cost, sockets]

export function suiteNamed(id) {
  const suite = SUITES.find((one) => one.id === id)
  if (suite === undefined) throw new Error(`There is no suite "${id}".`)
  return suite
}
