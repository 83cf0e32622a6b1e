import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { USAGE } from '../../src/command-line/arguments'
import { drafted } from '../support/drafts'
import { ended, folder, lend, read, write } from '../support/folder'

const text = { type: 'string' }
const documentOf = (version: string, properties: object, operation: object = {}) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/User' } } }
  return {
    openapi: '3.0.3',
    info: { title: 'Shop', version },
    paths: { '/users': { get: { ...operation, responses: { 200: { description: 'Users.', content } } } } },
    components: { schemas: { User: { type: 'object', properties } } },
  }
}
const [v1, v2] = [documentOf('1.0.0', { name: text }), documentOf('2.0.0', { title: text })]
write('v1.json', `\uFEFF${JSON.stringify(v1)}`)
write('v2.json', v2)
write('v2.yaml', stringify(v2))
write('tagged.json', documentOf('3.0.0', { title: text }, { tags: ['a\u202eb'] }))
write('swagger.json', { swagger: '2.0' })
write('broken.json', '{')

const COMPLETE = 'The draft is complete: everything was read, and nothing is to do.\n'

test('the history of documents is printed as a module, and beside it whether it is complete', async () => {
  const { code, out, err } = await ended('draft v1.json v2.json')
  expect({ code, err }).toEqual({ code: 0, err: COMPLETE })
  expect(out).toMatch(/^\/\/ The history of Shop from 1\.0\.0 to 2\.0\.0, drafted/)
  expect(drafted(out).history?.versions).toEqual(['1.0.0', '2.0.0'])
})

test('it is written to a new file, and never over one that is there', async () => {
  const unread =
    '- no change can say that GET /users has changed at /tags: the documents of 1.0.0 and 2.0.0 show what 3.0.0 has\n'
  const verdict = 'The draft is not complete: it has 1 thing that it could not read or say.\n'
  const out = `history.mjs is written.\n${verdict}${unread}`
  expect(await ended('draft v1.json v2.json tagged.json --out history.mjs')).toEqual({ code: 0, err: '', out })
  const text = read('history.mjs')
  expect(text).toContain(`// ${unread}`)
  const there = "'history.mjs' is there already, and may have been edited. Give the draft another name."
  const again = await ended('draft v1.json v2.json --out history.mjs')
  expect(again).toEqual({ code: 1, out: '', err: `express-versioning: ${there}\n` })
  expect(read('history.mjs')).toBe(text)
})

test('YAML is read by the package of the user', async () => {
  const message = `'v2.yaml' is YAML, which needs the package "yaml": npm install yaml. Or give the document as JSON.`
  // Some machines have the package for all folders.
  write('node_modules/yaml/index.js', "throw new Error('not installed')")
  expect(await ended('draft v1.json v2.yaml')).toEqual({ code: 1, out: '', err: `express-versioning: ${message}\n` })
  lend('own/node_modules/yaml/index.js', 'yaml')
  write('own/odd.yml', 'a: [')
  expect((await ended('draft ../v1.json ../v2.yaml', 'own')).err).toBe(COMPLETE)
  expect((await ended('draft ../v1.json odd.yml', 'own')).err).toMatch(/^express-versioning: 'odd\.yml' is not YAML: /)
})

const SWAGGER = 'routesOf() takes an OpenAPI document of version 3.0, 3.1 or 3.2, as a parsed object; got Swagger 2.0'
test.each([
  ['v1.json', 'documents are missing, two or more, oldest first: npx express-versioning draft v1.json v2.json', USAGE],
  ['', 'documents are missing, two or more', USAGE],
  ['v1.json v2.json --json', 'draft takes no --json.', USAGE],
  ['v1.json none.json', 'ENOENT: no such file', ''],
  ['v1.json broken.json', "'broken.json' is not JSON: ", ''],
  ['v1.json v1.json', "draftHistory(): two documents have the version '1.0.0'", ''],
  ['v1.json swagger.json', `draftHistory(), document 2 of 2: ${SWAGGER}`, ''],
  ['v1.json v2.json --out none/history.mjs', 'ENOENT: no such file', ''],
])('draft %s: %s', async (words, message, usage) => {
  const { code, out, err } = await ended(`draft ${words}`)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(message)
  expect(err).toContain(usage)
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('a mistake that is none of the user is no sentence', async () => {
  write('cut.json', v1)
  const parse = jest.spyOn(JSON, 'stringify').mockImplementation(() => {
    throw new RangeError('cut')
  })
  await expect(ended('draft cut.json v2.json')).rejects.toThrow('cut')
  parse.mockRestore()
})
