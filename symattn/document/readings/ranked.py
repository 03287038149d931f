"""Who is largest in a row and how large, for sentences that are written once and hold for any numbers."""

from __future__ import annotations

from sympy import Integer, MatrixSymbol, Transpose

from symattn.document.blocks import Inline, Phrase
from symattn.document.notation.names import Names
from symattn.errors import UndecidedError
from symattn.scenario.words import RankedRef
from symattn.solution import proofs
from symattn.solution.store import Store

PLACES = {"largest": 0, "second": 1, "smallest": -1}


def place_of(solution: Store, ref: RankedRef) -> tuple[int, int]:
    """Row and column of the entry that is meant, counted from 0, which is proved to be the only one of its rank.

    Raises :class:`~symattn.errors.UndecidedError` where entries tie or their order is not known: a sentence that names
    one of them would not be true.
    """
    name, row = ref.name, max(0, ref.row - 1)
    groups = proofs.groups(solution, name if ref.row else _turned(solution, name), row)
    group = groups[PLACES[ref.rank]] if len(groups) > 1 or ref.rank == "largest" else groups[0]
    if len(group.columns) > 1:
        where = f"{'columns' if ref.row else 'rows'} {', '.join(str(column + 1) for column in group.columns)}"
        why = "tie exactly" if group.open is None else "are too close together to be ordered"
        row_said = f"[{ref.row}]" if ref.row else ""
        raise UndecidedError(f"{{{ref.rank}:{name}{row_said}}} is not one entry: {where} {why}; say it in other words")
    place = group.columns[0]
    return (row, place) if ref.row else (place, 0)


def _turned(solution: Store, name: str) -> str:
    """The only column of a matrix as a row."""
    return solution.part(Transpose(MatrixSymbol(name, *map(Integer, solution.shape(name).sizes))))


def label_of(solution: Store, names: Names, ref: RankedRef, quoted: bool) -> Inline:
    """The label of the entry that is meant, in quotation marks unless there are some, or the number of its place."""
    i, j = place_of(solution, ref)
    shape = solution.shape(ref.name)
    axis, place = (shape.columns, j) if ref.row else (shape.rows, i)
    labels = names.labels.get(axis.name, ())
    if place >= len(labels):
        return str(place + 1)
    return labels[place] if quoted else Phrase("quoted", (("label", labels[place]),))
