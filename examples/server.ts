// One set of handlers under five schemes. `npm start` runs it: the page at `/` links an explorer for each scheme.
import express, { type Request } from 'express'
import {
  AcceptHeaderVersioning,
  byVersion,
  HostNameVersioning,
  NamespaceVersioning,
  namedRoutes,
  QueryParameterVersioning,
  URLPathVersioning,
  versioning,
} from 'express-versioning'
import { explorer } from 'express-versioning/explorer'
import { openapi } from 'express-versioning/openapi'
import { jsonErrors, start, type Try } from './support/start'
import { startPage } from './support/start-page'

interface Book {
  id: string
  title: string
  author: { given: string; family: string }
}

const shelf: readonly Book[] = [
  { id: '1', title: 'Emma', author: { given: 'Jane', family: 'Austen' } },
  { id: '2', title: 'Dracula', author: { given: 'Bram', family: 'Stoker' } },
]

/** Makes the book of the request's version. The link stays in that version, under every scheme. */
function show({ id, title, author }: Book, req: Request) {
  const url = req.reverse('book-detail', { kwargs: { id } })
  if (req.version === 'v2') return { title, author, links: { self: url } }
  return { url, title, author: `${author.given} ${author.family}` }
}

// The handlers know neither the scheme nor the mount.
const books = namedRoutes({
  'book-list': '/books',
  'book-export': '/books.csv',
  'book-detail': '/books/:id',
  'author-list': '/authors',
})

books.route('book-list').get((req, res) => {
  res.json({
    version: req.version,
    books: shelf.map((book) => req.reverse('book-detail', { kwargs: { id: book.id } })),
  })
})

// Only one version has this route.
books.route('book-export').get(
  byVersion({
    v1: (_req, res) => {
      res.type('csv').send(shelf.map(({ id, title }) => `${id},${title}\n`).join(''))
    },
  }),
)
books.route('author-list').get(
  byVersion({
    v2: (_req, res) => {
      res.json(shelf.map(({ author }) => author))
    },
  }),
)

books.route('book-detail').get((req, res) => {
  const book = shelf.find(({ id }) => id === req.params.id)
  if (book === undefined) {
    res.status(404).json({ error: 'No such book.' })
    return
  }
  res.format({
    json: () => res.json(show(book, req)),
    text: () => res.send(`${book.title}, by ${book.author.given} ${book.author.family}`),
  })
})

// Schemes of the path need a place for the version. The others take the table as it is.
const byPath = namedRoutes({}).include('/:version', books)
const byNamespace = namedRoutes({})
  .include('/v1', books, { namespace: 'v1' })
  .include('/v2', books, { namespace: 'v2' })
  .include('/v3', books, { namespace: 'v3' })

const versions = { defaultVersion: 'v1', allowedVersions: ['v1', 'v2'] }
const lifecycle = { v1: { deprecated: '2026-01-01', sunset: '2099-12-31', successor: 'v2' } }
const mediaTypes = ['application/json', 'text/plain']
const schemes = {
  accept: { scheme: new AcceptHeaderVersioning({ ...versions, mediaTypes }), lifecycle, routes: books },
  path: { ...versions, scheme: URLPathVersioning, lifecycle, routes: byPath },
  namespace: { ...versions, scheme: NamespaceVersioning, lifecycle, routes: byNamespace },
  host: { ...versions, scheme: HostNameVersioning, lifecycle, routes: books },
  query: { ...versions, scheme: QueryParameterVersioning, lifecycle, routes: books },
}

/** The folder of Swagger UI, for "try it". Your own program installs it. */
const swaggerUi = (require('swagger-ui-dist') as { absolutePath(): string }).absolutePath()

const app = express()
app.get(
  '/',
  startPage([
    {
      name: 'accept',
      scheme: 'AcceptHeaderVersioning',
      says: 'The version is a parameter of the media type in Accept: one address for all versions.',
      path: '/accept/books/1',
      header: 'Accept: application/json; version=v2',
    },
    {
      name: 'path',
      scheme: 'URLPathVersioning',
      says: 'The version is a part of the path, which any link and browser can carry.',
      path: '/path/v2/books/1',
    },
    {
      name: 'namespace',
      scheme: 'NamespaceVersioning',
      says: 'The version is the namespace of the route, so that each version may have a table of its own.',
      path: '/namespace/v2/books/1',
    },
    {
      name: 'host',
      scheme: 'HostNameVersioning',
      says: 'The version is the first label of the host, and so a matter of DNS and certificates.',
      path: '/host/books/1',
      header: 'Host: v2.example.com',
    },
    {
      name: 'query',
      scheme: 'QueryParameterVersioning',
      says: 'The version is a parameter of the query, quickly tried and easily logged.',
      path: '/query/books/1?version=v2',
    },
  ]),
)
for (const [name, options] of Object.entries(schemes)) {
  const mount = `/${name}`
  const documents = `/openapi/${name}`
  const title = `Books, by ${name}`
  app.use(`/docs/${name}`, explorer(options, { title, mount, documents, swaggerUi }))
  app.use(documents, openapi(options, { info: { title }, mount }))
  app.use(mount, versioning(options), options.routes)
}
app.use((_req, res) => {
  res.status(404).json({ error: 'Not found.' })
})
app.use(jsonErrors)

function v1(url: string): string {
  return `{"url":"${url}","title":"Emma","author":"Jane Austen"} 200`
}

function v2(url: string): string {
  return `{"title":"Emma","author":{"given":"Jane","family":"Austen"},"links":{"self":"${url}"}} 200`
}

const tries: Try[] = [
  { path: '/accept/books/1', header: 'Accept: application/json; version=v2', prints: v2('/accept/books/1') },
  { path: '/accept/books/1', header: 'Accept: text/plain; version=v2', prints: 'Emma, by Jane Austen 200' },
  { path: '/accept/books/1', prints: v1('/accept/books/1') },
  {
    path: '/accept/books/1',
    header: 'Accept: application/json; version=v9',
    prints: '{"error":"Invalid version in \\"Accept\\" header."} 406',
  },
  {
    path: '/accept/books/1',
    header: 'Accept: image/png; version=v2',
    prints: '{"error":"Could not satisfy the request Accept header."} 406',
  },

  { path: '/path/v1/books/1', prints: v1('/path/v1/books/1') },
  { path: '/path/v2/books/1', prints: v2('/path/v2/books/1') },
  { path: '/path/v9/books/1', prints: '{"error":"Invalid version in URL path."} 404' },

  { path: '/namespace/v1/books/1', prints: v1('/namespace/v1/books/1') },
  { path: '/namespace/v2/books/1', prints: v2('/namespace/v2/books/1') },
  {
    path: '/namespace/v3/books/1',
    prints: '{"error":"Invalid version in URL path. Does not match any version namespace."} 404',
  },

  { path: '/host/books/1', header: 'Host: v2.example.com', prints: v2('/host/books/1') },
  { path: '/host/books/1', prints: v1('/host/books/1') },
  { path: '/host/books/1', header: 'Host: v9.example.com', prints: '{"error":"Invalid version in hostname."} 404' },

  {
    path: '/query/books?version=v2',
    prints: '{"version":"v2","books":["/query/books/1?version=v2","/query/books/2?version=v2"]} 200',
  },
  { path: '/query/books/1', prints: v1('/query/books/1?version=v1') },
  { path: '/query/books/7?version=v2', prints: '{"error":"No such book."} 404' },
  { path: '/query/books?version=v9', prints: '{"error":"Invalid version in query parameter."} 404' },
]

start(app, tries, { page: true })
