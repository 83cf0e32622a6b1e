import { connect, type Socket } from 'node:net'
import { NUMBER, REACHED, type Reached } from './places'

/** A request, byte for byte (one byte a character). */
export interface Sent {
  readonly bytes: string
  /** True if its answer has no body. */
  readonly head: boolean
  /** True if the bytes may be no request or several. They get their own socket, and need no answer. */
  readonly broken: boolean
}

/** The answer. Without a status, no answer came. */
export interface Answer {
  readonly status: number | undefined
  readonly reached: readonly Reached[]
  /** True if the app began an answer and never ended it. */
  readonly hangs: boolean
}

const LIMIT = 10_000
const DEPTH = 256

/** Tells whether the app is still busy with a request of this number. */
export type Busy = (number: number) => boolean

/**
 * Sends requests in pipelines. Node closes the socket at the first request that it cannot parse, so the rest are sent again
 * in shorter pipelines, and finally alone. The number in each request identifies its answer.
 */
export async function exchange(port: number, requests: readonly Sent[], busy: Busy): Promise<Answer[]> {
  const answers = new Map<number, Answer>()
  const wellFormed = [...requests.keys()].filter((index) => requests[index]?.broken === false)
  for (let depth = DEPTH; depth > 1; depth >>= 2) {
    const open = wellFormed.filter((index) => !answers.has(index))
    for (let at = 0; at < open.length; at += depth) {
      await pipeline(port, open.slice(at, at + depth), requests, answers)
    }
  }
  const alone = [...requests.keys()].filter((index) => !answers.has(index))
  const ask = async (index: number) => answers.set(index, await single(port, index, requests[index] as Sent, busy))
  for (let at = 0; at < alone.length; at += 16) await Promise.all(alone.slice(at, at + 16).map(ask))
  return [...requests.keys()].map((index) => answers.get(index) as Answer)
}

/** The bytes of a request with its number as the last header field. */
function numbered({ bytes }: Sent, index: number): string {
  const end = bytes.lastIndexOf('\r\n\r\n')
  return end === -1 ? bytes : `${bytes.slice(0, end)}\r\n${NUMBER}: ${index}${bytes.slice(end)}`
}

function open(port: number, onData: (text: string) => void, onClose: () => void): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.on('data', onData)
  // A reset is an end too.
  socket.on('error', () => {})
  socket.on('close', onClose)
  return socket
}

function pipeline(port: number, indexes: readonly number[], requests: readonly Sent[], answers: Map<number, Answer>) {
  return new Promise<void>((done) => {
    let left = indexes.length
    let received = ''
    const read = (text: string) => {
      received += text
      for (;;) {
        const end = received.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = received.slice(0, end)
        const status = statusOf(head)
        const interim = status >= 100 && status < 200
        const number = /^X-Number: (\d+)$/m.exec(head)?.[1]
        const index = Number(number)
        // Node's own answer is nobody's in a pipeline.
        if (number === undefined && !interim) return socket.destroy()
        const bare = interim || status === 204 || status === 304 || requests[index]?.head === true
        const length = bare ? 0 : Number(/^Content-Length: (\d+)$/im.exec(head)?.[1])
        if (Number.isNaN(length)) return socket.destroy()
        if (received.length < end + 4 + length) return
        received = received.slice(end + 4 + length)
        if (interim) continue
        answers.set(index, { status, reached: reachedOf(head), hangs: false })
        left--
        if (left === 0) return socket.destroy()
      }
    }
    const timer = setTimeout(() => socket.destroy(), LIMIT)
    const socket = open(port, read, () => {
      clearTimeout(timer)
      done()
    })
    socket.write(indexes.map((index) => numbered(requests[index] as Sent, index)).join(''), 'latin1')
  })
}

function single(port: number, index: number, sent: Sent, busy: Busy): Promise<Answer> {
  return new Promise((done) => {
    let received = ''
    let over = false
    const socket = open(
      port,
      (text) => {
        received += text
        // The answer to one request arrives in one piece, but broken bytes may be several requests.
        if (!sent.broken) socket.destroy()
      },
      () => {
        clearTimeout(timer)
        const heads = received.match(/^HTTP\/1\.1 \d{3}[\s\S]*?\r\n\r\n/gm) ?? []
        if (heads.length === 0) return done({ status: undefined, reached: [], hangs: over && busy(index) })
        done({ status: Math.max(...heads.map(statusOf)), reached: heads.flatMap(reachedOf), hangs: false })
      },
    )
    const timer = setTimeout(() => {
      over = true
      socket.destroy()
    }, LIMIT)
    const bytes = numbered(sent, index)
    // The end of the stream keeps Node from waiting for the rest of half a request.
    if (sent.broken) socket.end(bytes, 'latin1')
    else socket.write(bytes, 'latin1')
  })
}

function statusOf(head: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
}

function reachedOf(head: string): readonly Reached[] {
  const text = new RegExp(`^${REACHED}: (.*)$`, 'm').exec(head)?.[1]
  return text === undefined ? [] : (JSON.parse(`[${text}]`) as Reached[])
}
