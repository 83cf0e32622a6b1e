import { createHash } from 'node:crypto'
import { declareFactoryPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** `super.reverse(...)` is taken for a method of arrays, and `super` alone in its place is a syntax error in the whole file. */
const ignoreSuper = {
  shouldIgnore(path) {
    if (path.isCallExpression() && path.get('callee').isMemberExpression() && path.get('callee.object').isSuper()) {
      return 'super without a call is no expression'
    }
    return undefined
  },
}

const PERCENT = Number(process.env.MUTATION_SAMPLE ?? 100)

/** Tells whether a mutant is in the sample of `MUTATION_SAMPLE` percent. The same ones are picked in each run. */
export function isPicked(file, { start, end }, replacement) {
  const key = [file.slice(file.lastIndexOf('src')), start.line, start.column, end.line, end.column, replacement].join(
    ' ',
  )
  return createHash('sha256').update(key).digest().readUInt32BE() < (PERCENT / 100) * 2 ** 32
}

const PASSED = { status: 'passed' }
const OTHER = { status: 'compileError', reason: 'It is not in the sample.' }

/** Removes the mutants that are not in the sample. */
const sample = () => ({
  async init() {},
  async check(mutants) {
    // Stryker counts lines from 0 here, and from 1 in its report.
    const line = ({ line, column }) => ({ line: line + 1, column: column + 1 })
    const verdict = ({ fileName, location: { start, end }, replacement }) =>
      isPicked(fileName, { start: line(start), end: line(end) }, replacement) ? PASSED : OTHER
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]))
  },
})

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'super', ignoreSuper),
  declareFactoryPlugin(PluginKind.Checker, 'sample', sample),
]
