// The explorer of explorer/shop.ts at /docs: as a page, as text, as JSON, and "try it".
import { shop } from './explorer/shop'
import { start } from './support/start'

const app = shop()

start(app, [
  {
    path: '/docs',
    grep: '^(HTTP|Content-Type)',
    prints: ['HTTP/1.1 200 OK', 'Content-Type: text/html; charset=utf-8'],
  },
  {
    path: '/docs',
    header: 'Accept: text/plain',
    grep: 'orders/export',
    prints:
      'GET     /api/orders/export            export             yes, 11 requests         removed                   -',
  },
  { path: '/docs/ui/', grep: '^HTTP', prints: 'HTTP/1.1 200 OK' },

  // The route in a version that has it, and in one that does not.
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v2',
    prints: '{"version":"v2","served":"v2","route":"orders:export"} 200',
  },
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v3',
    prints: '{"error":"This operation was removed in version v3."} 404',
  },
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
