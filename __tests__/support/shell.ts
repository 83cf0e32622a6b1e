import { execFileSync } from 'node:child_process'
import type { Answer, Served } from './serve'

/** The arguments that a real shell gives to the program `curl`, each character one byte of them. */
export function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`
  return execFileSync('sh', ['-c', script], { encoding: 'latin1' }).split('\0').slice(0, -1)
}

/** The request that curl would send for a command of the explorer. */
export interface Sent {
  readonly method: string
  readonly origin: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

export function sentBy(command: string): Sent {
  const words = argumentsOf(command)
  const headers: Record<string, string> = {}
  let method = 'GET'
  let url: string | undefined
  let body: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-g' || word === '--path-as-is') continue
    if (word === '-I') method = 'HEAD'
    else if (word === '-X') method = words.shift() as string
    else if (word === '-d') body = words.shift()
    else if (word === '-H') {
      const [, name = '', empty, value = ''] = /^([^:;]+)(?:(;)$|: (.*)$)/s.exec(words.shift() as string) ?? []
      headers[name] = empty === undefined ? value : ''
    } else if (url === undefined && /^http/.test(word)) url = word
    else throw new Error(`What is ${JSON.stringify(word)}, in: ${command}`)
  }
  const [, origin = '', target = ''] = /^(https?:\/\/[^/]+)(\/.*)$/.exec(url ?? '') ?? []
  return { method, origin, target, headers: { Host: origin.replace(/^https?:\/\//, ''), ...headers }, body }
}

/** The answer to a command, of a server, wherever it says that one is. */
export function answerTo(command: string, server: Served): Promise<Answer> {
  const { method, target, headers, body } = sentBy(command)
  return server.send(method, target, headers, body)
}
