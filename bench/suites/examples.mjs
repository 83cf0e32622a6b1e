// This suite compares whole requests to the README's programs with the same programs written by hand.
import { expressOf, packageWith, responding } from './apps.mjs'

const ALLOWED = ['v1', 'v2']

function jsonErrors(error, _req, res, _next) {
  res.status(error.status ?? 500).json({ error: error.message })
}

/** README.md, "Quick start". */
async function quickStart() {
  const { namedRoutes, URLPathVersioning, versioning } = await packageWith('namedRoutes', 'URLPathVersioning')
  const express = await expressOf(5)
  const users = namedRoutes({ user: '/:version/users/:id' })
  users.route('user').get((req, res) => {
    res.json({ version: req.version, self: req.reverse('user', { kwargs: { id: req.params.id } }) })
  })
  const app = express()
  app.use('/api', versioning({ scheme: URLPathVersioning, allowedVersions: ALLOWED, routes: users }), users)
  app.use(jsonErrors)
  return responding(app, QUICK)
}

async function quickStartByHand() {
  const express = await expressOf(5)
  const users = express.Router()
  users.param('version', (_req, _res, next, version) => {
    if (ALLOWED.includes(version)) next()
    else next(Object.assign(new Error('Invalid version in URL path.'), { status: 404 }))
  })
  users.get('/:version/users/:id', (req, res) => {
    const { version, id } = req.params
    res.json({ version, self: `/api/${encodeURIComponent(version)}/users/${encodeURIComponent(id)}` })
  })
  const app = express()
  app.use('/api', users)
  app.use(jsonErrors)
  return responding(app, QUICK)
}

const QUICK = { url: '/api/v2/users/7', body: '{"version":"v2","self":"/api/v2/users/7"}' }

const SHELF = [
  { id: '1', title: 'Emma', author: { given: 'Jane', family: 'Austen' } },
  { id: '2', title: 'Dracula', author: { given: 'Bram', family: 'Stoker' } },
]

/** The handlers of examples/server.ts; `linkTo(req, id)` makes the link to a book. */
function handlers(linkTo) {
  function show({ id, title, author }, req) {
    const url = linkTo(req, id)
    if (req.version === 'v2') return { title, author, links: { self: url } }
    return { url, title, author: `${author.given} ${author.family}` }
  }
  return {
    list(req, res) {
      res.json({ version: req.version, books: SHELF.map(({ id }) => linkTo(req, id)) })
    },
    detail(req, res) {
      const book = SHELF.find(({ id }) => id === req.params.id)
      if (book === undefined) {
        res.status(404).json({ error: 'No such book.' })
        return
      }
      res.format({
        json: () => res.json(show(book, req)),
        text: () => res.send(`${book.title}, by ${book.author.given} ${book.author.family}`),
      })
    },
  }
}

/** examples/server.ts */
async function server(spec) {
  const exported = await packageWith('namedRoutes', 'NamespaceVersioning')
  const { namedRoutes, versioning, AcceptHeaderVersioning } = exported
  const express = await expressOf(5)
  const { list, detail } = handlers((req, id) => req.reverse('book-detail', { kwargs: { id } }))
  const books = namedRoutes({ 'book-list': '/books', 'book-detail': '/books/:id' })
  books.route('book-list').get(list)
  books.route('book-detail').get(detail)
  const byPath = namedRoutes({}).include('/:version', books)
  const byNamespace = namedRoutes({})
    .include('/v1', books, { namespace: 'v1' })
    .include('/v2', books, { namespace: 'v2' })
    .include('/v3', books, { namespace: 'v3' })
  const shared = { defaultVersion: 'v1', allowedVersions: ALLOWED }
  const accept = new AcceptHeaderVersioning({ ...shared, mediaTypes: ['application/json', 'text/plain'] })
  const app = express()
  app.use('/accept', versioning({ scheme: accept, routes: books }), books)
  app.use('/path', versioning({ ...shared, scheme: exported.URLPathVersioning, routes: byPath }), byPath)
  app.use(
    '/namespace',
    versioning({ ...shared, scheme: exported.NamespaceVersioning, routes: byNamespace }),
    byNamespace,
  )
  app.use('/host', versioning({ ...shared, scheme: exported.HostNameVersioning, routes: books }), books)
  app.use('/query', versioning({ ...shared, scheme: exported.QueryParameterVersioning, routes: books }), books)
  app.use(jsonErrors)
  return responding(app, spec)
}

/** The same server by hand: a middleware that reads the version, and a link, for each mount. */
async function serverByHand(spec) {
  const express = await expressOf(5)
  const reading = (read) => (req, _res, next) => {
    const version = read(req) ?? 'v1'
    if (!ALLOWED.includes(version)) return next(Object.assign(new Error('Invalid version.'), { status: 404 }))
    req.version = version
    next()
  }
  function booksWith(linkTo) {
    const { list, detail } = handlers(linkTo)
    const router = express.Router()
    router.get('/books', list)
    router.get('/books/:id', detail)
    return router
  }
  const plain = booksWith((req, id) => `${req.baseUrl}/books/${encodeURIComponent(id)}`)
  const inQuery = booksWith(
    (req, id) => `${req.baseUrl}/books/${encodeURIComponent(id)}?version=${encodeURIComponent(req.version)}`,
  )
  const PARAMETER = /;\s*version=([^;,\s]+)/
  const app = express()
  app.use(
    '/accept',
    (_req, res, next) => {
      res.vary('Accept')
      next()
    },
    reading((req) => {
      const version = PARAMETER.exec(req.headers.accept)?.[1]
      // Express responds with 406 to a range with a parameter.
      if (version !== undefined) req.headers.accept = req.headers.accept.replace(PARAMETER, '')
      return version
    }),
    plain,
  )
  const inPath = reading((req) => req.params.version)
  app.use('/path/:version', inPath, plain)
  for (const version of [...ALLOWED, 'v3'])
    app.use(
      `/namespace/${version}`,
      reading(() => version),
      plain,
    )
  app.use(
    '/host',
    reading((req) => /^(v\d+)\./.exec(req.hostname)?.[1]),
    plain,
  )
  app.use(
    '/query',
    reading((req) => req.query.version),
    inQuery,
  )
  app.use(jsonErrors)
  return responding(app, spec)
}

const emma = (link) => `{"title":"Emma","author":{"given":"Jane","family":"Austen"},"links":{"self":"${link}"}}`

const REQUESTS = {
  accept: {
    url: '/accept/books/1',
    headers: { Accept: 'application/json; version=v2' },
    body: emma('/accept/books/1'),
  },
  path: { url: '/path/v2/books/1', body: emma('/path/v2/books/1') },
  namespace: { url: '/namespace/v2/books/1', body: emma('/namespace/v2/books/1') },
  host: { url: '/host/books/1', headers: { Host: 'v2.example.com' }, body: emma('/host/books/1') },
  query: { url: '/query/books/1?version=v2', body: emma('/query/books/1?version=v2') },
}

export const examples = {
  id: 'examples',
  batchMs: 60,
  generations: 3,
  rounds: 5,
  title: "The README's programs, over the same by hand",
  about:
    'A whole request: the version is decided and checked, a handler makes a link and responses JSON. By hand: as one would write it, without any of the checks that a scheme makes. No limit is set. Express 5.',
  cases: [
    { id: 'quick-hand', label: 'by hand: the quick start', prepare: quickStartByHand },
    { id: 'quick', label: '**the quick start**', floor: 'quick-hand', prepare: quickStart },
    ...Object.entries(REQUESTS).flatMap(([id, spec]) => [
      { id: `${id}-hand`, label: `by hand: examples/server.ts, \`${spec.url}\``, prepare: () => serverByHand(spec) },
      {
        id,
        label: `**examples/server.ts**, \`${spec.url}\``,
        floor: `${id}-hand`,
        prepare: () => server(spec),
      },
    ]),
  ],
}
