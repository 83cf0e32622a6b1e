// An API whose requests are counted.
import { once } from 'node:events'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import express, { type Application, type Request, type Response } from 'express'
import { type VersioningOptions, versioning } from 'express-versioning'
import { type VersionMetricsOptions, versionMetrics } from 'express-versioning/metrics'
import client, { Registry } from 'prom-client'
import { serve } from '../support/serve'
import type { Table } from '../support/tables'

export type Build = (app: Application, options: VersioningOptions) => void
export type Consumers = Pick<VersionMetricsOptions, 'consumer' | 'consumers' | 'maxConsumers'>

const plainly: Build = (app, options) => app.use(express.json(), versioning(options), options.routes as Table)

/** The consumers of an API: the client names one in a header field. */
export const byAccount: Consumers = { consumer: (req: Request) => req.get('X-Account'), consumers: ['a'] }

/** Serves an API. `closed()` waits until the server has closed its responses, and `settled()` until it has closed those that ended. */
async function served(options: VersioningOptions, build: Build) {
  const open = new Set<Response>()
  const server = await serve((app) => {
    app.use((_req, res, next) => next(void open.add(res.on('close', () => open.delete(res)))))
    build(app, options)
  })
  const closed = async (isMeant = (_: Response): boolean => true) => {
    for (const res of open) if (isMeant(res)) await once(res, 'close')
  }
  return { ...server, closed, settled: () => closed(({ writableEnded }) => writableEnded) }
}

/** Serves an API that is measured by prom-client. `lines()` has the series of a metric as `label|label value`, sorted. */
export async function measured(
  options: VersioningOptions,
  given: Partial<VersionMetricsOptions> = {},
  build = plainly,
) {
  const register = new Registry()
  const { onVersion } = versionMetrics(options, { prometheus: client, register, ...given })
  const { settled, ...server } = await served({ ...options, onVersion }, build)
  const lines = async (name: string) => {
    await settled()
    const all = (await register.metrics()).split('\n').filter((line) => line.startsWith(`api_version_${name}{`))
    const valuesOf = (line: string) => [...line.matchAll(/="(.*?)"/g)].map(([, value]) => value).join('|')
    return all.map((line) => `${valuesOf(line)} ${line.split(' ').at(-1)}`).sort()
  }
  const counted = async (name = 'requests_total') => (await lines(name)).filter((line) => !line.endsWith(' 0'))
  return { ...server, register, lines, counted }
}

/** Returns the metrics that OpenTelemetry has of an API after one request. */
export async function observed(options: VersioningOptions, given: Consumers, path: string) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test')
  const { onVersion } = versionMetrics(options, { meter, ...given })
  const { get, settled } = await served({ ...options, onVersion }, plainly)
  await get(path)
  await settled()
  await reader.forceFlush()
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  await reader.shutdown()
  return found
}
