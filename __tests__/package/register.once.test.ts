import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

test('an app that registers its table and versions has both typed: fixtures/register compiles, its expected errors being errors', () => {
  const tsc = require.resolve('typescript/bin/tsc')
  expect(() =>
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', join(__dirname, '../fixtures/register')], {
      encoding: 'utf8',
    }),
  ).not.toThrow()
}, 60_000)
