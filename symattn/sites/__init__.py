"""Where pages are shown: books of Sphinx, notebooks, a website."""
