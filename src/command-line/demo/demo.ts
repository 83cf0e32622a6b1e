// `npx express-versioning demo`: a shop in three versions, on a free port, until Ctrl-C.
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Express, RequestHandler } from 'express'
import { change, fields, versionHistory } from '../../changes'
import { explorer } from '../../explorer'
import {
  CombinedVersioning,
  HeaderVersioning,
  namedRoutes,
  problemDetails,
  QueryParameterVersioning,
  versioning,
} from '../../index'
import { openapi } from '../../openapi'
import { CommandError } from '../arguments'
import { demoPage } from './page'

/** The functions of Express that the shop needs. */
interface ExpressModule {
  (): Express
  json(): RequestHandler
}

const id = { type: 'integer' }
const text = { type: 'string' }
const Money = {
  $id: 'Money',
  type: 'object',
  properties: { amount: { type: 'number' }, currency: text },
  required: ['amount', 'currency'],
}
const Product = {
  $id: 'Product',
  type: 'object',
  properties: { id, title: text, price: Money },
  required: ['id', 'title', 'price'],
}
const NewProduct = {
  $id: 'NewProduct',
  type: 'object',
  properties: { title: text, price: Money },
  required: ['title', 'price'],
  examples: [{ title: 'Spoon', price: { amount: 3.5, currency: 'EUR' } }],
}
const Products = {
  type: 'object',
  properties: { data: { type: 'array', items: Product }, total: id },
  required: ['data', 'total'],
}

interface Price {
  amount: number
  currency: string
}

const titled = fields({ renamed: { name: 'title' } })
const priced = fields({
  converted: {
    price: {
      schema: { type: 'number' },
      response: ({ amount }: Price) => amount,
      request: (amount: number) => ({ amount, currency: 'EUR' }),
    },
  },
})

const history = versionHistory('2024-01-01')
  .version(
    '2025-01-01',
    change('Products have a `title` instead of a `name`.', { Product: titled, NewProduct: titled }),
    change('There is no list of bestsellers.', { 'GET bestsellers': 'removed' }),
  )
  .version(
    '2026-01-01',
    change('A price has an `amount` and a `currency`.', { Product: priced, NewProduct: priced }),
    change('The list of products is in `data`, and `total` counts them.', {
      'GET products': {
        response: ({ data }: { data: object[] }) => data,
        older: { response: { type: 'array', items: Product } },
      },
    }),
    change('A new product gets 201 instead of 200.', { 'POST products': { status: { 201: 200 } } }),
  )

/** The versions of the shop, oldest first. */
export const VERSIONS: readonly string[] = history.versions

/**
 * Makes the shop: the page at `/`, the API below `/api`, its explorer at `/docs`, and its documents at `/openapi`.
 *
 * @param swaggerUi the folder of `swagger-ui-dist`, if the user has it.
 */
function demoShop(express: ExpressModule, swaggerUi: string | undefined): Express {
  const euros = (amount: number) => ({ amount, currency: 'EUR' })
  const products = [
    { id: 1, title: 'Teapot', price: euros(24.5) },
    { id: 2, title: 'Cup', price: euros(6) },
  ]

  const routes = namedRoutes({ products: '/products', bestsellers: '/bestsellers', product: '/products/:id' })
  routes.describe('GET products', { summary: 'All products', response: Products })
  routes.describe('POST products', { summary: 'Adds a product', body: NewProduct, response: { 201: Product } })
  routes.describe('GET bestsellers', { response: { type: 'array', items: Product } })
  routes.describe('GET product', { summary: 'One product', response: Product })
  routes
    .route('products')
    .get((_req, res) => void res.json({ data: products, total: products.length }))
    .post((req, res) => {
      const product = { id: products.length + 1, ...req.body }
      products.push(product)
      res.status(201).json(product)
    })
  routes.route('bestsellers').get((_req, res) => void res.json(products.slice(0, 1)))
  routes.route('product').get((req, res, next) => {
    const product = products.find((one) => String(one.id) === req.params.id)
    if (product === undefined) next()
    else res.json(product)
  })

  const options = {
    // Headers are for programs, the query is for links.
    scheme: new CombinedVersioning({
      schemes: [new HeaderVersioning(), new QueryParameterVersioning()],
      defaultVersion: VERSIONS[0] as string,
    }),
    changes: history,
    routes,
    lifecycle: { '2024-01-01': { deprecated: '2025-06-01', sunset: '2099-01-01' } },
  }
  const titles = { title: 'Shop', mount: '/api', documents: '/openapi' }
  const app = express()
  app.get('/', demoPage(VERSIONS))
  app.use('/docs', explorer(options, swaggerUi === undefined ? titles : { ...titles, swaggerUi }))
  app.use('/openapi', openapi(options, { info: { title: 'Shop' }, mount: '/api' }))
  app.use('/api', versioning(options), express.json(), routes)
  app.use(problemDetails())
  return app
}

/**
 * Starts the demo on a free port of this machine.
 *
 * @param directory the folder whose `swagger-ui-dist` is used for "try it", if it has one.
 * @param print gets the commands to try.
 * @returns the server, which listens.
 * @throws {CommandError} without Express.
 */
export async function startDemo(directory: string, print: (text: string) => void): Promise<Server> {
  const server = createServer(demoShop(expressOf(), swaggerUiIn(directory)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  print(linesFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  return server
}

function expressOf(): ExpressModule {
  try {
    return require('express')
  } catch {
    throw new CommandError('the demo needs Express: npm install express')
  }
}

function swaggerUiIn(directory: string): string | undefined {
  try {
    return createRequire(join(directory, 'package.json'))('swagger-ui-dist').absolutePath()
  } catch {
    return undefined
  }
}

/** Returns what is printed: where the pages are, and five commands. */
function linesFor(origin: string): string {
  const [oldest, , newest] = VERSIONS as [string, string, string]
  const api = `${origin}/api`
  const json = `-H 'Content-Type: application/json' -d`
  const commands = [
    ['The oldest client, which names no version:', `curl ${api}/products/1`],
    ['The newest client:', `curl ${api}/products/1 -H 'X-API-Version: ${newest}'`],
    [
      'An old client sends the old format:',
      `curl ${api}/products -H 'X-API-Version: ${oldest}' ${json} '{"name":"Spoon","price":3.5}'`,
    ],
    ['This route was removed in 2025-01-01:', `curl '${api}/bestsellers?version=${newest}'`],
    ['A version that does not exist:', `curl ${api}/products -H 'X-API-Version: 1999-01-01'`],
  ]
  const tries = commands.map(([says, command]) => `${says}\n  ${command}\n`)
  const pages = `Open ${origin} in a browser to send requests in all versions.\nRoutes and versions: ${origin}/docs/\nOpenAPI documents: ${origin}/openapi/\n`
  return `A shop in three versions, with handlers for the newest only.\n\n${pages}\nOr try, in another terminal:\n\n${tries.join('\n')}\nCtrl-C stops it.\n`
}
