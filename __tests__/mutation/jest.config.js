const { resolve } = require('node:path')
const [project] = require('../../jest.config.js').projects

// Few cases of each property, and the same ones for each mutant.
process.env.FC_RUNS ??= '100'
process.env.FC_SEED ??= '20'

/** The tests of Express 5 that judge the mutants of one part of `src`; `run.mjs` names them. */
module.exports = {
  ...project,
  rootDir: resolve(__dirname, '../..'),
  testMatch: ['**/__tests__/mutation/tests.ts'],
  testEnvironment: require.resolve('./first-failure.js'),
  // A mutant may never response. A few seconds are enough for a first request.
  testTimeout: 2000,
}
