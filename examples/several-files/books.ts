import { namedRoutes } from 'express-versioning'

export const books = namedRoutes({ 'book-list': '/books' })

// A link needs the name of a route, and not the table that has it: no file imports another one for its links.
books.route('book-list').get((req, res) => {
  res.json({ titles: ['Emma', 'Dracula'], authors: req.reverse('user-list') })
})
