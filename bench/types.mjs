// `node bench/types.mjs [5.5 5.9 ...]`: what the types of changes and histories cost the compiler, by hand. A history is compiled,
// and the same steps as plain objects, without `change()`, in turns; the figure is the difference of the fastest runs, as time on
// the clock and as CPU time with all threads of Node. Reads the built types, so `npm run build` first. Versions of TypeScript are
// taken from the npm registry; without any, the installed one is asked.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ROUNDS = 5
const LIMIT = 2

const OPTIONS = {
  noEmit: true,
  strict: true,
  target: 'es2022',
  module: 'nodenext',
  skipLibCheck: true,
  types: ['node'],
}

// `changed`: how many of the operations, or shapes, each version changes, one after the other.
const CASES = [
  { versions: 50, operations: 100, changed: 10 },
  { versions: 50, operations: 100, changed: 100, limit: LIMIT },
  { versions: 50, shapes: true, operations: 100, changed: 100, limit: LIMIT },
  { versions: 200, operations: 100, changed: 2 },
  { versions: 200, operations: 100, changed: 20 },
]

// Inside of the package, so that it is found by its name.
const folder = join(ROOT, 'dist-examples', 'bench-types')
mkdirSync(folder, { recursive: true })
const TELLING = join(folder, 'telling.cjs')
writeFileSync(
  TELLING,
  `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(2, String(user + system))
})
`,
)
const asked = process.argv.slice(2)
for (const compiler of asked.length === 0 ? [join(ROOT, 'node_modules/typescript')] : asked.map(installed)) {
  const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'))
  console.log(`TypeScript ${version}: seconds (and seconds of CPU), the fastest of ${ROUNDS}`)
  for (const { versions, operations, changed, limit, shapes = false } of CASES) {
    const title = `${versions} versions, each changing ${changed} of ${operations} ${shapes ? 'shapes' : 'operations'}`
    const [plain, checked] = [false, true].map((isChecked) => {
      const file = join(
        folder,
        `${versions}-${operations}-${changed}-${shapes ? 'shapes-' : ''}${isChecked ? 'checked' : 'plain'}.ts`,
      )
      writeFileSync(file, history(versions, operations, changed, isChecked, shapes))
      return file
    })
    const rounds = Array.from({ length: ROUNDS }, () => [compiled(compiler, plain), compiled(compiler, checked)])
    const [without, withCheck] = [0, 1].map((at) => ({
      clock: Math.min(...rounds.map((round) => round[at].clock)),
      cpu: Math.min(...rounds.map((round) => round[at].cpu)),
    }))
    const cost = withCheck.clock - without.clock
    if (cost > limit) process.exitCode = 1
    const judged = limit === undefined ? '' : ` (limit ${limit}: ${cost > limit ? 'MISS' : 'pass'})`
    const cpu = (withCheck.cpu - without.cpu).toFixed(2)
    console.log(
      `  ${cost.toFixed(2)}${judged} (${cpu})  ${withCheck.clock.toFixed(2)} over ${without.clock.toFixed(2)}  ${title}`,
    )
  }
}

/** A program with a history in one chain: each changed operation gets a shape of its own, with a field more. */
function history(versions, operations, changed, isChecked, ofShapes) {
  const shapes = new Map(Array.from({ length: operations }, (_, operation) => [operation, 0]))
  const types = [...shapes.keys()].map((operation) => shape(operation, 0))
  const releases = Array.from({ length: versions - 1 }, (_, release) => {
    const steps = Array.from({ length: changed }, (_, index) => {
      const operation = (release * changed + index) % operations
      const older = shapes.get(operation)
      shapes.set(operation, older + 1)
      types.push(shape(operation, older + 1))
      const [from, to] = [`S${operation}_${older + 1}`, `S${operation}_${older}`]
      const result = `({ ...thing, f${older}: String(f${older + 1}) })`
      if (ofShapes && isChecked)
        return `  Thing${operation}: shape<${to}, ${from}>(json, json, { response: ({ f${older + 1}, ...thing }) => ${result} }),`
      return `  'GET things-${operation}': { response: ({ f${older + 1}, ...thing }: ${from}): ${to} => ${result} },`
    })
    const said = `{\n${steps.join('\n')}\n  }`
    return isChecked ? `  .version('${release + 2}', change('Changed.', ${said}))` : `  ${said}`
  })
  return `import { change, shape, versionHistory } from 'express-versioning/changes'
export const json = { type: 'object' } as const
export const used = [change, shape]
${types.join('\n')}
export const oldest = versionHistory('1')
${isChecked ? `export const history = oldest\n${releases.join('\n')}` : `export const changes = [\n${releases.join(',\n')}\n]`}
`
}

function shape(operation, number) {
  return `interface S${operation}_${number} { id: string; name: string; at: string; tags: string[]; f${number}: string }`
}

/** The time of compiling one program, in seconds. */
function compiled(compiler, file) {
  const project = `${file}.json`
  writeFileSync(project, JSON.stringify({ compilerOptions: OPTIONS, files: [file] }))
  const begun = performance.now()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', TELLING, join(compiler, 'bin/tsc'), '-p', project],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`${file} does not compile:\n${stdout.slice(0, 2000)}`)
  return { clock: (performance.now() - begun) / 1000, cpu: Number(stderr) / 1e6 }
}

/** Where a version of TypeScript is; it is kept in the temporary folder. */
function installed(version) {
  const prefix = join(tmpdir(), `express-versioning-bench-typescript-${version}`)
  const compiler = join(prefix, 'node_modules/typescript')
  if (!existsSync(compiler)) {
    const args = ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
    execFileSync('npm', [...args, `typescript@~${version}.0`], { stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return compiler
}
