"""The note on a given that was read from an array: the source of its numbers, and how they were interpreted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symattn.read.given import Given, Origin
from symattn.show.blocks import Phrase


def given_origin(name: str, givens: Mapping[str, Given]) -> Iterator[Phrase]:
    """Yield one sentence, in full for the first given of its kind; none for numbers as written that have no file.

    >>> from symattn.read.given import Array
    >>> given = Given.of(Array((1, 0), (), Origin("binary", "float32")))
    >>> [dict(phrase.arguments)["again"] for name in "XY" for phrase in given_origin(name, {"X": given, "Y": given})]
    [0, 1]
    """
    array = givens[name].array
    if array is None:
        return
    origin = array.origin
    if origin.taken == "written" and not origin.file:
        return
    told = (
        ("binary", int(origin.taken == "binary")),
        ("decimals", -1 if origin.decimals is None else origin.decimals),
        ("dtype", origin.dtype),
        ("file", origin.file),
        ("tensor", origin.tensor),
        ("again", int(name != _first_of_its_kind(origin, givens))),
    )
    yield Phrase("given_origin", told, "note")


def _first_of_its_kind(origin: Origin, givens: Mapping[str, Given]) -> str:
    same = (
        name
        for name, given in givens.items()
        if given.array is not None
        and (given.array.origin.taken, given.array.origin.decimals) == (origin.taken, origin.decimals)
    )
    return next(same)
