// Links for code without a `req`.
import type { Request } from 'express'
import { NoReverseMatch } from './errors'
import type { LinkedPath, LinkOptionsOf, LinkOptionsTo, ViewName } from './express'
import { reverseFor } from './request/link'

interface RequestOption {
  /** The request whose version the link keeps. */
  request: Request
  /** Options of your own scheme. */
  [extra: string]: unknown
}

/** Options of {@link reverse}: those of `req.reverse` for the name, and the request. */
export type ReverseOptions<Name extends string = string> = LinkOptionsOf<Name> & RequestOption

/**
 * Returns a link to a named route, as `req.reverse` does, for code without a `req`. The link keeps the version of `request`
 * if its scheme puts versions into URLs.
 *
 * @returns a path, or with `absolute` a URL.
 * @throws {NoReverseMatch} naming the call, the route's parameters and near names.
 * @example reverse('user-detail', { request: req, kwargs: { id: 7 } }) // '/v1/users/7'
 */
export function reverse<Name extends ViewName & string, Path extends string = LinkedPath<Name>>(
  viewname: Name,
  options: LinkOptionsTo<Path> & RequestOption,
): string {
  if (typeof options?.request !== 'object' || options.request === null) {
    throw new NoReverseMatch(
      `reverse() needs the request whose version the link keeps: reverse("${viewname}", { request: req }). Without one, call reverse() of the table itself.`,
    )
  }
  return reverseFor(options.request, viewname, options)
}
