import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHost } from './support/hosts'
import { install, packed, run, temporary, tested, write } from './support/projects'

// An app that exists is adopted with the command line alone: its responses are recorded, `init` is obeyed, the first changes are made,
// and old clients get what they got, byte for byte.

const folder = temporary()
const FILE = 'versions.mjs'
/** Runs a command of the package in the folder of the app. */
const command = (...words: string[]) =>
  run(folder, process.execPath, 'node_modules/express-versioning/dist/command-line/main.js', ...words)

/** An app of one day: what a task calls its title and a new state, what a login is, and what a new task needs. */
interface Day {
  readonly title: string
  readonly state: string
  readonly login: string
  readonly created: number
  readonly needs: readonly string[]
}
const BEFORE: Day = { title: 'title', state: 'open', login: '/login', created: 200, needs: ['title'] }
const AFTER: Day = { title: 'name', state: 'todo', login: '/sessions', created: 201, needs: ['name', 'rank'] }

const appOf = ({ title, state, login, created, needs }: Day) => `import express from 'express'
const tasks = [['Paint', '${state}'], ['Read', 'done']].map(([text, state], at) => ({ id: at + 1, ${title}: text, state, due: null }))
const found = (req) => tasks.find(({ id }) => String(id) === req.params.id)
const send = (res, data, status = 200) => res.status(status).json({ data, problem: null })
const reject = (res, status, kind, message) => res.status(status).json({ data: null, problem: { kind, message } })
const router = express.Router()
router.get('/tasks', (req, res) => send(res, tasks.filter(({ state }) => [undefined, state].includes(req.query.state))))
router.post('/tasks', (req, res) => {
  if (req.get('Authorization') === undefined) return reject(res, 401, 'anonymous', 'Log in first.')
  const missing = ${JSON.stringify(needs)}.find((name) => req.body?.[name] === undefined)
  if (missing !== undefined) return reject(res, 400, 'invalid', missing + ' is missing')
  const { ${title} } = req.body
  tasks.push({ id: tasks.length + 1, ${title}, state: '${state}', due: null })
  send(res, tasks.at(-1), ${created})
})
router.get('/tasks/:id', (req, res) => (found(req) ? send(res, found(req)) : reject(res, 404, 'missing', 'No task')))
router.patch('/tasks/:id', (req, res) => {
  if (!found(req)) return reject(res, 404, 'missing', 'No task')
  if (req.body.${title} === '') return reject(res, 422, 'invalid', '${title} is empty')
  send(res, Object.assign(found(req), req.body))
})
router.delete('/tasks/:id', (req, res) => (found(req) ? res.status(204).end() : reject(res, 404, 'missing', 'No task')))
router.post('${login}', (req, res) => (req.body?.password === 'secret' ? send(res, { token: 't' }) : reject(res, 401, 'wrong', 'No')))
router.get('/stats', (req, res) => send(res, { count: tasks.length }))
const app = express()
app.use(express.json())
// PASTE
app.get('/health', (req, res) => res.send('fine'))
app.use('/api', router)
app.get('/ping', (req, res) => res.json({ pong: true }))
app.use((req, res) => reject(res, 404, 'nothing', req.method + ' ' + req.originalUrl))
app.use((error, req, res, next) => reject(res, error.status ?? 500, 'broken', 'No'))
const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
`

const text = { type: 'string' }
const data = (schema: object) => ({ type: 'object', properties: { data: schema, problem: { type: 'null' } } })
const json = (schema: object) => ({ description: 'It.', content: { 'application/json': { schema } } })
const task = { $ref: '#/components/schemas/Task' }
const documentOf = ({ title, state, login, created, needs }: Day) => {
  const properties = { [title]: text, state: { enum: [state, 'done'] } }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: text }]
  const one = { 200: json(data(task)) }
  const token = data({ type: 'object', properties: { token: text } })
  return {
    openapi: '3.1.0',
    info: { title: 'Tasks', version: '1' },
    paths: {
      '/api/tasks': {
        get: {
          parameters: [{ name: 'state', in: 'query', schema: text }],
          responses: { 200: json(data({ type: 'array', items: task })) },
        },
        post: {
          requestBody: { content: json({ $ref: '#/components/schemas/NewTask' }).content },
          responses: { [created]: json(data(task)) },
        },
      },
      '/api/tasks/{id}': {
        get: { parameters, responses: one },
        patch: { parameters, requestBody: { content: json({ type: 'object', properties }).content }, responses: one },
        delete: { parameters, responses: { 204: { description: 'Gone.' } } },
      },
      [`/api${login}`]: {
        post: {
          requestBody: { content: json({ type: 'object', properties: { password: text } }).content },
          responses: { 200: json(token) },
        },
      },
      '/api/stats': {
        get: { responses: { 200: json(data({ type: 'object', properties: { count: { type: 'number' } } })) } },
      },
    },
    components: {
      schemas: {
        NewTask: { type: 'object', properties: { ...properties, rank: { type: 'number' } }, required: [...needs] },
        Task: {
          type: 'object',
          properties: {
            id: { type: 'number' },
            [title]: text,
            state: { enum: [state, 'done'] },
            due: { type: 'null' },
          },
          required: ['id', title, 'state'],
        },
      },
    },
  }
}

/** The changes of the new day, as a team writes them. */
const HISTORY = `const renamed = fields({ renamed: { title: 'name' } })
const states = fields({ renamedValues: { state: { open: 'todo' } } })
const inOldWords = ({ problem, ...rest }) => ({
  ...rest,
  problem: { ...problem, message: problem.message.replace(/^name /, 'title ') },
})
export const history = versionHistory('1').version(
  '2',
  change('Tasks have a \`name\` instead of a \`title\`.', {
    Task: renamed,
    NewTask: renamed,
    '*': { error: inOldWords },
  }),
  change('A new task needs a \`rank\`, and is 201.', {
    NewTask: fields({ added: { rank: 0 } }),
    'POST /api/tasks': { status: { 201: 200 } },
  }),
  change('Tasks are \`todo\` instead of \`open\`.', {
    Task: states,
    NewTask: states,
    'GET /api/tasks': { query: (query) => (query.state === 'open' ? { ...query, state: 'todo' } : query) },
  }),
  change('Sessions are made.', { 'POST /api/sessions': { path: '/api/login' } }),
  change('No stats any more.', { 'GET /api/stats': 'removed' }),
)
`

const AS = 'Authorization: Bearer t'
const REQUESTS: readonly (readonly [line: string, ...fields: string[]])[] = [
  ...[
    '/health',
    '/ping',
    '/nothing',
    '/api',
    '/api/nothing',
    '/api/tasks',
    '/api/tasks?state=open',
    '/api/tasks?state=done',
  ],
  ...[
    '/api/tasks?state=late',
    '/api/tasks?page=2',
    '/api/tasks/',
    '/api/tasks/1',
    '/api/tasks/1/',
    '/api/tasks/9',
    '/api/stats',
  ],
  ...['/api/tasks/one', '/api/tasks/1?x=y', '/api/tasks/1/more', '/api/login'],
].map((path): readonly [string] => [`GET ${path}`])
const sent = (line: string, body: string, ...fields: string[]) =>
  [line, 'Content-Type: application/json', ...fields, '', body] as const
const CHANGING = [
  sent('POST /api/tasks', '{"title":"New"}', AS),
  sent('POST /api/tasks', '{"title":"New","state":"open"}', AS),
  sent('POST /api/tasks', '{"title":"New"}'),
  sent('POST /api/tasks', '{}', AS),
  sent('POST /api/tasks', '{', AS),
  ['POST /api/tasks', AS],
  sent('PATCH /api/tasks/1', '{"title":"Paint it"}'),
  sent('PATCH /api/tasks/1', '{"state":"done"}'),
  sent('PATCH /api/tasks/1', '{"state":"open"}'),
  sent('PATCH /api/tasks/1', '{"title":""}'),
  sent('PATCH /api/tasks/9', '{"title":"x"}'),
  sent('PUT /api/tasks/1', '{"title":"x"}'),
  sent('POST /api/login', '{"password":"secret"}'),
  sent('POST /api/login', '{"password":"wrong"}'),
  sent('POST /api/login', '{}'),
  sent('POST /api/nothing', '{"title":"x"}'),
  ['DELETE /api/tasks/2'],
  ['DELETE /api/tasks/9'],
  ['DELETE /api/stats'],
  ['HEAD /api/tasks/1'],
  ['OPTIONS /api/tasks'],
  ['GET /api/tasks'],
]

/** Runs a command against an app that has just started. */
async function against(words: readonly string[]): Promise<string> {
  const { port, close } = await startHost(join(folder, 'app.mjs'), [], process.execPath, folder)
  try {
    return await command(...words, '--to', `http://127.0.0.1:${port}`)
  } finally {
    await close()
  }
}

/** Writes the app of a day, with the lines that `init` has printed. */
function writeDay(day: Day, lines: readonly string[]): void {
  const isImport = (line: string) => line.startsWith('import ')
  const own = appOf(day).replace('// PASTE', lines.filter((line) => !isImport(line)).join('\n'))
  write(folder, { 'app.mjs': `${lines.filter(isImport).join('\n')}\n${own}`, 'openapi.json': documentOf(day) })
}

test('old clients get what they got, with at most ten lines beside the history', async () => {
  await install(folder, { express: tested('express'), 'express-versioning': packed().specifier })
  const requests = [...REQUESTS, ...CHANGING]
  write(folder, { 'requests.http': requests.map((one) => one.join('\n')).join('\n\n###\n\n') })
  writeDay(BEFORE, [])
  await against(['record', 'requests.http', '--out', 'recorded.json', '--once'])
  const all = `${requests.length} of ${requests.length} responses are the same.\n`
  expect(requests.length).toBeGreaterThan(40)

  const printed = await command('init')
  const lines = [...printed.matchAll(/^ {2}(\S.*)$/gm)].map(([, line]) => String(line))
  writeDay(BEFORE, lines)
  expect(await against(['compare', 'recorded.json'])).toBe(all)

  const given = readFileSync(join(folder, FILE), 'utf8')
  const [, passing = ''] = /To let it pass: (routesOf\(.*\))$/m.exec(given) ?? []
  const places = "places: { 'PATCH /api/tasks/{id} body': 'Task' }"
  const beside = given
    .replace('import { convertRequest, versionHistory }', 'import { change, convertRequest, fields, versionHistory }')
    .replace(
      /routes: routesOf\(document\)/,
      `routes: ${passing.replace("undocumented: 'pass'", `undocumented: 'pass', ${places}`)}`,
    )
  write(folder, { [FILE]: beside.replace(/^export const history = .*\n/m, HISTORY) })
  writeDay(AFTER, lines)
  expect(await against(['compare', 'recorded.json'])).toBe(all)
  const written = beside.split('\n').filter((line) => !/^(?:\/\/.*|export const history.*|)$/.test(line))
  expect(written.length + lines.length).toBeLessThanOrEqual(10)
}, 300_000)
