// A service behind the gateway, in a process of its own. It could be in any language: it knows no versions.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

const users = [{ id: 1, given: 'Ada', family: 'Lovelace' }]

const server = createServer(async (req, res) => {
  const send = (status, body) => {
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
  const { pathname, searchParams } = new URL(req.url, 'http://service')
  if (req.method === 'POST' && pathname === '/users') {
    const sent = await json(req).catch(() => undefined)
    if (typeof sent?.given !== 'string' || typeof sent.family !== 'string') return send(400, { title: 'Bad Request' })
    users.push({ id: users.length + 1, given: sent.given, family: sent.family })
    return send(201, users.at(-1))
  }
  const limit = Number(searchParams.get('limit') ?? 20)
  if (req.method === 'GET' && pathname === '/users') return send(200, users.slice(0, limit))
  if (req.method === 'GET' && pathname === '/photo') return res.end('not JSON')
  send(404, { title: 'Not Found' })
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.once('disconnect', () => process.exit())
