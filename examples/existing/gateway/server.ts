// The gateway with its service in another process, and requests to try.
import { fork } from 'node:child_process'
import { start } from '../../support/start'
import { gateway } from './gateway'

const service = fork('examples/existing/gateway/service.mjs')
service.once('message', (port: number) => {
  // The service ends when this process does.
  service.unref()
  service.channel?.unref()
  start(gateway(port), [
    { path: '/users', prints: '[{"id":1,"first":"Ada","last":"Lovelace"}] 200' },
    { path: '/users', header: 'X-API-Version: 2026-01-01', prints: '[{"id":1,"given":"Ada","family":"Lovelace"}] 200' },
    { path: '/users', body: '{"first":"Alan","last":"Turing"}', prints: '{"id":2,"first":"Alan","last":"Turing"} 201' },
    { path: '/users?max=1', prints: '[{"id":1,"first":"Ada","last":"Lovelace"}] 200' },
    {
      path: '/users',
      header: 'X-API-Version: 1999-01-01',
      grep: '^(HTTP|content-type)',
      prints: ['HTTP/1.1 406 Not Acceptable', 'Content-Type: application/problem+json; charset=utf-8'],
    },
  ])
})
