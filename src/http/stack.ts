// The stack of an app of Express: the handlers that requests pass, in their order.
import type { Application } from 'express'

/** A layer of a router of Express. */
export interface Layer {
  readonly handle: ((...args: never[]) => unknown) & { readonly stack?: readonly Layer[] }
  /** Tells whether a path is that of the layer, or below its mount. */
  match(path: string): boolean
}

/** Returns the layers of an app. */
export function layersOf(app: Application): readonly Layer[] {
  // Express 4 has a getter `router` that throws.
  const { _router } = app as unknown as { readonly _router?: { readonly stack: readonly Layer[] } }
  return (_router ?? (app.router as unknown as { readonly stack: readonly Layer[] })).stack
}
