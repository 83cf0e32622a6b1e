import { appendFileSync } from 'node:fs'

/** Notes a figure for the table that `npm run prove` prints; does nothing elsewhere. */
export function figure(line: Record<string, unknown>): void {
  const file = process.env.PROVE_REPORT
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
