import { AcceptParameter, plainForm, UNUSABLE } from '../../src/http/accept'

type Answer = ReturnType<AcceptParameter['read']>

describe('AcceptParameter, any media type', () => {
  const cases: [header: string | undefined, answer: Answer][] = [
    // absent
    [undefined, undefined],
    ['', undefined],
    [' \t', undefined],
    [',', undefined],
    [' , ,\t,', undefined],
    ['application/json', undefined],
    ['text/html, application/json', undefined],
    ['application/json; charset=utf-8', undefined],
    ['application/json;', undefined],
    ['application/json;;', undefined],
    ['application/json; versions=1; xversion=2', undefined],
    ['application/json; a="version=2"', undefined],
    ['application/json; a="; version=2"', undefined],
    ['application/version; a=version', undefined],
    // spelling
    ['application/json; version=1.0', '1.0'],
    ['application/json;version=1.0', '1.0'],
    ['application/json \t;\t version \t=\t 1.0 \t', '1.0'],
    ['APPLICATION/JSON; VeRsIoN=V1', 'V1'],
    ['*/*; version=2', '2'],
    [';version=2,*/*;version=3', '3'],
    ['application/json; version=1; q=0.5', '1'],
    ['application/json; q=0.5; version=1', '1'],
    ['application/json; a=b; ; version=1;', '1'],
    ['application/json; version=a=b', 'a=b'],
    ['application/json; version=1\\.0', '1\\.0'],
    ['application/json; version=\xe9', '\xe9'],
    // quoted strings
    ['application/json; version="1.0"', '1.0'],
    ['application/json; version = "1.0" ; q=1', '1.0'],
    ['application/json; version="1\\.0"', '1.0'],
    ['application/json; version="\\\\\\""', '\\"'],
    ['application/json; version=""', ''],
    ['application/json; version=" a b "', ' a b '],
    ['application/json; version="1,2;3"', '1,2;3'],
    ['application/json; a="x,\\",;"; version=2', '2'],
    ['application/json; a="x,"; version=2', '2'],
    ['text/html; q=0.1; a=",", application/json; version="2"', '2'],
    // a double quote that does not begin a value is a character
    ['a/b; c=d"; version=1, e/f; g="', '1'],
    ['a/b; "c; version=1', '1'],
    // twice
    ['application/json; version=1; version=1', '1'],
    ['application/json; version=1; VERSION="\\1"', '1'],
    ['application/json; version=1; version=2', UNUSABLE],
    ['application/json; version=""; version=1', UNUSABLE],
    ['application/json; version=1; version', UNUSABLE],
    // unusable
    ['application/json; version', UNUSABLE],
    ['application/json; version ; q=1', UNUSABLE],
    ['application/json; version=', UNUSABLE],
    ['application/json; version= \t', UNUSABLE],
    ['application/json; version=;', UNUSABLE],
    ['application/json; version="1', UNUSABLE],
    ['application/json; version="', UNUSABLE],
    ['application/json; version="1\\', UNUSABLE],
    ['application/json; version="1\\"', UNUSABLE],
    ['application/json; version="1"0', UNUSABLE],
    ['application/json; version="1" "2"', UNUSABLE],
    ['application/json; version=1"', UNUSABLE],
    ['application/json; version=1 2', UNUSABLE],
    ['application/json; version=1\t2', UNUSABLE],
    ['application/json; version=1\x002', UNUSABLE],
    ['application/json; version=1\x7f', UNUSABLE],
    ['application/json; version="1" ;', '1'],
    ['application/json; version="1";;', '1'],
    // what the parser drops, or reads as a part of something else
    ['application/json; a="1"version=2', UNUSABLE],
    ['application/json; a="1" version=2', UNUSABLE],
    ['application/json; a=b version=2', UNUSABLE],
    ['application/json; a="b"; version=2', '2'],
    ['application/json; a="b"c; version=2', '2'],
    ['application/json; a; version=2', '2'],
    ['application/json; xversion', UNUSABLE],
    ['application/json; version=1; xversion=2', '1'],
    ['application/json, text/html; version', UNUSABLE],
    ['application/json, text/html; a="version=1', UNUSABLE],
    ['application/json, text/version', undefined],
    ['application/json, text/version, text/html; version=1', '1'],
    // an unterminated quote elsewhere
    ['application/json; a="x; version=2', UNUSABLE],
    ['application/json; a="x, text/html; VERSION=2', UNUSABLE],
    ['application/json; version=2; a="x', UNUSABLE],
    ['application/json; a="x', undefined],
    ['text/html; version=1, application/json; q=0.5; a="version', '1'],
    // weight, specificity, order
    ['a/b; version=1; q=0.5, c/d; version=2; q=0.9', '2'],
    ['a/b; version=1; q=0.5, c/d; q=0.9', undefined],
    ['*/*; version=1, a/*; version=2, a/b; version=3', '3'],
    ['*/*; version=1, a/*; version=2', '2'],
    ['*/*; version=1, */b; version=2', '2'],
    ['*/b; version=1, a/*; version=2', '2'],
    ['a/*; version=1, a/b*; version=2', '2'],
    ['a/*; version=1, a/b/*; version=2', '2'],
    ['*/*; version=1; q=0.9, a/b; version=2; q=0.8', '1'],
    ['a/b, c/d; version=2', '2'],
    ['a/b, c/d; x=y, c/d; version=2', undefined],
    ['*/*; version=1, a/b', undefined],
    ['a/b; q=1, c/d; version', UNUSABLE],
    ['a/b;;, a/b;version=1', '1'],
    ['a/b;=x, a/b;version=1', undefined],
    ['a/b;version=2;q=0.7, c/d;q="0.5', undefined],
    ['/b;x=1;version=1', '1'],
    ['a/b; version=1, c/d; version=2', '1'],
    ['a/b; version=2, a/b; version=1', '2'],
    // malformed weights, as negotiator reads them
    ['a/b; q=; version=1, c/d; version=2; q=0.9', '1'],
    ['a/b; q; version=1, c/d; version=2; q=0.9', '1'],
    ['a/b; x=0.5; q; version=1, c/d; version=2; q=0.9', '1'],
    ['a/b; q=5; version=1, c/d; version=2', '1'],
    ['a/b; q=1; version=1, c/d; version=2; q=5', '2'],
    ['a/b; q="0.5"; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; q=0.5x; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; q=0.5; q=1; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; Q=0.5; version=1, c/d; version=2; q=0.6', '2'],
    ['a/b; q=x; version=1, c/d; version=2; q=0.1', '2'],
    // nothing can be chosen
    ['a/b; q=0; version=1', undefined],
    ['a/b; q=0.000; version=1, */*; q=0', undefined],
    ['a/b; q=-0; version=1', undefined],
    ['a/b; q=x', undefined],
    ['a/b; q=x; version=1', UNUSABLE],
    ['a/b; q=x, c/d; q=-1; version=1', UNUSABLE],
    ['a/b; q=0x; version=1', UNUSABLE],
    ['a/b; q=" "; version=1', UNUSABLE],
    ['json', undefined],
    ['json; q=1', undefined],
    ['json; version=1', UNUSABLE],
    ['; version=1', UNUSABLE],
    ['json; version=1, a/b; q=0', UNUSABLE],
    ['json; version=1, a/b', undefined],
    ['json, a/b; version=1; q=0', undefined],
    // Java's URLConnection
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', undefined],
  ]
  it.each(cases)('%j -> %p', (header, answer) => {
    expect(new AcceptParameter('version', undefined).read(header)).toBe(answer)
  })
})

describe('plainForm', () => {
  const TYPES = 'application/json application/vnd.acme+json text/html'
  it.each<[header: string, types: string | undefined, value: string | undefined | null]>([
    ['a/b;version=1', undefined, '1'],
    ['a/b; version=v1.0~beta-2_x', undefined, 'v1.0~beta-2_x'],
    ['A/B;\t VERSION=Z', undefined, 'Z'],
    ['a/b', undefined, undefined],
    ['*/*', undefined, undefined],
    ['application/json; version=1', TYPES, '1'],
    ['APPLICATION/JSON', TYPES, undefined],
    ['application/vnd.acme+json;version=2', TYPES, '2'],
    ['text/html;version=3', TYPES, '3'],
    ['*/*; version=4', TYPES, '4'],
    // null: it does not match, and negotiation reads it
    ['', undefined, null],
    ['a', undefined, null],
    ['/b', undefined, null],
    ['a/', undefined, null],
  ])('%j, %p -> %p', (header, types, value) => {
    const match = plainForm('version', types?.split(' ')).exec(header)
    expect(match === null ? null : match[1]).toBe(value)
  })

  it.each(['v.1', 'a+b', 'x*', '$^', 'a|b', "!#%&'-_`~"])('the parameter %s stands for itself', (name) => {
    const form = plainForm(name, undefined)
    expect(form.exec(`a/b; ${name}=1`)?.[1]).toBe('1')
    for (const other of ['vx1', 'aab', 'xx', '', 'a', 'b']) expect(form.test(`a/b; ${other}=1`)).toBe(false)
  })
})
