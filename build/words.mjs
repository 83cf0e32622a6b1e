// Checks how the docstrings of the sources begin. Functions and methods begin with a verb in the third person: "Returns", "Reads".
// Types, fields and constants begin with a noun; a word that can only open a clause is a fault. Checks `src`, or the files given.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'))
const files = process.argv.length > 2 ? process.argv.slice(2) : sources.map((file) => join(root, 'src', file))

const VERB = /^[A-Z][a-z]*s$/
const NO_VERB = new Set('Always As Besides Its Perhaps Thus This Unless Whose'.split(' '))
const OPENS_CLAUSE = new Set(
  `After Although As At Because Before Behind Beside By For From Given How If In Into Of On Once Since So That Then There This Those Through
  To Under Unless Until What Whatever When Where Whether Which While Who Whoever Whom Whose Why With Without`.split(
    /\s+/,
  ),
)

/** Tells whether a docstring is that of a function: of a declaration, a method, or a constant that holds a function. */
function isFunction(node) {
  if (!ts.isVariableStatement(node)) return ts.isFunctionLike(node) && !ts.isAccessor(node)
  const [{ initializer }] = node.declarationList.declarations
  return initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
}

/** Returns the fault of a docstring's first word, if it has one. */
function faultOf(node, word) {
  if (!isFunction(node)) return OPENS_CLAUSE.has(word) ? `"${word}" opens a clause; begin with a noun` : undefined
  return VERB.test(word) && !NO_VERB.has(word) ? undefined : `"${word}" is no verb in the third person`
}

for (const path of files) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const visit = (node) => {
    for (const doc of node.jsDoc ?? []) {
      const [word] =
        ts
          .getTextOfJSDocComment(doc.comment)
          ?.trim()
          .split(/[\s,:;.]/) ?? []
      const fault = word === undefined ? undefined : faultOf(node, word)
      if (fault === undefined) continue
      console.error(`${relative(root, path)}:${file.getLineAndCharacterOfPosition(doc.getStart()).line + 1}: ${fault}`)
      process.exitCode = 1
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}
