// Today's shop as a service in a process of its own. A request for `/reset` lets it begin again.
import { createServer } from 'node:http'
import { todaysApp } from './express-shop'

let app = todaysApp()
const server = createServer((req, res) => {
  if (req.url !== '/reset') return app(req, res)
  app = todaysApp()
  res.end()
})
server.listen(0, '127.0.0.1')
process.once('disconnect', () => process.exit())
