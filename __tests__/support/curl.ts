import { type IncomingMessage, request } from 'node:http'

/** A curl command, as far as the README and the examples use them. */
interface Curl {
  url: URL
  method: string
  headers: Record<string, string>
  /** The body of `-d`. */
  data: string | undefined
  /** True if `-i` prints the head of the answer before the body. */
  head: boolean
  /** The text that `-w` prints after the body. */
  written: string
  /** The pattern of `| grep -iE '...'`. */
  grep: RegExp | undefined
}

/** The words of a shell command: bare ones, and those in single quotes. Anything else that a shell would expand is refused. */
export function words(command: string): string[] {
  const found = command.match(/(?:'[^']*'|[^\s'])+/g) ?? []
  return found.map((word) => {
    const bare = word.replaceAll(/'[^']*'/g, '')
    if (/[\\"$`?*&|;<>()[\]{}~#!]/.test(bare)) throw new Error(`A shell would change ${word} in: ${command}`)
    return word.replaceAll("'", '')
  })
}

/** Reads `grep` with `-i` and `-E`. It takes only expressions that JavaScript reads in the same way. */
function parseGrep(command: string | undefined): RegExp | undefined {
  if (command === undefined) return undefined
  const pattern = /^grep -iE '([\w^ ()|"={:/.-]+)'$/.exec(command)?.[1]
  if (pattern === undefined) throw new Error(`This parser does not know: ${command}`)
  return new RegExp(pattern.replaceAll('{', '\\{'), 'i')
}

function parseCurl(line: string): Curl {
  const [command = '', pipe, ...more] = line.split(' | ')
  if (more.length > 0) throw new Error(`One pipe is enough: ${line}`)
  const grep = parseGrep(pipe)
  const [program, ...rest] = words(command)
  if (program !== 'curl') throw new Error(`Not a curl command: ${command}`)
  const headers: Record<string, string> = { Accept: '*/*' }
  const urls: string[] = []
  let method: string | undefined
  let data: string | undefined
  let written = ''
  let head = false
  const argument = (option: string): string => {
    const value = rest.shift()
    if (value === undefined) throw new Error(`-${option} lacks its value in: ${command}`)
    return value
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      urls.push(word)
      continue
    }
    for (const option of word.slice(1)) {
      if (option === 's') continue
      if (option === 'i') {
        head = true
        continue
      }
      const value = argument(option)
      if (option === 'X') method = value
      else if (option === 'w') written = value
      else if (option === 'd') data = value
      else if (option === 'H') {
        const colon = value.indexOf(': ')
        if (colon < 1) throw new Error(`No header: ${value}`)
        headers[value.slice(0, colon)] = value.slice(colon + 2)
      } else throw new Error(`This parser does not know -${option}, in: ${command}`)
    }
  }
  if (urls.length !== 1) throw new Error(`One URL is needed in: ${command}`)
  // Without a Content-Type, curl would send the body as a form.
  if (data !== undefined && headers['Content-Type'] === undefined) throw new Error(`No Content-Type in: ${command}`)
  method ??= data === undefined ? 'GET' : 'POST'
  return { url: new URL(urls[0] as string), method, headers, data, head, written, grep }
}

/** Returns the output of a curl command. It sends the request to `port` of 127.0.0.1, whatever port the command names. */
export function curl(command: string, port: number): Promise<string> {
  const { url, method, headers, data, head, written, grep } = parseCurl(command)
  if (url.hostname !== '127.0.0.1') throw new Error(`The examples listen on 127.0.0.1, not ${url.hostname}`)
  const path = url.pathname + url.search
  return new Promise((done, fail) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('error', fail)
      answer.on('end', () => {
        const end = written.replaceAll('%{http_code}', String(answer.statusCode)).replaceAll('\\n', '\n')
        const printed = `${head ? headOf(answer) : ''}${body}${end}`
        done(grep === undefined ? printed : matching(printed, grep))
      })
    })
    sent.on('error', fail)
    sent.setTimeout(10_000, () => sent.destroy(new Error(`No answer to ${command}`)))
    sent.end(data)
  })
}

/** Returns the status line and the header fields as `-i` prints them, without carriage returns. */
function headOf({ httpVersion, statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const fields = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  return [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`, ...fields, '', ''].join('\n')
}

function matching(text: string, grep: RegExp): string {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines
    .filter((line) => grep.test(line))
    .map((line) => `${line}\n`)
    .join('')
}
