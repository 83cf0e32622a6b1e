// The use of a history for documents: what an operation is in each version.

import type {
  ChangesInDocuments,
  ListedChange,
  OperationInVersion,
  RequestContract,
  VersionSchema,
} from '../bound-changes'
import { olderTypeOf } from '../http/json'
import { isContent, isItemContent } from '../schemas/check'
import { NO_DEFINITIONS } from '../schemas/definitions'
import { type ByStatus, describedResponses, statusNumber } from '../schemas/responses'
import { unknownSchema } from '../schemas/unknown'
import type { Content, OlderDescription, ResponseBody, Responses, Schema, VersionDescription } from '../types'
import { HistoryExamples } from './examples'
import type { BoundHistory } from './timeline/bound-history'
import type { AppliedChange } from './timeline/operation-changes'
import type { ResponsePlan } from './timeline/operation-plans'
import { itemTrail, requestTrail, responseTrail, type Stage } from './timeline/trails'
import { toldChanges } from './told'
import type { HeaderContext } from './types/operations'

/** The use of a history for documents and pages. */
export class DocumentedChanges implements ChangesInDocuments {
  readonly examples: HistoryExamples

  /** @param contract returns the contract; undefined for none. */
  constructor(
    private readonly history: BoundHistory,
    private readonly contract: () => RequestContract | undefined,
  ) {
    this.examples = new HistoryExamples(history)
  }

  get hasContract(): boolean {
    return this.contract() !== undefined
  }

  get newest(): string {
    return this.history.versions.at(-1) as string
  }

  operation(method: string, viewName: string, version: string): OperationInVersion {
    const { request, query, responses } = this.history.planIn(method, viewName, version)
    const own = this.history.positions.get(version) ?? this.history.versions.length
    const { changes } = this.history.of(method, viewName)
    const isChecked = () => this.contract()?.checksOf(method, viewName, version) !== undefined
    return {
      get readsRequests() {
        return request.length > 0 || query.length > 0 || isChecked()
      },
      changes: changes.flatMap(({ versionIndex, description }) => (versionIndex === own ? [description] : [])),
      bodies: (described = {}, common) =>
        bodiesOf(
          changes.filter(({ versionIndex }) => versionIndex > own),
          described,
          common,
        ),
      head: (status) => headOf(responses.of(status), status),
      mediaType: (status, type) => mediaTypeOf(responses.of(status), type, version),
    }
  }

  changesIn(version: string, before: string | undefined): readonly ListedChange[] {
    return toldChanges(this.history, version, before)
  }

  definitionsIn(version: string): ReadonlyMap<string, VersionSchema> {
    const { positions, shapes, versions } = this.history
    return shapes?.definitionsIn(positions.get(version) ?? versions.length) ?? NO_DEFINITIONS
  }
}

function headOf(plan: ResponsePlan | undefined, status: number): ReturnType<OperationInVersion['head']> {
  // The last change of a field decides.
  const fields = new Map(plan?.headers.map(({ change: { name, step } }) => [name.toLowerCase(), step]))
  const without = [...fields].flatMap(([name, step]) => (step === null ? name : []))
  return { status: plan?.status ?? status, without: new Set(without) }
}

function mediaTypeOf(plan: ResponsePlan | undefined, type: string, version: string): string {
  const types = plan !== undefined && plan.steps.length > 0 ? plan.types : []
  // The type is that of the last definition which says one.
  const since = types.findLastIndex((said) => said.length > 0) + 1
  let older: unknown = types.slice(since).reduce(olderTypeOf, type)
  for (const { change, status } of plan?.headers ?? []) {
    if (change.name.toLowerCase() !== 'content-type') continue
    try {
      older = change.step?.(older as string, { version, status } as HeaderContext) ?? older
    } catch {
      // It needs a request.
    }
  }
  return older === type ? type : (String(older).split(';')[0] as string).trim()
}

function bodiesOf(
  newer: readonly AppliedChange[],
  { body, query, response }: Pick<VersionDescription, 'body' | 'query' | 'response'>,
  common: Responses,
): OlderDescription {
  const newestFirst = newer.toReversed()
  const described = response ?? newer.map(({ entry }) => entry?.older?.response).find((said) => said !== undefined)
  return {
    body: lastOf(requestTrail('body', newestFirst, body), body),
    query: lastOf(requestTrail('query', newestFirst, query), query) as Schema | string | undefined,
    responses: olderResponses(newestFirst, describedResponses(described, common)),
  }
}

function olderResponses(newestFirst: readonly AppliedChange[], described: ByStatus): OlderDescription['responses'] {
  const responses = new Map<string, ResponseBody | string>()
  const older = (newest: number, body: ResponseBody) =>
    withItems(
      newest,
      body,
      lastOf(responseTrail(newest, newestFirst, body), body) as ResponseBody | string,
      newestFirst,
    )
  for (const [key, body] of described) {
    // Steps tell success and errors apart: of those that `default` describes, redirections have none.
    const rest = older(statusNumber(key === 'default' ? '3XX' : key), body)
    responses.set(key, rest)
    for (const range of key === 'default' ? ['2XX', '4XX', '5XX'] : []) {
      const own = older(statusNumber(range), body)
      if (own !== rest && !described.has(range)) responses.set(range, own)
    }
  }
  return responses
}

/** Adds the older items of a response's streams to its older body. */
function withItems(
  newest: number,
  described: ResponseBody,
  older: ResponseBody | string,
  newestFirst: readonly AppliedChange[],
): ResponseBody | string {
  const media = isContent(described) ? Object.entries(described.content) : []
  const streams = media.flatMap(([type, one]) => (isItemContent(one) ? [[type, one.itemSchema] as const] : []))
  if (streams.length === 0 || older === null) return older
  const items = streams.map(([type, schema]) => {
    const last = lastOf(itemTrail(newest, newestFirst, schema), schema) as Schema | string
    return [type, typeof last === 'string' ? unknownSchema(last) : last] as const
  })
  if (older === described && items.every(([, item], index) => item === streams[index]?.[1])) return described
  const json = streams.length === media.length ? {} : jsonContent(older)
  return { content: { ...json, ...Object.fromEntries(items.map(([type, itemSchema]) => [type, { itemSchema }])) } }
}

function jsonContent(older: ResponseBody | string): Content['content'] {
  if (!isContent(older)) {
    return { 'application/json': typeof older === 'string' ? unknownSchema(older) : (older as Schema) }
  }
  return Object.fromEntries(Object.entries(older.content).filter(([, media]) => !isItemContent(media)))
}

/** Returns the body at the end of its trail; a string for an unknown one. */
function lastOf<Body>(trail: readonly Stage<Body>[], described: Body | undefined): Body | null | string | undefined {
  const last = trail.at(-1)
  return last === undefined ? described : (last.unknownSince?.description ?? last.body)
}
