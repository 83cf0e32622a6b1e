// The one follower of references. A cycle ends where it began; a reference that leads nowhere is not followed.
import { innerSchemas, loneReferenceIn, partsIn, propertiesIn, referenceIn, valuesOf } from './keywords'
import { isName, isObject, type JsonSchema, type SchemaReading } from './model'

/** A schema, with what gives its references their meaning. */
export interface SchemaNode {
  readonly schema: JsonSchema
}

/** A function that returns the target of a reference; undefined for an unknown one. */
export type Follow<Node> = (reference: string, from: Node) => Node | undefined

/** A function that returns the target of a reference in a reading; undefined for an unknown one. */
export type Resolve = Follow<SchemaReading>

/** Returns the target of a reference among a reading's own definitions. */
export const resolveOwn: Resolve = (reference, { definitions }) => {
  const schema = definitions.get(reference)
  return schema && { schema, definitions }
}

/** Returns the target of a reference that is no name. A name makes another thing of a schema. */
export const resolveUnnamed: Resolve = (reference, from) =>
  isName(reference) ? undefined : resolveOwn(reference, from)

/** Returns the schema behind the reference of a schema; undefined without one, and for one that leads nowhere. */
export function targetOf<Node extends SchemaNode>(node: Node, follow: Follow<Node>): Node | undefined {
  const reference = referenceIn(node.schema)
  return reference === undefined ? undefined : follow(reference, node)
}

/** Lists a schema and those behind its references, one behind the other. A reference that leads back ends the list. */
export function chainOf<Node extends SchemaNode>(node: Node, follow: Follow<Node>): Node[] {
  return linkedTo(node, (one) => targetOf(one, follow))
}

/** Lists a schema and those that it leads to, one behind the other, by any kind of link. One that leads back ends the list. */
export function linkedTo<Node extends SchemaNode>(node: Node, next: (node: Node) => Node | undefined): Node[] {
  const seen = new Map<JsonSchema, Node>()
  for (let at: Node | undefined = node; at !== undefined && !seen.has(at.schema); at = next(at)) seen.set(at.schema, at)
  return [...seen.values()]
}

/**
 * Lists a schema and those that it stands for, one behind the other: those behind references beside which nothing counts.
 *
 * @param counts tells whether a keyword counts. Default: all do.
 */
export function aloneChainOf<Node extends SchemaNode>(
  node: Node,
  follow: Follow<Node>,
  counts?: (keyword: string) => boolean,
): Node[] {
  return linkedTo(node, (one) => {
    const reference = isObject(one.schema) ? loneReferenceIn(one.schema, counts) : undefined
    return reference === undefined ? undefined : follow(reference, one)
  })
}

/** Returns the values that a schema lists, itself or through references; undefined if it lists none. */
export function listedIn<Node extends SchemaNode>(node: Node, follow: Follow<Node>): readonly unknown[] | undefined {
  return chainOf(node, follow)
    .map(({ schema }) => valuesOf(schema))
    .find((values) => values !== undefined)
}

/** Lists the schemas that all hold for one value: a schema, those behind its references, and those of `allOf`, each once. */
export function wholeOf<Node extends SchemaNode>(node: Node, follow: Follow<Node>): Node[] {
  const found = new Map<JsonSchema, Node>()
  const add = (one: Node): void => {
    if (found.has(one.schema)) return
    found.set(one.schema, one)
    const target = targetOf(one, follow)
    if (target !== undefined) add(target)
    for (const part of partsIn(one.schema)) add({ ...one, schema: part })
  }
  add(node)
  return [...found.values()]
}

/** Returns the properties of an object, which may be behind references and split over `allOf`, each with its nearest schema. */
export function propertiesOf<Node extends SchemaNode>(node: Node, follow: Follow<Node>): Map<string, Node> {
  const found = new Map<string, Node>()
  for (const one of wholeOf(node, follow)) {
    for (const [name, schema] of Object.entries(propertiesIn(one.schema))) {
      if (!found.has(name)) found.set(name, { ...one, schema })
    }
  }
  return found
}

/** Lists the schemas within reach of some, at any depth, each once. */
export function withinReach<Node extends SchemaNode>(nodes: readonly Node[], follow: Follow<Node>): Node[] {
  const seen = new Set<JsonSchema>()
  const found: Node[] = []
  const add = (node: Node | undefined): void => {
    if (node === undefined || seen.has(node.schema)) return
    seen.add(node.schema)
    found.push(node)
  }
  for (const node of nodes) add(node)
  // The loop also visits what it adds.
  for (const node of found) {
    add(targetOf(node, follow))
    for (const schema of innerSchemas(node.schema)) add({ ...node, schema })
  }
  return found
}
