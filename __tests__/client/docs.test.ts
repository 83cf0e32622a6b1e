import { inVersion, versionsOf } from 'express-versioning/client'
import { serverOf, setups } from '../support/clients'
import { blocks, pages } from '../support/readme'

const page = pages.find(({ file }) => file === 'docs/client.md')?.text as string
const snippets = blocks('js', page)

test('docs/client.md shows one snippet for supertest', () => {
  expect(snippets).toHaveLength(1)
})

// A server of each scheme at that mount.
const here = setups.filter(({ mount, host }) => mount === '/api' && host === undefined)

describe.each(here)('that snippet, with versions in: $name', (setup) => {
  const { app, options } = serverOf(setup, ['v1', 'v2'])
  const names = { app, options, inVersion, versionsOf, describe, test, expect, require }
  new Function(...Object.keys(names), snippets[0] as string)(...Object.values(names))
})
