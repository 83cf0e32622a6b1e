import express from 'express'
import { type NamedRoutes, versioning } from 'express-versioning'
import { routesOf } from 'express-versioning/openapi'
import { document } from './document'
import { end, guards, handlersOf, todaysApp } from './express-shop'
import { listen } from './listen'
import { options } from './options'
import { runCases } from './run-cases'

/** A table with handlers of its own. */
runCases({
  name: 'a table with handlers',
  start: (versioned) => {
    if (!versioned) return listen(todaysApp())
    const routes = routesOf(document) as NamedRoutes
    for (const [operation, handler] of Object.entries(handlersOf())) {
      const [method, name] = operation.split(' ') as [string, string]
      routes.route(name)[method.toLowerCase() as 'get'](handler)
    }
    return listen(end(express().use('/api', versioning({ ...options, routes }), guards(), express.json(), routes)))
  },
})
