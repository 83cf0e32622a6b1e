// The values of samples.
import type { Sample } from './client'

/** Adds up counts, and rounds them. */
export function sumOf(samples: readonly Sample[]): number {
  return Math.round(samples.reduce((sum, { value }) => sum + value, 0))
}

/** Makes a date of seconds since 1970. */
export function timeOf(seconds: number): Date {
  return new Date(Math.round(seconds * 1000))
}

/** Adds up requests. */
export function totalOf(all: readonly { readonly requests: number }[]): number {
  return all.reduce((sum, { requests }) => sum + requests, 0)
}
