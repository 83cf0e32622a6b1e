// Sends requests over sockets, from a process of its own, so that the server's CPU time is the server's alone.
import autocannon from 'autocannon'

const CONNECTIONS = 16

process.on('message', async ({ port, path, headers, amount }) => {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    headers,
    amount: Math.max(amount, CONNECTIONS),
    connections: CONNECTIONS,
    // It ends at a tick of these milliseconds only, and the server would wait for it.
    sampleInt: 20,
  })
  process.send({ responded: result['2xx'], wrong: result.non2xx + result.errors + result.timeouts })
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
