/** @param {readonly number[]} values */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at))
}

export function median(values) {
  return quantile(values, 0.5)
}

/** Median and the middle half of some values. */
export function summary(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75), count: values.length }
}
