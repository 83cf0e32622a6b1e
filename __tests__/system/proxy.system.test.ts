import { join } from 'node:path'
import { type Service, startService } from '../hosts/gateway'
import { runCases } from '../hosts/run-cases'
import { hostProject, startHost } from './support/hosts'
import { temporary, tested } from './support/projects'

// The shop is a service that knows no versions, behind http-proxy-middleware.

const temp = temporary()
let service: Service

beforeAll(async () => {
  // It needs Node 22.
  const node = `npm:node-${process.platform}-${process.arch}@^22.15.0`
  const dependencies = { express: tested('express'), 'http-proxy-middleware': '^4.2.2', 'node-22': node }
  const more = ['document.ts', 'express-shop.ts', '../../examples/existing/gateway/send-converted.ts']
  await hostProject(temp, 'proxy', dependencies, { isModule: true, more })
  service = await startService()
}, 300_000)
afterAll(() => service.stop())

runCases({
  name: 'http-proxy-middleware',
  isProxy: true,
  async start(versioned) {
    await service.reset()
    const execPath = join(temp, 'node_modules/node-22/bin/node')
    const program = join(temp, '__tests__/hosts/proxy/main.js')
    return startHost(program, [versioned ? 'versioned' : 'plain', String(service.direct.port)], execPath)
  },
})
