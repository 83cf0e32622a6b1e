// The phases of a response on its way to an older version.
import type { PlannedResponse } from '../timeline/response-plans'
import type { Collected } from './collected'
import type { ItemStream } from './item-stream'

/** The phase of a response, before and while it is passed on to the previous methods. */
export type Phase =
  /** Nothing was passed on. */
  | { readonly name: 'open' }
  /** `res.json` or `res.jsonp` of Express makes the text, which reaches `res.send`. It is JSON, whatever its type. */
  | {
      readonly name: 'stringified'
      readonly by: 'json' | 'jsonp'
      /** The older response, if Express makes the text from converted values. */
      readonly made: PlannedResponse | undefined
    }
  /** Its pieces wait for the end. */
  | { readonly name: 'collecting'; readonly collected: Collected }
  /** Its items are converted one by one. */
  | Items
  | Passed

/** The phase of a response whose items are converted one by one. */
export interface Items {
  readonly name: 'items'
  readonly stream: ItemStream
  /** The older response. */
  readonly older: PlannedResponse
  /** The facts of its head; undefined before that was passed on. */
  passed: Passed | undefined
}

/** The phase of a response that was passed on. */
export interface Passed {
  readonly name: 'passed'
  /** The status with which it was passed on. */
  status: number
  /** The older response. */
  readonly older: PlannedResponse | undefined
  /** `true` if a `json` got it, and has not sent its text yet. */
  awaitsText: boolean
  /** `true` if its header fields have their older values, as far as possible. */
  hasHead: boolean
}

/** The failure of a response. Another response, which reports it, takes its place. */
export class Failure {
  /** `true` if the conversion of an error failed: the response in its place stays as it is. */
  keepsError = false
  /** `true` if a function for header fields failed: the response in its place keeps its fields. */
  keepsHead = false
  /** `true` while the caller that sent the failed response may still write the rest of it. */
  isDropping = false
  /** `true` if it failed while it was written in pieces: more of them may follow. */
  hasRest = false
}

/** The first phase. */
export const OPEN: Phase = { name: 'open' }
