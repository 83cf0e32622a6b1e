import { problemDetails, VersioningError } from 'express-versioning'
import fc from 'fast-check'
import { codePoint } from '../support/code-points'
import { run } from '../support/dispatch'
import { property } from '../support/property'

const refusal = new VersioningError('Refused.', { status: 404, code: 'ERR_VERSION_NOT_FOUND' })
const problems = problemDetails({ instance: true })

/** The `instance` of a refusal of this target, however it got there. */
function instanceOf(target: string): string {
  let body = ''
  run(
    (req, res, next) => {
      res.end = ((text: string) => {
        body = text
        return res
      }) as typeof res.end
      problems(refusal, req, res, next)
    },
    { url: target },
  )
  return JSON.parse(body).instance
}

const BASES = ['http://api.example.com/x', 'https://api.example.com:8443/x/y?z']

test.each<[target: string, instance: string]>([
  ['/users?x', '/users'],
  ['/a%20b', '/a%20b'],
  ["/~a.b-c_d!$&'()*+,;=:@", "/~a.b-c_d!$&'()*+,;=:@"],
  ['/"<b>^`{|}', '/%22%3Cb%3E%5E%60%7B%7C%7D'],
  ['//evil.example/users', '/.//evil.example/users'],
  ['///evil.example', '/.///evil.example'],
  ['/\\evil.example', '/%5Cevil.example'],
  ['/\\/evil.example', '/%5C/evil.example'],
  ['\\\\evil.example', '/.//evil.example'],
  ['/\t/evil.example', '/%09/evil.example'],
  ['\t//evil.example', '/.//evil.example'],
  ['/\r\n/evil.example', '/%0D%0A/evil.example'],
  ['http://evil.example/users?x', '/users'],
  ['http://evil.example', '/'],
  ['http://evil.example//other.example', '/.//other.example'],
  ['http:/evil.example', '/evil.example'],
  ['http:evil.example', '/evil.example'],
  ['javascript:alert(1)', '/alert(1)'],
  ['/users\xe9', '/users%C3%A9'],
  ['/\ud800', '/%EF%BF%BD'],
  ['*', '/*'],
  ['', '/'],
  ['/.//evil.example', '/.//evil.example'],
])('instance of %j: %j', (target, instance) => {
  expect(instanceOf(target)).toBe(instance)
  for (const base of BASES) expect(new URL(instance, base).origin).toBe(new URL(base).origin)
})

const piece = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '\\',
    '\t',
    '\n',
    '\r',
    ' ',
    '\0',
    ':',
    '@',
    '?',
    '#',
    '.',
    '..',
    '%2e',
    '%5c',
    '%2f',
    '*',
  ),
  fc.constantFrom(
    'http:',
    'https:',
    'HTTP://',
    'ftp://',
    'javascript:',
    'data:',
    'file:///',
    'evil.example',
    '[::1]',
    'u:p@',
  ),
  fc.string({ unit: codePoint }),
)
const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))

property(
  'a browser resolves instance to the host that answered, whatever was asked',
  fc.property(target, fc.constantFrom(...BASES), (asked, base) => {
    const instance = instanceOf(asked)
    expect(instance).toMatch(/^\/(?!\/)[!-~]*$/)
    expect(new URL(instance, base).origin).toBe(new URL(base).origin)
  }),
)
