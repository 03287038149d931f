"""What ``symattn explain`` shows of a formula is worth what NumPy makes of its text.

Every piece is read back from its TeX and worked out with the pieces before it; the last one is compared with NumPy,
which is given the text alone. The general entries beside the pieces are read and worked out too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

import numpy as np
import pytest
from mpmath import mp, mpf
from sympy import Basic, Expr

from symattn.api.explanation import Explanation, explain
from symattn.base.errors import SymattnError
from symattn.read.formula import Scope as Spoken
from symattn.show.blocks import Equation, Heading
from symattn.show.math import Math
from symattn.show.notation.formulas import formula as formula_of
from symattn.write.layout import displays
from symattn.write.markdown import LINE
from symattn.write.tex_math import tex
from tests.formula.numpy_road import shape_of
from tests.formula.random_formulas import VALUES, formula, worth
from tests.readback.balls import Ball, Table, near
from tests.readback.evaluate import Scope, Unbound, Unknown, as_table
from tests.readback.functions import functions_of
from tests.readback.lines import PAGE, Lines, Report, spellings
from tests.readback.page import DIGITS
from tests.readback.tex import Elided, Unreadable, statements

SHAPES = {name: shape_of(value) for name, value in VALUES.items()}
KNOWN = {
    name: Table.of([Ball(mpf(float(x))) for x in row] for row in np.atleast_2d(value)) for name, value in VALUES.items()
}


def read_explained(text: str) -> Report | None:
    """The pieces of a formula read back, in order; nothing where it is refused or has no number in NumPy."""
    wanted = worth(text)
    if wanted is None:
        return None
    try:
        found = explain(text, scope=Spoken(SHAPES, {}))
    except SymattnError:
        return None
    report = Report()
    with mp.workdps(DIGITS):
        try:
            for value in (_whole(found), _pieces(found, report)):
                ours, theirs = [x.middle for x in chain(*value.rows)], [mpf(x) for x in np.ravel(wanted)]
                report.compared += 1
                if len(ours) != len(theirs) or not all(map(_is_near, ours, theirs)):
                    report.wrong.append(f"{[mp.nstr(x, 8) for x in ours]}, in NumPy {wanted.tolist()}")
        except Elided as error:
            report.unread.append(str(error))
        except (Unknown, Unbound, Unreadable, IndexError, ZeroDivisionError, ValueError) as error:
            report.wrong.append(f"{type(error).__name__} {error}")
    return report


def _is_near(ours: mpf, theirs: mpf) -> bool:
    return near(ours, theirs, mpf(10) ** -9 * max(1, abs(theirs)))


def _whole(found: Explanation) -> Table:
    """What the formula is worth as it is shown at the top."""
    if not found.value.is_Matrix:
        return Table(((Ball(mpf(found.value.evalf(40))),),))
    return _worth(found, found.math, found.value, {step.name: KNOWN[step.name] for step in found.givens})


def _pieces(found: Explanation, report: Report) -> Table:
    """What the last piece is worth, each worked out by those before it; its general entry is read on the way."""
    known = {step.name: KNOWN[step.name] for step in found.givens}
    blocks, told, last = _by_piece(found), found.names.letters.told_apart, _whole(found)
    for step in found.pieces:
        last = known[step.name] = _worth(found, formula_of(step.formula, found.names), step.formula, known)
        scope = Scope(dict(known), functions_of([step.formula], _number))
        lines = Lines(step.name, spellings(found.names, known, (), found.names.shapes), scope, report)
        for block in blocks[step.name]:
            for text in displays(told(block.chains), PAGE, LINE):
                lines.display(text, block.kind)
    return last


def _worth(found: Explanation, math: Math, of: Basic, known: Mapping[str, Table]) -> Table:
    """What a formula says by its TeX."""
    names = spellings(found.names, known, (), found.names.shapes)
    ((side,),) = (statement.sides for statement in statements(tex(math, PAGE), names))
    return as_table(Scope(dict(known), functions_of([of], _number), kind="formula").value(side))


def _number(scalar: Expr) -> Expr:
    return scalar.doit()


def _by_piece(found: Explanation) -> dict[str, list[Equation]]:
    """The lines under the heading of each piece."""
    names, blocks = {}, iter(found.document().blocks)
    for block in blocks:
        if isinstance(block, Heading):
            names[found.pieces[len(names)].name] = list[Equation]()
        elif isinstance(block, Equation) and names:
            names[next(reversed(names))].append(block)
    return names


def outcomes(numbers: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """How many formulas and lines were compared, and what is wrong."""
    found: Counter[str] = Counter()
    wrong: list[str] = []
    for number in numbers:
        report = read_explained(formula(number))
        found["refused"] += report is None
        if report is not None:
            found["formulas"] += 1
            found["compared"] += report.compared
            found["unread"] += len(report.unread)
            wrong += [f"{number}: {formula(number)}: {each}" for each in report.wrong]
    return found, wrong


def test_an_explained_formula_is_worth_what_numpy_makes_of_it() -> None:
    found, wrong = outcomes(range(30))
    assert not wrong, "\n".join(wrong)
    assert found["compared"] >= 300


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_two_thousand_explained_formulas_are_worth_what_numpy_makes_of_them(part: int) -> None:
    found, wrong = outcomes(range(200 * part, 200 * (part + 1)))
    assert not wrong, "\n".join(wrong)
    assert found["compared"] >= 2000


@pytest.mark.parametrize(
    "text", ["sum(X, axis=0)", "mean(Y, 0, keepdims=True) / 2", "std(S, axis=0)", "min(W, axis=0)"]
)
def test_what_is_made_of_every_column_has_two_letters(text: str) -> None:
    report = read_explained(text)
    assert report is not None
    assert not report.wrong
