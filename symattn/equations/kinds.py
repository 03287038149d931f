"""What kind of thing each parameter of an operation is, where nobody has said it: it follows from how it is used.

>>> from symattn.equations.read import build
>>> [each.kind for each in build("f", ["X", "b", "c"], ["y[i,j] = c * X[i,j] + b[j]"]).parameters]
['matrix', 'row', 'number']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symattn.equations.error import EquationError
from symattn.equations.tree import Entry, NamedEquation, Parameter, Tree, walk
from symattn.errors import shown


def with_kinds(
    name: str, parameters: Sequence[Parameter], shape: Sequence[Tree], equations: Sequence[NamedEquation]
) -> list[Parameter]:
    """Parameters with the kind that follows from how they are used, where nobody has said it.

    Raises :class:`~symattn.equations.error.EquationError` where they are used with too many places, or too few.
    """
    entries = [(p, each) for each in equations for p in walk(each.body) if isinstance(p, Entry)]
    lengths = [*shape, *(axis for parameter in parameters for axis in parameter.axes)]
    alone = {length.name for length in lengths if isinstance(length, Entry)}
    inside = {piece.name for length in lengths for piece in walk(length) if isinstance(piece, Entry)}
    in_places = {
        piece.name
        for entry, _ in entries
        for place in entry.places
        for piece in walk(place)
        if isinstance(piece, Entry)
    }
    found: list[Parameter] = []
    for parameter in parameters:
        uses = [(len(p.places), each) for p, each in entries if p.name == parameter.name and p.places]
        counts = {count for count, _ in uses}
        kind = parameter.kind
        if not parameter.is_matrix and counts:
            kind = "row" if counts == {1} or parameter.axes else "matrix"
        elif kind == "number" and parameter.name in alone:
            kind = "size"
        elif kind == "number" and parameter.name in inside | in_places:
            kind = "whole"
        wanted = {"matrix": 2, "row": 1}.get(kind)
        if wanted and (wrong := [use for use in uses if use[0] != wanted]):
            count, equation = wrong[0]
            expected = f"two places, as in {parameter.name}[i,j]" if wanted == 2 else f"one, as in {parameter.name}[j]"
            raise EquationError(
                f"operation {name}: equation {shown(equation.text)}: {parameter.name} is a {kind} and is used with "
                f"{count} {'place' if count == 1 else 'places'}: expected {expected}"
                + (f"; a matrix is written {parameter.name}: m×n" if wanted == 1 else ""),
                equation.text,
            )
        found.append(replace(parameter, kind=kind))
    return found
