import { Agent, request } from 'node:http'
import type { OpenApiDocument, OpenApiOperation } from 'express-versioning/openapi'
import type { Served } from './serve'

/** A request as a document says to send it. */
export interface Said {
  method: string
  path: string
  headers: Record<string, string>
  operation: OpenApiOperation
}

/** Returns the operations of a document as requests. Parameters are `1`; `bare` leaves out optional ones. */
export function requestsOf(document: OpenApiDocument, { bare = false } = {}): Said[] {
  const server = new URL(document.servers[0]?.url as string, 'http://localhost')
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]): Said => {
      let path = template
      const headers: Record<string, string> = server.host === 'localhost' ? {} : { Host: server.host }
      const query = new URLSearchParams()
      for (const { name, in: place, required, schema } of operation.parameters ?? []) {
        const [value] = (schema as { enum?: string[] }).enum ?? ['1']
        if (place === 'path') path = path.replace(`{${name}}`, '1')
        else if (bare && required !== true) continue
        else if (place === 'query') query.set(name, value as string)
        else headers[name] = value as string
      }
      const types = Object.values(operation.responses).flatMap(({ content }) => Object.keys(content ?? {}))
      const accept = types.find((type) => type !== 'application/problem+json')
      if (accept !== undefined && !bare) headers.Accept = accept
      const search = query.size === 0 ? '' : `?${query}`
      return {
        method: method.toUpperCase(),
        path: server.pathname.replace(/\/$/, '') + path + search,
        headers,
        operation,
      }
    }),
  )
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** Sends a request and returns the parsed answer. It reuses one connection for speed. */
export function send(
  { port }: Pick<Served, 'port'>,
  { method, path, headers }: Omit<Said, 'operation'>,
): Promise<{ status: number; json: unknown }> {
  return new Promise((done, fail) => {
    request({ agent, port, host: '127.0.0.1', method, path, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('end', () => {
        let json: unknown
        try {
          json = JSON.parse(body)
        } catch {
          json = undefined
        }
        done({ status: answer.statusCode as number, json })
      })
    })
      .on('error', fail)
      .end()
  })
}
