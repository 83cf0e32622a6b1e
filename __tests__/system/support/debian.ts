import { spawnSync } from 'node:child_process'

/** The programs that system tests run, and the Debian package that brings each. */
const PACKAGES = {
  chromium: 'chromium',
  nginx: 'nginx-light',
  prometheus: 'prometheus',
  promtool: 'prometheus',
} as const

const shell = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' })

/** The Debian package of each module of Python. */
const MODULES = {
  rest_framework: 'python3-djangorestframework',
  fastapi: 'python3-fastapi',
  uvicorn: 'python3-uvicorn',
} as const
/** Debian's own Python. Its modules are not in any other that is on the path. */
const PYTHON = '/usr/bin/python3'

/** Returns the path of a Debian program. It installs a missing package with apt-get, as root or by a sudo without a password. */
export function binary(name: keyof typeof PACKAGES): string {
  // Not everybody's path has Debian's folder for root.
  return installed(name, PACKAGES[name], () => shell(`PATH="$PATH:/usr/sbin"; command -v ${name}`).stdout.trim())
}

/** Returns the path of Debian's Python, once it has a module. It installs a missing package as `binary()` does. */
export function python(module: keyof typeof MODULES): string {
  const imports = () => (shell(`${PYTHON} -c 'import ${module}'`).status === 0 ? PYTHON : '')
  return installed(module, MODULES[module], imports)
}

function installed(name: string, debian: string, find: () => string): string {
  const path = find()
  if (path !== '') return path
  const get = `${process.getuid?.() === 0 ? '' : 'sudo -n '}env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300`
  // Parallel test files take turns: apt-get waits for the lock of its packages, and fails at that of its lists.
  const install = `${get} update && ${get} install -y --no-install-recommends ${debian}`
  const { stdout, stderr } = spawnSync('flock', ['--close', __filename, 'sh', '-c', install], { encoding: 'utf8' })
  const late = find()
  if (late !== '') return late
  throw new Error(`The system tests need ${name} (on Debian: ${debian}).\n${stdout}${stderr}`)
}
