// Six versions and one set of handlers: changes/shapes.ts has today's shapes, changes/history.ts the changes, changes/shop.ts
// the handlers.
import { shop } from './changes/shop'
import { start } from './support/start'

const oldest = 'X-API-Version: 2023-01-01'

const app = shop()

start(app, [
  { path: '/products/1', prints: '{"id":1,"name":"Teapot","price":{"amount":24.5,"currency":"EUR"}} 200' },
  {
    path: '/products/1',
    header: 'X-API-Version: 2023-09-01',
    prints: '{"id":1,"name":"Teapot","price":"24.50 EUR"} 200',
  },
  { path: '/products/1', header: oldest, prints: '{"title":"Teapot","id":1,"price":"24.50 EUR"} 200' },
  {
    path: '/products?limit=1',
    prints: '{"data":[{"id":1,"name":"Teapot","price":{"amount":24.5,"currency":"EUR"}}],"total":2} 200',
  },
  { path: '/products?max=1', header: oldest, prints: '[{"title":"Teapot","id":1,"price":"24.50 EUR"}] 200' },

  // The newest version does not have this route any more.
  { path: '/products/bestsellers', header: oldest, prints: '[{"title":"Teapot","id":1,"price":"24.50 EUR"}] 200' },
  {
    path: '/products/bestsellers',
    prints:
      '{"error":{"code":"ERR_VERSION_UNHANDLED","message":"This operation was removed in version 2024-10-01."}} 404',
  },

  // The same order, from an old client and from a new one.
  {
    path: '/orders',
    header: oldest,
    body: '{"product":2,"quantity":3}',
    prints: '{"id":1,"product":{"title":"Cup","id":2,"price":"6.00 EUR"},"quantity":3,"total":"18.00 EUR"} 200',
  },
  {
    path: '/orders',
    body: '{"product":2,"quantity":3,"shipping":"express"}',
    prints:
      '{"id":2,"product":{"id":2,"name":"Cup","price":{"amount":6,"currency":"EUR"}},"quantity":3,"shipping":"express","total":{"amount":18,"currency":"EUR"}} 201',
  },
  {
    path: '/orders',
    body: '{"product":2,"quantity":3}',
    prints: '{"error":{"code":"SHIPPING","message":"Say \\"standard\\" or \\"express\\" as shipping."}} 400',
  },

  // The order holds a product and a customer. Only the newest version knows customers who are "platinum".
  {
    path: '/orders',
    body: '{"product":1,"quantity":1,"shipping":"express","customer":1}',
    prints:
      '{"id":3,"product":{"id":1,"name":"Teapot","price":{"amount":24.5,"currency":"EUR"}},"quantity":1,"shipping":"express","total":{"amount":24.5,"currency":"EUR"},"customer":{"id":1,"given":"Ada","family":"Lovelace","tier":"platinum"}} 201',
  },
  {
    path: '/orders',
    header: oldest,
    body: '{"product":1,"quantity":1,"customer":1}',
    prints:
      '{"id":4,"product":{"title":"Teapot","id":1,"price":"24.50 EUR"},"quantity":1,"total":"24.50 EUR","customer":{"id":1,"name":"Ada Lovelace","tier":"gold"}} 200',
  },

  // Errors have the format of their version. An unknown version has the newest format.
  { path: '/products/9', header: oldest, prints: '{"error":"Not found."} 404' },
  { path: '/products/9', prints: '{"error":{"code":"NOT_FOUND","message":"Not found."}} 404' },
  {
    path: '/products/1',
    header: 'X-API-Version: 2022-01-01',
    prints:
      '{"error":{"code":"ERR_VERSION_NOT_ACCEPTABLE","message":"Invalid version in \\"X-API-Version\\" header."}} 406',
  },

  // The oldest version is deprecated.
  {
    path: '/products/1',
    header: oldest,
    grep: '^(HTTP|Deprecation|Sunset)',
    prints: ['HTTP/1.1 200 OK', 'Deprecation: @1748736000', 'Sunset: Thu, 01 Jan 2099 00:00:00 GMT'],
  },

  // Each receiver of webhooks gets its own version.
  {
    path: '/orders/1/webhooks',
    prints:
      '[{"url":"https://old.example.com/hook","version":"2023-01-01","body":{"id":1,"product":{"title":"Cup","id":2,"price":"6.00 EUR"},"quantity":3,"total":"18.00 EUR"}},{"url":"https://new.example.com/hook","version":"2025-06-01","body":{"id":1,"product":{"id":2,"name":"Cup","price":{"amount":6,"currency":"EUR"}},"quantity":3,"shipping":"standard","total":{"amount":18,"currency":"EUR"}}}] 200',
  },
])
