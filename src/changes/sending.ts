import { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { jsonCopy } from '../http/json-copy'
import { dropNamesOfBytes } from '../http/representation'
import type { AnswerConversion, OlderAnswer } from '../types'
import type { Answer, Call, Methods } from './answer'
import { type Body, isBody, olderBody, olderJson } from './body'

type JsonMethod = 'json' | 'jsonp'

/** A text that `res.json` or `res.jsonp` is about to send, so that it is JSON whatever its type says. */
interface Sending {
  readonly name: JsonMethod
  /** Where Express makes the text of what the steps made. */
  readonly made: OlderAnswer | undefined
}

/** The methods of Express to send an answer. */
export class ExpressWays {
  readonly #answer: Answer
  #sending: Sending | undefined
  /** Whether a `json` to which the answer was handed on has not sent its text yet. */
  #awaitsText = false

  constructor(answer: Answer) {
    this.#answer = answer
  }

  /** Converts the value itself where that comes to the same: its text need not be parsed, nor made twice. */
  json(args: readonly unknown[]): unknown {
    const answer = this.#answer
    const { res } = answer
    if (answer.isHandedOn()) return answer.call('json', args)
    // A replacer, and what stands behind `versioning()`, get the newest shape.
    if (args.length !== 1 || !answer.sendsItself || res.app.get('json replacer')) return this.#byExpress('json', args)
    const { statusCode } = res
    let older: OlderAnswer | undefined
    try {
      older = answer.older(statusCode)
    } catch (error) {
      return answer.fail(error, statusCode)
    }
    const conversion = older?.conversion
    // What `jsonCopy` throws is the handler's, as with Express.
    const copy = conversion === undefined ? undefined : jsonCopy(args[0])
    if (conversion === undefined || copy === undefined) return this.#handOn({ name: 'json', args, answer: older })
    const isStraight = !answer.isWrapped('json') && isExpressJson(res)
    let value: unknown
    try {
      value = isStraight ? conversion.run(copy) : JSON.parse(conversion.runToJson(copy, undefined))
    } catch (error) {
      return answer.fail(error, statusCode)
    }
    if (isStraight) return this.#byExpress('json', [value], older)
    dropNamesOfBytes(res)
    return this.#handOn({ name: 'json', args: [value], answer: older })
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
    // Express sends it by `res.json`.
    if (sending === undefined && !isBody(body) && body !== undefined && body !== null) return answer.call('send', args)
    let call: Call
    try {
      call = this.#sent(args, at, sending?.made ?? answer.older(status), sending)
    } catch (error) {
      return answer.fail(error, status)
    }
    return this.#handOn(call)
  }

  /** Has Express make the text, which comes back to `send`. */
  #byExpress(name: JsonMethod, args: readonly unknown[], made?: OlderAnswer): unknown {
    const answer = this.#answer
    const methods: Methods = Object.getPrototypeOf(answer.res)
    this.#sending = { name, made }
    try {
      return Reflect.apply(methods[name], answer.res, args)
    } catch (error) {
      const isSent = this.#sending === undefined
      this.#sending = undefined
      if (made === undefined || isSent) throw error
      return answer.fail((made.conversion as AnswerConversion).unsayable(error), answer.res.statusCode)
    }
  }

  /** What a call of `send` comes to. */
  #sent(args: readonly unknown[], at: number, older: OlderAnswer | undefined, sending: Sending | undefined): Call {
    const answer = this.#answer
    const { res } = answer
    const conversion = older?.conversion
    const asItIs: Call = { name: 'send', args, answer: older }
    if (conversion === undefined) return asItIs
    const body = args[at]
    let converted: Body | undefined
    if (sending?.made !== undefined) converted = verified(conversion, body)
    else if (sending === undefined) converted = isBody(body) ? olderBody(body, conversion, res) : undefined
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
    this.#awaitsText = call.name !== 'send' && call.answer?.isBare !== true
    try {
      return this.#answer.handOn(call)
    } catch (error) {
      this.#awaitsText = false
      throw error
    }
  }
}

/** Whether the `json` of a response's app is that of Express: of none of the apps that the answer passes. */
function isExpressJson(res: Response): boolean {
  let owner: object = Object.getPrototypeOf(res)
  while (!Object.hasOwn(owner, 'json')) owner = Object.getPrototypeOf(owner)
  return Object.getPrototypeOf(owner) === ServerResponse.prototype
}

/** The text that Express has made of what the steps made. */
function verified(conversion: AnswerConversion, text: unknown): string {
  if (typeof text !== 'string') throw conversion.unsayable()
  conversion.verify(text)
  return text
}

/** Where the body is among the arguments of `res.send`, and the status: Express 4 takes that beside the body, in either order. */
function readArguments(res: Response, args: readonly unknown[]): { at: number; status: number } {
  const [first, second] = args
  if (args.length !== 2 || !('sendfile' in res)) return { at: 0, status: res.statusCode }
  if (typeof first !== 'number' && typeof second === 'number') return { at: 0, status: second }
  return { at: 1, status: first as number }
}
