// The exports of `express-versioning/client`.
export type { ClientOptions, ClientUrlOptions, VersionClient } from './in-version'
export { inVersion, versionsOf } from './in-version'
