import { join } from 'node:path'
import { runCases } from '../hosts/run-cases'
import { hostProject, startHost } from './support/hosts'
import { temporary } from './support/projects'

// The shop in Nest gives the responses that were recorded of it in Express.

const temp = temporary()
/** The majors of Nest, with what belongs to each: the major of its documents, and its module system. */
const MAJORS = [
  { major: '10', swagger: '7', isModule: false },
  { major: '11', swagger: '11', isModule: false },
  { major: '12', swagger: '12', isModule: true },
]

beforeAll(async () => {
  const projects = MAJORS.map(({ major, swagger, isModule }) => {
    const nest = ['common', 'core', 'platform-express'].map((name) => [`@nestjs/${name}`, `^${major}.0.0`])
    const dependencies = {
      ...Object.fromEntries(nest),
      '@nestjs/swagger': `^${swagger}.0.0`,
      'class-transformer': '^0.5.1',
      'class-validator': '^0.15.1',
      'reflect-metadata': '^0.2.2',
      rxjs: '^7.8.2',
    }
    return hostProject(join(temp, major), 'nest', dependencies, { isModule })
  })
  await Promise.all(projects)
}, 300_000)

for (const { major } of MAJORS) {
  const start = (...parts: string[]) => startHost(join(temp, major, '__tests__/hosts/nest/main.js'), parts)
  runCases({
    name: `Nest ${major}`,
    start: (versioned) => start('filter', ...(versioned ? ['package', 'interceptor'] : [])),
  })

  test(`Nest ${major}: interceptors and controllers get the newest version, and the bytes that arrived`, async () => {
    const running = await start('filter', 'package', 'interceptor')
    const raw = '{ "name": "Linus B Torvalds" }'
    const response = await fetch(`http://127.0.0.1:${running.port}/api/users/3`, {
      method: 'PATCH',
      headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json' },
      body: raw,
    })
    const user = { id: 3, email: 'linus@example.com', role: 'customer' }
    expect(await response.json()).toEqual({ ...user, name: 'Linus B Torvalds' })
    await running.close()
    const body = { given: 'Linus', family: 'B Torvalds' }
    expect(running.told).toEqual([{ raw, body, value: { ...user, ...body } }])
  })

  // The old client, what it sends, and what it reads.
  const rejections = [
    [
      'an unknown version',
      'GET',
      { 'X-API-Version': '1999-01-01' },
      406,
      'ERR_VERSION_NOT_ACCEPTABLE',
      /^Invalid version in/,
    ],
    ['a body that nobody converted', 'PATCH', {}, 500, 'ERR_VERSION_CHANGE', /^Internal server error$/],
  ] as const
  test.each(rejections)(
    `Nest ${major}, without an interceptor: %s`,
    async (_, method, headers, status, code, message) => {
      const running = await start('package')
      const response = await fetch(`http://127.0.0.1:${running.port}/api/users/3`, {
        method,
        headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json', ...headers },
        ...(method === 'PATCH' ? { body: '{"name":"Linus B Torvalds"}' } : {}),
      })
      const reply = JSON.parse(response.headers.get('X-Reply') ?? '')
      await running.close()
      // Nest 12 wraps the client errors of middleware.
      const said = major === '12' && status < 500 ? `cause: ${code}` : code
      expect([response.status, response.headers.get('X-Code')]).toEqual([status, said])
      expect(reply).toEqual({ statusCode: status, message: expect.stringMatching(message) })
    },
  )
}
