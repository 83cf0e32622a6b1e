const [project] = require('./jest.config.js').projects

/** `npm run test:system`: what needs a browser, a proxy or installs from the registry. Each file by itself, one after the other. */
/** @type {import('jest').Config} */
module.exports = {
  ...project,
  displayName: 'system',
  testMatch: ['**/*.system.test.ts'],
  runner: 'jest-runner',
  maxWorkers: 1,
  testTimeout: 120_000,
}
