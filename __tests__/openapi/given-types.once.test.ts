// The types of names and links of `routesOf()`. `npm run check` compiles this file.
import type { NamedRoutes } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'

const responses = { 204: { description: '' } } as const
const document = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/users': { get: { responses } },
    '/users/{id}': { get: { responses } },
    '/users/{id}:activate*': { post: { responses } },
    '/files/{file-name}.{ext}': { get: { responses } },
  },
} as const

test('names and parameters are those of the document', () => {
  const table = routesOf(document)
  const name: Parameters<typeof table.reverse>[0] = '/users/{id}'
  expect(table.has(name)).toBe(true)
  expect(table.reverse('/users')).toBe('/users')
  expect(table.reverse('/users/{id}', { kwargs: { id: 7 } })).toBe('/users/7')
  expect(table.reverse('/users/{id}:activate*', { kwargs: { id: 7 } })).toBe('/users/7:activate*')
  expect(table.reverse('/files/{file-name}.{ext}', { kwargs: { 'file-name': 'a', ext: 'md' } })).toBe('/files/a.md')
  // @ts-expect-error no such name
  expect(() => table.reverse('/user')).toThrow('No route named "/user".')
  // @ts-expect-error a parameter is missing
  expect(() => table.reverse('/users/{id}')).toThrow('needs "id"')
  // @ts-expect-error no such parameter
  expect(() => table.reverse('/users/{id}', { kwargs: { id: 7, name: 1 } })).toThrow('takes no "name"')
  // @ts-expect-error no such name
  expect(() => table.describe('GET /user', {})).toThrow('no name')
  table.route('/files/{file-name}.{ext}').get((req) => {
    const { 'file-name': file, ext }: { 'file-name': string; ext: string } = req.params
    // @ts-expect-error no such parameter
    return [file, ext, req.params.id]
  })
})

test('names of older documents are known', () => {
  const letters = { ...document, paths: { '/letters/{day}': { get: { responses } } } } as const
  const telegrams = { ...document, paths: { '/telegrams': { get: { responses } } } } as const
  const names: Parameters<ReturnType<typeof make>['reverse']>[0][] = ['/users', '/telegrams', '/letters/{day}']
  const make = () => routesOf(document, { removed: [letters, telegrams] })
  // They are there once a change says that they are removed.
  expect(names.map((name) => make().has(name))).toStrictEqual([true, false, false])
})

test('any name may be in a document that the compiler does not know', () => {
  const parsed: NamedRoutes = routesOf(JSON.parse(JSON.stringify(document)))
  const typed = routesOf(document as { paths: Record<string, object> })
  const pathless = routesOf(document as object)
  for (const table of [parsed, typed, pathless]) {
    expect(table.reverse('/users/{id}', { kwargs: { id: 7 } })).toBe('/users/7')
  }
})
