// The gateway with its service in another process, and requests to try.
import { fork } from 'node:child_process'
import { start } from '../../support/start'
import { app } from './gateway'

const service = fork('examples/existing/gateway/service.mjs')
service.once('message', (port: number) => {
  // The service ends when this process does.
  service.unref()
  service.channel?.unref()
  start(app(`http://127.0.0.1:${port}`), [
    { path: '/users', prints: '[{"id":1,"first":"Ada","last":"Lovelace"}] 200' },
    { path: '/users', header: 'X-API-Version: 2026-01-01', prints: '[{"id":1,"given":"Ada","family":"Lovelace"}] 200' },
    { path: '/users', body: '{"first":"Alan","last":"Turing"}', prints: '{"id":2,"first":"Alan","last":"Turing"} 201' },
    { path: '/users?max=1', prints: '[{"id":1,"first":"Ada","last":"Lovelace"}] 200' },
    { path: '/photo', prints: 'not JSON 200' },
    {
      path: '/users',
      header: 'X-API-Version: 1999-01-01',
      prints:
        '{"type":"about:blank","title":"Not Acceptable","status":406,"detail":"Invalid version in "X-API-Version" header.","code":"ERR_VERSION_NOT_ACCEPTABLE","supportedVersions":["2024-01-01","2026-01-01"]} 406',
    },
  ])
})
