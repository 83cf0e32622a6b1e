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

/** The units of lengths of time, in seconds. */
const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Writes a length of time, in seconds. */
export function lengthText(seconds: number): string {
  const exact = Math.round(seconds * 1000) / 1000
  const [size, unit] = UNITS.find(([size]) => exact >= size) ?? [1, 'second']
  const count = Math.floor((exact / size) * 10) / 10
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Writes a number of days that ends now. */
export function daysText(days: number): string {
  return `the last ${lengthText(days * 86_400).replace(/^1 /, '')}`
}
