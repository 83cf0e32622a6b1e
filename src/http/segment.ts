const UNFIT = /^\.{0,2}$|\p{Cc}|\p{Surrogate}/u

/** Whether a text can be a segment of a path, percent-encoded: not the empty one, no dot segment, no controls, no half characters. */
export function isPathSegment(text: string): boolean {
  return !UNFIT.test(text)
}
