// The methods of a response that send it.
/** The methods that send a response, or a part of it. */
export const METHODS = ['send', 'json', 'jsonp', 'writeHead', 'flushHeaders', 'write', 'end'] as const
export type Method = (typeof METHODS)[number]
export type Methods = Record<Method, (...args: unknown[]) => unknown>
