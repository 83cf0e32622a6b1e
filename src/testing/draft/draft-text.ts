// The parts of a draft, and its text: a module. Its values are written as code, and made as the module would make them.
import { describedErrors, placesText } from '../../util/problems'
import { visible } from '../../util/text'
import type { DocumentView } from './view'

/** A value of a draft: plain data, and special values in it. */
export type Literal = unknown

/** A change of the draft. */
export interface DraftChange {
  readonly description: string
  readonly operations: Readonly<Record<string, Literal>>
}

/** A version of the draft, with its changes. */
export interface DraftVersion {
  readonly version: string
  readonly changes: readonly DraftChange[]
}

/** The needs of a draft's table beside the documents. */
export interface DraftTable {
  /** The schemas that look like changed ones, and the unions that nothing tells, by the keys of the option `places`. */
  readonly places: Map<string, null | ((value: unknown) => undefined)>
  /** The schema of errors that no operation describes: a name, or `null` for none; undefined if it is not needed. */
  errors: string | null | undefined
}

/** A draft of a history. */
export interface Draft {
  readonly title: string
  readonly oldest: string
  readonly versions: readonly DraftVersion[]
  /** The documents that have operations which all later ones lack, oldest first. */
  readonly removed: readonly DocumentView[]
  /** The needs of the table beside the documents. */
  readonly table: DraftTable
  /** The number of parts that somebody has to write. */
  readonly todos: number
  /** The parts of the documents that the draft could not read or say, as sentences. */
  readonly unread: readonly string[]
}

/** A value that is no plain data. */
class Special {
  constructor(
    /** Writes the value as code. */
    readonly write: (indent: string) => string,
    /** Makes the value. */
    readonly make: () => unknown,
    /** The number of its parts that somebody has to write. */
    readonly todos: number,
    /** The comment above a property with the value. */
    readonly comment?: string,
  ) {}
}

/** Stands for the functions of a draft, which nobody calls before it is a module. */
const someFunction = () => Function.prototype

/** Makes a step or a value that somebody has to write. */
export function todo(what: string): Literal {
  return new Special(() => `todo(${quoted(what)})`, someFunction, 1)
}

/** Makes a function of its code. */
export function step(text: string): Literal {
  return new Special(() => text, someFunction, 0)
}

/** Makes a call of a function of the package. */
export function call(name: string, called: (...args: never[]) => unknown, ...args: readonly Literal[]): Literal {
  return new Special(
    (indent) => `${name}(${args.map((one) => textOf(one, indent)).join(', ')})`,
    () => (called as (...args: unknown[]) => unknown)(...args.map(madeOf)),
    todosIn(args),
  )
}

/** Puts a comment above the property that has a value. */
export function noted(comment: string, value: Literal): Literal {
  return new Special(
    (indent) => textOf(value, indent),
    () => madeOf(value),
    todosIn(value),
    comment,
  )
}

/** Makes the value of a literal. */
export function madeOf(literal: Literal): unknown {
  if (literal instanceof Special) return literal.make()
  if (Array.isArray(literal)) return literal.map(madeOf)
  if (typeof literal !== 'object' || literal === null) return literal
  return Object.fromEntries(Object.entries(literal).map(([name, value]) => [name, madeOf(value)]))
}

/** Counts the parts of a literal that somebody has to write. */
export function todosIn(literal: Literal): number {
  if (literal instanceof Special) return literal.todos
  if (typeof literal !== 'object' || literal === null) return 0
  return Object.values(literal).reduce((count: number, one) => count + todosIn(one), 0)
}

const WIDTH = 100

/** Writes a literal as code. */
export function textOf(literal: Literal, indent = ''): string {
  if (literal instanceof Special) return literal.write(indent)
  if (literal === undefined) return 'undefined'
  if (typeof literal === 'string') return quoted(literal)
  if (typeof literal !== 'object' || literal === null) return JSON.stringify(literal)
  const inner = `${indent}  `
  const isList = Array.isArray(literal)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const parts = Object.entries(literal).map(([name, value]) => {
    const comment = value instanceof Special && value.comment !== undefined ? commentOf(value.comment, inner) : ''
    return `${comment}${inner}${isList ? '' : `${nameOf(name)}: `}${textOf(value, inner)}`
  })
  if (parts.length === 0) return open + close
  const short = parts.map((part) => part.slice(inner.length)).join(', ')
  const pad = isList ? '' : ' '
  if (!short.includes('\n') && short.length + indent.length < WIDTH) return open + pad + short + pad + close
  return `${open}\n${parts.map((part) => `${part},\n`).join('')}${indent}${close}`
}

/** Writes lines of comment. */
function commentOf(text: string, indent = ''): string {
  return `${indent}// ${visible(text)}\n`
}

/** Writes a name as the key of an object. */
export function nameOf(name: string): string {
  // As a plain key, it would set the prototype.
  if (name === '__proto__') return `['__proto__']`
  return /^(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,8})$/.test(name) ? name : quoted(name)
}

/** Writes a string as code. Invisible characters are escaped. */
export function quoted(text: string): string {
  if (/^[^'\\\p{C}\p{Zl}\p{Zp}]*$/u.test(text)) return `'${text}'`
  return JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The number of names in a list that is not cut. */
const SHOWN = 5

/** Writes a list of names in a sentence. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - SHOWN
  if (more > 0) return `${names.slice(0, SHOWN).join(', ')} and ${more} more`
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The functions that a draft may need. */
const NAMES = ['change', 'fields', 'shape', 'todo', 'versionHistory']

/** Writes the module of a draft. */
export function moduleOf(draft: Draft): string {
  const { oldest, versions } = draft
  const history = `export const history = versionHistory(${quoted(oldest)})${versions.map(versionText).join('')}\n`
  const body = `${placesOption(draft)}${history}`
  const names = NAMES.filter((name) => new RegExp(`\\b${name}\\(`).test(body))
  return `${headOf(draft)}import { ${names.join(', ')} } from 'express-versioning/changes'\n\n${body}`
}

/** Says in one line whether a draft is complete. */
export function verdictOf({ todos, unread }: Pick<Draft, 'todos' | 'unread'>): string {
  if (todos === 0 && unread.length === 0) return 'The draft is complete: everything was read, and nothing is to do.'
  const missing = [
    ...(todos === 0 ? [] : [`${todos} todo()`]),
    ...(unread.length === 0
      ? []
      : [`${unread.length} ${unread.length === 1 ? 'thing' : 'things'} that it could not read or say`]),
  ]
  return `The draft is not complete: it has ${missing.join(', and ')}.`
}

function headOf(draft: Draft): string {
  const { title, oldest, versions, unread, removed } = draft
  const newest = versions.at(-1)?.version
  const older = removed.map((_, index) => `older${removed.length === 1 ? '' : index + 1}`)
  const { places, errors } = draft.table
  const options = [
    ...(older.length === 0 ? [] : [`removed: [${older.join(', ')}]`]),
    ...(places.size === 0 ? [] : ['places']),
  ]
  const described = errors === undefined ? '' : `.${describedErrors(errors)}`
  const routes = `routesOf(document${options.length === 0 ? '' : `, { ${options.join(', ')} }`})${described}`
  const given = removed.map(({ version }, index) => `${older[index]} that of ${version}`)
  return [
    `The history of ${title} from ${oldest} to ${newest}, drafted from its documents. Read each line before you use it:`,
    `versioning({ scheme, defaultVersion: ${quoted(String(newest))}, changes: history, routes: ${routes} })`,
    ...(given.length === 0 ? [] : [`Here, document is the OpenAPI document of ${newest}, ${given.join(', ')}.`]),
    verdictOf(draft),
    ...unread.flatMap((one) => one.split('\n').map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)),
  ]
    .map((line) => commentOf(line))
    .join('')
}

/** Writes the option `places` of the table. */
function placesOption({ table }: Draft): string {
  if (table.places.size === 0) return ''
  const lines = [...table.places].map(([key, meaning]) => {
    const code = meaning === null ? 'null' : '(value) => undefined /* the name or the index of its branch */'
    return `  ${placesText({ key, meaning: code })}`
  })
  return `${commentOf('These look like what changed, and did not change with it.')}export const places = {\n${lines.join('\n')}\n}\n\n`
}

function versionText({ version, changes }: DraftVersion): string {
  if (changes.length === 0) return `\n  .version(${quoted(version)})`
  const all = changes.map(
    ({ description, operations }) => `    change(${quoted(description)}, ${textOf(operations, '    ')}),\n`,
  )
  return `\n  .version(\n    ${quoted(version)},\n${all.join('')}  )`
}
