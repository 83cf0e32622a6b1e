// Examples of bodies, converted by a history as requests and responses are.
import type { ItemKind } from '../http/framing'
import type { ConvertedExamples } from '../types'
import type { BodyStep } from './convert/steps'
import { converted } from './convert/steps-on-copies'
import type { BoundHistory } from './timeline/bound-history'
import { ShapesByHand } from './timeline/bound-shapes'

const OWNER = 'changesOf()'

/** The conversions of examples. */
export class HistoryExamples implements ConvertedExamples {
  readonly #shapes = new Map<string, ShapesByHand>()

  constructor(private readonly history: BoundHistory) {}

  older(
    part: 'body' | ItemKind,
    method: string,
    viewName: string,
    status: number,
    value: unknown,
    version: string,
  ): unknown {
    const plan = this.history.planIn(method, viewName, version).responses.of(status)
    if (plan === undefined) return value
    if (part !== 'body') return this.#converted(plan.items[part].steps, value, version)
    return plan.source === undefined ? undefined : this.#converted(plan.steps, value, version)
  }

  newer(part: 'body' | 'query', method: string, viewName: string, value: unknown, from: string, to: string): unknown {
    return this.#converted(this.history.of(method, viewName).between(part, this.#at(from), this.#at(to)), value, from)
  }

  shape(name: string, direction: 'input' | 'output', value: unknown, from: string, to: string): unknown {
    const { changes, shapes } = this.history
    const byHand = this.#shapes.get(direction) ?? new ShapesByHand(changes.all, shapes, shapes?.definitions[direction])
    this.#shapes.set(direction, byHand)
    const steps = byHand.stepsBetween(name, this.#at(from), this.#at(to))
    return this.#converted(steps, value, direction === 'input' ? from : to)
  }

  #converted(steps: readonly BodyStep[], value: unknown, version: string): unknown {
    return converted(OWNER, steps, value, version)
  }

  #at(version: string): number {
    return this.history.positions.get(version) as number
  }
}
