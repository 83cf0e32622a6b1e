import { badOption, listOption } from '../util/options'

const TAKES = "an iterable of strings, such as ['www'] (a single string would be taken letter by letter)"

/**
 * Reads the option `ignore`, or the class field of that name: what may stand in a version's place and is none.
 *
 * @param owner who is named in the error.
 * @throws {TypeError} for anything but an iterable of strings.
 */
export function ignoredNames(owner: string, ignore: unknown): readonly string[] {
  if (ignore === undefined) return []
  const names = listOption(owner, 'ignore', ignore, TAKES)
  if (!names.every((name) => typeof name === 'string')) throw badOption(owner, 'ignore', TAKES, ignore)
  return names
}
