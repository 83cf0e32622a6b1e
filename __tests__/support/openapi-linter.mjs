// Gets lists of OpenAPI documents as messages and sends the strictest validator's findings for each document. It is a separate
// program because the validator is an ES module, which jest's modules cannot load.
import { createConfig, lintFromString } from '@redocly/openapi-core'

const config = createConfig({ extends: ['spec'] })
process.on('message', async (documents) => {
  const found = []
  for (const document of documents) {
    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: 'openapi.json',
      config: await config,
    })
    found.push(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`))
  }
  process.send(found)
})
