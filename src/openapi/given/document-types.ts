// The types of names: those of a document that the compiler knows, given `as const` or as a JSON module.

/** The path template as a pattern of path-to-regexp, as the types of links read it. */
export type PatternOf<Path extends string> = string extends Path ? string : Parameters<Path>

type Parameters<Path extends string> = Path extends `${infer Before}{${infer Name}}${infer After}`
  ? `${Escaped<Before>}:"${Name}"${Parameters<After>}`
  : Escaped<Path>

/** Text in which no character is one of a pattern. */
type Escaped<Text extends string> = EscapedBy<EscapedBy<Text, ':'>, '*'>
type EscapedBy<Text extends string, Character extends string> = Text extends `${infer Before}${Character}${infer After}`
  ? `${Before}\\${Character}${EscapedBy<After, Character>}`
  : Text

/** The names and paths of a document, and of older ones. */
export type DocumentRoutes<Document, Older = never> = Document extends { readonly paths: infer Paths }
  ? { [Path in (keyof Paths | PathOf<Older>) & string]: PatternOf<Path> }
  : Record<string, string>

type PathOf<Document> = Document extends { readonly paths: infer Paths } ? keyof Paths : never
