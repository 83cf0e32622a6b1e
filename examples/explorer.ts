// What is served in which version, for people: a page at /docs, the same as text and as JSON, and "try it". The shop that it shows
// is explorer/shop.ts.
import { shop } from './explorer/shop'
import { start } from './support'

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
    prints: 'GET     /api/orders/export            export             yes           removed       -',
  },
  { path: '/docs/ui/', grep: '^HTTP', prints: 'HTTP/1.1 200 OK' },

  // What a command of the page comes to, in a version that has the route, and in one that does not.
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v2',
    prints: '{"version":"v2","served":"v2","route":"orders:export"} 200',
  },
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v3',
    prints: '{"error":"No handler for this version."} 404',
  },
  {
    path: '/api/orders/export',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
