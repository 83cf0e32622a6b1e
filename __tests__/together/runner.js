const { readFileSync } = require('node:fs')
const { join, relative, sep } = require('node:path')

const core = require.resolve('@jest/core', { paths: [require.resolve('jest')] })
/** A package that jest itself uses. */
const ofJest = (name) => require(require.resolve(name, { paths: [core] }))
const { default: TestRunner } = ofJest('jest-runner')
const { formatResultsErrors } = ofJest('jest-message-util')

const TESTS = join(__dirname, '..')
/** Files of one project for each of these: a registry each, and work for two cores. */
const ENTRIES = ['first.ts', 'second.ts'].map((name) => join(__dirname, name))

/**
 * Runs the test files of a project in few module registries, as loading Express, fast-check and `src` for each of them would
 * take most of the time, and reports them one by one, as jest does. Files or tests that are asked for by name run as jest runs
 * them, each by itself; so does a file that begins with a comment `// Alone: ` and the reason.
 */
module.exports = class TogetherRunner extends TestRunner {
  constructor(globalConfig, context) {
    super(globalConfig, context)
    this.members = new Map()
    const { testPathPatterns, testNamePattern, watch, watchAll } = globalConfig
    this.together = !testPathPatterns.isSet() && !testNamePattern && !watch && !watchAll
  }

  runTests(tests, watcher, options) {
    return super.runTests(this.together ? this.grouped(tests) : tests, watcher, options)
  }

  /** One test for each entry and project, in place of those whose files the entry loads. */
  grouped(tests) {
    const alone = tests.filter(({ path }) => readFileSync(path, 'utf8').startsWith('// Alone: '))
    const groups = new Map()
    const files = {}
    for (const test of tests) {
      if (alone.includes(test)) continue
      const { displayName } = test.context.config
      const counts = ENTRIES.map((path) => groups.get(`${displayName.name} ${path}`)?.members.length ?? 0)
      const path = ENTRIES[counts.indexOf(Math.min(...counts))]
      const key = `${displayName.name} ${path}`
      if (!groups.has(key)) groups.set(key, { ...test, path, members: [] })
      groups.get(key).members.push(test)
      const entry = `${displayName.name} ${relative(__dirname, path)}`
      files[entry] = [...(files[entry] ?? []), nameOf(test.path)]
    }
    // The workers inherit it. A setting of the project would be part of the key under which jest keeps what it has compiled.
    process.env.TOGETHER = JSON.stringify(files)
    for (const { members, ...group } of groups.values()) this.members.set(keyOf(group), members)
    return [...groups.values()].map(({ members, ...group }) => group).concat(alone)
  }

  on(event, listener) {
    if (!event.startsWith('test-file-')) return super.on(event, listener)
    return super.on(event, async (payload) => {
      const [test, outcome] = payload
      const members = this.members.get(keyOf(test))
      if (members === undefined) return listener(payload)
      for (const [index, member] of members.entries()) {
        await listener(event === 'test-file-success' ? [member, this.share(member, outcome, index)] : [member, outcome])
      }
    })
  }

  /** What a group's result says about one of its files. What belongs to all is told by the first. */
  share({ path, context: { config } }, result, index) {
    const name = nameOf(path)
    const testResults = result.testResults
      .filter(({ ancestorTitles: [file] }) => file === name)
      .map((one) => ({
        ...one,
        ancestorTitles: one.ancestorTitles.slice(1),
        fullName: one.fullName.slice(name.length + 1),
      }))
    const count = (status) => testResults.filter((one) => one.status === status).length
    const durations = testResults.map(({ duration }) => duration ?? 0)
    const { start } = result.perfStats
    const runtime = durations.reduce((sum, duration) => sum + duration, 0)
    return {
      ...result,
      ...(index === 0 ? {} : { coverage: undefined, v8Coverage: undefined, openHandles: [], console: undefined }),
      testFilePath: path,
      testResults,
      failureMessage: formatResultsErrors(testResults, config, this._globalConfig, path),
      numFailingTests: count('failed'),
      numPassingTests: count('passed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      skipped: testResults.every(({ status }) => status === 'pending'),
      perfStats: { ...result.perfStats, runtime, end: start + runtime, slow: false },
    }
  }
}

/** As the group's `describe` is named, too. */
function nameOf(path) {
  return relative(TESTS, path).replaceAll(sep, '/')
}

function keyOf({ path, context }) {
  return `${context.config.id} ${path}`
}
