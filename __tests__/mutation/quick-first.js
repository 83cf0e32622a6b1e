const { default: Sequencer } = require('@jest/test-sequencer')
const { readFileSync } = require('node:fs')

/** Tests of pure functions before those that start servers, because the first failure ends the run of a mutant. */
module.exports = class QuickFirst extends Sequencer {
  sort(tests) {
    const cost = ({ path }) => {
      const text = readFileSync(path, 'utf8')
      return text.length + (text.includes("'./support/serve'") ? 1e9 : 0)
    }
    return [...tests].sort((a, b) => cost(a) - cost(b))
  }
}
