import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs that system tests run, and the Debian package that brings each. */
const PACKAGES = { chromium: 'chromium', nginx: 'nginx-light' } as const

/** Finds a program as `which` does, and in Debian's folders for root. */
function which(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin'].filter(Boolean)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function aptGet(...args: string[]): void {
  // Parallel test runs wait for each other.
  const words = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args]
  const [program, first] = process.getuid?.() === 0 ? ['env', []] : ['sudo', ['-n', 'env']]
  const { status, stdout, stderr, error } = spawnSync(program, [...first, ...words], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')} failed.\n${error?.message ?? `${stdout}${stderr}`}`)
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
