"""The settings of a small book: one page in MyST, one in reStructuredText."""

project = "A small book"
extensions = ["myst_parser", "symattn.sites.sphinx"]
language = "en"
latex_engine = "xelatex"
latex_elements = {"fontpkg": ""}  # the fonts that every TeX has
