// Parts of the applications of several suites.

/** @returns {Promise<import('express')>} Express of that major */
export async function expressOf(major) {
  return (await import(major === 4 ? 'express4' : 'express')).default
}

/** The package, or a clause on what this build of it lacks. */
export async function packageWith(...names) {
  const exported = await import('express-versioning')
  const missing = names.filter((name) => !(name in exported))
  if (missing.length > 0) throw new Error(`not in this build: ${missing.join(', ')}`)
  return exported
}

/** The handler that all cases end in. */
export function responseVersion(req, res) {
  res.end(req.version)
}

export function responseOne(_req, res) {
  res.end('1')
}

/** Returns the parts of a case that measures requests. The suite sends the requests to the handler. */
export function responding(handler, spec) {
  return { handler, spec }
}

/** A request to an Express app with one middleware in front of one route. */
export async function behind(major, middleware, spec = { url: '/users' }) {
  const express = await expressOf(major)
  const app = express()
  if (middleware !== undefined) app.use(middleware)
  app.get('/users', responseVersion)
  return responding(app, spec)
}

/** The commonest middleware there is: one that looks at the request and passes it on. */
export function passing(req, _res, next) {
  if (req.headers.authorization === 'none') next(new Error('unauthorized'))
  else next()
}

/** Returns the middleware in front of a router that is mounted by hand for one version. */
export function setting(version) {
  return (req, _res, next) => {
    req.version = version
    next()
  }
}

/** `count` names of versions: `v1`, `v2`, ... */
export function versionNames(count) {
  return Array.from({ length: count }, (_, index) => `v${index + 1}`)
}
