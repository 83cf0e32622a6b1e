// Requests are counted by version for OpenTelemetry, and the version is an attribute of the server's span.
import { metrics as api, trace } from '@opentelemetry/api'
import { AggregationType, InstrumentType, MeterProvider } from '@opentelemetry/sdk-metrics'
import express from 'express'
import {
  HeaderVersioning,
  namedRoutes,
  type VersionEvent,
  type VersioningOptions,
  versioning,
} from 'express-versioning'
import { versionMetrics } from 'express-versioning/metrics'
import { jsonErrors, start } from './support/start'

// Beyond 2,000 sets of attributes, which is the default, the SDK adds the others up without their version.
const limit = 20_000
const views = [InstrumentType.OBSERVABLE_COUNTER, InstrumentType.OBSERVABLE_GAUGE].map((instrumentType) => ({
  instrumentName: 'api_version_*',
  instrumentType,
  aggregation: { type: AggregationType.DEFAULT } as const,
  aggregationCardinalityLimit: limit,
}))
// Give it the reader of your exporter: `readers: [...]`.
api.setGlobalMeterProvider(new MeterProvider({ views }))

const routes = namedRoutes({ user: '/users/:id' })
routes.route('user').get((req, res) => {
  res.json({ version: req.version, traced: trace.getActiveSpan() !== undefined })
})

const options: VersioningOptions = {
  scheme: HeaderVersioning,
  defaultVersion: 'v1',
  allowedVersions: ['v1', 'v2'],
  routes,
}
const meter = api.getMeter('express-versioning')
const metrics = versionMetrics(options, { meter })
// What the metrics do not have, you count with the same events.
const deprecations = meter.createCounter('api_deprecated_requests', { unit: '{request}' })

function onVersion(event: VersionEvent): void {
  const { phase, version, deprecated } = event
  metrics.onVersion(event)
  if (phase === 'failed' || typeof version !== 'string') return
  // Without an SDK for traces there is no span.
  trace.getActiveSpan()?.setAttributes({ 'api.version': version, 'api.version.deprecated': deprecated })
  if (deprecated) deprecations.add(1, { version })
}

const app = express()
app.use(versioning({ ...options, onVersion }), routes)
app.use(jsonErrors)

start(app, [
  { path: '/users/7', header: 'X-API-Version: v2', prints: '{"version":"v2","traced":false} 200' },
  { path: '/users/7', prints: '{"version":"v1","traced":false} 200' },
  {
    path: '/users/7',
    header: 'X-API-Version: v9',
    prints: '{"error":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
