// The letter to a consumer of a version: the changes that it would notice on its way to the newest one.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sentencesIn, type ToldVersion } from '../explorer/changed-operations'
import { totalOf } from '../usage/counts'
import type { ConsumerUsage, MetChange, OperationUsage, Usage, VersionUsage } from '../usage/usage-types'
import { doubtsAbout, doubtsAboutConsumers, isUsed } from '../usage/verdict'
import { countOf, daysText } from '../usage/words'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/text'
import { type Asked, CommandError } from './arguments'
import { cacheDoubts, planText, reasonsText, timeText, type UsageOutcome } from './usage-outcome'

/**
 * The three answers about a change: it *met* requests; its operations were *asked* for, and no response was converted; or they were
 * *never* asked for, which is said without a doubt only. Otherwise nothing is known.
 */
type Answer = 'met' | 'asked' | 'never' | 'unknown'

/** A change on the way, and the requests of the consumer that it met. */
interface ChangeOnTheWay extends MetChange {
  /** The version that the change is in. */
  readonly version: string
  /** The duties of clients; undefined if nothing is known beside the description. */
  readonly sentences: readonly string[] | undefined
  readonly answer: Answer
}

/** The facts of a letter. */
interface Letter {
  readonly consumer: string
  readonly version: string
  readonly newest: string
  /** The requests of the consumer in the version. */
  readonly requests: number
  readonly lastRequest: Date | null
  readonly operations: readonly OperationUsage[]
  readonly changes: readonly ChangeOnTheWay[]
  /** The reasons why changes that met no request may have met one. */
  readonly doubts: readonly string[]
}

/** The versions of the module, oldest first, and the changes of each that may meet requests for an operation. */
export interface Plans {
  readonly versions: readonly ToldVersion[]
  readonly changesMeeting: (version: string, operation: OperationUsage) => readonly string[]
}

/** The two forms of a letter. */
interface Written {
  readonly letter: Letter
  readonly text: string
}

/**
 * Writes the letter to a consumer.
 *
 * @throws {CommandError} for a consumer that the record does not have.
 */
export async function letterTo(
  consumer: string,
  version: string,
  usage: Usage,
  plans: Plans,
  asked: Asked,
): Promise<UsageOutcome> {
  checkKnown(consumer, usage)
  const { letter, text } = written(consumer, version, usage, plans, asked, await cacheDoubts(usage, version, asked))
  const json = { letter: { ...letter, complete: letter.doubts.length === 0 } }
  const unsure = unsureText(letter.doubts)
  if (!asked.check) return { code: 0, text, json, err: unsure }
  const { doubts } = letter
  const code = isUsed(letter) ? 1 : doubts.length > 0 ? 2 : 0
  const said = `In ${daysText(usage.days)}, ${visible(consumer)} ${SAID[code]} in ${visible(version)}${code === 2 ? ', but it cannot be said that there was none:' : '.'}`
  const err = code === 0 ? '' : reasonsText(said, code === 1 ? [] : doubts)
  return { code, text: `${text}\n${said}\n`, json: { ...json, check: { version, consumer, code, said, doubts } }, err }
}

const SAID = { 0: 'had no request', 1: 'had requests', 2: 'had no request that is known' }

/** Writes a letter to each consumer of a version. */
export async function lettersTo(version: string, usage: Usage, plans: Plans, asked: Asked): Promise<UsageOutcome> {
  const use = useIn(usage, version)
  const touched = use?.changes?.flatMap(({ consumers }) => consumers) ?? []
  const names = new Set([...(use?.consumers ?? []), ...touched].map(({ consumer }) => consumer))
  const consumers = [...names].filter((name) => name !== '' && name !== 'other').sort()
  const caches = await cacheDoubts(usage, version, asked)
  const letters = consumers.map((consumer) => written(consumer, version, usage, plans, asked, caches))
  const taken = new Set<string>()
  mkdirSync(asked.out, { recursive: true })
  const files = letters.map(({ letter, text }) => {
    const file = fileOf(letter.consumer, taken, asked.markdown ? 'md' : 'txt')
    writeFileSync(join(asked.out, file), text)
    return { consumer: letter.consumer, file }
  })
  const doubts = [...new Set(letters.flatMap(({ letter }) => letter.doubts))]
  const head = `${countOf(letters.length, 'letter')} to consumers of ${version}`
  const lines = files.map(({ consumer, file }) => `  ${file}: ${consumer}`)
  return {
    ...{ code: 0, text: `${[head, ...lines].map(visible).join('\n')}\n`, err: unsureText(doubts) },
    json: { letters: letters.map(({ letter }) => letter), files },
  }
}

/** Names the file of a letter, whatever characters the consumer has. */
function fileOf(consumer: string, taken: Set<string>, end: string): string {
  const name = encodeURIComponent(consumer.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replace(/^\.|[*]/g, '_')
    .slice(0, 200)
  let file = `${name}.${end}`
  // Some file systems do not tell capitals apart.
  for (let count = 2; taken.has(file.toLowerCase()); count++) file = `${name}-${count}.${end}`
  taken.add(file.toLowerCase())
  return file
}

/** Prints the errors that a consumer got. */
export function errorsOf(consumer: string, version: string, usage: Usage): UsageOutcome {
  checkKnown(consumer, usage)
  const use = useIn(usage, version)
  const own = ownIn(consumer, use)
  const errors = own[0]?.errors ?? []
  const requests = totalOf(own)
  const failed = totalOf(errors)
  const head = `In ${daysText(usage.days)}, ${consumer} had ${countOf(requests, 'request')} in ${version}, and got ${countOf(failed, 'error')}.`
  const lines = errors.map(
    ({ status, code, requests }) =>
      `  ${status} ${code === '' ? 'of the app' : code}, ${countOf(requests, 'response')}`,
  )
  const json = { errors: { consumer, version, requests, errors } }
  return {
    code: 0,
    text: `${[head, ...lines].map(visible).join('\n')}\n`,
    json,
    err: unsureText(doubtsAbout(usage, version, use)),
  }
}

/**
 * Prints the consumers of a version that a change touches.
 *
 * @throws {CommandError} for a change that does not come after the version.
 */
export async function touchedBy(
  text: string,
  version: string,
  usage: Usage,
  plans: Plans,
  asked: Asked,
): Promise<UsageOutcome> {
  const at = plans.versions.findIndex((plan) => plan.version === version)
  const after = plans.versions
    .slice(at + 1)
    .flatMap(({ version, changes }) => changes.map(({ description }) => ({ version, description })))
  const plain = (words: string) => words.replace(/\s+/g, ' ').trim().toLowerCase()
  const found = after.filter(({ description }) => plain(description) === plain(text))
  const near = found.length > 0 ? found : after.filter(({ description }) => plain(description).includes(plain(text)))
  const [change] = near
  if (change === undefined || near.length > 1) {
    const list = (change === undefined ? after : near).map(({ description }) => `\n  ${plain(description)}`).join('')
    throw new CommandError(
      `${near.length === 0 ? 'no change' : 'more than one change'} after ${shown(version)} is ${shown(text)}. There are:${list}`,
    )
  }
  const use = useIn(usage, version)
  const met = use?.changes?.find((one) => one.change === change.description)
  const consumers = met?.consumers ?? []
  const names = new Set(consumers.map(({ consumer }) => consumer))
  const others = new Set(
    use?.consumers.flatMap(({ consumer, operations }) =>
      !names.has(consumer) &&
      operations?.some((one) => plans.changesMeeting(change.version, one).includes(change.description))
        ? [consumer]
        : [],
    ),
  )
  const nameOf = (consumer: string) => (consumer === '' ? '(unknown)' : consumer)
  const doubts = [
    ...doubtsAbout(usage, version, use),
    ...doubtsAboutConsumers(usage, version, use),
    ...(await cacheDoubts(usage, version, asked)),
  ]
  const lines = [
    `${change.version}: ${change.description.replace(/\s+/g, ' ')}`,
    `In ${daysText(usage.days)}, it met ${countOf(met?.requests ?? 0, 'request')} in ${version}.`,
    ...consumers.map(
      ({ consumer, requests, lastRequest }) =>
        `  ${nameOf(consumer)}, ${countOf(requests, 'request')}${lastText(lastRequest)}`,
    ),
    ...(others.size === 0
      ? []
      : [
          'Asked for its operations, without a response that it converted:',
          ...[...others].map((one) => `  ${nameOf(one)}`),
        ]),
  ]
  return {
    ...{ code: 0, text: `${lines.map(visible).join('\n')}\n`, err: unsureText(doubts, 'the list') },
    json: {
      change: {
        version: change.version,
        change: change.description,
        requests: met?.requests ?? 0,
        consumers,
        asked: [...others],
        doubts,
      },
    },
  }
}

function unsureText(doubts: readonly string[], what = 'the letter'): string {
  return doubts.length === 0 ? '' : reasonsText(`It cannot be said that ${what} has all:`, doubts)
}

function useIn({ versions }: Usage, version: string): VersionUsage | undefined {
  return versions.find((use) => use.version === version)
}

function ownIn(consumer: string, use: VersionUsage | undefined): readonly ConsumerUsage[] {
  return use?.consumers.filter((one) => one.consumer === consumer) ?? []
}

function written(
  consumer: string,
  version: string,
  usage: Usage,
  plans: Plans,
  { markdown }: Asked,
  caches: readonly string[],
): Written {
  const letter = letterOf(consumer, version, usage, plans, caches)
  const plan = plans.versions.find((plan) => plan.version === version)
  return { letter, text: markdown ? markdownOf(letter, usage, plan) : textOf(letter, usage, plan) }
}

function letterOf(
  consumer: string,
  version: string,
  usage: Usage,
  { versions, changesMeeting }: Plans,
  caches: readonly string[],
): Letter {
  const use = useIn(usage, version)
  const own = ownIn(consumer, use)
  const [latest] = own
  const operations = latest?.operations ?? []
  const requests = totalOf(own)
  const at = versions.findIndex((plan) => plan.version === version)
  const end = versions.findLastIndex(({ isPreview }) => !isPreview)
  const found = versions.slice(at + 1, end + 1).flatMap(({ version, changes }) => {
    const asked = new Set(operations.flatMap((operation) => changesMeeting(version, operation)))
    return changes.map((change) => {
      const { description } = change
      const all = sentencesIn(change)
      const sentences = all.length === 0 ? undefined : all
      const met = use?.changes?.find(({ change }) => change === description)
      const { requests = 0, lastRequest = null } = { ...met?.consumers.find((one) => one.consumer === consumer) }
      return { version, change: description, sentences, requests, lastRequest, isAsked: asked.has(description) }
    })
  })
  const doubts = [
    ...doubtsAbout(usage, version, use),
    ...uncounted(found, use),
    ...doubtsAboutConsumers(usage, version, use),
    ...withoutOperation(requests, operations, version),
    ...caches,
  ]
  const silent = doubts.length === 0 ? 'never' : 'unknown'
  return {
    ...{ consumer, version, newest: (versions[Math.max(at, end)] as ToldVersion).version },
    ...{ requests, lastRequest: latest?.lastRequest ?? null, operations, doubts },
    changes: found.map(({ isAsked, ...change }) => ({
      ...change,
      answer: change.requests > 0 ? 'met' : isAsked ? 'asked' : silent,
    })),
  }
}

/** Lists the doubt about requests of the consumer whose operation is not known. */
function withoutOperation(requests: number, operations: readonly OperationUsage[], version: string): string[] {
  const lacking = requests - totalOf(operations)
  return lacking <= 0 ? [] : [`${countOf(lacking, 'request')} of the consumer in ${version} may be for any operation.`]
}

/** @throws {CommandError} for a consumer that the record does not have: it may be mistyped. */
function checkKnown(consumer: string, { consumers, versions, days }: Usage): void {
  const all = versions.flatMap(({ consumers }) => consumers.map(({ consumer }) => consumer))
  const names = [...new Set([...(consumers as readonly string[]), ...all])].filter((name) => name !== '')
  if (names.includes(consumer)) return
  const why = names.length === 0 ? ' The metrics have no consumers: see the option "consumer" of versionMetrics().' : ''
  throw new CommandError(
    `no request of ${shown(consumer)} is known in ${daysText(days)}.${didYouMean(near(consumer, names))}${why}`,
  )
}

/** Lists doubts about changes without a request that were not counted all the time. */
function uncounted(changes: readonly MetChange[], use: VersionUsage | undefined): string[] {
  return changes.flatMap(({ change, requests }) => {
    if (requests > 0) return []
    const isCounted = use?.changes?.some((counted) => counted.change === change)
    if (!isCounted) return [`No process counts the change "${change}".`]
    return use?.partlyCounted?.includes(change) ? [`The change "${change}" was counted in a part of these days.`] : []
  })
}

function textOf(letter: Letter, usage: Usage, plan: ToldVersion | undefined): string {
  const { consumer, version, newest } = letter
  const parts = partsOf(letter, usage).map(({ heading, changes }) => [
    `${heading}:`,
    ...grouped(changes).map(([version, own]) =>
      [
        `  ${visible(version)}`,
        ...own.map((one) =>
          [`    - ${wordsOf(one)}${noteOf(one, '\n      ', '')}`, ...listed(one, '      ')].join('\n'),
        ),
      ].join('\n'),
    ),
  ])
  const head = `${visible(consumer)}: from ${visible(version)} to ${visible(newest)}`
  return `${[head, `${planText(version, plan)}\n${[useOf(letter, usage), ...operationsOf(letter, '  '), ...moreOf(plan)].join('\n')}`, ...parts.map((lines) => lines.join('\n'))].join('\n\n')}\n`
}

function markdownOf(letter: Letter, usage: Usage, plan: ToldVersion | undefined): string {
  const { consumer, version, newest } = letter
  const parts = partsOf(letter, usage).flatMap(({ heading, changes }) => [
    `## ${heading}`,
    ...grouped(changes).flatMap(([version, own]) => [
      `### ${escaped(version)}`,
      own.map((one) => [`- ${wordsOf(one)}${noteOf(one, ' (', ')')}`, ...listed(one, '  - ')].join('\n')).join('\n'),
    ]),
  ])
  const head = `# ${escaped(consumer)}: from ${escaped(version)} to ${escaped(newest)}`
  return `${[head, escaped(planText(version, plan)), escaped(useOf(letter, usage)), ...listOf(operationsOf(letter, '- ').map(escapedItem)), ...moreOf(plan), ...parts].join('\n\n')}\n`
}

/** Returns the parts of a letter, without an empty one. */
function partsOf({ version, changes }: Letter, { days }: Usage) {
  if (changes.length === 0) return [{ heading: `No change comes after ${visible(version)}`, changes }]
  const by = (answer: Answer) => changes.filter((change) => change.answer === answer)
  const [met, asked, never, unknown] = [by('met'), by('asked'), by('never'), by('unknown')]
  const others: [heading: string, changes: ChangeOnTheWay[]][] = [
    [
      `You asked for operations of ${countOf(asked.length, 'change')}, and it is not known whether you would notice`,
      asked,
    ],
    [`${countOf(never.length, 'change')} never met your requests in ${daysText(days)}`, never],
    [`Of ${countOf(unknown.length, 'change')}, no request of yours is known`, unknown],
  ]
  return [
    { heading: `You will notice ${countOf(met.length)} of ${countOf(changes.length, 'change')}`, changes: met },
    ...others.flatMap(([heading, changes]) => (changes.length === 0 ? [] : [{ heading, changes }])),
  ]
}

/** Lists the operations that the consumer asked for. */
function operationsOf({ operations }: Letter, before: string): string[] {
  return operations.map(({ method, route, requests }) =>
    visible(`${before}${method} ${route}, ${countOf(requests, 'request')}`),
  )
}

function listOf(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [items.join('\n')]
}

/** Escapes an item of a list. */
function escapedItem(item: string): string {
  return `- ${escaped(item.slice(2))}`
}

/** Names the page about the end of a version. */
function moreOf(plan: ToldVersion | undefined): string[] {
  return plan?.info === undefined ? [] : [`More: <${visible(plan.info)}>`]
}

function useOf({ version, requests, lastRequest }: Letter, { days }: Usage): string {
  const sent = requests === 0 ? 'no request of yours is known' : `you sent ${countOf(requests, 'request')}`
  return `In ${daysText(days)}, ${sent} in ${visible(version)}${lastText(lastRequest)}.`
}

function grouped(changes: readonly ChangeOnTheWay[]): [version: string, changes: ChangeOnTheWay[]][] {
  const versions = [...new Set(changes.map(({ version }) => version))]
  return versions.map((version) => [version, changes.filter((change) => change.version === version)])
}

function wordsOf({ change }: ChangeOnTheWay): string {
  return visible(change.replace(/\s+/g, ' '))
}

/** Lists what clients must do, each in a line. */
function listed({ sentences = [] }: ChangeOnTheWay, start: string): string[] {
  return sentences.map((sentence) => start + visible(sentence))
}

/** Writes the requests that a change met; nothing for none. */
function noteOf({ requests, lastRequest }: ChangeOnTheWay, before: string, after: string): string {
  return requests === 0 ? '' : `${before}${countOf(requests, 'request')}${lastText(lastRequest)}${after}`
}

function lastText(lastRequest: Date | null): string {
  return lastRequest === null ? '' : `, the last at ${timeText(lastRequest)}`
}

/** Escapes a string that is no Markdown. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|&~]/g, '\\$&')
}
