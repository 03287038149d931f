"""Places that show pages: Sphinx books, notebooks, a website."""
