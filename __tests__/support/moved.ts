// Requests in words, which may be moved to another path after the decision about their version.
import type { Application, RequestHandler } from 'express'
import { type VersioningOptions, versioning } from 'express-versioning'
import { serve } from './serve'

export type Build = (app: Application) => unknown

/** Makes middleware that does something and goes on. */
export const act =
  (change: (...args: Parameters<RequestHandler>) => unknown): RequestHandler =>
  (req, res, next) =>
    next(void change(req, res, next))
/** Moves the request to another path after `versioning()`, which decided about the old one. */
export const move = act((req) => Object.assign(req, { url: req.get('X-To') ?? req.url }))
export const decide = (scheme: unknown, more: object = {}) => versioning({ scheme, ...more } as VersioningOptions)

const PATH = '404 ERR_VERSION_NOT_FOUND Invalid version in URL path.'
const NAMESPACE = `${PATH} Does not match any version namespace.`
/** The outcomes, as tables call them. */
const WORDS: Record<string, string> = { PATH, NAMESPACE, SKIPPED: '404 undefined' }
const PREFLIGHT = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'GET' }

/**
 * Expects an app to respond to requests as each row says: perhaps a method, paths, perhaps the paths behind `versioning()` and a
 * header field; and the response, a string of JSON or an error in one line. `v1` is short for `v1 at` the path, and `v1/` for the
 * same with a slash behind. In front of it is what the field `X-Noted` has.
 */
export async function check(build: Build, asked: string[][]): Promise<void> {
  const { send } = await serve((app) => void build(app))
  for (const [request = '', response = ''] of asked) {
    const [, word = 'GET', from = '', to = '', version] =
      /^(?:([A-Z]+) )?(.*?)(?: > (.*?))?(?: X-API-Version=(\w+))?$/.exec(request) ?? []
    const [method, fields] = word === 'PREFLIGHT' ? ['OPTIONS', PREFLIGHT] : [word, {}]
    for (const [path, move] of from.split(' ').flatMap((path) => to.split(' ').map((move) => [path, move] as const))) {
      const headers = { ...fields, ...(version && { 'X-API-Version': version }), ...(move && { 'X-To': move }) }
      const { status, json, headers: sent } = await send(method, path, headers)
      const { code, error } = Object(json)
      const told = typeof json === 'string' ? json : `${status}${code ? ` ${code}` : ''} ${error}`
      const expected = WORDS[response] ?? response.replace(/^(v\d|null)(\/?)$/, `$1 at ${move || path}$2`)
      expect([request, path, move, (sent['x-noted'] ?? '') + told]).toEqual([request, path, move, expected])
    }
  }
}

/** Declares a test for each name, which checks the apps of that name with the rows that begin with it, among others by ` & `. */
export function checkEach(apps: Record<string, Build | readonly Build[]>, asked: string[][]): void {
  test.each(Object.entries(apps))('%s', async (name, builds) => {
    const own = asked.filter(([names = '']) => names.split(' & ').includes(name)).map(([, ...row]) => row)
    expect(own).not.toEqual([])
    for (const build of [builds].flat()) await check(build, own)
  })
}
