/** What the user of the command can put right: told in a sentence, without a stack. */
export class CommandError extends Error {}
