import type { Request } from 'express'
import { BaseVersioning, type VersionEvent, versioning } from 'express-versioning'
import { appOf, dispatch } from '../support/dispatch'

/** A scheme of one's own as DRF's users write it: everything in `determineVersion`, the default included. */
class Own extends BaseVersioning {
  override determineVersion(req: Request) {
    const sent = req.headers['x-own']
    if (sent === 'none') return null
    return typeof sent === 'string' ? sent : this.defaultVersion
  }
}
class Later extends BaseVersioning {
  override async determineVersion(req: Request) {
    const sent = req.headers['x-own']
    if (sent === 'none') return null
    return typeof sent === 'string' ? sent : this.defaultVersion
  }
}

describe.each([Own, Later])('%p: an event says that a version was named', (scheme) => {
  test.each<[headers: Record<string, string>, version: string | null, named: boolean]>([
    [{ 'x-own': 'v1' }, 'v1', true],
    [{}, 'v2', false],
    [{ 'x-own': 'none' }, null, false],
  ])('%j: %s, %p', async (headers, version, named) => {
    const heard: VersionEvent[] = []
    const onVersion = (event: VersionEvent) => heard.push(event)
    const app = appOf((app) => app.use(versioning({ scheme, defaultVersion: 'v2', onVersion })))
    dispatch(app, { url: '/', headers })
    await new Promise(setImmediate)
    expect(heard.map((event) => [event.version, event.named])).toEqual([[version, named]])
  })
})
