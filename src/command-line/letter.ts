// The letter to a consumer of a version: the changes that it would notice on its way to the newest one.
import { sentencesIn, type ToldVersion } from '../explorer/changes'
import { daysText } from '../explorer/words'
import type { MetChange, Usage, VersionUsage } from '../usage/model'
import { doubtsAbout } from '../usage/verdict'
import { countOf } from '../usage/words'
import { shown } from '../util/options'
import { didYouMean, near } from '../util/suggest'
import { visible } from '../util/visible'
import { type Asked, CommandError } from './arguments'
import { cacheOf, planText, reasonsText, timeText, type UsageOutcome } from './usage-outcome'

/** A change on the way, and the requests of the consumer that it met. */
interface ChangeOnTheWay extends MetChange {
  /** The version that the change is in. */
  readonly version: string
  /** The duties of clients; undefined if nothing is known beside the description. */
  readonly sentences: readonly string[] | undefined
}

/** The facts of a letter. */
interface Letter {
  readonly consumer: string
  readonly version: string
  readonly newest: string
  /** The requests of the consumer in the version. */
  readonly requests: number
  readonly lastRequest: Date | null
  readonly changes: readonly ChangeOnTheWay[]
  /** The reasons why changes that met no request may have met one. */
  readonly doubts: readonly string[]
}

/**
 * Writes the letter to a consumer.
 *
 * @param plans all versions of the module, oldest first.
 * @throws {CommandError} for a consumer that the record does not have.
 */
export async function letterTo(
  consumer: string,
  version: string,
  usage: Usage,
  plans: readonly ToldVersion[],
  asked: Asked,
): Promise<UsageOutcome> {
  const letter = letterOf(consumer, version, usage, plans)
  const plan = plans.find((plan) => plan.version === version)
  const text = asked.markdown ? markdownOf(letter, usage, plan) : textOf(letter, usage, plan)
  const json = { letter: { ...letter, complete: letter.doubts.length === 0 } }
  const unsure =
    letter.doubts.length === 0 ? '' : reasonsText('It cannot be said that the letter has all:', letter.doubts)
  if (!asked.check) return { code: 0, text, json, err: unsure }
  const cache = await cacheOf(usage, version, asked)
  const hits = cache.hits === 0 ? [] : [`The cache in front responded to ${countOf(cache.hits, 'request')} of anybody.`]
  const doubts = [...letter.doubts, ...cache.doubts, ...hits]
  const code = letter.requests > 0 ? 1 : doubts.length > 0 ? 2 : 0
  const said = `In ${daysText(usage.days)}, ${visible(consumer)} ${SAID[code]} in ${visible(version)}${code === 2 ? ', but it cannot be said that there was none:' : '.'}`
  const err = code === 0 ? '' : reasonsText(said, code === 1 ? [] : doubts)
  return { code, text: `${text}\n${said}\n`, json: { ...json, check: { version, consumer, code, said, doubts } }, err }
}

const SAID = { 0: 'had no request', 1: 'had requests', 2: 'had no request that is known' }

function letterOf(consumer: string, version: string, usage: Usage, plans: readonly ToldVersion[]): Letter {
  checkKnown(consumer, usage)
  const use = usage.versions.find((use) => use.version === version)
  const own = use?.consumers.filter((one) => one.consumer === consumer) ?? []
  const [latest] = own
  const at = plans.findIndex((plan) => plan.version === version)
  const end = plans.findLastIndex(({ isPreview }) => !isPreview)
  const changes = plans.slice(at + 1, end + 1).flatMap(({ version, changes }) =>
    changes.map((change): ChangeOnTheWay => {
      const { description } = change
      const all = sentencesIn(change, true)
      const sentences = all.length === 0 ? undefined : all
      const met = use?.changes?.find(({ change }) => change === description)
      const { requests = 0, lastRequest = null } = { ...met?.consumers.find((one) => one.consumer === consumer) }
      return { version, change: description, sentences, requests, lastRequest }
    }),
  )
  return {
    ...{ consumer, version, newest: (plans[Math.max(at, end)] as ToldVersion).version },
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    lastRequest: latest?.lastRequest ?? null,
    changes,
    doubts: [...doubtsAbout(usage, version, use), ...uncounted(changes, use), ...nameless(version, use)],
  }
}

/** @throws {CommandError} for a consumer without a request in these days: it may be mistyped. */
function checkKnown(consumer: string, { versions, days }: Usage): void {
  const all = versions.flatMap(({ consumers }) => consumers.map(({ consumer }) => consumer))
  const names = [...new Set(all)].filter((name) => name !== '')
  if (names.includes(consumer)) return
  const why = names.length === 0 ? ' The metrics have no consumers: see the option "consumer" of versionMetrics().' : ''
  throw new CommandError(
    `no request of ${shown(consumer)} is known in ${daysText(days)}.${didYouMean(near(consumer, names))}${why}`,
  )
}

/** Lists doubts about changes without a request that were not counted all the time. */
function uncounted(changes: readonly ChangeOnTheWay[], use: VersionUsage | undefined): string[] {
  return changes.flatMap(({ change, requests }) => {
    if (requests > 0) return []
    const isCounted = use?.changes?.some((counted) => counted.change === change)
    if (!isCounted) return [`No process counts the change "${change}".`]
    return use?.partlyCounted?.includes(change) ? [`The change "${change}" was counted in a part of these days.`] : []
  })
}

/** Lists the doubt about requests whose consumer is not known. */
function nameless(version: string, use: VersionUsage | undefined): string[] {
  const own = use?.consumers.filter(({ consumer }) => consumer === '') ?? []
  const requests = own.reduce((sum, { requests }) => sum + requests, 0)
  return requests === 0 ? [] : [`${countOf(requests, 'request')} in ${version} may be of any consumer.`]
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
  return `${[head, `${planText(version, plan)}\n${useOf(letter, usage)}`, ...parts.map((lines) => lines.join('\n'))].join('\n\n')}\n`
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
  return `${[head, escaped(planText(version, plan)), escaped(useOf(letter, usage)), ...parts].join('\n\n')}\n`
}

/** Returns the two halves of a letter, without an empty one. */
function partsOf({ version, changes, doubts }: Letter, { days }: Usage) {
  if (changes.length === 0) return [{ heading: `No change comes after ${visible(version)}`, changes }]
  const met = changes.filter(({ requests }) => requests > 0)
  const others = changes.filter(({ requests }) => requests === 0)
  const all = countOf(changes.length, 'change')
  const never =
    doubts.length === 0
      ? `${countOf(others.length, 'change')} never met your requests in ${daysText(days)}`
      : `Of ${countOf(others.length, 'change')}, no request of yours is known`
  return [
    { heading: `You will notice ${countOf(met.length)} of ${all}`, changes: met },
    ...(others.length === 0 ? [] : [{ heading: never, changes: others }]),
  ]
}

function useOf({ version, requests, lastRequest }: Letter, { days }: Usage): string {
  const last = lastRequest === null ? '' : `, the last at ${timeText(lastRequest)}`
  const sent = requests === 0 ? 'no request of yours is known' : `you sent ${countOf(requests, 'request')}`
  return `In ${daysText(days)}, ${sent} in ${visible(version)}${last}.`
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
  if (requests === 0) return ''
  const last = lastRequest === null ? '' : `, the last at ${timeText(lastRequest)}`
  return `${before}${countOf(requests, 'request')}${last}${after}`
}

/** Escapes a string that is no Markdown. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|&~]/g, '\\$&')
}
