// An API that had only /v1 and got /v2: from-v1/old.ts is the app before, from-v1/api.ts the app after.
import { api } from './from-v1/api'
import { start } from './support/start'

const ada = 'Authorization: Bearer token-of-ada'

const app = api()

start(app, [
  { path: '/v1/users/1', header: ada, prints: '{"id":1,"name":"Ada Lovelace"} 200' },
  { path: '/v2/users/1', header: ada, prints: '{"id":1,"given":"Ada","family":"Lovelace"} 200' },

  // A body of v1 is checked as v1.
  { path: '/v1/users', header: ada, body: '{"name":"Mary Shelley"}', prints: '{"id":4,"name":"Mary Shelley"} 201' },
  { path: '/v1/users', header: ada, body: '{"name":7}', prints: '{"error":"Not valid: name."} 400' },
  {
    path: '/v2/users',
    header: ada,
    body: '{"name":"Mary Shelley"}',
    prints: '{"error":{"code":"INVALID","message":"Not valid: given, family."}} 400',
  },

  // The link has the query that the client sent.
  {
    path: '/v1/users?max=1',
    header: ada,
    prints: '{"users":[{"id":1,"name":"Ada Lovelace"}],"next":"/v1/users?max=1&page=2"} 200',
  },
  {
    path: '/v2/users?limit=1',
    header: ada,
    prints: '{"data":[{"id":1,"given":"Ada","family":"Lovelace"}],"next":"/v2/users?limit=1&page=2"} 200',
  },

  // The checks hold for every version, and answer in its format.
  { path: '/v1/users/1', prints: '{"error":"Send a token."} 401' },
  { path: '/v2/users/1', prints: '{"error":{"code":"WHO","message":"Send a token."}} 401' },
  {
    path: '/v9/users/1',
    prints: '{"error":{"code":"ERR_VERSION_NOT_FOUND","message":"Invalid version in URL path."}} 404',
  },

  // The users of v1, counted by status.
  {
    path: '/usage',
    prints:
      '{"ada v1 200":2,"ada v2 200":2,"ada v1 201":1,"ada v1 400":1,"ada v2 400":1,"unknown v1 401":1,"unknown v2 401":1,"unknown none 404":1} 200',
  },
  {
    path: '/v1/users/1',
    header: ada,
    grep: '^(Deprecation|Sunset|Link)',
    prints: [
      'Deprecation: @1767225600',
      'Sunset: Thu, 01 Jan 2099 00:00:00 GMT',
      'Link: </v2/users/1>; rel="successor-version"',
    ],
  },
])
