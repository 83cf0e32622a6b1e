// The options of `versioning()` that all hosts share, but for `routes`.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { HeaderVersioning } from 'express-versioning'
import { contract } from 'express-versioning/contract'
import { history } from './history'
import { notValid } from './shop'

const bodies = new Ajv2020({ allErrors: true, strict: false })
const queries = new Ajv2020({ allErrors: true, strict: false, coerceTypes: 'array' })

export const options = {
  scheme: HeaderVersioning,
  defaultVersion: '2024-01-01',
  changes: history,
  neutral: ['/health'],
  contract: contract({
    compile: (schema, part) => (part === 'query' ? queries : bodies).compile(schema),
    refuse: (issues) => notValid(new Set(issues.map(({ path }) => path.join('.')))),
  }),
}
