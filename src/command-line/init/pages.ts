// The pages of an app that its document does not have.
import type { App } from './app'
import type { OpenApiLike } from './made-documents'

/** Matches a page with a literal path: `app.get('/health', ...)`, and `app.use('/docs', ...)` of static files and pages of tools. */
const PAGE = /\bapp\.(get|use)\(\s*(['"`])(\/[\w./-]*)\2\s*,([^\n]*)/g
const FILES = /\b(?:express\.static|serveStatic|swaggerUi|swaggerUI)\b/

/** The pages that frameworks of other languages add, such as FastAPI. */
const OF_SERVICES = ['/openapi.json', '/docs{/*rest}', '/redoc']

/** Lists the pages of an app that its document does not have, as patterns of `neutral`. */
export function pagesOf({ host, text }: App, document: OpenApiLike, mount: string): readonly string[] {
  if (host !== 'program') return pagesIn(text, document, mount)
  const documented = Object.keys(Object(document.paths)).map((path) => mount + path)
  return OF_SERVICES.filter((page) => documented.every((path) => !path.startsWith(page.replace(/\{.*/, ''))))
}

/**
 * Lists the pages that the file of an app makes, as patterns of `neutral` below the mount of its API.
 *
 * @param mount the mount path of the API; pages outside of it meet no version.
 */
function pagesIn(text: string, { paths }: OpenApiLike, mount: string): readonly string[] {
  const documented = Object.keys(Object(paths))
  const found = [...text.matchAll(PAGE)].flatMap((match) => {
    const [, method, , path, handlers] = match as unknown as [string, string, string, string, string]
    if (!`${path}/`.startsWith(`${mount}/`)) return []
    const below = path.slice(mount.length).replace(/\/$/, '')
    const isPage = below !== '' && (method === 'get' || FILES.test(handlers))
    if (!isPage || documented.some((one) => one === below || one.startsWith(`${below}/`) || isLike(one, below)))
      return []
    return [method === 'get' ? `GET ${below}` : `${below}{/*rest}`]
  })
  return [...new Set(found)]
}

/** Tells whether a path may be that of a template. */
function isLike(template: string, path: string): boolean {
  const [own, given] = [template, path].map((text) => text.split('/')) as [string[], string[]]
  return own.length === given.length && own.every((segment, at) => segment.includes('{') || segment === given[at])
}
