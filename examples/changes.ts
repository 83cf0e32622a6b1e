// Five versions in two years, and one set of handlers: changes/history.ts has the changes, changes/shop.ts the handlers.
import { shop } from './changes/shop'
import { start } from './support'

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
  { path: '/products?max=1', header: oldest, prints: '[{"title":"Teapot","id":1,"price":"24.50 EUR"}] 200' },

  // The newest version does not have this route any more.
  { path: '/products/bestsellers', header: oldest, prints: '[{"title":"Teapot","id":1,"price":"24.50 EUR"}] 200' },
  {
    path: '/products/bestsellers',
    prints: '{"error":{"code":"ERR_VERSION_UNHANDLED","message":"No handler for this version."}} 404',
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
