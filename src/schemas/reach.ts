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

/** The search for references to some names in schemas, at any depth. All searches of a table share their results. */
export class Holding {
  readonly #names: TableNames
  readonly #wanted: bigint

  constructor(table: NamedSchemas, names: Iterable<string>) {
    this.#names = NAMES.get(table) ?? new TableNames(table)
    NAMES.set(table, this.#names)
    this.#wanted = [...names].reduce((bits, name) => bits | this.#names.bitOf(name), 0n)
  }

  holds(reading: SchemaReading): boolean {
    return (this.#names.reach.of(reading) & this.#wanted) !== 0n
  }
}

const NAMES = new WeakMap<NamedSchemas, TableNames>()

/** The names within reach of each schema of a table. */
class TableNames {
  readonly reach: Reach<SchemaReading>
  readonly #bits = new Map<string, bigint>()

  constructor(table: NamedSchemas) {
    this.reach = new Reach((name) => (isName(name) ? this.bitOf(name) : 0n), resolveIn(table))
  }

  bitOf(name: string): bigint {
    const bit = this.#bits.get(name) ?? 1n << BigInt(this.#bits.size)
    this.#bits.set(name, bit)
    return bit
  }
}
