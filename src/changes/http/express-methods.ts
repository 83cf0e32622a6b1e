// Responses sent by the methods of Express: `res.json()`, `res.jsonp()` and `res.send()`.
import { ServerResponse } from 'node:http'
import type { Response } from 'express'
import { jsonCopy } from '../../http/json-copy'
import { dropNamesOfBytes } from '../../http/representation'
import type { Conversion } from '../convert/steps'
import type { PlannedResponse } from '../timeline/response-plans'
import { type Body, isBody, olderBody, olderJson } from './json-bodies'
import type { Methods, OutgoingResponse } from './outgoing-response'

type JsonMethod = 'json' | 'jsonp'

/** A string that `res.json` or `res.jsonp` is sending. It is JSON, whatever its type. */
interface Sending {
  readonly name: JsonMethod
  /** The older response, if Express makes the text from converted values. */
  readonly made: PlannedResponse | undefined
}

/** The conversion of responses that the methods of Express send. */
export class ExpressMethods {
  #sending: Sending | undefined
  /** `true` if the response was passed to a `json` that has not sent its text yet. */
  #awaitsText = false

  constructor(private readonly response: OutgoingResponse) {}

  json(args: readonly unknown[]): unknown {
    // A replacer, and middleware behind `versioning()`, get the newest shape.
    if (args.length !== 1 || !this.#mayConvertValues()) return this.#byExpress('json', args)
    return this.#value('json', args, 0, this.response.res.statusCode)
  }

  /** Tells whether no other middleware must get a value before it is converted. */
  #mayConvertValues(): boolean {
    const { res, own } = this.response
    return res.send === own?.send && !res.app.get('json replacer')
  }

  /** Converts the value itself, if that gives the same: its text is then made once and never parsed. */
  #value(name: 'json' | 'send', args: readonly unknown[], at: number, status: number): unknown {
    const { response } = this
    const isStraight = name === 'json' && this.#isExpress('json')
    let older: PlannedResponse | undefined
    try {
      older = response.older(status)
    } catch (error) {
      return response.fail(error, status)
    }
    const conversion = older?.conversion
    // Errors of `jsonCopy` are the handler's, as with Express.
    const copy = conversion === undefined ? undefined : jsonCopy(args[at])
    if (conversion === undefined || copy === undefined) return this.#handOn(older, name, args)
    let value: unknown
    try {
      value = isStraight ? conversion.run(copy) : JSON.parse(conversion.runToJson(copy, undefined))
    } catch (error) {
      return response.fail(error, status)
    }
    if (isStraight) return this.#byExpress('json', [value], older)
    response.noteConversion()
    dropNamesOfBytes(response.res)
    return this.#handOn(older, name, args.with(at, value))
  }

  /** Tells whether a method of the response is Express's: of no middleware, and of none of the apps that the response passes. */
  #isExpress(name: 'json' | 'send'): boolean {
    const { response } = this
    if (response.others?.[name] !== undefined) return false
    let owner: object = Object.getPrototypeOf(response.res)
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
    return Object.getPrototypeOf(owner) === ServerResponse.prototype
  }

  jsonp(args: readonly unknown[]): unknown {
    return this.#byExpress('jsonp', args)
  }

  send(args: readonly unknown[]): unknown {
    const { response } = this
    const { res } = response
    const sending = this.#sending
    this.#sending = undefined
    if (this.#awaitsText) {
      this.#awaitsText = false
      response.follow()
      return response.call('send', args)
    }
    if (sending === undefined && response.isHandedOn()) return response.call('send', args)
    const { at, status } = readArguments(res, args)
    const body = args[at]
    if (sending === undefined && !isBody(body) && body !== undefined && body !== null) {
      // Express sends it with `res.json`.
      if (this.#isExpress('send') || typeof body !== 'object') return response.call('send', args)
      // Middleware in front gets the older value.
      if (res.json === response.own?.json && this.#mayConvertValues()) return this.#value('send', args, at, status)
      return res.status(status).json(body)
    }
    let older: PlannedResponse | undefined
    let converted: Body | JsonValue | undefined
    try {
      older = sending?.made ?? response.older(status)
      converted = older?.conversion && this.#converted(body, older.conversion, sending)
    } catch (error) {
      return response.fail(error, status)
    }
    if (converted === undefined) return response.handOn(older, 'send', args)
    response.noteConversion()
    dropNamesOfBytes(res)
    if (!(converted instanceof JsonValue)) return response.handOn(older, 'send', args.with(at, converted))
    // Middleware in front gets the value. That behind `versioning()` has had its turn.
    res.send = response.own?.send as Response['send']
    return this.#handOn(older, converted.name, [converted.value])
  }

  /** Lets Express make the text, which then reaches `send`. */
  #byExpress(name: JsonMethod, args: readonly unknown[], made?: PlannedResponse): unknown {
    const { response } = this
    const methods: Methods = Object.getPrototypeOf(response.res)
    this.#sending = { name, made }
    try {
      return Reflect.apply(methods[name], response.res, args)
    } catch (error) {
      const isSent = this.#sending === undefined
      this.#sending = undefined
      if (made === undefined || isSent) throw error
      return response.fail((made.conversion as Conversion).unsayable(error), response.res.statusCode)
    }
  }

  /** Converts a body of `send`; `undefined` if it stays as it is. */
  #converted(body: unknown, conversion: Conversion, sending: Sending | undefined): Body | JsonValue | undefined {
    const { response } = this
    const { res, others } = response
    if (sending === undefined) return isBody(body) ? olderBody(body, conversion, res, response.limit) : undefined
    const { name, made } = sending
    if (made !== undefined) return verified(conversion, body)
    const older = olderJson(body, conversion, res)
    if (older === undefined || others?.[name] === undefined) return older?.text
    return new JsonValue(name, JSON.parse(older.json))
  }

  #handOn(older: PlannedResponse | undefined, name: 'json' | 'jsonp' | 'send', args: readonly unknown[]): unknown {
    this.#awaitsText = name !== 'send' && older?.isBare !== true && older?.made === undefined
    try {
      return this.response.handOn(older, name, args)
    } catch (error) {
      this.#awaitsText = false
      throw error
    }
  }
}

/** A converted value for a method that other middleware has put on the response. */
class JsonValue {
  constructor(
    readonly name: JsonMethod,
    readonly value: unknown,
  ) {}
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
