import { version } from 'express/package.json'

function majorOf(found: string): 4 | 5 {
  if (found.startsWith('4.')) return 4
  if (found.startsWith('5.')) return 5
  throw new Error(`The tests run on Express 4 and 5; 'express' resolved to ${found}.`)
}

/** The major of the Express that `import express from 'express'` gives in this run. */
export const major: 4 | 5 = majorOf(version)
