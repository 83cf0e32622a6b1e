// The conversion of shapes that contain others.
//
// It is a loop, because values may be nested deeper than the stack allows. Each value is copied once for each change.
import { type CompiledStep, copyOf, resultOf } from './steps'
import { type Inside, type Nesting, type Run, replace, type Visit, Waiting } from './visits'

/** The limit of nesting. JSON is not written so deep: a step that puts a shape into itself would never end. */
const DEPTH = 10_000

/** The values of shapes in one body on its way through one change. */
export class NestedShapes implements Nesting {
  readonly #waiting: Waiting[] = []
  #depth = 0

  /** Notes the value of a shape. The result stands in its place until then. */
  add(value: unknown, step: CompiledStep, inside: Inside | undefined): Waiting {
    if (this.#depth > DEPTH) throw new RangeError('The value is nested too deep.')
    const waiting = new Waiting(value, step, inside, this.#depth)
    this.#waiting.push(waiting)
    return waiting
  }

  /** Converts the shapes in a response from the outside in: the step of a shape sees newer inner shapes. */
  older(value: unknown, visit: Visit, run: Run): unknown {
    const own = new OwnParts(value)
    const root = { value }
    replace(root, 'value', visit(value, run))
    // The loop also visits the values that it adds.
    for (const { value: newer, step, inside, depth, around, key } of this.#waiting) {
      this.#depth = depth + 1
      const result = resultOf(step, newer, run.context)
      if (inside === undefined) around[key] = result
      else {
        const copy = copyOf(step, result, run.context, own.within(newer, innerIn(result, inside, own, run)))
        own.add(copy)
        replace(around, key, inside.visit(copy, run))
      }
    }
    return root.value
  }

  /**
   * Converts the shapes in a request from the inside out: the step of a shape sees newer inner shapes. Its result is copied but
   * for the results of inner steps, which are copies already.
   */
  newer(value: unknown, visit: Visit, run: Run): unknown {
    const root = { value }
    replace(root, 'value', visit(value, run))
    for (const waiting of this.#waiting) {
      this.#depth = waiting.depth + 1
      const { inside, value: older } = waiting
      if (inside !== undefined) replace(waiting as { value: unknown }, 'value', inside.visit(older, run))
    }
    const results = new Set<object>()
    for (const { value: older, step, around, key } of this.#waiting.reverse()) {
      const copy = copyOf(step, resultOf(step, older, run.context), run.context, results)
      if (typeof copy === 'object' && copy !== null) results.add(copy)
      around[key] = copy
    }
    return root.value
  }
}

/** Returns the values of inner shapes that the result of a step has from the conversion. */
function innerIn(result: unknown, inside: Inside, own: OwnParts, run: Run): ReadonlySet<object> {
  const found = new Set<object>()
  const search: Run = {
    ...run,
    find: (value, within) => {
      if (own.has(value)) found.add(value)
      // A step made it. It may contain values of the conversion.
      else within?.visit(value, search)
    },
  }
  try {
    inside.visit(result, search)
  } catch {
    // A getter failed, or there is a loop. The copy tells which.
  }
  return found
}

/** The objects and lists that a conversion has copied, each with the one around it. */
class OwnParts {
  readonly #around = new Map<object, object | undefined>()

  constructor(root: unknown) {
    this.add(root)
  }

  /** Adds a copy. Its parts from earlier copies stay. */
  add(copy: unknown): void {
    if (typeof copy !== 'object' || copy === null) return
    this.#around.set(copy, undefined)
    // A loop, because a value may be nested deeper than the stack allows.
    const open: object[] = [copy]
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      for (const inner of Object.values(part)) {
        if (typeof inner !== 'object' || inner === null || this.#around.has(inner)) continue
        this.#around.set(inner, part)
        open.push(inner)
      }
    }
  }

  has(part: object): boolean {
    return this.#around.has(part)
  }

  /** Returns those of some parts that are inside of a value, and in none of the others. */
  within(value: unknown, parts: ReadonlySet<object>): Set<object> {
    return new Set([...parts].filter((part) => this.#isAlone(part, value, parts)))
  }

  #isAlone(part: object, value: unknown, parts: ReadonlySet<object>): boolean {
    for (let around = this.#around.get(part); around !== undefined; around = this.#around.get(around)) {
      if (around === value) return true
      if (parts.has(around)) return false
    }
    return false
  }
}
