import { request } from 'node:http'

/** A curl command, as far as the README and the examples use them. */
interface Curl {
  url: URL
  method: string
  headers: Record<string, string>
  /** What `-w` prints after the body. */
  written: string
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

function parseCurl(command: string): Curl {
  const [program, ...rest] = words(command)
  if (program !== 'curl') throw new Error(`Not a curl command: ${command}`)
  const headers: Record<string, string> = { Accept: '*/*' }
  const urls: string[] = []
  let method = 'GET'
  let written = ''
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
      const value = argument(option)
      if (option === 'X') method = value
      else if (option === 'w') written = value
      else if (option === 'H') {
        const colon = value.indexOf(': ')
        if (colon < 1) throw new Error(`No header: ${value}`)
        headers[value.slice(0, colon)] = value.slice(colon + 2)
      } else throw new Error(`This parser does not know -${option}, in: ${command}`)
    }
  }
  if (urls.length !== 1) throw new Error(`One URL is needed in: ${command}`)
  return { url: new URL(urls[0] as string), method, headers, written }
}

/** What a curl command prints; sent to `port` of 127.0.0.1, whatever port it names. */
export function curl(command: string, port: number): Promise<string> {
  const { url, method, headers, written } = parseCurl(command)
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
        done(body + written.replaceAll('%{http_code}', String(answer.statusCode)).replaceAll('\\n', '\n'))
      })
    })
    sent.on('error', fail)
    sent.setTimeout(10_000, () => sent.destroy(new Error(`No answer to ${command}`)))
    sent.end()
  })
}
