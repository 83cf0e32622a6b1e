// `record` and `compare`: the responses of an app before and after a change.
import { service } from '../support/behind'
import { ended, read, write } from '../support/folder'

/** An app: a list of users, one that is made, a page, bytes, and what it was asked. */
async function app({ name = 'Ada', spaces = '', etag = '"1"', more = {} as object } = {}) {
  const asked: unknown[] = []
  let count = 0
  const origin = await service(async (req, res) => {
    let body = ''
    for await (const piece of req) body += piece
    asked.push([req.method, req.url, req.headers['x-key'], body])
    const json = (value: object, status = 200, fields = {}) =>
      res
        .writeHead(status, { 'Content-Type': 'application/json', ETag: etag, ...fields })
        .end(JSON.stringify(value) + spaces)
    if (req.url === '/photo')
      res.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.from([0xff, count && 0xff]))
    else if (req.url === '/page') res.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>')
    else if (req.url === '/broken') json([], 200).end()
    else if (req.method === 'POST') json({ id: ++count, ...JSON.parse(body) }, 201, { Location: `/users/${count}` })
    else json({ 'a/b': [{ name, at: ++count }], ...more })
  })
  return { origin, asked }
}
const HTTP = `# users
GET /users

### make one
POST {{host}}/users HTTP/1.1
Content-Type: application/json
Content-Length: 999
# no comment of JSON
X-Key: of-file

{"name":"Alan"}


###
/page
###
GET /photo
###
`
write('requests.http', HTTP)
const lines = (text: string) => text.trimEnd().split('\n')

test('what stays is the same, and what changes by itself is volatile', async () => {
  const { origin, asked } = await app()
  const { code, out, err } = await ended(`record requests.http --to ${origin} --out recorded.json`)
  expect([code, err]).toEqual([0, ''])
  expect(lines(out)).toEqual([
    '4 responses are recorded in recorded.json.',
    'These places are volatile, and are not compared:',
    '  GET /users body./a~1b/0/at',
    '  POST /users headers.location',
    '  POST /users body./id',
  ])
  expect(asked.slice(0, 4)).toEqual([
    ['GET', '/users', undefined, ''],
    ['POST', '/users', 'of-file', '{"name":"Alan"}'],
    ['GET', '/page', undefined, ''],
    ['GET', '/photo', undefined, ''],
  ])
  expect(asked).toHaveLength(8)
  const there =
    "express-versioning: 'recorded.json' is there already. Give the recording another name, or remove that one.\n"
  expect(await ended(`record requests.http --to ${origin} --out recorded.json`)).toEqual({
    code: 1,
    out: '',
    err: there,
  })
  expect(asked).toHaveLength(8)
  expect(JSON.parse(read('recorded.json'))[0].response).toMatchObject({ status: 200, headers: { etag: 'present' } })
  const same = { code: 0, out: '4 of 4 responses are the same.\n', err: '' }
  expect(await ended(`compare recorded.json --to ${(await app({ etag: '"2"' })).origin}`)).toEqual(same)
})

test('an app whose data the requests change is asked once, and what it made is compared', async () => {
  const { origin, asked } = await app()
  const { out } = await ended(`record requests.http --to ${origin} --out once.json --once`)
  expect([out, asked.length]).toEqual(['4 responses are recorded in once.json.\n', 4])
  const { code, out: differences } = await ended(`compare once.json --to ${origin}`)
  expect([code, lines(differences)]).toEqual([1, expect.arrayContaining(['  body./id: 2 -> 4'])])
  expect(await ended(`compare once.json --to ${(await app()).origin}`)).toMatchObject({ code: 0 })
})

test('URLs of the app itself are the same at another address, and those of others are not', async () => {
  const location = (url?: string) =>
    service((req, res) => {
      res.writeHead(302, { Location: `${url ?? `http://${req.headers.host}`}/new`, Link: '</next>; rel="next"' }).end()
    })
  write('moved.http', 'GET /old\n')
  const own = await location()
  await ended(`record moved.http --to ${own} --out moved.json`)
  expect(await ended(`compare moved.json --to ${await location()}`)).toMatchObject({ code: 0 })
  const { out } = await ended(`compare moved.json --to ${await location(own)}`)
  expect(lines(out)[1]).toBe(`  headers.location: "/new" -> "${own}/new"`)
})

test('differences are places with both values', async () => {
  const words = `--ignore body./*/*/at --ignore HEADERS.etag`
  const { origin } = await app()
  write('short.http', 'GET /users')
  await ended(`record short.http --to ${origin} --out short.json ${words}`)
  const other = await app({ name: 'x'.repeat(200), more: { added: null } })
  const { code, out } = await ended(`compare short.json --to ${other.origin}`)
  expect(code).toBe(1)
  expect(lines(out)).toEqual([
    'GET /users',
    `  body./a~1b/0/name: "Ada" -> "${'x'.repeat(119)}...`,
    '  body./added: nothing -> null',
    '0 of 1 responses are the same.',
  ])
  const many = await app({ more: Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`p${at}`, at])) })
  expect(lines((await ended(`compare short.json --to ${many.origin}`)).out).at(-2)).toBe('  and 4 more')
  const away = {
    code: 1,
    out: expect.stringMatching(/status: 200 -> 404\n {2}headers.content-type: "application\/json" -> nothing/),
  }
  const nothing = await service((_req, res) => res.writeHead(404).end())
  expect(await ended(`compare short.json --to ${nothing}`)).toMatchObject(away)
})

test('JSON is compared byte for byte, or as values', async () => {
  const still = (spaces: string) =>
    service((_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(`{"a":1${spaces}}`))
  write('one.http', 'GET /')
  await ended(`record one.http --to ${await still('')} --out one.json`)
  const spaced = await still(' ')
  expect(await ended(`compare one.json --to ${spaced}`)).toMatchObject({
    code: 1,
    out: 'GET /\n  body: "{\\"a\\":1}" -> "{\\"a\\":1 }"\n0 of 1 responses are the same.\n',
  })
  expect(await ended(`compare one.json --to ${spaced} --as json`)).toMatchObject({ code: 0 })
  const broken = await service((_req, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end('{'))
  expect(await ended(`compare one.json --to ${broken} --as json`)).toMatchObject({ code: 1 })
})

test('bytes that are no text', async () => {
  const bytes = (last: number) => service((_req, res) => res.writeHead(200).end(Buffer.from([0xff, last])))
  write('bytes.http', 'GET /')
  await ended(`record bytes.http --to ${await bytes(1)} --out bytes.json`)
  expect((await ended(`compare bytes.json --to ${await bytes(1)}`)).code).toBe(0)
  expect((await ended(`compare bytes.json --to ${await bytes(2)}`)).out).toContain('body/base64: "/wE=" -> "/wI="')
})

const HAR = (urls: string[]) => ({
  log: {
    entries: urls.map((url) => ({
      request: {
        ...{ method: 'POST', url, postData: { text: '{"a":1}' } },
        headers: [
          { name: ':authority', value: 'x' },
          { name: 'Host', value: 'x' },
          { name: 'X-Key', value: 'of-har' },
        ],
      },
    })),
  },
})
const LOG = (lines: string[]) =>
  lines.map((line) => `10.0.0.1 - ada [10/Oct/2025:13:55:36 +0000] ${line} 200 12 "-" "curl"`).join('\n')

test.each<[name: string, content: unknown, words: string, sent: unknown[]]>([
  [
    'HAR, of the first host',
    HAR(['https://api.example/a?b=c', 'https://cdn.example/d', 'about']),
    '',
    [['POST', '/base/a?b=c', 'of-har', '{"a":1}']],
  ],
  [
    'an access log: each GET and HEAD once',
    LOG(['"GET /a?b HTTP/1.1"', '"POST /a HTTP/1.1"', '"GET /a?b HTTP/1.1"', '"HEAD /c"', '"-"']),
    '--header X-Key:of-words',
    [
      ['GET', '/base/a?b', 'of-words', ''],
      ['HEAD', '/base/c', 'of-words', ''],
    ],
  ],
  ['absolute URLs', 'GET http://localhost:9/a\nX-Key: 1', '', [['GET', '/base/a', '1', '']]],
  [
    'minimal HAR',
    { log: { entries: [{ request: { method: 'GET', url: 'http://a/b' } }] } },
    '',
    [['GET', '/base/b', undefined, '']],
  ],
])('%s', async (name, content, words, sent) => {
  const { origin, asked } = await app()
  const file = `${name.slice(0, 2)}.list`
  write(file, content)
  await ended(`record ${file} --to ${origin}/base/ --out ${file}.json ${words}`)
  expect(asked.slice(0, asked.length / 2)).toEqual(sent)
})

test('of a recording of several hosts, the requests of the app count', async () => {
  const { origin, asked } = await app()
  write('hosts.http', `GET https://cdn.example/a\n###\nGET ${origin}/b`)
  await ended(`record hosts.http --to ${origin} --out hosts.json`)
  expect(asked).toHaveLength(2)
  expect(asked[0]).toEqual(['GET', '/b', undefined, ''])
})

write('empty.http', '# nothing\n\n###\n')
write('odd.http', 'GET users')
write('bare.http', '')
write('words.http', 'three words here')
write('fields.http', 'GET /\nnothing here')
write('other.json', '{"log":{}}')
write('list.json', '[{}]')
const TO = '--to http://127.0.0.1:1'
test.each<[words: string, says: string]>([
  [
    'record',
    'record takes one file: npx express-versioning record ./requests.txt --to http://127.0.0.1:3000 --out recorded.json',
  ],
  ['compare a b', 'compare takes one file: npx express-versioning compare recorded.json --to http://127.0.0.1:3000'],
  ['record requests.http --out a.json', '--to takes the URL of the app'],
  [`record requests.http ${TO}`, '--out is missing'],
  [`compare recorded.json ${TO} --as text`, '--as takes "json"'],
  [`record nowhere.http ${TO} --out a.json`, 'ENOENT'],
  [`record empty.http ${TO} --out a.json`, "there are no requests in 'empty.http'"],
  [`record bare.http ${TO} --out a.json`, "there are no requests in 'bare.http'"],
  [`record words.http ${TO} --out a.json`, "'three words here' is no request"],
  [`record odd.http ${TO} --out a.json`, "'GET users' is no request"],
  [`record fields.http ${TO} --out a.json`, "'nothing here' is no header field"],
  [`record requests.http ${TO} --out a.json`, 'GET /users: no response of 127.0.0.1:1: '],
  ['record requests.http --to https://127.0.0.1:1 --out a.json', 'no response of 127.0.0.1:1: '],
  [`record list.json ${TO} --out a.json`, "'[{}]' is no request"],
  [`compare other.json ${TO}`, 'is no file of record'],
  [`compare list.json ${TO}`, 'is no file of record'],
  [`compare odd.http ${TO}`, 'is no file of record'],
])('%s', async (words, says) => {
  const { code, err } = await ended(words)
  expect([code, err]).toEqual([1, expect.stringContaining(says)])
})
