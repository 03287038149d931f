"""Which pictures there are, and what each can be drawn of: looked at before there are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.errors import shown
from symattn.plan import Plan
from symattn.scenario.definitions import with_numbers
from symattn.scenario.lines import Key
from symattn.scenario.model import FigureItem
from symattn.scenario.problem import Problem, must_be_known
from symattn.scenario.words import Words


@dataclass(frozen=True)
class DrawnOf:
    """How many names a kind of picture is drawn of, whether one row can be asked for, and how wide they have to be."""

    least: int = 1
    most: int = 1
    by_row: bool = False
    width: int | None = None


FIGURES: Mapping[str, DrawnOf] = MappingProxyType(
    {
        "heatmap": DrawnOf(by_row=True),
        "bars": DrawnOf(by_row=True),
        "arcs": DrawnOf(by_row=True),
        "vectors": DrawnOf(most=2, by_row=True, width=2),
        "waves": DrawnOf(),
        "flow": DrawnOf(least=0, most=20),
    }
)


def read_figure(
    kind: str, of: tuple[str, ...], row: int | None, plan: Plan, key: Key = (), caption: Words | None = None
) -> FigureItem:
    """The picture that is asked for at ``key``.

    Raises :class:`~symattn.scenario.problem.Problem` for one that cannot be drawn.
    """
    must_be_known(kind, FIGURES, (*key, "figure"), "figure")
    rule = FIGURES[kind]
    if not rule.least <= len(of) <= rule.most:
        wanted = "one name" if rule.most == 1 else f"up to {rule.most} names"
        came = f"came {len(of)}" if of else "the key of is missing"
        raise Problem((*key, "of"), f"{kind} is drawn of {wanted}: {came}")
    for name in of:
        must_be_known(name, plan.by_name, (*key, "of"))
        if kind != "flow":
            with_numbers(plan[name], (*key, "of"))
        if rule.width is not None and plan[name].shape.columns.size != rule.width:
            told = f"{name} is {plan[name].shape}: {kind} are drawn of matrices with {rule.width} columns"
            raise Problem((*key, "of"), f"{told}, whose rows are points of a plane; a heatmap can show any matrix")
    if row is not None:
        _check_row(kind, rule, row, plan[of[0]].shape.rows.size if of else 0, (*key, "row"))
    return FigureItem(kind, of, row, caption, (*key, "of") if of else key)


def figure_of(kind: str, of: tuple[str, ...], row: int | None, plan: Plan) -> FigureItem:
    """The same for who asks in Python.

    Raises :class:`~symattn.errors.SymattnError` for one that cannot be drawn.
    """
    try:
        return read_figure(kind, of, row, plan)
    except Problem as problem:
        raise problem.kind(f"figure({shown(kind)}): {problem.message}") from None


def _check_row(kind: str, rule: DrawnOf, row: int, rows: int | str, key: Key) -> None:
    if not rule.by_row:
        raise Problem(key, f"{kind} has no row of its own: the key row goes with {', '.join(_BY_ROW)}")
    if not 1 <= row <= int(rows):
        raise Problem(key, f"expected a row from 1 to {rows}, came {row}")


_BY_ROW = tuple(kind for kind, rule in FIGURES.items() if rule.by_row)
