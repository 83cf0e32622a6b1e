import { connect } from 'node:net'
import { REACHED, type Reached } from './places'

/** A request, byte for byte (one byte a character). A broken one may be no request or several, and needs no response. */
export type Sent = { readonly bytes: string; readonly broken: boolean }

/** The response; without a status, none came. `hangs`: nothing came, and the app did not close the socket either. */
export type HttpResponse = { status: number | undefined; reached: readonly Reached[]; hangs: boolean }

/** Sends a request through a socket of its own. */
export function ask(port: number, { bytes, broken }: Sent): Promise<HttpResponse> {
  return new Promise((done) => {
    let received = ''
    let hangs = false
    const socket = connect(port, '127.0.0.1')
    socket.setEncoding('latin1')
    socket.setTimeout(10_000, () => {
      hangs = received === ''
      socket.destroy()
    })
    socket.on('data', (text) => {
      received += text
      // The response to one request arrives in one piece, but broken bytes may be several requests.
      if (!broken) socket.destroy()
    })
    // A reset is an end too.
    socket.on('error', () => {})
    socket.on('close', () => {
      const heads: string[] = received.match(/^HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/gm) ?? []
      const [status] = heads.map((head) => Number(head.slice(9, 12))).sort((a, b) => b - a)
      done({ status, reached: heads.flatMap(reachedOf), hangs })
    })
    // The end of the stream keeps Node from waiting for the rest of half a request.
    if (broken) socket.end(bytes, 'latin1')
    else socket.write(bytes, 'latin1')
  })
}

function reachedOf(head: string): readonly Reached[] {
  const text = new RegExp(`^${REACHED}: (.*)$`, 'm').exec(head)?.[1]
  return JSON.parse(`[${text ?? ''}]`)
}
