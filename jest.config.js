const entries = require('./build/entries.json')
const { name } = require('./package.json')
const { compilerOptions } = require('./tsconfig.json')

/** Compiles file by file, which is quick; `npm run check:types` finds type errors. `import()` becomes `require()`. */
const tsconfig = { ...compilerOptions, isolatedModules: true, module: 'commonjs', moduleResolution: 'bundler' }

/** The package name leads to the sources. */
const sources = Object.fromEntries(
  Object.entries(entries).map(([subpath, file]) => [`^${name}${subpath.slice(1)}$`, `<rootDir>/src/${file}.ts`]),
)

/** Runs every test file on both majors of Express, and `*.once.test.ts` files on one. */
function project(major, overrides) {
  return {
    displayName: `express ${major}`,
    testEnvironment: 'node',
    setupFiles: ['<rootDir>/__tests__/support/quiet.ts'],
    roots: ['<rootDir>/src', '<rootDir>/__tests__'],
    testMatch: ['**/__tests__/**/*.test.ts', '!**/*.system.test.ts'], // those have jest.system.config.js
    transform: { '\\.ts$': ['ts-jest', { tsconfig }] },
    ...overrides,
    // The command line imports modules by URL, which `require()` does not take.
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
  coverageThreshold: { global: { lines: 99.95, branches: 99.8, functions: 99.9, statements: 99.9 } },
}
