// Prints what a schema of arktype says of values, and its JSON Schema. It is a separate program because arktype is an ES module,
// which jest's modules cannot load.
import { type } from 'arktype'

const User = type({ name: 'string > 1', 'tags?': 'string[]' })
const results = process.argv.slice(2).map((value) => {
  const result = User['~standard'].validate(JSON.parse(value))
  const issues = result.issues?.map(({ path, message }) => ({ path: [...path], message }))
  return [value, { isList: Array.isArray(result), issues, value: result.value }]
})
const jsonSchema = User['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
console.log(JSON.stringify({ jsonSchema, results }))
