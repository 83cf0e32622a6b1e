// Prints the JSON Schemas of arktype's schemas. It is a separate program because arktype is an ES module, which jest's modules
// cannot load.
import { type } from 'arktype'

const tree = type.module({ node: { name: 'string', 'children?': 'node[]' } })
const schemas = { user: type({ id: 'string', 'age?': 'number' }), page: type('string.integer.parse'), tree: tree.node }
const options = { target: 'draft-2020-12' }
const told = ([name, schema]) => {
  const { jsonSchema } = schema['~standard']
  const output = name === 'page' ? undefined : jsonSchema.output(options)
  return [name, { kind: typeof schema, input: jsonSchema.input(options), output }]
}
console.log(JSON.stringify(Object.fromEntries(Object.entries(schemas).map(told))))
