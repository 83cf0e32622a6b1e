// The exports of `express-versioning/gateway`.
export { GatewayError, type GatewayOptions, gateway } from './gateway'
export { sendConverted } from './send-converted'
