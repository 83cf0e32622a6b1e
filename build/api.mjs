// Checks the docstrings of the sources, which are the reference of the package. Every export, every public or protected property of
// one, and every addition to Express's own types has a docstring. `@throws` stands where code throws, names the class first and
// says when. Links resolve. Checks the entries (entries.json), or the files given.
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const entries = Object.values(createRequire(import.meta.url)('./entries.json')).map((file) => `${root}src/${file}.ts`)
const files = process.argv.length > 2 ? process.argv.slice(2) : entries

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const program = ts.createProgram(files, ts.parseJsonConfigFileContent(config, ts.sys, root).options)
const checker = program.getTypeChecker()
const isOwn = (file) => !file.isDeclarationFile && !program.isSourceFileFromExternalLibrary(file)
const own = program.getSourceFiles().filter(isOwn)

const faults = []

function report(node, fault) {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  faults.push(`${relative(root, file.fileName)}:${line + 1}: ${fault}`)
}

/** Visits a node and all within it, docstrings included. */
function visit(node, see) {
  see(node)
  for (const doc of node.jsDoc ?? []) visit(doc, see)
  ts.forEachChild(node, (child) => visit(child, see))
}

// Code that throws ---------------------------------------------------------------------------------------------------

/** Returns the body that a call runs, if it is code of this package. */
function called(call) {
  const declaration = checker.getResolvedSignature(call)?.declaration
  if (declaration === undefined || !isOwn(declaration.getSourceFile())) return undefined
  // The last one of several overloads has the body.
  const all = checker.getSymbolAtLocation(declaration.name ?? declaration)?.declarations ?? [declaration]
  return all.find(({ body }) => body !== undefined)?.body
}

/** Tells whether a callback runs during the call that it is given to, as those of `map` and `find` do. */
function runsNow({ parent: call }) {
  return ts.isCallExpression(call) && called(call) === undefined
}

const HELPERS = 2

/** Tells whether code throws, or code that it calls, `depth` calls deep. */
function throws(node, depth = HELPERS) {
  if (ts.isThrowStatement(node)) return true
  if (ts.isClassLike(node) || (ts.isFunctionLike(node) && !runsNow(node))) return false
  if (ts.isTryStatement(node) && node.catchClause !== undefined) return throws(node.catchClause, depth)
  if (depth > 0 && (ts.isCallExpression(node) || ts.isNewExpression(node))) {
    const body = called(node)
    if (body !== undefined && throws(body, depth - 1)) return true
  }
  return ts.forEachChild(node, (child) => throws(child, depth) || undefined) ?? false
}

/** Returns the bodies of a function or method. A method of an interface has its bodies in the same file. */
function bodiesOf(symbol, declaration) {
  if (!ts.isMethodSignature(declaration)) return symbol.declarations.flatMap(({ body }) => body ?? [])
  const bodies = []
  visit(declaration.getSourceFile(), (node) => {
    if (ts.isMethodDeclaration(node) && node.name.getText() === symbol.name && node.body) bodies.push(node.body)
  })
  return bodies
}

// Exports ------------------------------------------------------------------------------------------------------------

const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)

function isPublic(property) {
  if (ts.isConstructorDeclaration(property)) return true
  const isPrivate = (ts.getCombinedModifierFlags(property) & ts.ModifierFlags.Private) !== 0
  return property.name !== undefined && !ts.isPrivateIdentifier(property.name) && !isPrivate
}

/** Returns the properties of a class, an interface or an object type that users meet. */
function propertiesOf(declaration) {
  const { members = [] } = ts.isTypeAliasDeclaration(declaration) ? declaration.type : declaration
  return members.filter(isPublic)
}

const checked = new Set()

function checkDocstring(declaration) {
  const { symbol } = declaration
  if (checked.has(symbol) || !isOwn(declaration.getSourceFile())) return
  checked.add(symbol)
  const tags = symbol.getJsDocTags(checker).map(({ name }) => name)
  const isSilent = symbol.getDocumentationComment(checker).length === 0 && tags.length === 0
  if (isSilent) report(declaration, `"${symbol.name}" has no docstring`)
  if (!tags.includes('throws') && bodiesOf(symbol, declaration).some((body) => throws(body))) {
    report(declaration, `"${symbol.name}" throws, and its docstring has no @throws`)
  }
}

const isResolved = ({ name }) => name !== undefined && checker.getSymbolAtLocation(name) !== undefined

function checkAll(declaration) {
  checkDocstring(declaration)
  for (const property of propertiesOf(declaration)) checkDocstring(property)
  // The docstring of a constant stands on its statement.
  visit(ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration, (node) => {
    if (ts.isJSDocLink(node) && !isResolved(node)) report(node, `${node.getText()} does not resolve`)
  })
}

for (const file of files) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file))
  for (const symbol of checker.getExportsOfModule(module)) resolved(symbol).declarations.forEach(checkAll)
}
for (const file of own) {
  visit(file, (node) => {
    const isGlobal = ts.isModuleDeclaration(node) && node.flags & ts.NodeFlags.GlobalAugmentation
    if (isGlobal)
      visit(node, (inner) => ts.isInterfaceDeclaration(inner) && propertiesOf(inner).forEach(checkDocstring))
    if (ts.isJSDocThrowsTag(node) && !/^@throws \{\w+\} \S/.test(node.getText())) {
      report(node, '@throws does not name the class first, and then say when')
    }
  })
}

for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
