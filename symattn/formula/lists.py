"""Lists in formulas: ``[2, 1, 0]`` is a vector, ``[[1, 2], [3, 4]]`` a matrix; exact, as numbers in givens are.

>>> from symattn.formula import Scope, read_formula
>>> term = read_formula("[2, 1/3]", Scope({}))
>>> term.text, str(term.shape), term.shape.ndim, term.expr.as_explicit()
('[2, 1/3]', '(1, 2)', 1, Matrix([[2, 1/3]]))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sympy import oo

from symattn import limits
from symattn.formula.broadcast import as_row
from symattn.formula.calling import FormulaReading, joined
from symattn.operations.terms import Term


def listed(reader: FormulaReading, values: Sequence[Any]) -> Term:
    """The vector of numbers, or the matrix whose rows are vectors.

    Raises :class:`~symattn.errors.FormulaError` for a list of anything else, or of too much.
    """
    if any(value in (oo, -oo) for value in values):
        raise reader.error("oo stands in no list: give the matrix as a given, or add a mask to it, S + causal_mask(n)")
    parts = [as_row(reader.term(value, "a list")) for value in values]
    if not parts:
        raise reader.error("[] is empty: a list in a formula holds at least one number")
    text = f"[{', '.join(part.text for part in parts)}]"
    axes = {part.shape.ndim for part in parts}
    if axes not in ({0}, {1}):
        wrong = next((part for part in parts if part.shape.ndim == 2), parts[0])
        raise reader.error(
            f"{text}: {wrong.operand}: a list holds numbers, or vectors of one length as its rows; matrices are put "
            f"side by side with concat({', '.join(part.text for part in parts)}), below each other with stack(…)"
        )
    lengths = [part.shape.columns.size for part in parts]
    if sum(size for size in lengths if isinstance(size, int)) > limits.LIST_ENTRIES:
        raise reader.error(f"a list of more than LIST_ENTRIES = {limits.LIST_ENTRIES} numbers: write it as a given")
    if axes == {1} and len(set(lengths)) > 1:
        raise reader.error(f"{text}: its rows have the lengths {', '.join(map(str, lengths))}: expected one length")
    found = joined(reader, "concat" if axes == {0} else "stack", parts)
    return replace(found.of_ndim(axes.pop() + 1), text=text)
