import { near } from '../../src/util/suggest'

// A client may have chosen the word, and a table may have any number of names: what a search costs has bounds.

test('words of more than 64 characters have no near ones', () => {
  expect(near('x'.repeat(64), ['x'.repeat(65)])).toEqual(['x'.repeat(65)])
  expect(near('x'.repeat(65), ['x'.repeat(65)])).toEqual([])
})

test('of very many names that are alike, only the first are looked at', () => {
  const word = 'abcdefgh'.repeat(8)
  const twisted = [...word].reverse().join('')
  const among = (before: number) => near(word, [...Array<string>(before).fill(twisted), word])
  expect([among(100), among(200)]).toEqual([[word], []])
})

test('names that differ in length or letters cost nothing, however many come first', () => {
  const word = 'abcdefgh'.repeat(8)
  expect(near(word, [...Array<string>(10_000).fill('abcdefgh'), word])).toEqual([word])
  expect(near(word, [...Array<string>(10_000).fill('stuvwxyz'.repeat(8)), word])).toEqual([word])
})
