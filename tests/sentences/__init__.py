"""Every automatic sentence of a page, read from the page and held against numbers worked out by another road."""
