const { availableParallelism } = require('node:os')
const [project] = require('./jest.config.js').projects

/** `npm run test:system`: what needs a browser, a proxy or installs from the registry. Each file by itself, one after the other. */
/** @type {import('jest').Config} */
module.exports = {
  ...project,
  displayName: 'system',
  testMatch: ['**/*.system.test.ts'],
  maxWorkers: 1,
  maxConcurrency: availableParallelism(), // of what a file declares with test.concurrent
  testTimeout: 300_000,
}
