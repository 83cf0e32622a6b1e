import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { at } from '../../support/serve'
import { binary } from './debian'
import { freePorts } from './fleet'

const program = binary('nginx')
const stopped: (() => Promise<void>)[] = []
afterEach(() => Promise.all(stopped.splice(0).map((stop) => stop())))

/**
 * Starts nginx for a test, in a folder of its own and without root.
 *
 * @param configuration the inside of its `http` block.
 * @param places replaces the paths and addresses of a page. `FOLDER` and `PORT` stand for its own.
 */
export async function startNginx(configuration: string, places: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-nginx-'))
  const [port = 0] = await freePorts(1)
  const { stderr: built } = spawnSync(program, ['-V'], { encoding: 'utf8' })
  const modules = ['fastcgi', 'proxy', 'scgi', 'uwsgi'].filter((name) => !built.includes(`--without-http_${name}_`))
  const temporary = ['client_body', ...modules].map((name) => `${name}_temp_path ${folder}/${name};`)
  let http = configuration
  for (const [from, to] of Object.entries(places)) {
    expect(http).toContain(from)
    http = http.replaceAll(from, to.replace('FOLDER', folder).replace('PORT', String(port)))
  }
  const main = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error;
    ${process.getuid?.() === 0 ? 'user root;' : ''} events { worker_connections 256; }`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${main} http { ${temporary.join(' ')} ${http} }`)
  const child = spawn(program, ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = text(child.stderr)
  stopped.push(async () => {
    child.kill('SIGTERM')
    await said
    rmSync(folder, { recursive: true, force: true })
  })
  const proxy = at(port)
  while (child.exitCode === null) {
    if (await proxy.get('/nothing').catch(() => undefined)) return { proxy, folder }
    await setTimeout(20)
  }
  throw new Error(`nginx does not listen on ${port}:\n${await said}`)
}
