// The documents that the sources of an app make when it starts: with swagger-jsdoc or zod-to-openapi, or as an object in TypeScript.

/** The parts of a document that `init` reads. */
export interface OpenApiLike {
  readonly openapi: string
  readonly info?: { readonly version?: unknown } | undefined
  readonly servers?: readonly { readonly url?: unknown }[] | undefined
  readonly paths?: object | undefined
}

/** A document that a source makes. */
export interface MadeDocument {
  /** Its variable; undefined if the source has none for it. */
  readonly variable: string | undefined
  /** The name that the source exports it by, `default` included; undefined for none. */
  readonly exportName: string | undefined
  /** `true` if that is a function that makes the document. */
  readonly isCalled: boolean
  /** The parts that the source says. */
  readonly document: OpenApiLike
}

/** Matches the import of swagger-jsdoc, and its name there. */
const TOOL = /\b(?:import\s+(?:\*\s*as\s+)?(\w+)\s+from\s*|(\w+)\s*=\s*require\(\s*)['"]swagger-jsdoc['"]/
/** Matches the declaration of what a function returns, and of an object that begins with its version of OpenAPI. */
const DECLARED = /\b(?:const|let|var) (\w+) ?(?::[^=\n]{1,40})?= ?(?:([\w.]+)\(|\{\s*['"]?openapi['"]?\s*:)/g
/** Matches a function without parameters. */
const FUNCTION = /\b(?:function (\w+) ?|const (\w+) = )\(\)/g
/** Matches the same as the whole of a module. */
const WHOLE = /(?:\bexport\s+default|\bmodule\.exports\s*=)\s*(?:(\w+)\(|\{\s*['"]?openapi['"]?\s*:)/g

/** Matches a path in the comments that swagger-jsdoc reads, and one that is registered for zod-to-openapi. */
const WRITTEN = /^[ \t]*\*[ \t]+(\/[^\s:]*):[ \t]*$|\bpath: ['"](\/[^'"\n]*)['"]/gm
/** The method of zod-to-openapi that makes a document. */
const GENERATES = '.generateDocument'

const VERSION = /\binfo['"]?\s*:\s*\{[^{}]*?\bversion['"]?\s*:\s*['"]([^'"\n]*)['"]/
const SERVER = /\bservers['"]?\s*:\s*\[\s*\{[^{}]*?\burl['"]?\s*:\s*['"`]([^'"`\n]*)['"`]/

/**
 * Finds the document that a source makes.
 *
 * @param text the source.
 * @param sources all sources of the app, whose comments may have the paths.
 */
export function madeIn(text: string, sources: () => readonly string[]): MadeDocument | undefined {
  const [, imported, required] = TOOL.exec(text) ?? []
  const tool = imported ?? required
  const isMade = ([, made]: readonly (string | undefined)[]) =>
    made === undefined || made === tool || made.endsWith(GENERATES)
  const declared = [...text.matchAll(DECLARED)].map((found) => found.slice(1)).find(isMade)?.[0]
  const makers = text.includes(`${GENERATES}(`) ? [...text.matchAll(FUNCTION)] : []
  const maker = makers.map(([, one, other]) => one ?? other).find((name) => exportOf(text, String(name)) !== undefined)
  const variable = maker ?? declared
  const isWhole = [...text.matchAll(WHOLE)].some(([, made]) => isMade([undefined, made]))
  if (variable === undefined && !isWhole) return undefined
  const paths = sources().flatMap((one) =>
    [...one.matchAll(WRITTEN)].map(([, path, registered]) => [path ?? registered, {}] as const),
  )
  const document = {
    openapi: '3.0.0',
    info: { version: VERSION.exec(text)?.[1] },
    servers: [{ url: SERVER.exec(text)?.[1] }],
    paths: Object.fromEntries(paths),
  }
  return {
    variable,
    isCalled: maker !== undefined,
    exportName: isWhole ? 'default' : exportOf(text, String(variable)),
    document,
  }
}

/** Returns the name by which a source exports a variable; undefined for none. */
function exportOf(text: string, variable: string): string | undefined {
  const names = (pattern: RegExp) => [...text.matchAll(pattern)].flatMap(([, list]) => String(list).split(/[\s,]+/))
  if (names(/\b(?:export\s+(?:const|let|var|function)\s+|exports\.)(\w+)/g).includes(variable)) return variable
  if (names(/\b(?:export|module\.exports\s*=)\s*\{([^{}]*)\}/g).includes(variable)) return variable
  return names(/\b(?:export\s+default|module\.exports\s*=)\s*(\w+)/g).includes(variable) ? 'default' : undefined
}
