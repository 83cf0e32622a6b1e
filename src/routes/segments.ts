import type { Token } from 'path-to-regexp'

/** A segment that holds a parameter: any text but the empty one fits it. */
export const ANY: unique symbol = Symbol('any segment')

/** One way through a {@link PathIndex}: segments, and whether paths that go on below belong to it too. */
export interface Branch {
  readonly segments: readonly (string | typeof ANY)[]
  readonly open: boolean
}

export type Branches = readonly Branch[]

/** The place whose paths are all paths. */
export const EVERYWHERE: Branches = [{ segments: [], open: true }]

/** A path without the slashes at its end; a loop, because `/\/+$/` takes time in the square of the slashes. */
export function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (path.charCodeAt(end - 1) === 47) end--
  return path.slice(0, end)
}

type FlatToken = Exclude<Token, { type: 'group' }>

/** A pattern without its optional groups: each combination of them, taken or left out. */
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
 * Where the paths that a pattern may match are found: more paths than it matches, never fewer.
 *
 * @param end whether the pattern matches whole paths (a route) or what is below it too (a mount).
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
