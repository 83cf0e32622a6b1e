// Runs the TypeScript files that it is given in one process, on the built package. A server gets a free port, and each file
// modules of its own. Tells the parent the port and the output of each.
const { AsyncLocalStorage } = require('node:async_hooks')
const { readFileSync } = require('node:fs')
const { Server } = require('node:net')
const { ModuleKind, ScriptTarget, transpileModule } = require('typescript')

const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2023, esModuleInterop: true }
const compiled = new Map()
require.extensions['.ts'] = (module, file) => {
  if (!compiled.has(file)) {
    compiled.set(file, transpileModule(readFileSync(file, 'utf8'), { compilerOptions }).outputText)
  }
  module._compile(compiled.get(file), file)
}

const running = new AsyncLocalStorage()
const programs = []
const { log } = console
console.log = (text) => {
  const program = running.getStore()
  if (program === undefined) log(text)
  else program.out += `${text}\n`
}
const { listen } = Server.prototype
Server.prototype.listen = function listening(_port, ...rest) {
  const program = running.getStore()
  this.once('listening', () => {
    if (program !== undefined) program.port = this.address().port
    if (/dist-examples/.test(program?.file)) this.unref() // It does not listen to Ctrl-C.
    // Behind the program's own listeners.
    if (programs.every(({ port }) => port > 0)) setImmediate(() => process.send?.(programs))
  })
  return listen.call(this, 0, ...rest)
}

process.setMaxListeners(0)
for (const file of process.argv.slice(2)) {
  for (const loaded of Object.keys(require.cache)) if (compiled.has(loaded)) delete require.cache[loaded]
  const program = { file, out: '', port: 0 }
  programs.push(program)
  running.run(program, () => require(file))
}
