// The patterns of schemas as regular expressions.
import { shown } from '../util/options'
import { linesOf, warnOnce } from '../util/warn'
import { isObject, type JsonSchema } from './model'

/**
 * Returns a pattern as validators read it: in Unicode mode, or without that mode if it is only valid so.
 *
 * @throws {SyntaxError} for a pattern that is neither.
 */
export function patternOf(source: string): RegExp {
  return faultOf(source) === undefined ? new RegExp(source, 'u') : new RegExp(source)
}

/** Returns the reason why a pattern does not compile in Unicode mode; undefined if it does. */
function faultOf(source: string): string | undefined {
  try {
    new RegExp(source, 'u')
    return undefined
  } catch (error) {
    return (error as Error).message.split(': ').at(-1)
  }
}

/** Lists the patterns of a schema itself that do not compile in Unicode mode, each behind its JSON pointer. */
export function oddPatternsIn({ pattern, patternProperties }: JsonSchema): (readonly [path: string, source: string])[] {
  const named = Object.keys(isObject(patternProperties) ? patternProperties : {})
  return [
    ...(typeof pattern === 'string' ? [['/pattern', pattern] as const] : []),
    ...named.map((source) => ['/patternProperties', source] as const),
  ].filter(([, source]) => faultOf(source) !== undefined)
}

/**
 * Warns of patterns that do not compile in Unicode mode, which JSON Schema asks for. Validators reject them with the first request.
 *
 * @param owner the document or table that has them. It is warned of once.
 * @param found the patterns by place.
 */
export function warnOfPatterns(owner: object, found: ReadonlyMap<string, string>): void {
  const lines = [...found].map(([place, source]) => `at "${place}", ${shown(source)}: ${faultOf(source)}`)
  if (lines.length === 0) return
  const what =
    'These patterns do not compile with the flag "u", which JSON Schema asks for. Validators such as Ajv fail for them with the first request. Leave out backslashes that escape nothing, escape braces, and put "-" at the end of [...]; or set { unicodeRegExp: false } of Ajv.'
  warnOnce(owner, 'EXPRESS_VERSIONING_PATTERN', what + linesOf(lines))
}
