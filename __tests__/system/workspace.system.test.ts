import { join } from 'node:path'
import { install, pack, run, temporary, tested, write } from './support/projects'

// pnpm gives packages of a workspace separate copies if their peers differ. Here the types of Express differ, and Express is one
// copy. Each copy of the library must know the decision of the other.

const temp = temporary()
const workspace = join(temp, 'workspace')

const shared = `
const { byVersion, problemDetails, VersioningError } = require('express-versioning')
module.exports = {
  at: require.resolve('express-versioning'),
  VersioningError,
  users: byVersion({
    v1: (req, res) => res.json({ title: 'Ada', of: req.version }),
    v2: (req, res) => res.json({ name: 'Ada', of: req.version }),
  }),
  problems: problemDetails(),
}
`

const app = `
import { createRequire } from 'node:module'
import express from 'express'
import { QueryParameterVersioning, VersioningError, versioning } from 'express-versioning'
import shared from 'shared'

const app = express()
app.use(versioning({ scheme: QueryParameterVersioning, allowedVersions: ['v1', 'v2', 'v3'] }))
app.get('/users', shared.users)
app.use(shared.problems)
const server = app.listen(0, '127.0.0.1', async () => {
  const answers = []
  for (const version of ['v1', 'v2', 'v3', 'x']) {
    const answer = await fetch('http://127.0.0.1:' + server.address().port + '/users?version=' + version)
    const { title, name, of, code } = await answer.json()
    answers.push([answer.status, answer.headers.get('content-type').split(';')[0], of ?? code])
  }
  server.close()
  const copies = new Set([shared.at, createRequire(import.meta.url).resolve('express-versioning')]).size
  console.log(JSON.stringify({ copies, classes: new Set([VersioningError, shared.VersioningError]).size, answers }))
})
`

beforeAll(async () => {
  const { specifier } = pack()
  await install(join(temp, 'tools'), { pnpm: '^10.0.0' })
  const dependencies = (types: string) => ({
    express: tested('express'),
    'express-versioning': specifier,
    '@types/express': types,
  })
  write(workspace, {
    'package.json': { private: true },
    'pnpm-workspace.yaml': 'packages: [shared, app]\n',
    'shared/package.json': { name: 'shared', version: '1.0.0', dependencies: dependencies('^4.0.0') },
    'shared/index.js': shared,
    'app/package.json': { name: 'app', dependencies: { ...dependencies('^5.0.0'), shared: 'workspace:*' } },
    'app/main.mjs': app,
  })
  const pnpm = join(temp, 'tools/node_modules/pnpm/bin/pnpm.cjs')
  const options = ['--no-frozen-lockfile', '--ignore-scripts', '--prefer-offline', '--store-dir', join(temp, 'store')]
  await run(workspace, process.execPath, pnpm, 'install', ...options)
}, 300_000)

test('two copies in a pnpm workspace share what was decided', async () => {
  const told = JSON.parse(await run(join(workspace, 'app'), process.execPath, 'main.mjs'))
  expect(told).toEqual({
    copies: 2,
    classes: 2,
    answers: [
      [200, 'application/json', 'v1'],
      [200, 'application/json', 'v2'],
      [404, 'application/problem+json', expect.stringMatching(/^ERR_/)],
      [404, 'application/problem+json', expect.stringMatching(/^ERR_/)],
    ],
  })
})
