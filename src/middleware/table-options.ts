// The options that bind a history by hand, `history.for(options)`.
import { badOption, checkKeys } from '../util/options'
import { asContract } from './history-options'
import { NeutralRoutes } from './neutral'
import { OPTION_NAMES, OWN_OPTIONS, type VersioningOptions } from './versioning-options'

/**
 * Checks the options that bind a history by hand: the table, and the routes without a version.
 *
 * @throws {TypeError} without a table, and for neutral names that it lacks.
 */
export function compileTable(owner: string, options: Partial<VersioningOptions>) {
  checkKeys(owner, options, [...OPTION_NAMES, 'metrics'])
  const [takes, compile] = OWN_OPTIONS.routes
  const routes = compile(options.routes)
  if (routes === undefined) throw badOption(owner, 'routes', takes, options.routes)
  const neutral =
    options.neutral === undefined ? undefined : new NeutralRoutes(options.neutral, OWN_OPTIONS.neutral[0], routes)
  neutral?.check(routes)
  const { contract } = options
  if (contract !== undefined && asContract(contract) === undefined)
    throw badOption(owner, 'contract', OWN_OPTIONS.contract[0], contract)
  return {
    routes,
    isNeutral: (viewName: string, method: string) => neutral?.hasName(viewName, method) === true,
    contract,
  }
}
