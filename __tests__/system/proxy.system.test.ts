import { join } from 'node:path'
import { todaysApp } from '../hosts/express-shop'
import { runCases } from '../hosts/run-cases'
import { listen } from '../support/serve'
import { hostProject, startHost } from './support/hosts'
import { temporary, tested } from './support/projects'

// The shop is a service that knows no versions, behind http-proxy-middleware.

const temp = temporary()

beforeAll(async () => {
  // It needs Node 22.
  const node = `npm:node-${process.platform}-${process.arch}@^22.15.0`
  const dependencies = { express: tested('express'), 'http-proxy-middleware': '^4.2.2', 'node-22': node }
  const more = ['document.ts', 'express-shop.ts']
  await hostProject(temp, 'proxy', dependencies, { isModule: true, more })
}, 300_000)

async function start(way: string) {
  const service = await listen(todaysApp())
  const program = join(temp, '__tests__/hosts/proxy/main.js')
  return startHost(program, [way, String(service.port)], join(temp, 'node_modules/node-22/bin/node'))
}
runCases({
  name: 'http-proxy-middleware',
  isProxy: true,
  start: () => start('versioned'),
  startPlain: () => start('plain'),
})
