"""What a notebook shows of values: the same mathematics as a page, and never more of it than a page shows."""

from __future__ import annotations

from symattn.document.math import Chain, Shaped
from symattn.document.notation.formulas import Names, formula
from symattn.document.notation.names import size
from symattn.document.steps import StepBlocks
from symattn.render.page import NOTEBOOK, matrix_tex
from symattn.render.tex import tex
from symattn.solution.store import Store


def value_tex(store: Store, names: Names, name: str) -> str:
    """A name with its shape and its figures, or with its formula where it is general; large ones without their middle.

    Raises :class:`~symattn.errors.SymattnError` where it has no figures.
    """
    step = store.step(name)
    if not step.general:
        return f"$\\displaystyle {matrix_tex(StepBlocks(store, names, 'steps').matrix(name))}$"
    shaped = Shaped(names(name), size(step.shape.rows), size(step.shape.columns), long=True)
    general = shaped if step.formula is None else Chain(shaped, (("=", formula(step.formula, names)),))
    return f"$\\displaystyle {tex(general, NOTEBOOK)}$"


class MarkdownText(str):
    """A page of Markdown: a text, which a notebook shows as the page that it is."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)
