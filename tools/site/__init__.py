"""The site: the pages of the tree as static pages with search, and a page a game."""
