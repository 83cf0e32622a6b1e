import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import entries from '../../build/entries.json'
import { name as packageName } from '../../package.json'

// That every export has a docstring, and each of its members, and that docs/api is what the docstrings say, is checked by
// `npm run check:api`. Here: what throws says so, and the reference holds together.

const root = join(__dirname, '../..')
const sources = join(root, 'src/')
const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config
const files = Object.values(entries).map((file) => join(sources, `${file}.ts`))
const program = ts.createProgram(files, ts.parseJsonConfigFileContent(config, ts.sys, root).options)
const checker = program.getTypeChecker()
const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(sources))

type Body = ts.Node | undefined

/** What a call runs, where it is code of this package. */
function called(call: ts.CallExpression | ts.NewExpression): Body {
  const declaration = checker.getResolvedSignature(call)?.declaration as ts.SignatureDeclaration | undefined
  if (declaration === undefined || !declaration.getSourceFile().fileName.startsWith(sources)) return undefined
  // Of overloads the last one has the body.
  const all = checker.getSymbolAtLocation(declaration.name ?? declaration)?.declarations ?? [declaration]
  return all.map((one) => (one as ts.FunctionDeclaration).body).find((body) => body !== undefined)
}

/** Whether a callback runs while the call does, as those of `map` and `find` do. */
function runsNow(callback: ts.Node): boolean {
  const call = callback.parent
  return ts.isCallExpression(call) && call.arguments.some((one) => one === callback) && called(call) === undefined
}

/** Whether code throws, or what it calls does, `depth` calls deep; what it only hands out, or catches, does not count. */
function throws(node: ts.Node, depth: number): boolean {
  if (ts.isThrowStatement(node)) return true
  if (ts.isClassLike(node) || (ts.isFunctionLike(node) && !runsNow(node))) return false
  if (ts.isTryStatement(node) && node.catchClause !== undefined) return throws(node.catchClause, depth)
  if (depth > 0 && (ts.isCallExpression(node) || ts.isNewExpression(node))) {
    const body = called(node)
    if (body !== undefined && throws(body, depth - 1)) return true
  }
  return ts.forEachChild(node, (child) => throws(child, depth) || undefined) ?? false
}

const HELPERS = 2

/** What users call: its name, its docstring's `@throws`, and what runs. */
interface Callable {
  name: string
  documented: boolean
  body: ts.Node
}

function isDocumented(symbol: ts.Symbol): boolean {
  const declarations = symbol.declarations ?? []
  const ownTags = declarations.flatMap((one) => ts.getJSDocTags(one).map(({ tagName }) => tagName.text))
  // A docstring of its own stands in place of what it inherits.
  const described = declarations.some((one) => ts.getJSDocCommentsAndTags(one).length > 0)
  return (described ? ownTags : symbol.getJsDocTags(checker).map(({ name }) => name)).includes('throws')
}

const bodyOf = (declaration: ts.Node): Body => (declaration as ts.FunctionDeclaration).body
const symbolOf = (declaration: ts.Declaration) =>
  (declaration as ts.Declaration & { symbol: ts.Symbol }).symbol as ts.Symbol

function isPublic(declaration: ts.Declaration): boolean {
  return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) === 0
}

function membersOf(name: string, declaration: ts.ClassDeclaration): Callable[] {
  return declaration.members.flatMap((member) => {
    const body = ts.isClassStaticBlockDeclaration(member) ? undefined : bodyOf(member)
    if (body === undefined || !isPublic(member) || (member.name !== undefined && ts.isPrivateIdentifier(member.name))) {
      return []
    }
    const label = member.name === undefined ? 'constructor' : member.name.getText()
    return [{ name: `${name}.${label}`, documented: isDocumented(symbolOf(member)), body }]
  })
}

/** The code behind the methods of an interface: of the classes that implement it, and of the object that tables are made of. */
function implementations(name: string, symbol: ts.Symbol): Callable[] {
  const found: Callable[] = []
  const add = (members: Iterable<ts.ClassElement | ts.ObjectLiteralElementLike>) => {
    for (const member of members) {
      const declared = member.name === undefined ? undefined : symbol.members?.get(member.name.getText() as ts.__String)
      const body = bodyOf(member)
      if (declared === undefined || body === undefined) continue
      found.push({ name: `${name}.${declared.name}`, documented: isDocumented(declared), body })
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isClassDeclaration(node)) {
      const types = (node.heritageClauses ?? []).flatMap(({ types }) => types)
      if (types.some(({ expression }) => expression.getText() === name)) add(node.members)
    }
    if (name === 'NamedRoutes' && ts.isFunctionDeclaration(node) && node.name?.text === 'membersOf') {
      const made = node.body?.statements.find(ts.isReturnStatement)?.expression
      if (made !== undefined && ts.isObjectLiteralExpression(made)) add(made.properties)
    }
    ts.forEachChild(node, visit)
  }
  for (const file of own) visit(file)
  return found
}

function callables(exported: ts.Symbol): Callable[] {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const { name } = exported
  const declarations = symbol.declarations ?? []
  const functions = declarations.filter(ts.isFunctionDeclaration).flatMap((declaration) => {
    const body = bodyOf(declaration)
    return body === undefined ? [] : [{ name, documented: isDocumented(symbol), body }]
  })
  const classes = declarations.filter(ts.isClassDeclaration).flatMap((declaration) => membersOf(name, declaration))
  const interfaces = declarations.some(ts.isInterfaceDeclaration) ? implementations(name, symbol) : []
  return [...functions, ...classes, ...interfaces]
}

const all = files.flatMap((file) => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol
  return checker.getExportsOfModule(module).flatMap(callables)
})
const throwing = all.filter(({ body }) => throws(body, HELPERS))

test('what throws is found: in the body, in what it calls, in classes, and behind interfaces', () => {
  expect(throwing.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'byVersion',
      'change',
      'versioning',
      'CombinedVersioning.constructor',
      'HostNameVersioning.readVersion',
      'NamedRoutes.include',
      'VersionHistory.version',
    ]),
  )
  expect(throwing.map(({ name }) => name)).not.toContain('earlierDate')
})

test('what throws has @throws in its docstring', () => {
  const silent = throwing.filter(({ documented }) => !documented).map(({ name }) => name)
  expect(silent).toEqual([])
})

test('every @throws names its class first, and says when', () => {
  const vague = own.flatMap((file) => {
    const found = [...file.text.matchAll(/@throws (.*)$/gm)].map(([, text = '']) => text)
    return found
      .filter((text) => !/^\{\w+\} \S/.test(text))
      .map((text) => `${file.fileName.slice(sources.length)}: ${text}`)
  })
  expect(vague).toEqual([])
})

// The pages ----------------------------------------------------------------------------------------------------------

const reference = join(root, 'docs/api')
const pages = readdirSync(reference, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))

/** What links to a page may name: its headings, as GitHub makes anchors of them, and the rows of its tables. */
function anchorsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  const anchors = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id))
  const seen = new Map<string, number>()
  for (const [, heading = ''] of text.matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    anchors.add(times === 0 ? anchor : `${anchor}-${times}`)
  }
  return anchors
}

test('the reference has a page for each entry, and one for each of its exports', () => {
  const start = readFileSync(join(reference, 'README.md'), 'utf8')
  for (const [subpath, file] of Object.entries(entries)) {
    const entry = `${packageName}${subpath.slice(1)}`
    expect(start).toContain(`| [${entry}](${entry}/README.md) |`)
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(sources, `${file}.ts`)) as ts.SourceFile)
    const exported = checker.getExportsOfModule(module as ts.Symbol).map(({ name }) => name)
    const own = pages
      .filter((page) => dirname(dirname(page)) === entry && !page.endsWith('README.md'))
      .map((page) => page.replace(/.*\/|\.md$/g, ''))
    expect(own.sort()).toEqual(exported.sort())
  }
})

test('the links of the reference lead somewhere', () => {
  let links = 0
  for (const page of pages) {
    const text = readFileSync(join(reference, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = '', hash] = target.split('#')
      const file = path === '' ? join(reference, page) : join(reference, dirname(page), path)
      const found = existsSync(file) && (hash === undefined || anchorsOf(file).has(hash))
      expect({ page, target, found }).toEqual({ page, target, found: true })
      links++
    }
  }
  expect(links).toBeGreaterThan(300)
})

test('it tells of every member that the package adds to requests', () => {
  const file = program.getSourceFile(join(sources, 'express.ts')) as ts.SourceFile
  const members: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === 'Request') {
      members.push(...node.members.map((member) => member.name?.getText() ?? ''))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  const start = readFileSync(join(reference, 'README.md'), 'utf8')
  expect([...start.matchAll(/^\| `req\.(\w+)/gm)].map(([, name]) => name)).toEqual(members)
})
