// Prints the JSON Schemas of arktype's schemas. It is a separate program because arktype is an ES module, which jest's modules
// cannot load.
import { type } from 'arktype'

const { node } = type.module({ node: { name: 'string', 'children?': 'node[]' } })
const page = type('string.integer.parse')
const target = { target: 'draft-2020-12' }
const kinds = [typeof page, typeof node]
const input = page['~standard'].jsonSchema.input(target)
console.log(JSON.stringify({ kinds, page: input, tree: node['~standard'].jsonSchema.output(target) }))
