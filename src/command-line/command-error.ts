// The error for mistakes that the user of the command can correct.

/** A mistake that the user of the command can correct. It is printed as a sentence, without a stack. */
export class CommandError extends Error {}
