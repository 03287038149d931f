"""Explain how a formula was read: in the plain form of the language and as mathematics, with its shapes and its pieces.

>>> print(explain("softmax(Q @ K.T / sqrt(d_k))").render().splitlines()[1].strip())
softmax(Q Kᵀ / √dₖ)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, repeat
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, MatAdd, MatMul, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.base.errors import FormulaError, ShapeError, UnknownNameError, cut, unknown
from symattn.base.remembered import cached_property
from symattn.base.shapes import Axis, Shape, of_axes, shape
from symattn.compute.solution.evaluation import Evaluation
from symattn.operations import Quotient, Repeated
from symattn.operations.stored import as_number
from symattn.operations.terms import Term
from symattn.read.formula import Scope, formula_of, is_name, read_any
from symattn.read.formula.batch import FormulaValue, Several
from symattn.read.formula.unsaid import OpenShape, columns, fitting, unsaid
from symattn.read.formula.wrong import of_sizes
from symattn.read.plan import Plan, Step, names_in
from symattn.show.blocks import Argument, Block, Document, Equation, Heading, Phrase
from symattn.show.entries.letters import page_names
from symattn.show.kinds import reason
from symattn.show.math import Chain, Math, Number, Shaped, joined
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.notation.names import axis_size
from symattn.show.roles.find import roles
from symattn.show.roles.model import Purpose
from symattn.show.steps import StepBlocks

USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        name: axes
        for names, axes in {
            "Q": ("n", "d_k"),
            "K": ("m", "d_k"),
            "V": ("m", "d_v"),
            "X H E": ("n", "d"),
            "W_Q W_K": ("d", "d_k"),
            "W_V": ("d", "d_v"),
            "W_O": ("d_v", "d"),
            "W_1": ("d", "d_ff"),
            "W_2": ("d_ff", "d"),
            "S A M": ("n", "m"),
            "Z O": ("n", "d_v"),
            "q k": ("d_k",),
            "v": ("d_v",),
            "x y w": ("d",),
        }.items()
        for name in names.split()
    }
)
"""The shapes that matrices of these names usually have in the field."""

FITTING: Mapping[str, OpenShape] = MappingProxyType(
    {
        **dict.fromkeys("mu sigma sd var".split(), (None, "1")),
        **dict.fromkeys("gamma beta b b_1 b_2".split(), ("1", None)),
    }
)
"""Names of columns and rows that are as long as the matrix beside them."""

CAPITALS = "BCDUWY"
"""Letters that are always matrices: X W may be written XW."""

NUMBERS = frozenset("eps epsilon tau t c alpha lambda scale".split())
"""Names that stand for a number in the field."""

LETTERS = tuple("SAZYRTUHLPBCDEFGJNOVWMX")
"""Names for pieces that play no part in attention or a layer, used as far as a letter is free."""

CALLED: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("comparison", "self_comparison", "scores"), "S"),
        **{kind: f"S_{kind}" for kind in ("scaled", "masked", "biased")},
        **{"queries": "Q", "keys": "K", "values": "V", "weights": "A", "mixture": "O", "attention_output": "O"},
        **{"heads_joined": "C", "mask": "M", "residual": "R", "normalised": "N", "hidden": "H", "activated": "G"},
        **{"second_layer": "F", "logits": "Z", "probabilities": "P"},
    }
)
"""The usual names of pieces, by their roles."""

FORMATS = ("text", "markdown", "latex", "typst")


@dataclass(frozen=True)
class Explanation:
    """How a formula was read."""

    text: str
    """The formula as it was typed."""
    read: str
    """The formula in the plain form of the language."""
    value: MatrixExpr | Expr
    shape: Shape
    plan: Plan
    """The names in it, and its pieces as steps, the innermost first."""
    guessed: tuple[str, ...] = ()
    """The names whose shapes were guessed."""
    axes: tuple[Axis, ...] = ()
    """All axes, if it is several matrices: then the value, its shape and its pieces are those of the first."""

    @cached_property
    def names(self) -> Names:
        """The notation of names."""
        return page_names(self.plan)

    @property
    def math(self) -> Math:
        """The formula as mathematics."""
        return formula(self.value, self.names) if self.value.is_Matrix else number(self.value)

    @property
    def givens(self) -> tuple[Step, ...]:
        """The names in it."""
        return tuple(step for step in self.plan.steps if step.is_given)

    @property
    def pieces(self) -> tuple[Step, ...]:
        """Its pieces, each written with the ones before it, the innermost first."""
        return tuple(step for step in self.plan.steps if not step.is_given)

    @property
    def rule(self) -> str:
        """The rule of its shapes: (n, d_k), (m, d_k) → (n, m)."""
        given = ", ".join(f"{step.name} {_written(step.shape)}" for step in self.givens)
        return f"{given} → {_in_parentheses(self._lengths)}".strip()

    @property
    def _lengths(self) -> list[str]:
        return [axis.letter for axis in self.axes] or _axes(self.shape)

    def document(self, language: str = "en") -> Document:
        """Return the explanation as a page."""
        blocks: list[Block] = [Equation((Chain(self.math),), "formula"), Phrase("read_as", (("text", self.read),))]
        names = self.names
        given = tuple(_shaped(names(step.name), step.shape) for step in self.givens)
        axes = self.axes or self.shape.axes
        sizes = joined([axis_size(axis) for axis in axes] or [Number("1")], "×")
        blocks.append(
            Phrase("makes_shape", (("names", given), ("sizes", sizes), ("axes", len(self.axes) or self.shape.ndim)))
        )
        if self.guessed:
            blocks.append(Phrase("shapes_guessed", (("names", tuple(map(names, self.guessed))),)))
        steps = StepBlocks(Evaluation(self.plan, {}), names, "steps")
        for place, step in enumerate(self.pieces, 1):
            name = names(step.name)
            role = Phrase(f"role_{self.roles[step.name].kind}", (("means", 0),))
            is_told = self.roles[step.name].kind in CALLED
            title = Phrase("piece_called", (("name", name), ("role", role))) if is_told else name
            blocks.append(Heading(1, str(place), (title,)))
            blocks += steps.step(step.name, None, None)
            if (need := self._reason(step)) is not None:
                blocks.append(need)
        return Document((self.text,), language, names.letters.told_apart(tuple(blocks)))

    @cached_property
    def roles(self) -> Mapping[str, Purpose]:
        """The roles of the names and the pieces."""
        return roles(self.plan)

    def _reason(self, step: Step) -> Phrase | None:
        """Return the reason of a piece: by its role, otherwise by its operation."""
        role = self.roles[step.name]
        if not role.why:
            of_numbers = step.shape.ndim == 0 and isinstance(step.formula, MatAdd | Quotient)
            return None if of_numbers else reason(step.formula)
        about: list[tuple[str, Argument]] = [("name", self.names(step.name))]
        about += [(key, formula(part, self.names)) for key, part in role.about]
        if role.why == "mixture":
            about += [("row", 0), ("label", ""), ("shares", ()), ("more", 0)]
        return Phrase(f"reason_{role.why}", tuple(about), "need")

    def render(self, format: str = "text", language: str = "en") -> str:
        """Return the explanation as text, Markdown, LaTeX or Typst.

        Raises :class:`~symattn.base.errors.UnknownNameError` for another format.
        """
        from symattn.write import environment
        from symattn.write.formats import render
        from symattn.write.runs import plain_lines

        if format not in FORMATS:
            raise UnknownNameError(unknown("format", format, FORMATS))
        document = self.document(language)
        if format == "text":
            return plain_lines(document, environment.phrases(language))
        return render(document, format)

    def data(self, language: str = "en") -> dict[str, Any]:
        """Return the explanation as plain data, for JSON."""
        from symattn.write.plain_math import characters
        from symattn.write.tex_math import tex

        def written(math: Math) -> dict[str, str]:
            return {"formula": characters(math), "latex": tex(math)}

        pieces = [
            {"name": step.name, **written(formula(step.formula, self.names)), "shape": _axes(step.shape)}
            for step in self.pieces
        ]
        names = {step.name: _axes(step.shape) for step in self.givens}
        read = {"text": self.text, "read": self.read, **written(self.math)}
        return {**read, "names": names, "guessed": list(self.guessed), "shape": self._lengths, "pieces": pieces}


def _shaped(name: Math, shape: Shape) -> Shaped:
    return Shaped(name, axis_size(shape.rows), axis_size(shape.columns))


def explain(
    text: str,
    *,
    shapes: Mapping[str, str] = MappingProxyType({}),
    sizes: Mapping[str, int] = MappingProxyType({}),
    scope: Scope | None = None,
) -> Explanation:
    """Explain how a formula is read.

    ``shapes`` has the shapes of names, as ``{"Q": "3, 4", "K": "m, d_k", "q": "d_k"}``, ``sizes`` the lengths of axes.
    Without them names have the shapes that are usual in the field, and matrices multiplied by them the ones that fit. A
    name before = is the name of a step, and says nothing about the formula.
    ``scope`` has other names for the formula instead, such as those of a scenario.

    Raises :class:`~symattn.base.errors.FormulaError` for a formula that cannot be read, or is ambiguous, and
    :class:`~symattn.base.errors.ShapeError` where shapes do not fit.
    """
    said = {name: _shape(name, axes, sizes) for name, axes in shapes.items()}
    read = formula_of(text)
    if scope is None:
        value, whole, guessed = _first_that_reads(read, said, sizes)
    else:
        whole, guessed = _with_names(scope, said), frozenset()
        value = read_any(read, whole)
    if isinstance(value, Several):
        of_first = _explained(text, value.parts[0], whole, guessed)
        return replace(of_first, read=value.text, axes=value.all_axes)
    return _explained(text, value, whole, guessed)


def _explained(text: str, value: Term | Expr, whole: Scope, guessed: Collection[str]) -> Explanation:
    """Explain how one matrix or number was read."""
    if not isinstance(value, Term):
        return Explanation(text, str(value), value, Shape(Axis(1), Axis(1), 0), Plan((), whole.sizes))
    used = names_in(value.expr)
    givens = tuple(Step(name, whole.names[name], general=True) for name in used)
    plan = Plan(givens, whole.sizes, tuple(sorted(whole.symbols)), whole.operations)
    steps = plan
    if not isinstance(value.expr, MatrixSymbol):
        found = roles(_Pieces(plan, value.shape).of(value.expr))
        kinds = [role.kind for name, role in found.items() if name not in plan.by_name]
        steps = _Pieces(plan, value.shape, kinds).of(value.expr)
    return Explanation(
        text, value.text, value.expr, value.shape, steps, tuple(each for each in used if each in guessed)
    )


def _first_that_reads(
    text: str, said: Mapping[str, Shape], sizes: Mapping[str, int]
) -> tuple[FormulaValue, Scope, frozenset[str]]:
    """Return a formula's value, its scope, and the names with guessed shapes. A bias is a row beside a matrix, X W + b,
    and a vector beside a vector, W x + b."""
    refused: list[ShapeError] = []
    for turned in (False, True):
        whole, guessed = _guessed(text, said, sizes, turned)
        try:
            return read_any(text, whole), whole, guessed
        except ShapeError as error:
            refused.append(ShapeError(f"{error}{_asking(text, whole, guessed)}"))
    raise refused[0]


def _guessed(
    text: str, said: Mapping[str, Shape], sizes: Mapping[str, int], turned: bool
) -> tuple[Scope, frozenset[str]]:
    """Guess the scope of a formula where it is not given: numbers, sizes, usual shapes, and shapes that fit."""
    usual = {name: _of_axes(axes, sizes) for name, axes in USUAL.items() if name not in said}
    known = _with_names(Scope({}, sizes), {**usual, **said})
    names = unsaid(text, known, CAPITALS)
    numbers = frozenset(name for name in names if name in NUMBERS)
    letters = {name: name for name in names if name not in numbers and of_sizes(name)}
    known = replace(known, symbols=numbers, anywhere=True, sizes={**letters, **known.sizes})
    matrices = [name for name in names if name not in numbers and name not in letters]
    usual |= {name: _of_axes(USUAL[base], sizes) for name in matrices if (base := name.partition("_")[0]) in USUAL}
    known = _with_names(known, usual)
    vectors = [name for name in columns(text, known, CAPITALS) if name in usual and usual[name].ndim == 1]
    known = _with_names(known, {name: usual[name].transposed for name in vectors})
    lengths = {name: FITTING.get(name, (None, None)) for name in matrices if name not in usual}
    if turned:
        lengths = {name: (wide, high) for name, (high, wide) in lengths.items()}
    found = {name: _of_axes(axes, sizes) for name, axes in fitting(text, known, lengths).items()}
    found |= {name: replace(of, ndim=1) for name, of in found.items() if turned and name in FITTING}
    return _with_names(known, found), frozenset({*usual, *found})


def _with_names(scope: Scope, names: Mapping[str, Shape]) -> Scope:
    """Return a scope with more names, and with the letters of their axes."""
    axes = chain.from_iterable((shape.rows, shape.columns) for shape in names.values())
    letters = {axis.name: axis.size for axis in axes if axis.name}
    return replace(scope, names={**scope.names, **names}, sizes={**letters, **scope.sizes})


def _of_axes(axes: Iterable[str], sizes: Mapping[str, int]) -> Shape:
    """Return the shape with these lengths, each a number or a letter; a single length makes a vector."""
    found = [Axis(int(axis)) if axis.isdigit() else Axis(sizes.get(axis, axis), axis) for axis in axes]
    return Shape(found[0], found[1]) if len(found) == 2 else Shape(Axis(1), found[0], 1)


def _shape(name: str, written: str, sizes: Mapping[str, int]) -> Shape:
    """Parse a shape as it is typed: 3,4 or m,d_k; d_k alone is the length of a vector."""
    axes = [axis.strip() for axis in written.strip("() ").split(",")]
    if (
        not is_name(name)
        or len(axes) > 2
        or not all(re.fullmatch(r"[1-9][0-9]{0,6}|[A-Za-z]\w{0,39}", a) for a in axes)
    ):
        raise FormulaError(
            f"the shape {cut(f'{name}={written}')}: expected a name with the lengths of its rows and columns, such as "
            "Q=3,4 or Q=n,d_k, or with one length for a vector, q=4"
        )
    return _of_axes(axes, sizes)


def _asking(text: str, scope: Scope, guessed: Collection[str]) -> str:
    """Return the end of a shape error that lists the guessed shapes."""
    used = [name for name in sorted(guessed) if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", text)]
    if not used:
        return ""
    taken = " ".join(f"--shape {name}={','.join(_axes(scope.names[name]))}" for name in used)
    return f"; nobody has said the shapes of {', '.join(used)}, which were taken as {taken}: say others with --shape"


class _Pieces:
    """Splits a formula: every operation becomes a step, written with the letters of those before it."""

    def __init__(self, plan: Plan, whole: Shape, kinds: Sequence[str] = ()) -> None:
        """``kinds`` are the roles of the pieces in their order, as far as they are known."""
        self.plan, self.whole = plan, whole
        self.found: dict[Basic, MatrixSymbol] = {}
        taken = {each.lower() for each in (*plan.by_name, *plan.sizes, *plan.symbols)}
        heads = {each.partition("_")[0] for each in taken}
        called: list[str] = []
        for kind in kinds:
            name = CALLED.get(kind, "")
            called.append("" if name.lower() in {*taken, *heads} or name in called else name)
        free = [letter for letter in LETTERS if letter.lower() not in heads and letter not in called]
        others = chain(free, (f"S_{place}" for place in count(1)))
        self.letters = (name or next(others) for name in chain(called, repeat("")))

    def of(self, formula: MatrixExpr) -> Plan:
        """Return the plan with the steps of a formula."""
        inner = self._over_letters(formula, True)
        if not isinstance(inner, MatrixSymbol) or inner.name in [
            step.name for step in self.plan.steps if step.is_given
        ]:
            self._named(inner)
        steps = self.plan.steps
        return replace(self.plan, steps=(*steps[:-1], replace(steps[-1], shape=self.whole)))

    def _over_letters(self, node: Basic, is_whole: bool = False) -> Basic:
        """Return a piece with the letter of each operation in it."""
        if isinstance(node, MatrixSymbol) or not getattr(node, "is_Matrix", False):
            return node
        if node in self.found:
            return self.found[node]
        args = [self._over_letters(arg) for arg in node.args]
        made = node.func(*args, evaluate=False) if isinstance(node, MatMul | MatAdd) else node.func(*args)
        if is_whole or not _is_written_out(node):
            self.found[node] = self._named(made)
            return self.found[node]
        return made

    def _named(self, made: Basic) -> MatrixSymbol:
        name = next(self.letters)
        rows, columns = (int(length) if length.is_Integer else str(length) for length in made.shape)
        size = of_axes([]) if made.shape == (1, 1) else shape(rows, columns)
        self.plan = replace(self.plan, steps=(*self.plan.steps, Step(name, size, made, True)))
        return MatrixSymbol(name, *made.shape)


def _is_written_out(node: Basic) -> bool:
    """Return whether a piece is written inside another one without a letter: Kᵀ, −X, a number, a repeated row."""
    if isinstance(node, MatMul):
        return sum(bool(arg.is_Matrix) for arg in node.args) == 1
    return isinstance(node, Repeated | Transpose | OneMatrix | ZeroMatrix) or as_number(node) is not None


def _axes(shape: Shape) -> list[str]:
    """Return the lengths of a shape, as NumPy has them."""
    return [axis.letter for axis in shape.axes]


def _written(shape: Shape) -> str:
    return _in_parentheses(_axes(shape))


def _in_parentheses(axes: Collection[str]) -> str:
    return f"({', '.join(axes)}{',' * (len(axes) == 1)})"
