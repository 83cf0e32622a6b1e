// The descriptions of operations by version.
import { type ByStatus, byStatus } from '../schemas/answers'
import type { AnswerBody, Answers, OlderDescription, OperationDescription, VersionDescription } from '../types'

/** The descriptions of one operation. */
export interface Described {
  /** The description of the newest version, with those for single versions. */
  readonly description: OperationDescription | undefined
  /** The described answers that the operation shares with others. */
  readonly common: Answers
  /** Returns the bodies as a version has them. */
  readonly bodiesIn: (version: string) => OlderDescription
}

/** The description of an operation in one version. A text stands for a body without a known schema. */
export interface Words extends Omit<VersionDescription, 'body' | 'query' | 'response'>, OlderDescription {
  /** The bodies of answers by their status of the newest version. */
  readonly answers: ByStatus<AnswerBody | string>
  /** The bodies of answers that the description says for this version alone, by their status there. */
  readonly own: ByStatus
}

/** Returns the description of an operation for one version. */
export function descriptionIn(operation: Described, version: string): Words {
  const { versions: _, ...general } = operation.description ?? {}
  const { response, ...own } = ownDescription(operation, version)
  const bodies = operation.bodiesIn(version)
  const shared = [...bodies.answers].filter(([status]) => Object.hasOwn(operation.common, status))
  const answers = response === undefined ? bodies.answers : new Map(shared)
  return { ...general, ...bodies, ...own, answers, own: byStatus(response, '200') }
}

/** Returns the description for one version alone, which names the statuses of that version. */
export function ownDescription({ description }: Pick<Described, 'description'>, version: string): VersionDescription {
  const versions: Readonly<Record<string, VersionDescription | undefined>> = description?.versions ?? {}
  const own = Object.hasOwn(versions, version) ? versions[version] : undefined
  return Object.fromEntries(Object.entries(own ?? {}).filter(([, value]) => value !== undefined))
}
