import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as exported from 'express-versioning'
import { parse } from 'yaml'
import { engines, scripts, version } from '../../package.json'

const root = join(__dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const filesIn = (folder: string) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)

/** As far as these tests read one. */
interface Workflow {
  permissions?: Record<string, string>
  jobs: Record<
    string,
    {
      permissions?: Record<string, string>
      strategy?: { matrix: { node: number[]; express: number[] } }
      'timeout-minutes'?: number
      steps: { uses?: string; run?: string; with?: Record<string, unknown> }[]
    }
  >
}

const workflows = filesIn('.github/workflows').map((file) => ({ file, text: read(file) }))
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`))

describe.each(workflows)('$file', ({ text }) => {
  const parsed: Workflow = parse(text)
  const jobs = Object.values(parsed.jobs)
  const steps = jobs.flatMap((job) => job.steps)

  test('pins each action by its commit, and says which version that is', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    expect(used.length).toBeGreaterThan(0)
    for (const action of used) expect(action).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40}$/)
    const lines = text.split('\n').filter((line) => /^\s*(?:- )?uses:/.test(line))
    expect(lines).toHaveLength(used.length)
    for (const line of lines) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('grants what it needs and no more, keeps no token in the checkout, and ends', () => {
    const granted = { ...parsed.permissions, ...Object.assign({}, ...jobs.map(({ permissions }) => permissions)) }
    const publishes = steps.some(({ run }) => run?.includes('npm publish'))
    expect(granted).toEqual({ contents: 'read', ...(publishes ? { 'id-token': 'write' } : {}) })
    expect(parsed.permissions?.['id-token']).toBeUndefined()
    for (const { uses, with: options } of steps) {
      if (uses?.startsWith('actions/checkout@')) expect(options).toMatchObject({ 'persist-credentials': false })
    }
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(60)
  })

  test('runs scripts that there are', () => {
    const named = steps.flatMap(({ run = '' }) => [
      ...run.matchAll(/npm (?:run )?(?!ci\b|pkg\b|publish\b|run\b)([\w:]+)/g),
    ])
    expect(named.length).toBeGreaterThan(0)
    for (const [, script] of named) expect(Object.keys(scripts)).toContain(script)
  })

  test('takes nothing that others write into a command', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/\$\{\{(?! *matrix\.)/)
  })
})

test('CI runs the tests on each Node and each Express that is supported', () => {
  const { matrix } = workflow('ci').jobs.test?.strategy ?? {}
  expect(matrix).toEqual({ node: [20, 22, 24], express: [4, 5] })
  expect(engines.node).toBe(`>=${matrix?.node[0]}`)
  const { projects } = jest.requireActual('../../jest.config.js') as { projects: { displayName: string }[] }
  expect(projects.map(({ displayName }) => displayName).sort()).toEqual(
    matrix?.express.map((major) => `express ${major}`),
  )
  const text = read('.github/workflows/ci.yml')
  expect(text).toContain('--selectProjects "express $' + '{{ matrix.express }}"')
  expect(read('docs/stability.md')).toContain(
    `| Node | the range of \`engines\` in \`package.json\`: ${matrix?.node[0]} and later |`,
  )
})

test('a release has provenance, after all tests', () => {
  const steps = workflow('release').jobs.publish?.steps ?? []
  const commands = steps.map(({ run = '' }) => run)
  const at = (text: string) => commands.findIndex((command) => command.includes(text))
  expect(commands.at(-1)).toContain('npm publish --provenance')
  expect(at('npm run check')).toBeGreaterThan(at('npm ci'))
  expect(at('npm run test:system')).toBeGreaterThan(at('npm ci'))
})

describe('CHANGELOG.md', () => {
  const releases = read('CHANGELOG.md').split(/^## /m).slice(1)
  const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']

  test('begins with the version of package.json', () => {
    expect(releases[0]?.split('\n')[0]).toMatch(/^\[\d+\.\d+\.\d+\] - (?:Unreleased|\d{4}-\d\d-\d\d)$/)
    expect(releases[0]).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - `))
  })

  test.each(releases.map((release) => [release.slice(0, release.indexOf('\n')), release]))(
    '%s: sections in the order of Keep a Changelog',
    (_, release) => {
      const found = [...release.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind)
      expect(found).toEqual(kinds.filter((kind) => found.includes(kind)))
      for (const section of release.split(/^### /m).slice(1)) expect(section).toMatch(/^\w+\n\n- /)
    },
  )
})

/** An issue form, as far as these tests read one. */
interface Form {
  name: string
  description: string
  body: { type: string; id?: string; attributes: { label?: string }; validations?: { required: boolean } }[]
}

const forms = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('config.yml'))

test.each(forms)('%s is an issue form', (file) => {
  const { name, description, body }: Form = parse(read(file))
  expect([name, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)])
  const asked = body.filter(({ type }) => type !== 'markdown')
  expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length)
  for (const { id, attributes } of asked)
    expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)])
})

test('who reports a bug is asked for all that it takes to see it', () => {
  const { body }: Form = parse(read('.github/ISSUE_TEMPLATE/bug.yml'))
  const required = body.filter(({ validations }) => validations?.required).map(({ id }) => id)
  expect(required).toEqual(['package', 'express', 'node', 'scheme', 'options', 'request', 'expected', 'actual'])
})

test('the schemes that issue forms list are those of the package', () => {
  const schemes = Object.keys(exported).filter((name) => /.Versioning$/.test(name))
  const listed = schemes.filter((name) => name !== 'BaseVersioning')
  expect(listed).toHaveLength(8)
  for (const file of forms) {
    for (const scheme of listed) expect(read(file)).toContain(`- ${scheme}\n`)
  }
})
