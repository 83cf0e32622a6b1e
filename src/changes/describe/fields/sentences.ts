// The sentences about changes as data, for the people who call the API.
import type { FieldChanges } from './field-changes'

/** The uses of a shape. */
export interface ShapeUse {
  /** `true` if clients send it. */
  readonly isSent: boolean
  /** `true` if clients get it. */
  readonly isReceived: boolean
  /** Tells whether bodies of the newer version must have a property. */
  requires(property: string): boolean
}

/** The two sentences of one change: for bodies, and for responses. `undefined` if it changes nothing there. */
type Told = readonly [sent: string | undefined, received: string | undefined]

/** Makes the sentences of each option, in the order of its properties. */
const SENTENCES: {
  readonly [Option in keyof FieldChanges]-?: (
    given: NonNullable<FieldChanges[Option]>,
    use: ShapeUse,
    description: string,
    changes: FieldChanges,
  ) => readonly Told[]
} = {
  removed: (given) =>
    named(given).map((name) => [`Do not send ${name} any more.`, `Responses have no ${name} any more.`]),
  renamed: (given) => pairs(given).map(([older, newer]) => instead('', newer, older)),
  added: (given, { requires }) =>
    (Array.isArray(given) ? given : Object.keys(given)).map((name: string) => [
      requires(name) ? `Send ${code(name)} too.` : `You can send ${code(name)} too.`,
      `Responses have ${code(name)} too.`,
    ]),
  values: (given) =>
    pairs(given).flatMap(([name, values]) =>
      named(values).map((value): Told => [`You can send ${value} as ${name} too.`, `${name} can be ${value} too.`]),
    ),
  converted: (given, _use, description) => Object.keys(given).map(() => [description, description]),
  nested: (given) =>
    pairs(given).map(([object, names]) => {
      const all = names.map(code).join(', ')
      return [`Send ${all} in ${object}.`, `Responses have ${all} in ${object}.`]
    }),
  required: (given) => named(given).map((name) => [`Always send ${name}.`, `Responses always have ${name}.`]),
  optional: (given, _use, _description, { listed = {} }) =>
    named(without(given, listed)).map((name) => [
      `You need not send ${name} any more.`,
      `Responses may have no ${name}.`,
    ]),
  renamedValues: (given) =>
    pairs(given).flatMap(([name, values]) =>
      pairs(values).map(([older, newer]): Told => {
        const change = `${code(newer)} instead of ${older}`
        return [`Send ${change} as ${name}.`, `${name} in responses is ${change}.`]
      }),
    ),
  removedValues: (given) =>
    pairs(given).flatMap(([name, values]) =>
      pairs(values).map(([older, newer]): Told => {
        const instead = typeof newer === 'function' ? '' : ` Send ${code(newer)} instead.`
        return [`Do not send ${older} as ${name} any more.${instead}`, `${name} is never ${older} any more.`]
      }),
    ),
  listed: (given) => pairs(given).map(([older, newer]) => instead('the list ', newer, older)),
}

/**
 * Lists the sentences about a shape whose fields changed.
 *
 * @param description that of the change, for what only a function knows.
 */
export function sentencesOf(changes: FieldChanges, use: ShapeUse, description: string): string[] {
  const told = Object.entries(SENTENCES).flatMap(([option, make]) => {
    const given = changes[option as keyof FieldChanges]
    return given === undefined ? [] : make(given as never, use, description, changes)
  })
  const sentences = told.flatMap(([sent, received]) => [
    use.isSent ? sent : undefined,
    use.isReceived ? received : undefined,
  ])
  return [...new Set(sentences)].filter((sentence) => sentence !== undefined)
}

function instead(what: string, newer: string, older: string): Told {
  const change = `${what}${code(newer)} instead of ${older}.`
  return [`Send ${change}`, `Responses have ${change}`]
}

/** Returns an object without the names of another one. */
function without(given: object, others: object): object {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(others, name)))
}

/** Lists the names of an object, each as code. */
function named(given: object): string[] {
  return Object.keys(given).map(code)
}

/** Lists the names of an object, each as code, with their values. */
function pairs<Value>(given: { readonly [name: string]: Value }): [name: string, value: Value][] {
  return Object.entries(given).map(([name, value]) => [code(name), value])
}

/** Writes a name or a value as code in Markdown. */
function code(text: unknown): string {
  const fence = String(text).includes('`') ? '``' : '`'
  return fence === '`' ? `\`${text}\`` : `${fence} ${text} ${fence}`
}
