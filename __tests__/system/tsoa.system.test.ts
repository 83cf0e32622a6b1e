import { join } from 'node:path'
import { runCases } from '../hosts/run-cases'
import { hostProject, startHost } from './support/hosts'
import { temporary, tested } from './support/projects'

// The shop in tsoa gives the responses that were recorded of it in Express.

const temp = temporary()

beforeAll(async () => {
  const command = ['tsoa', 'spec-and-routes', '-c', 'tsoa/tsoa.json']
  await hostProject(temp, 'tsoa', { express: tested('express'), tsoa: '^6.6.0' }, { command })
}, 300_000)

runCases({
  name: 'tsoa',
  start: (versioned) => startHost(join(temp, '__tests__/hosts/tsoa/main.js'), [versioned ? 'versioned' : 'plain']),
})
