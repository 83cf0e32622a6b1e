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
  const words = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args]
  const [program = '', ...rest] = process.getuid?.() === 0 ? words : ['sudo', '-n', ...words]
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')} failed.\n${error?.message ?? `${stdout}${stderr}`}`)
}

/** Returns the path of a Debian program. It installs a missing package with apt-get, as root or by a sudo without a password. */
export function binary(name: keyof typeof PACKAGES): string {
  if (which(name) === undefined) {
    aptGet('update', '-qq')
    aptGet('install', '-y', '-qq', '--no-install-recommends', PACKAGES[name])
  }
  const found = which(name)
  if (found === undefined) throw new Error(`The system tests need ${name} (on Debian: ${PACKAGES[name]}).`)
  return found
}
