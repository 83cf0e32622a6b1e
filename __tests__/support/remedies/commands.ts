// Commands with wrong arguments, and the lines that they print.
import { HeaderVersioning } from 'express-versioning'
import { asked } from '../../../src/command-line/arguments'
import { askedUsage } from '../../../src/command-line/asked-usage'
import { headersIn } from '../../../src/command-line/recording/recording'
import type { Remedy } from './obeyed'

/** Parses the arguments of a line, as a shell gives them to the program. */
const parsed = (line: string) => asked(line.replace('npx express-versioning ', '').split(' '))
/** A command that prints a whole line. */
const wrong = (words: string): Remedy => [
  `express-versioning ${words}`,
  /: (npx express-versioning .*)$/m,
  (pasted) => parsed(pasted || words),
]
/** An option whose message has an example. */
const option = (words: string): Remedy => [
  `express-versioning ${words}`,
  /^--.* such as ([^\s;.]+(?:\.\d[^\s;]*)?)/,
  (pasted) => parsed(words + (pasted || (words.endsWith('=') ? '' : 'here'))),
]
const usage = 'usage app.js v1 --check --prometheus http://127.0.0.1:9090'

export const COMMANDS: readonly Remedy[] = [
  ...[
    'routes',
    'openapi',
    'openapi app.js',
    'check',
    'changelog',
    'gateway',
    'usage --prometheus http://127.0.0.1:9090',
    'usage app.js --version v1',
    ...['check', 'ready', 'consumer acme', 'change Names.', 'all'].map(
      (name) => `usage app.js --prometheus http://127.0.0.1:9090 --${name}`,
    ),
    'draft v1.json',
    'record',
    'record a b',
    'record requests.http --to http://127.0.0.1:3000',
    'compare',
  ].map(wrong),
  ...[
    'routes app.js --mount ',
    'compare a.json --to ',
    'gateway app.js --target ',
    'gateway app.js --target http://127.0.0.1:8000 --docs ',
    'usage app.js v1 --prometheus=',
  ].map(option),
  [
    'a header field for Prometheus',
    /such as '(.*?)'/,
    (pasted) => {
      const options = { scheme: HeaderVersioning, allowedVersions: ['v1'] }
      return askedUsage(options, { ...asked(usage.split(' ')), headers: [pasted || 'Authorization'] })
    },
  ],
  ['a header field of a request', /such as '(.*?)'/, (pasted) => headersIn([pasted || 'X-Name'], 'requests.http')],
]
