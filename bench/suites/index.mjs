import { browsers } from './browsers.mjs'
import { carriers } from './carriers.mjs'
import { changes } from './changes.mjs'
import { contracts } from './contracts.mjs'
import { cost } from './cost.mjs'
import { elsewhere } from './elsewhere.mjs'
import { examples } from './examples.mjs'
import { hostile } from './hostile.mjs'
import { linkSuites } from './links.mjs'
import { metrics } from './metrics.mjs'
import { names } from './names.mjs'
import { rejections } from './rejections.mjs'
import { reverse } from './reverse.mjs'
import { scale } from './scale.mjs'
import { shapes } from './shapes.mjs'
import { sockets } from './sockets.mjs'
import { start } from './start.mjs'
import { streams } from './streams.mjs'
import { tables } from './tables.mjs'
import { versions } from './versions.mjs'

/** Every suite, in the order of the report. */
export const SUITES = [
  carriers(5),
  carriers(4),
  tables(5),
  tables(4),
  scale,
  versions,
  changes(5),
  changes(4),
  elsewhere(5),
  elsewhere(4),
  shapes(5),
  shapes(4),
  streams(5),
  contracts(5),
  metrics,
  names,
  reverse,
  ...linkSuites,
  rejections,
  browsers,
  hostile,
  cost,
  start,
  examples,
  sockets,
]

export function suiteNamed(id) {
  const suite = SUITES.find((one) => one.id === id)
  if (suite === undefined) throw new Error(`There is no suite "${id}".`)
  return suite
}
