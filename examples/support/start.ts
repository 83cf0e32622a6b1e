// The server of the examples: it prints requests to try. Your app needs nothing of it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Application, ErrorRequestHandler } from 'express'

/** A request to try, and the body and status that curl prints. */
export interface Try {
  path: string
  header?: string | readonly string[]
  /** JSON to post. */
  body?: string
  /** Extended regular expression: print the matching lines of status and headers instead. */
  grep?: string
  /** Output, as a list if there are several lines. */
  prints: string | readonly string[]
}

/** Responses every error as JSON, without internal messages. */
export const jsonErrors: ErrorRequestHandler = (err, _req, res, _next) => {
  res.status(err.status ?? 500).json({ error: err.expose ? err.message : 'Internal Server Error' })
}

/** Serves an app on PORT (default 3000) of 127.0.0.1 until Ctrl-C, and prints requests to try. `page` tells that `/` is a page. */
export function start(app: Application, tries: readonly Try[], { page = false } = {}): void {
  const port = process.env.PORT || '3000'
  const server = createServer(app)
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    console.error(
      `Port ${port} is in use. Choose another one, such as PORT=${Number(port) + 1}, or 0 for any free one.`,
    )
    process.exitCode = 1
  })
  server.listen(Number(port), '127.0.0.1', () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    console.log(`Listening on ${origin}. ${page ? 'Open it in a browser, or try' : 'Try'}, in another terminal:\n`)
    for (const { path, header, body, grep, prints } of tries) {
      const shows = grep === undefined ? `curl -sw ' %{http_code}\\n'` : 'curl -si'
      const option = [header ?? []].flat().map((one) => ` -H '${one}'`)
      const data = body === undefined ? '' : ` -H 'Content-Type: application/json' -d '${body}'`
      const pipe = grep === undefined ? '' : ` | grep -iE '${grep}'`
      const lines = [prints].flat().join('\n          ')
      console.log(`${shows} '${origin}${path}'${option.join('')}${data}${pipe}\n  prints  ${lines}\n`)
    }
    console.log('Ctrl-C stops it.')
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      server.close()
      server.closeAllConnections()
    })
  }
}
