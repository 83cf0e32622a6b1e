import { join } from 'node:path'
import { runCases } from '../hosts/run-cases'
import { startHost } from './support/hosts'
import { MAJORS, nestProjects } from './support/nest'
import { temporary } from './support/projects'

// The shop in Nest gives the responses that were recorded of it in Express.

const temp = temporary()

beforeAll(() => nestProjects(temp, 'nest'), 300_000)

for (const { major } of MAJORS) {
  const start = (...parts: string[]) => startHost(join(temp, major, '__tests__/hosts/nest/main.js'), parts)
  runCases({
    name: `Nest ${major}`,
    start: () => start('filter', 'package', 'interceptor'),
    startPlain: () => start('filter'),
  })

  /** Asks for a user, or changes it. */
  async function ask(parts: string[], headers: Record<string, string>, body?: string) {
    const running = await start(...parts)
    const response = await fetch(`http://127.0.0.1:${running.port}/api/users/3`, {
      headers: { Authorization: 'Bearer token', 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'PATCH', body }),
    })
    const { status } = response
    const asked = { status, headers: response.headers, json: await response.json(), told: running.told }
    await running.close()
    return asked
  }
  const raw = '{ "name": "Linus B Torvalds" }'

  test(`Nest ${major}: interceptors and controllers get the newest version, and the bytes that arrived`, async () => {
    const { json, told } = await ask(['filter', 'package', 'interceptor'], {}, raw)
    const user = { id: 3, email: 'linus@example.com', role: 'customer' }
    expect(json).toEqual({ ...user, name: 'Linus B Torvalds' })
    const body = { given: 'Linus', family: 'B Torvalds' }
    expect(told).toEqual([{ raw, body, value: { ...user, ...body } }])
  })

  test.each<[what: string, headers: Record<string, string>, body: string | undefined, status: number, code: string]>([
    ['an unknown version', { 'X-API-Version': '1999-01-01' }, undefined, 406, 'ERR_VERSION_NOT_ACCEPTABLE'],
    ['a body that nobody converted', {}, raw, 500, 'ERR_VERSION_CHANGE'],
  ])(`Nest ${major}, without an interceptor: %s`, async (_, own, body, status, code) => {
    const { headers, ...asked } = await ask(['package'], own, body)
    // Nest 12 wraps the client errors of middleware.
    expect([asked.status, headers.get('X-Code')]).toEqual([
      status,
      major === '12' && status < 500 ? `cause: ${code}` : code,
    ])
    const message = status < 500 ? expect.stringMatching(/^Invalid version in/) : 'Internal server error'
    expect(JSON.parse(headers.get('X-Reply') ?? '')).toEqual({ statusCode: status, message })
  })
}
