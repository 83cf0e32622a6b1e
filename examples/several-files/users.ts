// The routes of users, whose responses differ by version.
import { byVersion, namedRoutes } from 'express-versioning'

export const users = namedRoutes({ 'user-list': '/users', user: '/users/:id' })

users.route('user').get(
  byVersion({
    v1: (req, res) => {
      res.json({ name: 'Ada Lovelace', books: req.reverse('book-list') })
    },
    v2: (req, res) => {
      res.json({ name: { given: 'Ada', family: 'Lovelace' }, books: req.reverse('book-list') })
    },
  }),
)
users.route('user-list').get((req, res) => {
  res.json({ users: [req.reverse('user', { kwargs: { id: 7 } })] })
})
