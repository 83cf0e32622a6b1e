// Sentences of messages.

/** Ends a message with one full stop. */
export function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`
}
