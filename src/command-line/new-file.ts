// The files that commands write.
import { existsSync, writeFileSync } from 'node:fs'
import { CommandError } from './arguments'

/**
 * Checks that a file is not there.
 *
 * @param reason what the error says of a file that is.
 * @throws {CommandError} for a file that is there.
 */
export function checkNew(path: string, reason: string): void {
  if (existsSync(path)) throw new CommandError(reason)
}

/**
 * Writes a file that is not there.
 *
 * @throws {CommandError} for one that is there, and for one that cannot be written.
 */
export function writeNew(path: string, text: string, reason: string): void {
  checkNew(path, reason)
  writeText(path, text, 'wx')
}

/**
 * Writes a file.
 *
 * @throws {CommandError} for one that cannot be written.
 */
export function writeText(path: string, text: string, flag: 'w' | 'wx' = 'w'): void {
  try {
    writeFileSync(path, text, { flag })
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}
