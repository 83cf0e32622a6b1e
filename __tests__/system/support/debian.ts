import { spawnSync } from 'node:child_process'

/** The programs that system tests run, and the Debian package that brings each. */
const PACKAGES = {
  chromium: 'chromium',
  nginx: 'nginx-light',
  prometheus: 'prometheus',
  promtool: 'prometheus',
} as const

const shell = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' })

/** Returns the path of a Debian program. It installs a missing package with apt-get, as root or by a sudo without a password. */
export function binary(name: keyof typeof PACKAGES): string {
  // Not everybody's path has Debian's folder for root.
  const found = () => shell(`PATH="$PATH:/usr/sbin"; command -v ${name}`).stdout.trim()
  if (found() !== '') return found()
  const get = `${process.getuid?.() === 0 ? '' : 'sudo -n '}env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300`
  // Parallel test files take turns: apt-get waits for the lock of its packages, and fails at that of its lists.
  const install = `${get} update && ${get} install -y --no-install-recommends ${PACKAGES[name]}`
  const { stdout, stderr } = spawnSync('flock', ['--close', __filename, 'sh', '-c', install], { encoding: 'utf8' })
  if (found() !== '') return found()
  throw new Error(`The system tests need ${name} (on Debian: ${PACKAGES[name]}).\n${stdout}${stderr}`)
}
