// Answers sent by the methods of Express, such as `res.json()`.
import { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { jsonCopy } from '../http/json-copy'
import { dropNamesOfBytes } from '../http/representation'
import type { Answer, Call, Methods } from './answer'
import { type Body, isBody, olderBody, olderJson } from './body'
import type { PlannedAnswer } from './older-answer'
import type { Conversion } from './steps'

type JsonMethod = 'json' | 'jsonp'

/** A text that `res.json` or `res.jsonp` is sending. It is JSON, whatever its type. */
interface Sending {
  readonly name: JsonMethod
  /** The older answer, if Express makes the text from converted values. */
  readonly made: PlannedAnswer | undefined
}

/** The methods of Express that send an answer. */
export class ExpressWays {
  readonly #answer: Answer
  #sending: Sending | undefined
  /** `true` if the answer was passed to a `json` that has not sent its text yet. */
  #awaitsText = false

  constructor(answer: Answer) {
    this.#answer = answer
  }

  json(args: readonly unknown[]): unknown {
    const answer = this.#answer
    if (answer.isHandedOn()) return answer.call('json', args)
    // A replacer, and middleware behind `versioning()`, get the newest shape.
    if (args.length !== 1 || !this.#mayConvertValues()) return this.#byExpress('json', args)
    return this.#value('json', args, { at: 0, status: answer.res.statusCode })
  }

  /** Tells whether no other middleware must get a value before it is converted. */
  #mayConvertValues(): boolean {
    const answer = this.#answer
    return answer.isOwn('send') && !answer.res.app.get('json replacer')
  }

  /** Converts the value itself, if that gives the same: its text is then made once and never parsed. */
  #value(name: 'json' | 'send', args: readonly unknown[], { at, status }: { at: number; status: number }): unknown {
    const answer = this.#answer
    let older: PlannedAnswer | undefined
    try {
      older = answer.older(status)
    } catch (error) {
      return answer.fail(error, status)
    }
    const conversion = older?.conversion
    // Errors of `jsonCopy` are the handler's, as with Express.
    const copy = conversion === undefined ? undefined : jsonCopy(args[at])
    if (conversion === undefined || copy === undefined) return this.#handOn({ name, args, answer: older })
    const isStraight = name === 'json' && this.#isExpress('json')
    let value: unknown
    try {
      value = isStraight ? conversion.run(copy) : JSON.parse(conversion.runToJson(copy, undefined))
    } catch (error) {
      return answer.fail(error, status)
    }
    if (isStraight) return this.#byExpress('json', [value], older)
    dropNamesOfBytes(answer.res)
    return this.#handOn({ name, args: args.with(at, value), answer: older })
  }

  /** Tells whether a method of the response is Express's: of no middleware, and of none of the apps that the answer passes. */
  #isExpress(name: 'json' | 'send'): boolean {
    const answer = this.#answer
    if (answer.isWrapped(name)) return false
    let owner: object = Object.getPrototypeOf(answer.res)
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
    return Object.getPrototypeOf(owner) === ServerResponse.prototype
  }

  jsonp(args: readonly unknown[]): unknown {
    const answer = this.#answer
    return answer.isHandedOn() ? answer.call('jsonp', args) : this.#byExpress('jsonp', args)
  }

  send(args: readonly unknown[]): unknown {
    const answer = this.#answer
    const { res } = answer
    const sending = this.#sending
    this.#sending = undefined
    if (this.#awaitsText) {
      this.#awaitsText = false
      answer.follow()
      return answer.call('send', args)
    }
    if (sending === undefined && answer.isHandedOn()) return answer.call('send', args)
    const { at, status } = readArguments(res, args)
    const body = args[at]
    if (sending === undefined && !isBody(body) && body !== undefined && body !== null) {
      // Express sends it with `res.json`.
      if (this.#isExpress('send') || typeof body !== 'object') return answer.call('send', args)
      // Middleware in front gets the older value.
      if (answer.isOwn('json') && this.#mayConvertValues()) return this.#value('send', args, { at, status })
      return res.status(status).json(body)
    }
    let call: Call
    try {
      call = this.#sent(args, at, sending?.made ?? answer.older(status), sending)
    } catch (error) {
      return answer.fail(error, status)
    }
    return this.#handOn(call)
  }

  /** Lets Express make the text, which then reaches `send`. */
  #byExpress(name: JsonMethod, args: readonly unknown[], made?: PlannedAnswer): unknown {
    const answer = this.#answer
    const methods: Methods = Object.getPrototypeOf(answer.res)
    this.#sending = { name, made }
    try {
      return Reflect.apply(methods[name], answer.res, args)
    } catch (error) {
      const isSent = this.#sending === undefined
      this.#sending = undefined
      if (made === undefined || isSent) throw error
      return answer.fail((made.conversion as Conversion).unsayable(error), answer.res.statusCode)
    }
  }

  /** Returns the call that replaces a call of `send`. */
  #sent(args: readonly unknown[], at: number, older: PlannedAnswer | undefined, sending: Sending | undefined): Call {
    const answer = this.#answer
    const { res } = answer
    const conversion = older?.conversion
    const asItIs: Call = { name: 'send', args, answer: older }
    if (conversion === undefined) return asItIs
    const body = args[at]
    let converted: Body | undefined
    if (sending?.made !== undefined) converted = verified(conversion, body)
    else if (sending === undefined)
      converted = isBody(body) ? olderBody(body, conversion, res, answer.limit) : undefined
    else {
      const { name } = sending
      const made = olderJson(body, conversion, res)
      if (made !== undefined && answer.isWrapped(name)) {
        dropNamesOfBytes(res)
        answer.skipOthersBehind()
        return { name, args: [JSON.parse(made.json)], answer: older }
      }
      converted = made?.text
    }
    if (converted === undefined) return asItIs
    dropNamesOfBytes(res)
    return { name: 'send', args: args.with(at, converted), answer: older }
  }

  #handOn(call: Call): unknown {
    this.#awaitsText = call.name !== 'send' && call.answer?.isBare !== true && call.answer?.made === undefined
    try {
      return this.#answer.handOn(call)
    } catch (error) {
      this.#awaitsText = false
      throw error
    }
  }
}

/** Checks the text that Express made of a converted value. */
function verified(conversion: Conversion, text: unknown): string {
  if (typeof text !== 'string') throw conversion.unsayable()
  conversion.verify(text)
  return text
}

/** Finds body and status among the arguments of `res.send`. Express 4 takes both, in either order. */
function readArguments(res: Response, args: readonly unknown[]): { at: number; status: number } {
  const [first, second] = args
  if (args.length !== 2 || !('sendfile' in res)) return { at: 0, status: res.statusCode }
  if (typeof first !== 'number' && typeof second === 'number') return { at: 0, status: second }
  return { at: 1, status: first as number }
}
