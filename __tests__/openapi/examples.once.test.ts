import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VersioningOptions } from 'express-versioning'
import { type OpenApiDocument, openapi } from 'express-versioning/openapi'
import { lintAll } from '../support/lint-openapi'

const folder = join(__dirname, '../../examples')
const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && /^start\(app, /m.test(readFileSync(join(folder, file), 'utf8')))

let given: VersioningOptions[] = []
jest.mock('express-versioning', () => {
  const library = jest.requireActual('express-versioning')
  const versioning = (options: VersioningOptions) => {
    given.push(options)
    return library.versioning(options)
  }
  return { ...library, versioning }
})
jest.mock('../../examples/support', () => ({ start: () => {}, jsonErrors: () => {} }))

/** Returns the options of each `versioning()` in an example. It loads the example without starting it. */
function optionsOf(program: string): VersioningOptions[] {
  given = []
  require(join(folder, program))
  return given
}

test('the documents of all examples are valid', async () => {
  const documents: { program: string; document: OpenApiDocument }[] = []
  for (const program of programs) {
    for (const options of optionsOf(program)) {
      let docs: ReturnType<typeof openapi>
      try {
        docs = openapi(options, { problemDetails: true })
      } catch (error) {
        // Not all of them have a table, or versions.
        expect((error as Error).message).toMatch(/^openapi\(\) needs the option "(routes|allowedVersions)"/)
        continue
      }
      const { versions = [] } = options.changes ?? {}
      const { acceptedVersions = [...(options.allowedVersions ?? versions)] } = options.scheme as {
        acceptedVersions?: string[]
      }
      for (const version of acceptedVersions) {
        if (version !== null) documents.push({ program, document: docs.document(version) })
      }
    }
  }
  for (const file of ['v1.json', 'v2.json']) {
    const document = JSON.parse(readFileSync(join(folder, 'released/api', file), 'utf8'))
    documents.push({ program: 'released', document })
  }
  expect(new Set(documents.map(({ program }) => program)).size).toBeGreaterThan(10)
  expect(documents.filter(({ document }) => Object.keys(document.paths).length > 0).length).toBeGreaterThan(20)
  const problems = await lintAll(documents.map(({ document }) => document))
  expect(
    problems
      .map((found, index) => ({ program: documents[index]?.program, found }))
      .filter(({ found }) => found.length > 0),
  ).toEqual([])
}, 60_000)
