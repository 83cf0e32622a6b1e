// The words for numbers.

const NUMBERS = new Intl.NumberFormat('en')

/** Writes a number, and what it counts. */
export function countOf(count: number, one = '', many = one === '' ? '' : `${one}s`): string {
  return `${NUMBERS.format(count)} ${count === 1 ? one : many}`.trimEnd()
}

/** Writes a part of all in percent. A small part does not become 0 %, nor a large one 100 %. */
export function shareOf(share: number): string {
  const percent = Math.round(share * 1000) / 10
  if (share > 0 && percent === 0) return 'under 0.1 %'
  if (share < 1 && percent === 100) return 'over 99.9 %'
  return `${percent} %`
}
