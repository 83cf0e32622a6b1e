import { version } from 'express/package.json'

/** The major of the Express that `import express from 'express'` gives in this run. */
export const major = Number(version.split('.')[0]) as 4 | 5
