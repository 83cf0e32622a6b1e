import { ServerResponse } from 'node:http'
import { dropNamesOfBytes, isBodyless, isSuccess, withoutNamesOfBytes } from '../../src/http/representation'
import { appendVary, dropVary } from '../../src/http/vary'
import { run } from '../support/dispatch'

test.each<[before: string | string[] | undefined, dropped: string[], after: string | undefined]>([
  [undefined, ['Accept'], undefined],
  ['Accept', ['accept'], undefined],
  ['Accept, Origin', ['ACCEPT'], 'Origin'],
  [' Origin ,,Accept-Language', ['Accept'], 'Origin, Accept-Language'],
  [['Accept', 'Origin'], ['Accept', 'X'], 'Origin'],
  ['*', ['Accept'], '*'],
])('Vary %j without %j: %j', (before, dropped, after) => {
  const res = new ServerResponse({ method: 'GET' } as never)
  if (before !== undefined) res.setHeader('Vary', before)
  dropVary(res as never, dropped)
  expect(res.getHeader('Vary')).toBe(after)
})

test.each<[before: string | undefined, added: string, after: string | undefined]>([
  [undefined, 'Accept, Host', 'Accept, Host'],
  ['Origin', 'Accept, Host', 'Origin, Accept, Host'],
  ['accept', 'Accept', 'accept'],
  ['sent', 'Accept', undefined],
])('Vary %j with %j: %j', (before, added, after) => {
  const { res } = run(
    (_req, res) => {
      if (before === 'sent') res.flushHeaders()
      else if (before !== undefined) res.setHeader('Vary', before)
      appendVary(res, added)
    },
    { url: '/' },
  )
  expect(res.getHeader('Vary')).toBe(after)
})

test('the names of bytes are dropped from fields and trailers, in any letter case', () => {
  const res = new ServerResponse({ method: 'GET' } as never)
  for (const name of ['ETag', 'content-digest', 'Digest', 'X-Kept']) res.setHeader(name, 'x')
  dropNamesOfBytes(res)
  expect(res.getHeaderNames()).toEqual(['x-kept'])
  const kept = [['X-Kept', 'x']]
  expect(withoutNamesOfBytes({ 'Repr-Digest': 'x', 'X-Kept': 'x' })).toEqual(kept)
  expect(
    withoutNamesOfBytes([
      ['content-md5', 'x'],
      ['X-Kept', 'x'],
    ]),
  ).toEqual(kept)
})

test('statuses without a body, and successes with one', () => {
  const statuses = [100, 199, 200, 201, 204, 205, 206, 303, 304, 305, 404]
  expect(statuses.filter(isBodyless)).toEqual([100, 199, 204, 205, 304])
  expect(statuses.filter(isSuccess)).toEqual([200, 201, 206])
})
