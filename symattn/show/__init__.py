"""From a solution to a document: blocks of words, formulas and figures that know nothing of Markdown or LaTeX."""
