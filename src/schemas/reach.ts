// The search for what schemas lead to, at any depth. Each schema is searched once, whatever is asked.
import { type Follow, type Resolve, resolveOwn, type SchemaNode } from './graph'
import { innerSchemas, referenceIn } from './keywords'
import { isName, type JsonSchema, type SchemaReading } from './model'

/** A schema whose search has begun. */
interface Open {
  readonly schema: JsonSchema
  readonly index: number
  /** The first schema that it leads back to. */
  first: number
  marks: bigint
}

/** The marks within reach of each schema, as bits. Schemas in a loop reach the same (Tarjan, 1972). */
export class Reach<Node extends SchemaNode> {
  readonly #known = new Map<JsonSchema, bigint>()
  readonly #open = new Map<JsonSchema, Open>()
  readonly #stack: Open[] = []

  /**
   * @param marksOf returns the marks of a reference.
   */
  constructor(
    private readonly marksOf: (reference: string, target: Node | undefined) => bigint,
    private readonly follow: Follow<Node>,
  ) {}

  of(node: Node): bigint {
    return this.#known.get(node.schema) ?? this.#search(node).marks
  }

  #search(node: Node): Open {
    const { schema } = node
    const own: Open = { schema, index: this.#stack.length, first: this.#stack.length, marks: 0n }
    this.#open.set(schema, own)
    this.#stack.push(own)
    for (const inner of innerSchemas(schema)) this.#visit({ ...node, schema: inner }, own)
    const reference = referenceIn(schema)
    if (reference !== undefined) {
      const target = this.follow(reference, node)
      own.marks |= this.marksOf(reference, target)
      if (target !== undefined) this.#visit(target, own)
    }
    if (own.first === own.index) this.#close(own)
    return own
  }

  #visit(node: Node, from: Open): void {
    const known = this.#known.get(node.schema)
    const open = this.#open.get(node.schema)
    if (known !== undefined) from.marks |= known
    else if (open !== undefined) from.first = Math.min(from.first, open.index)
    else {
      const { first, marks } = this.#search(node)
      from.first = Math.min(from.first, first)
      from.marks |= marks
    }
  }

  /** Ends the search of a schema, and of those that lead back to it. */
  #close({ index, marks }: Open): void {
    for (const { schema } of this.#stack.splice(index)) {
      this.#open.delete(schema)
      this.#known.set(schema, marks)
    }
  }
}

/** The definitions of one version, by name. */
export type NamedSchemas = ReadonlyMap<string, SchemaReading>

/** Makes a function that resolves references. */
export function resolveIn(table: NamedSchemas): Resolve {
  return (reference, from) => (isName(reference) ? table.get(reference) : resolveOwn(reference, from))
}

/** Makes the search for references to some names in schemas, at any depth. All searches of a table share their results. */
export function holding(table: NamedSchemas, names: Iterable<string>): (reading: SchemaReading) => boolean {
  const { reach, bitOf } = KNOWN.get(table) ?? namesIn(table)
  const wanted = [...names].reduce((bits, name) => bits | bitOf(name), 0n)
  return (reading) => (reach.of(reading) & wanted) !== 0n
}

/** The names within reach of each schema of a table. */
interface NamesInReach {
  readonly reach: Reach<SchemaReading>
  /** Returns the mark of a name. */
  bitOf(name: string): bigint
}

const KNOWN = new WeakMap<NamedSchemas, NamesInReach>()

function namesIn(table: NamedSchemas): NamesInReach {
  const bits = new Map<string, bigint>()
  const bitOf = (name: string) => {
    const bit = bits.get(name) ?? 1n << BigInt(bits.size)
    bits.set(name, bit)
    return bit
  }
  const made = { reach: new Reach<SchemaReading>((name) => (isName(name) ? bitOf(name) : 0n), resolveIn(table)), bitOf }
  KNOWN.set(table, made)
  return made
}
