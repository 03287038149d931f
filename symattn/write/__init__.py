"""Write documents as text: Python decides here what is safe, and ``templates/`` hold the layout.

``math_writer`` and its subclasses write mathematics, ``layout`` breaks it into lines, ``escape`` makes plain text print
as itself, ``environment`` finds the templates, ``modules`` compiles them for the wheel, ``formats`` puts a page
together. Nothing here computes or knows SymPy.
"""
