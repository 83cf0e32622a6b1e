// Finds the code and commands in the texts of the sources, for users to paste or to run.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** The beginning of code: an object, a call, a decorator, a command, an option with its value, an example. */
const CODE =
  /\{ \$?[\w'"*]+: |(?:\b[a-z]\w*\.)*\b[a-z]\w*\((?=[^)\s])(?!s\))|@[A-Z]\w+\(|\bnp[xm] [a-z]+|express-versioning [a-z]+ (?=[^\s<([])|\b[a-z]\w+: (?=\[|'|true\b|false\b|null\b|new )|such as (?=['"[{(/\d]|https?:)/g

/** A text of the sources with code in it. */
export interface PrintedCode {
  readonly place: string
  /** The text between its values. */
  readonly texts: readonly string[]
  /** The beginnings of the code. */
  readonly code: readonly string[]
}

const SOURCES = join(__dirname, '../../../src')

/** Lists the texts that have code in them. Types and docstrings are none. */
export function printedCode(): PrintedCode[] {
  const found: PrintedCode[] = []
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.ts'))) {
    const file = ts.createSourceFile(name, readFileSync(join(SOURCES, name), 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
      const texts =
        ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
          ? [node.text]
          : ts.isTemplateExpression(node)
            ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
            : []
      const code = texts.join('\0').match(CODE)
      if (code !== null) found.push({ place: `${name}: ${texts.join('...')}`, texts, code })
      node.forEachChild(visit)
    }
    visit(file)
  }
  return found
}

/** Tells whether a message has a text in it. */
export function hasTexts(message: string, texts: readonly string[]): boolean {
  let at = 0
  return texts.every((text) => {
    const found = message.indexOf(text, at)
    at = found + text.length
    return found !== -1
  })
}
