// The references of a document, and the places that they lead to.
import { Addresses, type Located, type Place } from '../../schemas/addresses'
import { referenceIn } from '../../schemas/keywords'
import { isObject, type JsonSchema } from '../../schemas/model'
import { kindOf } from '../../util/options'
import type { Addressed, JsonObject } from './copy'
import type { Findings } from './findings'

/** The references of a document. */
export class References extends Addresses {
  constructor(
    readonly document: JsonObject,
    addressed: readonly Addressed[],
    private readonly findings: Findings,
  ) {
    super(document)
    // An outer schema comes before those in it.
    for (const { pointer, object } of addressed.toSorted((a, b) => a.pointer.length - b.pointer.length)) {
      this.add(object, pointer)
    }
  }

  /**
   * Follows the references of anything but a schema, such as a response.
   *
   * @returns undefined, with a finding, if they lead to no object.
   */
  object(given: unknown, pointer: string): Located<JsonSchema> | undefined {
    const { value, pointer: at, stop } = this.follow(given, pointer)
    const reference = isObject(value) ? referenceIn(value) : undefined
    if (!isObject(value)) this.findings.add(at, `an object is expected here, got ${kindOf(value)}.`)
    else if (stop === undefined) return { value, pointer: at }
    else if (stop === 'loop')
      this.findings.add(pointer, `the reference "${reference}" leads back to itself. Write what it stands for.`)
    else this.addLost(reference, at, stop)
    return undefined
  }

  /** Adds the finding for a reference that leads nowhere, out of the document, or to no schema. */
  addLost(reference: unknown, pointer: string, place: Place): void {
    const problems = {
      outside: 'which is not in this document. Bundle its files into one first, for example by "redocly bundle".',
      nowhere: 'which does not exist.',
    }
    const problem = typeof place === 'object' ? 'which is no schema.' : problems[place]
    this.findings.add(pointer, `the reference leads to "${reference}", ${problem}`)
  }
}
