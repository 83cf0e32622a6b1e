// The page "try it", which Swagger UI draws.
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { NextFunction, Response } from 'express'
import { badOption } from '../util/options'
import { escaped } from './page'

/** The files of `swagger-ui-dist` that the page needs. No other file is served. */
const STYLE = 'swagger-ui.css'
const ICON = 'favicon-32x32.png'
const SCRIPTS = ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js']
const FILES: ReadonlySet<string> = new Set([STYLE, ICON, ...SCRIPTS])
/** The file that configures Swagger UI. It is not part of `swagger-ui-dist`. */
const INITIALIZER = 'initializer.js'

/** A document to choose by name. */
interface Document {
  readonly name: string
  readonly url: string
}

/** The content of the page. */
export interface Shown {
  readonly title: string
  /** The path of the page on its host. */
  readonly base: string
  /** The documents. The first is selected. */
  readonly documents: readonly Document[]
  /** The servers of requests, beside the page's own. */
  readonly origins: readonly string[]
}

/** Responds to a request for the page (the empty name) or for a file below it. Other requests pass. */
type SendUi = (name: string, shown: Shown, res: Response, next: NextFunction) => void

/**
 * Makes the page "try it": the user's own `swagger-ui-dist` for the documents of an API.
 *
 * @throws {TypeError} for a folder that lacks one of the files.
 */
export function swaggerUi(owner: string, folder: unknown): SendUi {
  const takes = "the folder of swagger-ui-dist, require('swagger-ui-dist').absolutePath()"
  if (typeof folder !== 'string' || !isAbsolute(folder)) throw badOption(owner, 'swaggerUi', takes, folder)
  if (![...FILES].every((file) => existsSync(join(folder, file)))) throw badOption(owner, 'swaggerUi', takes, folder)
  return (name, shown, res, next) => {
    const isOwn = name === '' || name === INITIALIZER
    if (!isOwn && !FILES.has(name)) {
      next()
      return
    }
    res.set('Content-Security-Policy', policyFor(shown.origins))
    res.set('X-Content-Type-Options', 'nosniff')
    if (name === '') res.type('html').send(pageOf(shown))
    else if (name === INITIALIZER) res.type('js').send(initializerOf(shown))
    else res.sendFile(name, { root: folder }, (error) => error && next(error))
  }
}

function policyFor(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; ')
}

function pageOf({ title, base }: Shown): string {
  const from = (file: string) => `"${escaped(`${base}/${file}`)}"`
  const scripts = [...SCRIPTS, INITIALIZER].map((file) => `<script src=${from(file)}></script>`)
  return `<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width"><title>${escaped(title)}: try it</title>
<link rel=stylesheet href=${from(STYLE)}><link rel=icon href=${from(ICON)}>
<main id=swagger-ui></main>
${scripts.join('\n')}
`
}

function initializerOf({ documents }: Shown): string {
  return `SwaggerUIBundle({
  urls: ${JSON.stringify(documents)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
})
`
}
