// Reads a JSON list of OpenAPI documents from standard input and prints the strictest validator's findings for each. It is a
// separate program because the validator is an ES module, which jest's modules cannot load.
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'

const config = await createConfig({ extends: ['spec'] })
const found = []
for (const document of JSON.parse(await text(process.stdin))) {
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  found.push(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`))
}
console.log(JSON.stringify(found))
