// Splits patterns into alternatives and segments.
import type { Token } from 'path-to-regexp'

/** A segment with a parameter: any text except the empty one fits it. */
export const ANY: unique symbol = Symbol('any segment')

/** A path through a {@link PathIndex}: its segments, and whether longer paths belong to it too. */
export interface Branch {
  readonly segments: readonly (string | typeof ANY)[]
  readonly open: boolean
}

export type Branches = readonly Branch[]

/** The branch of all paths. */
export const EVERYWHERE: Branches = [{ segments: [], open: true }]

/** Removes the slashes at the end of a path. It is a loop because `/\/+$/` takes time in the square of the slashes. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path.charCodeAt(end - 1) === 47) end--
  return path.slice(0, end)
}

type FlatToken = Exclude<Token, { type: 'group' }>

/** Returns the alternatives of a pattern: each combination of its optional groups, taken or left out. */
export function alternativesOf(tokens: readonly Token[]): FlatToken[][] {
  let found: FlatToken[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'group') {
      const inner = alternativesOf(token.tokens)
      found = found.flatMap((before) => [...inner.map((group) => [...before, ...group]), before])
    } else {
      for (const alternative of found) alternative.push(token)
    }
  }
  return found
}

/**
 * Returns the branches for the paths that a pattern may match. They may hold more paths than the pattern matches, never
 * fewer.
 *
 * @param end `true` for a pattern that matches whole paths (a route), `false` for one that also matches longer paths (a
 *   mount).
 */
export function branchesOf(tokens: readonly Token[], end: boolean): Branches {
  return alternativesOf(tokens).map((alternative) => branchOf(alternative, end))
}

function branchOf(tokens: readonly FlatToken[], end: boolean): Branch {
  const first = tokens[0]
  if (first === undefined) return { segments: [], open: !end }
  if (first.type !== 'text' || !first.value.startsWith('/')) return { segments: [], open: true }
  const segments: (string | typeof ANY)[] = []
  let current: string | typeof ANY = ''
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'wildcard') return { segments, open: true }
    if (token.type === 'param') {
      current = ANY
      continue
    }
    const [head, ...rest] = token.value.slice(index === 0 ? 1 : 0).split('/') as [string, ...string[]]
    if (current !== ANY) current += head
    for (const text of rest) {
      segments.push(current)
      current = text
    }
  }
  segments.push(current)
  return { segments, open: !end }
}
