import { serving } from '../lib/sockets.mjs'
import { carriers } from './carriers.mjs'

const CHOSEN = new Set([
  ...['floor', 'control', 'vary', 'accept', 'one-accept', 'evr-accept', 'floor-query', 'query', 'one-query'],
  ...['floor-path', 'path', 'nest', 'nest-uri'],
])

export const sockets = {
  id: 'sockets',
  driver: serving,
  generations: 1,
  rounds: 5,
  title: 'Over sockets, Express 5',
  about:
    "The server's CPU time; autocannon asks from another process, over 16 loopback connections. An operation is 1,000 requests.",
  cases: carriers(5)
    .cases.filter(({ id }) => CHOSEN.has(id))
    .map(({ limits: _, ...entry }) => ({ ...entry, reference: true })),
}
