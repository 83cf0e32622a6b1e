// The names that schemas refer to, at any depth.

import type { Resolve } from '../../schemas/alternatives'
import { isName, type SchemaReading } from '../../schemas/model'
import { Reach } from '../../schemas/reach'

/** The definitions of one version, by name. */
export type NamedSchemas = ReadonlyMap<string, SchemaReading>

/** Makes a function that resolves references. */
export function resolveIn(table: NamedSchemas): Resolve {
  return (reference, { definitions }) => {
    if (isName(reference)) return table.get(reference)
    const schema = definitions.get(reference)
    return schema && { schema, definitions }
  }
}

/** The search for shapes of some names in schemas, at any depth. All searches of a table share their results. */
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
