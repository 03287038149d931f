"""Show values in a notebook: the same mathematics as on a page, and never more of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

from sympy import Basic

from symattn.base.errors import cut
from symattn.base.shapes import Shape
from symattn.base.words import DEFAULT
from symattn.compute.solution.store import Store
from symattn.operations.node import arguments_of
from symattn.read.plan import Plan, Step
from symattn.show.blocks import Document, Equation, Inline, Prose
from symattn.show.math import Chain, Letter, Shaped
from symattn.show.notation.calls import call_name
from symattn.show.notation.formulas import Names, formula
from symattn.show.notation.names import axis_size
from symattn.show.step_parts import StepParts
from symattn.write.formats import render
from symattn.write.page import matrix_tex
from symattn.write.tex_math import NOTEBOOK, tex


def value_tex(store: Store, names: Names, name: str) -> str:
    """Return a name with its shape and its figures, or its formula if it is general; a large matrix without its middle.

    Raises :class:`~symattn.base.errors.SymattnError` if it has no figures.
    """
    step = store.step(name)
    shown = step_math(step, names) if step.general else None
    text = tex(shown, NOTEBOOK) if shown else matrix_tex(StepParts(store, names).matrix(name))
    return f"$\\displaystyle {text}$"


def node_tex(node: Basic) -> str:
    """Write a node as a formula of a page, for SymPy.

    Raises :class:`~symattn.base.errors.SymattnError` or ``TypeError`` if it holds anything that pages cannot show.
    """
    return tex(formula(node, Names()))


def call_tex(node: Basic, write: Callable[[Basic], str]) -> str:
    """Write a node as a function of all its arguments, whatever they are."""
    name = tex(Letter(call_name(node), "upright"))
    return rf"{name}\left({', '.join(map(write, arguments_of(node)))}\right)"


def value_text(name: str, shape: Shape) -> str:
    """Return the text of a value, for programs that show no formulas."""
    return f"<WorkedValue {name} {shape}: ask for decimals(6), exact or formula>"


class MarkdownText(str):
    """A page of Markdown: a string that a notebook shows as a page."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)


class ShownPage(MarkdownText):
    """A page to look at: where Markdown is not shown, its ``repr`` is its first line and its length."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{cut(self.split(chr(10), 1)[0])}: Markdown, {len(self)} characters>"


_PICTURE = re.compile(r"!\[(.*?)\]\((data:image/svg\+xml;base64,[A-Za-z0-9+/=]+)\)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")

STEPS = 60
"""The most steps of a plan that a notebook lists."""


def with_images(page: str) -> ShownPage:
    """Return a page with its pictures inside, for notebooks: some accept an SVG as a data address only in HTML.

    >>> str(with_images("![a \\\\* b](data:image/svg+xml;base64,AAAA)"))
    '<img alt="a * b" src="data:image/svg+xml;base64,AAAA">'
    """
    return ShownPage(_PICTURE.sub(_image, page))


def _image(found: re.Match[str]) -> str:
    says = escape(unescape(_ESCAPED.sub(r"\1", found[1]))).replace("$", "&#36;")
    return f'<img alt="{says}" src="{found[2]}">'


def step_math(step: Step, names: Names) -> Chain:
    """Return a step with its shape and, unless it is a given, its formula."""
    shaped = Shaped(names(step.name), axis_size(step.shape.rows), axis_size(step.shape.columns), long=True)
    return Chain(shaped, () if step.formula is None else (("=", formula(step.formula, names)),))


def plan_page(plan: Plan, names: Names, title: tuple[Inline, ...] = (), language: str = DEFAULT) -> ShownPage:
    """Return a page with the steps of a plan, one below the other with their shapes; of very many, the first ones."""
    chains = tuple(step_math(step, names) for step in plan.steps[:STEPS])
    more = (Prose((f"… {len(plan.steps) - STEPS}",)),) if len(plan.steps) > STEPS else ()
    equations = (Equation(chains, "statement"),) if chains else ()
    return ShownPage(render(Document(title, language, (*equations, *more)), "markdown"))
