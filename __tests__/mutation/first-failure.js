const { TestEnvironment } = require('jest-environment-node')

/** Skips every test behind the first that failed: a mutant is killed once. */
module.exports = class FirstFailure extends TestEnvironment {
  failed = false

  handleTestEvent({ name, test }) {
    if (name === 'test_start' && this.failed) test.mode = 'skip'
    if (name === 'test_done' && test.errors.length > 0) this.failed = true
  }
}
