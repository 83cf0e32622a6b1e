const entries = require('./build/entries.json')
const { name } = require('./package.json')

/** What is imported by the name of the package is the sources. */
const sources = Object.fromEntries(
  Object.entries(entries).map(([subpath, file]) => [`^${name}${subpath.slice(1)}$`, `<rootDir>/src/${file}.ts`]),
)

/** Every test file runs against both majors of Express; `*.once.test.ts` files, which do not depend on it, against one. */
function project(major, overrides) {
  return {
    displayName: `express ${major}`,
    testEnvironment: 'node',
    roots: ['<rootDir>/src', '<rootDir>/__tests__'],
    testMatch: ['**/__tests__/**/*.test.ts', '!**/*.system.test.ts'], // those have jest.system.config.js
    transform: {
      // File by file (isolatedModules), which is quick; type errors fail `npm run check:types`, which `.ci/run` runs.
      '\\.ts$': '<rootDir>/__tests__/together/transform.js',
    },
    runner: '<rootDir>/__tests__/together/runner.js',
    ...overrides,
    // `import()` of a file by its URL, which is how the command line loads modules, is `require()` here.
    moduleNameMapper: { ...sources, '^file://(.*)$': '$1', ...overrides.moduleNameMapper },
  }
}

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    project(5, {}),
    project(4, {
      moduleNameMapper: { '^express$': 'express4', '^express/package\\.json$': 'express4/package.json' },
      testPathIgnorePatterns: ['/node_modules/', '\\.once\\.(?:\\w+\\.)?test\\.ts$'],
    }),
  ],
  testTimeout: 30_000, // nothing here takes a second by itself, but machines are busy
  maxWorkers: '100%',
  workerGracefulExitTimeout: 5000, // half a second, the default, is short on a busy machine, and jest then suspects a leak
  collectCoverage: process.env.COVERAGE === 'true', // as `--coverage`; `.ci/run` sets it for a bare `npm test`
  collectCoverageFrom: ['src/**/*.ts'],
  coverageReporters: ['text', 'lcovonly'],
  coverageThreshold: { global: { lines: 100, branches: 100, functions: 100, statements: 100 } },
}
