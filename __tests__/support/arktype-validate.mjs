// Prints what schemas of arktype say of a value, and their JSON Schema. It is a separate program because arktype is an ES module,
// which jest's modules cannot load.
import { type } from 'arktype'

const User = type({ name: 'string > 1', 'tags?': 'string[]' })
const [value = 'null'] = process.argv.slice(2)
const result = User['~standard'].validate(JSON.parse(value))
const { issues } = result
const told = issues?.map(({ path, message }) => ({ path: [...path], message }))
const jsonSchema = User['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
console.log(JSON.stringify({ jsonSchema, isList: Array.isArray(result), issues: told, value: result.value }))
