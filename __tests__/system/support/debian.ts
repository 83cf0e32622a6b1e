import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs that system tests run, and the Debian package that brings each. */
const PACKAGES = { chromium: 'chromium', nginx: 'nginx-light' } as const

/** Finds a program as `which` does, and in Debian's folders for root. */
function which(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin']
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

function aptGet(...args: string[]): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  // Parallel test runs wait for each other.
  const command = [
    ...sudo,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-o',
    'DPkg::Lock::Timeout=300',
    ...args,
  ]
  const [program = '', ...rest] = command
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command.join(' ')} failed.\n${error?.message ?? `${stdout}${stderr}`}`)
}

/**
 * Returns the path of a Debian program. It installs a missing package with apt-get, as root or by a sudo without a password.
 * If that is impossible, it throws an error that names the package to install by hand.
 */
export function binary(name: keyof typeof PACKAGES): string {
  const found = which(name)
  if (found !== undefined) return found
  const needed = `The system tests need ${name}. Install it (on Debian: apt-get install ${PACKAGES[name]})`
  if (which('apt-get') === undefined) throw new Error(`${needed}: there is no apt-get here that they could do it with.`)
  if (process.getuid?.() !== 0 && which('sudo') === undefined) {
    throw new Error(`${needed}: they are not run by root, and there is no sudo.`)
  }
  aptGet('update', '-qq')
  aptGet('install', '-y', '-qq', '--no-install-recommends', PACKAGES[name])
  const installed = which(name)
  if (installed === undefined) throw new Error(`${needed}: the package was installed and did not bring it.`)
  return installed
}
