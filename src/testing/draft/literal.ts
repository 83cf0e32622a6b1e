// The values of a draft: each is written as the text of a module, and made as the module would make it.
import { visible } from '../../util/text'

/** A value that is no plain data. */
export interface Special {
  /** Writes the value as code. */
  write(indent: string): string
  /** Makes the value. */
  make(): unknown
}

/** A value of a draft: plain data, and special values in it. */
export type Literal = unknown

/** Stands for the functions of a draft, which nobody calls before it is a module. */
const SOME_FUNCTION: unknown = Function.prototype

class Code implements Special {
  constructor(
    readonly text: string,
    readonly value: unknown,
  ) {}

  write(): string {
    return this.text
  }

  make(): unknown {
    return this.value
  }
}

/** A part that the draft does not know. */
class Todo extends Code {}

/** Makes a step or a value that somebody has to write. */
export function todo(what: string): Special {
  return new Todo(`todo(${quoted(what)})`, SOME_FUNCTION)
}

/** Makes a function of its code. */
export function step(text: string): Special {
  return new Code(text, SOME_FUNCTION)
}

/** A call of a function of the package. */
export class Call implements Special {
  constructor(
    readonly name: string,
    readonly called: (...args: never[]) => unknown,
    readonly args: readonly Literal[],
  ) {}

  write(indent: string): string {
    return `${this.name}(${this.args.map((one) => textOf(one, indent)).join(', ')})`
  }

  make(): unknown {
    return (this.called as (...args: unknown[]) => unknown)(...this.args.map(madeOf))
  }
}

/** A property of an object with a comment above it. */
export class Noted {
  constructor(
    readonly comment: string,
    readonly value: Literal,
  ) {}
}

function isSpecial(value: unknown): value is Special {
  return value instanceof Code || value instanceof Call
}

/** Makes the value of a literal. */
export function madeOf(literal: Literal): unknown {
  if (literal instanceof Noted) return madeOf(literal.value)
  if (isSpecial(literal)) return literal.make()
  if (Array.isArray(literal)) return literal.map(madeOf)
  if (typeof literal !== 'object' || literal === null) return literal
  const entries = Object.entries(literal).map(([name, value]) => [name, madeOf(value)] as const)
  return Object.fromEntries(entries)
}

/** Counts the parts of a literal that somebody has to write. */
export function todosIn(literal: Literal): number {
  if (literal instanceof Todo) return 1
  if (literal instanceof Noted) return todosIn(literal.value)
  const parts = literal instanceof Call ? literal.args : isSpecial(literal) ? [] : literal
  if (typeof parts !== 'object' || parts === null) return 0
  return Object.values(parts).reduce((count: number, one) => count + todosIn(one), 0)
}

const WIDTH = 100

/** Writes a literal as code. */
export function textOf(literal: Literal, indent = ''): string {
  if (literal instanceof Noted) return textOf(literal.value, indent)
  if (isSpecial(literal)) return literal.write(indent)
  if (literal === undefined) return 'undefined'
  if (typeof literal === 'string') return quoted(literal)
  if (typeof literal !== 'object' || literal === null) return JSON.stringify(literal)
  const inner = `${indent}  `
  const isList = Array.isArray(literal)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const parts = Object.entries(literal).map(([name, value]) => {
    const comment = value instanceof Noted ? commentOf(value.comment, inner) : ''
    return `${comment}${inner}${isList ? '' : `${nameOf(name)}: `}${textOf(value, inner)}`
  })
  if (parts.length === 0) return open + close
  const short = parts.map((part) => part.slice(inner.length)).join(', ')
  const pad = isList ? '' : ' '
  if (!short.includes('\n') && short.length + indent.length < WIDTH) return open + pad + short + pad + close
  return `${open}\n${parts.map((part) => `${part},\n`).join('')}${indent}${close}`
}

/** Writes lines of comment. */
export function commentOf(text: string, indent = ''): string {
  return `${indent}// ${visible(text)}\n`
}

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
