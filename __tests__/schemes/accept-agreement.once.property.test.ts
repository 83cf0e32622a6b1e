import { AcceptHeaderVersioning, versioning } from 'express-versioning'
import fc from 'fast-check'
import { appOf, dispatch } from '../support/dispatch'
import { property } from '../support/property'

// The scheme picks the same media type as Express. Each range has its own version, which identifies it.

const TYPES = ['text/html', 'application/json', 'application/xml']
const scheme = new AcceptHeaderVersioning({ mediaTypes: TYPES })
const app = appOf((app) => app.use(versioning({ scheme })))

const range = fc
  .tuple(
    fc.constantFrom(...TYPES, 'Application/JSON', 'text/*', 'application/*', '*/*', 'image/png'),
    fc.constantFrom('', ';q=1', ';q=0.9', ';q=0.5', ';q=0.001', ';q=0', ';q=0.000'),
    fc.constantFrom('', '', '', '', ';charset=utf-8', '; level=1', ';x="a, b;version=9"'),
    fc.constantFrom('first', 'last', 'quoted', 'none'),
  )
  .map(([name, weight, other, place]) => {
    const label = name.toLowerCase()
    const version = place === 'none' ? '' : `; version="${label.replace('*', '\\*')}"`
    const text = place === 'first' ? `${name}${version}${other}${weight}` : `${name}${other}${weight}${version}`
    return { text, label, foreign: other !== '', acceptable: !/q=0(\.0+)?$/.test(weight) }
  })

let answered = 0
property(
  'a version is that of a range which matches the type that res.format sends',
  fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), (ranges) => {
    const accept = ranges.map(({ text }) => text).join(', ')
    const { req, errors, served } = dispatch(app, { url: '/', headers: { accept } })
    const type = req.accepts(TYPES)
    expect(served + errors.length).toBe(1)
    if (typeof type !== 'string') {
      // If Express finds no type, the scheme ignores unknown parameters.
      if (served === 1) expect(ranges.some(({ foreign }) => foreign)).toBe(true)
      else expect(errors).toEqual([expect.objectContaining({ status: 406 })])
      return
    }
    answered++
    expect(errors).toEqual([])
    const matching = [type, type.replace(/\/.*/, '/*'), '*/*']
    if (typeof req.version === 'string') expect(matching).toContain(req.version)
    // The most specific of those that may be chosen decides.
    const decides = matching.find((name) => ranges.some((one) => one.label === name && one.acceptable))
    const silent = ranges.some(
      (one) => one.label === decides && !one.text.includes(`version="${one.label.replace('*', '\\*')}`),
    )
    if (!silent) expect(req.version).toBe(decides)
  }),
  () => expect(answered).toBeGreaterThan(100),
)

test.each<[accept: string, version: string | null, type: string | false]>([
  ['text/html, application/xml;version=1', null, 'text/html'],
  ['application/xml;version=1, text/html', '1', 'application/xml'],
  ['text/html;level=1;version=1, application/json;version=2', '2', 'application/json'],
  ['text/html;x=*;version=1, application/json;version=2', '1', 'text/html'],
  ['application/json;version=1, text/html;x=*;version=2', '2', 'text/html'],
  ['application/json;version=1;q=1, text/html;q=5;version=2', '2', 'text/html'],
  ['application/json;version=1, text/html;version=2, application/json;version=3', '2', 'text/html'],
  ['application/json;charset=utf-8;version=1', '1', false],
])('%s: version %s, %s', (accept, version, type) => {
  const { req } = dispatch(app, { url: '/', headers: { accept } })
  expect([req.version, req.accepts(TYPES)]).toEqual([version, type])
})
