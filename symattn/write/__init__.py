"""From a document to text: what is safe is decided here in Python, how it is laid out in ``templates/``.

``tex`` writes mathematics, ``layout`` breaks it into lines, ``escape`` makes plain text print as itself,
``environment`` finds the templates, ``modules`` compiles them for the wheel, ``formats`` puts a page together. Nothing
here computes or knows SymPy.
"""
