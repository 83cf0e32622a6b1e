import { spawnSync } from 'node:child_process'
import type { Answer, Served } from './serve'

/** Returns the arguments that a real shell gives to the program `curl`, for each command. Each character is one byte. */
export function argumentsOf(commands: readonly string[]): string[][] {
  const input = `curl() { printf '%s\\0' "$#" "$@"; }\n${commands.join('\n')}\n`
  const { stdout } = spawnSync('sh', { input, encoding: 'latin1', maxBuffer: 2 ** 30 })
  const words = stdout.split('\0').slice(0, -1)
  return commands.map(() => words.splice(0, Number(words.shift())))
}

/** The request that curl would send for a command of the explorer. */
export interface Sent {
  readonly method: string
  readonly origin: string
  readonly target: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Returns the request of each command. One shell reads all of them. */
export function sentBy(commands: readonly string[]): Sent[] {
  return argumentsOf(commands).map(requestOf)
}

function requestOf(words: string[]): Sent {
  const headers: Record<string, string> = {}
  let method = 'GET'
  let url = ''
  let body: string | undefined
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-g' || word === '--path-as-is') continue
    if (word === '-I') method = 'HEAD'
    else if (word === '-X') method = words.shift() as string
    else if (word === '-d') body = words.shift()
    else if (word === '-H') {
      const [, name = '', value = ''] = /^([^:;]+): (.*)$/s.exec(words.shift() as string) ?? []
      headers[name] = value
    } else if (url === '' && /^http/.test(word)) url = word
    else throw new Error(`A command has the word ${JSON.stringify(word)}.`)
  }
  const [, origin = '', target = ''] = /^(https?:\/\/[^/]+)(\/.*)$/.exec(url) ?? []
  return { method, origin, target, headers: { Host: origin.replace(/^https?:\/\//, ''), ...headers }, body }
}

/** Returns the answer of a server to each command, wherever the command leads. */
export function answersTo(commands: readonly string[], server: Served): Promise<Answer[]> {
  return Promise.all(
    sentBy(commands).map(({ method, target, headers, body }) => server.send(method, target, headers, body)),
  )
}
