import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { HttpResponse, Served } from './serve'

/** A program `curl` that prints its arguments, each with a zero byte behind it. */
const CURL = `curl() { printf '%s\\0' "$#" "$@"; }\n`

/** Returns the arguments that a real shell gives to the program `curl`, for each command. Each character is one byte. */
export function argumentsOf(commands: readonly string[]): string[][] {
  const input = `${CURL}${commands.join('\n')}\n`
  return wordsIn(spawnSync('sh', { input, encoding: 'latin1', maxBuffer: 2 ** 30 }).stdout, commands)
}

function wordsIn(output: string, commands: readonly string[]): string[][] {
  const words = output.split('\0').slice(0, -1)
  return commands.map(() => words.splice(0, Number(words.shift())))
}

/** Returns the request of each command. One shell reads all of them. */
export const sentBy = (commands: readonly string[]) => argumentsOf(commands).map(requestOf)

/** One shell for a file of tests, because starting it takes longer than reading a few commands. */
let shell: ChildProcessWithoutNullStreams | undefined
afterAll(() => shell?.kill())

/** Does the same as `sentBy()`, in a shell that stays. Its function `eval` reads the commands in a process of their own. */
export async function sentByKept(commands: readonly string[]) {
  if (shell === undefined) {
    shell = spawn('sh')
    shell.stdout.setEncoding('latin1')
    shell.stdin.write(CURL)
  }
  const end = `end of ${Math.random()}`
  const quoted = commands.join('\n').replaceAll("'", String.raw`'\''`)
  shell.stdin.write(`(eval '${quoted}')\nprintf '%s' '${end}'\n`, 'latin1')
  let output = ''
  while (!output.endsWith(end)) output += (await once(shell.stdout, 'data'))[0]
  return wordsIn(output.slice(0, -end.length), commands).map(requestOf)
}

/**
 * Reads the options of curl that the documents and the explorer use. `head` is `true` if `-i` prints the head, and `written` is
 * the text that `-w` prints after the body.
 */
function requestOf(words: string[]) {
  const values: Record<string, string[]> = { H: [], X: [], d: [], w: [], url: [] }
  const flags = new Set<string>()
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--path-as-is') continue
    for (const option of word.startsWith('-') ? word.slice(1) : ['url']) {
      if ('gsiIN'.includes(option)) flags.add(option)
      else if (values[option] === undefined) throw new Error(`This parser does not know -${option}.`)
      else values[option].push(option === 'url' ? word : (words.shift() as string))
    }
  }
  const { H = [], X = [], d = [], w = [], url = [] } = values
  const [, origin = '', target = ''] = /^(https?:\/\/[^/]+)(\/.*)$/.exec(url.join(' ')) ?? []
  const headers: Record<string, string> = { Host: origin.replace(/^https?:\/\//, ''), Accept: '*/*' }
  for (const header of H) {
    const [, name = '', value = ''] = /^([^:;]+): (.*)$/s.exec(header) ?? []
    headers[name] = value
  }
  const [body] = d
  // Without a Content-Type, curl would send the body as a form.
  if (body !== undefined && !headers['Content-Type']) throw new Error(`There is no Content-Type in: ${url}`)
  const [method = flags.has('I') ? 'HEAD' : body === undefined ? 'GET' : 'POST'] = X
  return { method, origin, target, headers, body, head: flags.has('i'), written: w.join('') }
}

/** Returns the response of a server to each request of a command, wherever the command leads. */
export function responsesTo(sent: ReturnType<typeof sentBy>, server: Served): Promise<HttpResponse[]> {
  return Promise.all(sent.map(({ method, target, headers, body }) => server.send(method, target, headers, body)))
}
