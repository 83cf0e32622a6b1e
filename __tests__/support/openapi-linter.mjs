// Reads OpenAPI documents, a list in JSON, from the standard input, and prints what the strictest validator finds in each. A program
// of its own, because the validator is an ES module, which jest's modules cannot load.
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'

const config = await createConfig({ extends: ['spec'] })
const found = []
for (const document of JSON.parse(await text(process.stdin))) {
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  found.push(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`))
}
console.log(JSON.stringify(found))
