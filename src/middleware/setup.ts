// Warnings of the process about setups that are probably mistakes: every version is accepted, or nobody reads the path.
import type { Request } from 'express'
import { type Layer, layersOf } from '../http/stack'
import { rulesOf } from '../schemes/base'
import type { ResolverMatch, RouteParams } from '../types'
import { descriptionOf } from './described-versions'
import type { CompiledOptions } from './versioning-options'

/** The scheme classes that were warned of. */
const warned = new WeakSet<object>()

/** Warns once for each scheme class if it accepts every version that a client can write. */
export function warnOfAnyVersion({ scheme }: CompiledOptions): void {
  const rules = rulesOf(scheme)
  const decidesItself =
    rules.overrides('isAllowedVersion') || rules.overrides('determineVersion') || scheme.parseVersion !== undefined
  // Clients can name only the namespaces that the table has.
  const isBounded = scheme.acceptedVersions.length > 0 || scheme.carriedIn === 'namespace'
  if (isBounded || decidesItself || warned.has(scheme.constructor)) return
  warned.add(scheme.constructor)
  process.emitWarning(
    `versioning(): ${scheme.constructor.name} has no "allowedVersions", so it accepts every version that a client writes, as in Django REST framework. List the versions: allowedVersions: ['v1', 'v2'].`,
    { code: 'EXPRESS_VERSIONING_ANY_VERSION' },
  )
}

/** The look-out for a version in the path that the scheme cannot read, because the route has no parameter of that name. */
export interface PathWatch {
  /**
   * Looks at a request.
   *
   * @returns `true` if it need not look at another one.
   */
  sees(req: Request, kwargs: RouteParams, match: ResolverMatch | null): boolean
}

/** Makes the look-out, if the scheme reads a parameter of the path and its versions are known. */
export function pathWatch({ scheme, routes }: CompiledOptions): PathWatch | undefined {
  const carried = new Map<string, string>()
  let parameter: string | undefined
  for (const version of scheme.acceptedVersions) {
    const carrier = version === null ? undefined : scheme.carriers(version).find((one) => one.in === 'path')
    if (carrier === undefined) continue
    parameter = carrier.name
    // A request that gets this version all the same misses nothing.
    if (version !== scheme.defaultVersion) carried.set(carrier.value, version as string)
  }
  if (parameter === undefined) return undefined
  const name = parameter
  let looked = 0
  return {
    sees(req, kwargs, match) {
      if (Object.hasOwn(kwargs, name)) {
        const value = kwargs[name]
        if (typeof value !== 'string' || routes !== undefined) return value !== undefined
        if (!isMissed(req, value, scheme)) return ++looked === LOOKS
        process.emitWarning(
          `versioning(): the path of a request has a version, but the router that would handle it is mounted without one, so the response is 404. Mount it there too, app.use('/:${name}/users', users), or behind versioning(): app.use('/:${name}', versioning(...), api).`,
          { code: 'EXPRESS_VERSIONING_NO_PARAMETER' },
        )
        return true
      }
      const path = req.originalUrl.split('?', 1)[0] as string
      const version = path.split('/').find((segment) => carried.has(segment))
      // Another scheme of a combination reads namespaces.
      if (version === undefined || match?.namespaces.includes(version)) return false
      // In a table, the parameter may be optional.
      if ([...(routes?.names() ?? [])].some((viewName) => routes?.takes(viewName, name))) return true
      process.emitWarning(
        `versioning(): the path of a request has ${JSON.stringify(version)}, but no route on the way to versioning() has a parameter ":${name}", so ${scheme.constructor.name} read no version there. Mount it below one, app.use('/:${name}', versioning(...)), or give it "routes"; a router on the way needs express.Router({ mergeParams: true }).`,
        { code: 'EXPRESS_VERSIONING_NO_PARAMETER' },
      )
      return true
    },
  }
}

/** The number of requests that are looked at, whose path has a version where it should be. */
const LOOKS = 16

/** Tells whether no layer of an app behind `versioning()` is for the path of a request, but one is for the path without its version. */
function isMissed({ app, baseUrl, path }: Request, version: string, scheme: object): boolean {
  const whole = baseUrl + path
  const bare = whole
    .split('/')
    .filter((segment) => segment !== version)
    .join('/')
  const isDecider = ({ handle }: Layer) =>
    (descriptionOf(handle) as { scheme?: unknown } | undefined)?.scheme === scheme
  const layers = layersOf(app).filter((layer) => !isDecider(layer) && !layer.match('/'))
  try {
    return !layers.some((layer) => layer.match(whole)) && layers.some((layer) => layer.match(bare))
  } catch {
    // Express 4 throws for escapes that are none.
    return false
  }
}
