// Writes the API reference, docs/api, from the docstrings of all that the entries (entries.json) export. With --check it writes
// nothing, and fails where the reference is not what the sources say. Either way it fails on an export, or a member of one,
// without a docstring, and on a link of a docstring that leads nowhere.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, Converter, ReflectionKind, TSConfigReader } from 'typedoc'

const require = createRequire(import.meta.url)
const { name } = require('../package.json')
const entries = Object.entries(require('./entries.json'))
const root = fileURLToPath(new URL('..', import.meta.url))
const reference = join(root, 'docs/api')

async function generate(folder) {
  const app = await Application.bootstrapWithPlugins(
    {
      name,
      entryPoints: entries.map(([, file]) => join(root, 'src', `${file}.ts`)),
      tsconfig: join(root, 'tsconfig.json'),
      plugin: ['typedoc-plugin-markdown'],
      outputs: [{ name: 'markdown', path: folder }],
      readme: join(root, 'build/api.md'),
      mergeReadme: true,
      ...FORMAT,
      // The compiler has judged the types before (`npm run check:types`).
      skipErrorChecking: true,
      excludeExternals: true,
      excludePrivate: true,
      excludeInternal: true,
      // What differs from machine to machine and day to day.
      disableSources: true,
      disableGit: true,
      hideGenerator: true,
      hidePageHeader: true,
      validation: { notDocumented: true, invalidLink: true, notExported: false, rewrittenLink: true },
      requiredToBeDocumented: DOCUMENTED,
      intentionallyNotDocumented: [`${name}.Version.__type.versions`], // only asked for by the type
      preservedTypeAnnotationTags: ['@throws'],
      treatWarningsAsErrors: true,
      logLevel: 'Warn',
    },
    [new TSConfigReader()],
  )
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = entryOf(module.name)
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => dropInherited(project), 1000)
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => nameThrown(project), -1000)
  const project = await app.convert()
  if (project === undefined) return false
  app.validate(project)
  await app.generateOutputs(project)
  return !app.logger.hasErrors() && !app.logger.hasWarnings()
}

/** Members in tables, which are shorter than lists. */
const FORMAT = {
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideOverrides: true, hideSources: true },
}

const DOCUMENTED = [
  'Variable',
  'Function',
  'Class',
  'Interface',
  'Constructor',
  'Property',
  'Method',
  'Accessor',
  'TypeAlias',
]

/** A module by the name that users import it by. */
function entryOf(module) {
  const [subpath] = entries.find(([, file]) => file === module || file === `${module}/index`)
  return name + subpath.slice(1)
}

/** A scheme's page says what is its own; the rest stands on the page of the base class. Options are told with all that they take. */
function dropInherited(project) {
  for (const reflection of project.getReflectionsByKind(ReflectionKind.ClassMember)) {
    const isOption = reflection.parent.kindOf(ReflectionKind.Interface) && reflection.hasComment()
    if (reflection.inheritedFrom !== undefined && !isOption) project.removeReflection(reflection)
  }
}

/** The theme leaves out which class `@throws` names. */
function nameThrown(project) {
  for (const { comment } of Object.values(project.reflections)) {
    for (const tag of comment?.getTags('@throws') ?? []) {
      const { typeAnnotation } = tag
      if (typeAnnotation === undefined) continue
      tag.content.unshift({ kind: 'code', text: `\`${typeAnnotation.slice(1, -1)}\`` }, { kind: 'text', text: ' ' })
      // Overloads and what inherits may share a comment.
      tag.typeAnnotation = undefined
    }
  }
}

/** The files of a folder by name. */
function contents(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name)
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

/** Where two folders differ. */
function differences(one, other) {
  const names = new Set([...one.keys(), ...other.keys()])
  return [...names].filter((file) => one.get(file) !== other.get(file)).sort()
}

if (!process.argv.includes('--check')) {
  process.exitCode = (await generate(reference)) ? 0 : 1
} else {
  const folder = mkdtempSync(join(tmpdir(), 'express-versioning-api-'))
  try {
    const complete = await generate(folder)
    const stale = differences(contents(folder), contents(reference))
    if (stale.length > 0) {
      console.error(`docs/api is not what the docstrings say; run \`npm run docs:api\`:\n  ${stale.join('\n  ')}`)
    }
    process.exitCode = complete && stale.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
