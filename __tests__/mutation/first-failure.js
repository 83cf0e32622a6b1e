const { TestEnvironment } = require('jest-environment-node')

/** Skips every test behind the first that failed: a mutant is killed once. Tells the tests which of them are asked for. */
module.exports = class FirstFailure extends TestEnvironment {
  failed = false

  constructor(config, context) {
    super(config, context)
    this.global.testNamePattern = config.globalConfig.testNamePattern
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_start' && this.failed) test.mode = 'skip'
    if (name === 'test_done' && test.errors.length > 0) this.failed = true
  }
}
