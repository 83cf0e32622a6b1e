import { expressOf, packageWith, responding, responseVersion } from './apps.mjs'

const ALLOWED = ['1', '2', '3']

/** The headers of clients that know nothing of versions. */
const HEADERS = {
  chrome: [
    "Chrome's navigation",
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  ],
  firefox: ["Firefox's navigation", 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
  any: ['`*/*`', '*/*'],
  axios: ["axios's", 'application/json, text/plain, */*'],
}

function floor(req, res, next) {
  res.setHeader('Vary', 'Accept')
  req.version = '1'
  next()
}

const schemes = {
  header: (p) => new p.HeaderVersioning({ allowedVersions: ALLOWED, defaultVersion: '1' }),
  accept: (p) => new p.AcceptHeaderVersioning({ allowedVersions: ALLOWED, defaultVersion: '1' }),
  types: (p) =>
    new p.AcceptHeaderVersioning({ allowedVersions: ALLOWED, defaultVersion: '1', mediaTypes: ['application/json'] }),
  vendor: (p) =>
    new p.MediaTypeVersioning({
      allowedVersions: ALLOWED,
      defaultVersion: '1',
      template: 'application/vnd.acme.{version}+json',
    }),
}

async function behind(header, scheme, response = responseVersion) {
  const exported = await packageWith('AcceptHeaderVersioning', 'MediaTypeVersioning')
  const express = await expressOf(5)
  const app = express()
  app.use(scheme === undefined ? floor : exported.versioning({ scheme: schemes[scheme](exported) }))
  app.get('/users', response)
  return responding(app, { url: '/users', headers: { Accept: header } })
}

/** Responses in one of two media types. */
function negotiating(req, res) {
  res.format({ json: () => res.end(req.version), text: () => res.end(req.version) })
}

const LIMITS = { ratio: 1.08 }

export const browsers = {
  id: 'browsers',
  batchMs: 100,
  generations: 4,
  rounds: 5,
  title: 'A request that names no version in `Accept`, over no scheme',
  about:
    "The floor is a middleware that sets `Vary: Accept` and `req.version`. With `mediaTypes` the header must be negotiated, whatever it says. `res.format` shows what Express's own negotiation costs behind a scheme: no limit is set for it. Express 5.",
  cases: [
    ...Object.entries(HEADERS).flatMap(([id, [label, header]]) => [
      { id, label: `floor: ${label}`, prepare: () => behind(header) },
      {
        id: `${id}-accept`,
        label: `**AcceptHeaderVersioning**: ${label}`,
        floor: id,
        limits: LIMITS,
        prepare: () => behind(header, 'accept'),
      },
      {
        id: `${id}-vendor`,
        label: `**MediaTypeVersioning**: ${label}`,
        floor: id,
        limits: LIMITS,
        prepare: () => behind(header, 'vendor'),
      },
      {
        id: `${id}-types`,
        label: `**AcceptHeaderVersioning**, \`mediaTypes\`: ${label}`,
        floor: id,
        reference: true,
        prepare: () => behind(header, 'types'),
      },
    ]),
    {
      id: 'format',
      label: 'floor: `*/*`, responded by `res.format` of two types',
      prepare: () => behind('*/*', undefined, negotiating),
    },
    {
      id: 'format-accept',
      label: '**AcceptHeaderVersioning**: `*/*`, responded by `res.format`',
      floor: 'format',
      prepare: () => behind('*/*', 'accept', negotiating),
    },
    {
      id: 'format-header',
      label: '**HeaderVersioning**: `*/*`, responded by `res.format`',
      floor: 'format',
      prepare: () => behind('*/*', 'header', negotiating),
    },
  ],
}
