// The routes of books, which are the same in all versions.
import { namedRoutes } from 'express-versioning'

export const books = namedRoutes({ 'book-list': '/books' })

// A link needs the name of a route, not its table. So this file does not import the users.
books.route('book-list').get((req, res) => {
  res.json({ titles: ['Emma', 'Dracula'], authors: req.reverse('user-list') })
})
