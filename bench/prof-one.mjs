import { SUITES } from './suites/index.mjs'
import { dispatching } from './lib/dispatch.mjs'
const [suiteId, a, b] = process.argv.slice(2)
const suite = SUITES.find(({ id }) => id === suiteId)
const ops = []
for (const id of [a, b].filter(Boolean)) {
  const c = suite.cases.find((x) => x.id === id)
  const made = await (c.make ?? c.setup ?? c.prepare)(  )
  ops.push(await dispatching(made.handler, made.spec))
}
const time = async (op, n) => { const t = process.cpuUsage(); await op(n); const u = process.cpuUsage(t); return (u.user + u.system) / n }
for (const op of ops) await op(Number(process.env.WARM ?? 60000))
const best = ops.map(() => Infinity)
for (let r = 0; r < 30; r++) for (let i = 0; i < ops.length; i++) best[i] = Math.min(best[i], await time(ops[i], Number(process.env.BATCH ?? 3000)))
console.log(best.map((x) => x.toFixed(2)), ops.length > 1 ? (best[1] / best[0]).toFixed(3) : '')
