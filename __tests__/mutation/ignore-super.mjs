import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** `super.reverse(...)` is taken for a method of arrays, and `super` alone in its place is a syntax error in the whole file. */
const ignoreSuper = {
  shouldIgnore(path) {
    if (path.isCallExpression() && path.get('callee').isMemberExpression() && path.get('callee.object').isSuper()) {
      return 'super without a call is no expression'
    }
    return undefined
  },
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'super', ignoreSuper)]
