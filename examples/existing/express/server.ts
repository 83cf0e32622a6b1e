// The app, and requests to try.
import { start } from '../../support/start'
import { app } from './app'

const token = 'Authorization: Bearer token'
const newest = [token, 'X-API-Version: v2']
start(app, [
  { path: '/users/1', header: token, prints: '{"id":1,"name":"Ada Lovelace"} 200' },
  { path: '/users/1', header: newest, prints: '{"id":1,"given":"Ada","family":"Lovelace"} 200' },
  { path: '/orders/1', header: token, prints: '{"id":1,"buyer":{"id":2,"name":"Grace Hopper"},"total":3497} 200' },
  { path: '/users', header: token, body: '{"name":""}', prints: '{"error":"A name, please."} 400' },
  { path: '/users', header: token, body: '{"name":"Alan Turing"}', prints: '{"id":3,"name":"Alan Turing"} 201' },
  { path: '/users', body: '{"name":7}', prints: '{"error":"Send a token."} 401' },
  {
    path: '/users',
    header: 'X-API-Version: v9',
    prints: '{"title":"Not Acceptable","status":406,"detail":"Invalid version in \\"X-API-Version\\" header."} 406',
  },
])
