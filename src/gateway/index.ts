// The exports of `express-versioning/gateway`.
export { GatewayError } from './failures'
export { type GatewayOptions, gateway } from './gateway'
export { sendConverted } from './send-converted'
