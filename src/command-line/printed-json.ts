// JSON as commands print it.

/** Matches invisible characters, except the newlines between the properties of an object. */
const UNSEEN = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu

/** Writes a value as JSON. Invisible characters are escaped, because a terminal may interpret them. */
export function jsonOf(value: object): string {
  const json = JSON.stringify(value, undefined, 2)
  const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${json.replace(UNSEEN, (character) => character.split('').map(unit).join(''))}\n`
}
