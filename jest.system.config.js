const { availableParallelism } = require('node:os')
const [project] = require('./jest.config.js').projects

/** `npm run test:system`: what needs a browser, a proxy or installs from the registry. */
/** @type {import('jest').Config} */
module.exports = {
  ...project,
  displayName: 'system',
  testMatch: ['**/*.system.test.ts'],
  globalSetup: '<rootDir>/__tests__/system/support/projects.ts',
  maxWorkers: 2, // installs wait for the network most of the time
  maxConcurrency: availableParallelism(), // of what a file declares with test.concurrent
  testTimeout: 300_000,
}
