"""Add givens to a draft: matrices with numbers, matrices with a shape only, sizes and labels."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from operator import index
from pathlib import PurePath
from typing import Any

from symattn.api.authoring.draft import Manuscript, as_in_a_file, checked, quoted, spelled
from symattn.api.authoring.words import PlainLabels
from symattn.base.errors import FormulaError, ShapeError, SymattnError, shown, unknown
from symattn.base.shapes import Axis, Size
from symattn.read.formula import is_name, no_name
from symattn.read.given import Given
from symattn.read.scenario.definitions import PLACES, general_axis, given_of_tokens, whole_size, wrong_axes
from symattn.read.scenario.fields import matrix_field as read_matrix


def add_size(draft: Manuscript, name: str, number: Any) -> None:
    """Add a size; adding the same one again is allowed.

    Raises :class:`~symattn.base.errors.SymattnError` for an invalid size, :class:`~symattn.base.errors.ShapeError` for
    one that has another number.
    """
    call = f"size({quoted(name)})"
    sizes = draft.plan.sizes
    _must_be_text(name, call)
    if number is None:
        if name not in sizes:
            raise SymattnError(f"{call}: {unknown('size', name, sizes)}; d.size({quoted(name)}, 4) makes one")
        return
    try:
        whole = index(number)
    except TypeError:
        raise SymattnError(f"{call}: expected a whole number, came {shown(spelled(number))}") from None
    if sizes.get(name) == whole:
        return
    if name in sizes and isinstance(sizes[name], int):
        raise ShapeError(f"{call}: {name} is {sizes[name]} already, came {whole}")
    _must_name_an_axis(draft, name, call)
    draft.check(call, {"sizes": {name: whole}}, 2)
    draft.table("sizes")[name] = whole
    draft.with_size(name, whole)


def add_labels(draft: Manuscript, name: str, labels: PlainLabels) -> None:
    """Add an axis with labels. Raises :class:`~symattn.base.errors.SymattnError` where a size has that name."""
    call = f"labels({quoted(name)})"
    _must_name_an_axis(draft, name, call)
    if name in draft.plan.sizes:
        raise SymattnError(f"{call}: {name} is already the name of a size: give the labels another axis")
    listed = as_in_a_file(labels)
    draft.check(call, {"labels": {name: listed}}, 2)
    draft.table("labels")[name] = listed
    draft.with_size(name, len(draft.labels[name]))


def _must_be_text(name: Any, call: str) -> None:
    if not isinstance(name, str):
        raise FormulaError(f"{call}: a name is a text, came {shown(spelled(name))}")


def _must_name_an_axis(draft: Manuscript, name: Any, call: str) -> None:
    if not isinstance(name, str) or not is_name(name):
        raise FormulaError(f"{call}: {no_name(spelled(name), 'an axis')}")
    if name in draft.calls:
        raise SymattnError(f"{call}: {name} is already defined by {draft.calls[name]}: give the size another name")
    if name in draft.plan.operations:
        raise SymattnError(f"{call}: {name} is already the name of an operation: give the size another name")


def add_given(draft: Manuscript, name: str, table: dict[str, Any], axes: Sequence[str] | None, call: str) -> None:
    """Add a matrix with numbers; an axis of a new name becomes a size.

    Raises :class:`~symattn.base.errors.SymattnError` for names of axes that it does not have.
    """
    draft.check(call, {"given": {name: table}}, 2)
    sizes = table["value"].sizes
    if axes is not None:
        named = _axes(axes, call)
        if (len(sizes), len(named)) == (1, 2):
            sizes = (1, *sizes)
        if len(named) != len(sizes):
            raise SymattnError(f"{call}: axes: {wrong_axes(len(named), len(sizes))}")
        found = _with_axes(draft, named, sizes, call)
        table = {**table, "axes": named}
    else:
        axis = _token_axis(draft, name, table)
        found = [Axis(size, axis if place == len(sizes) - 2 else "") for place, size in enumerate(sizes)]
    plan = draft.plan.given_along(name, found)
    draft.table("given")[name] = table
    draft.define(name, call, plan)


def _axes(axes: Any, call: str, what: str = "axes") -> list[str]:
    """Return two axes, or the one of a vector, as a file has them: names, or whole numbers where they have none."""
    if not isinstance(axes, list | tuple) or not 1 <= len(axes) <= 3:
        expected = 'expected two names such as ("n", "d_model"), or one for a vector, ("d_k",)'
        raise SymattnError(f"{call}: {what}: {expected}, came {shown(spelled(axes))}")
    try:
        return [axis if isinstance(axis, str) else str(index(axis)) for axis in axes]
    except (TypeError, ValueError):
        raise SymattnError(f"{call}: {what}: {shown(spelled(axes))}: an axis is a name or a whole number") from None


def _with_axes(draft: Manuscript, axes: list[str], sizes: tuple[int, ...], call: str) -> list[Axis]:
    new: dict[str, int] = {}
    places = list(zip(axes, sizes, PLACES[len(sizes)], strict=True))
    for name, size, what in places:
        known: Size = whole_size(name) or new.get(name) or draft.plan.sizes.get(name, size)
        if isinstance(known, str):
            raise ShapeError(
                f"{call}: {name} is a letter without a number here: d.substitute({name}={size}) gives it one"
            )
        if known != size:
            wanted = name if whole_size(name) else f"{name} = {known}"
            raise ShapeError(f"{call}: axes: expected {wanted} for the {what}, came {size}")
        if whole_size(name) is None and name not in draft.plan.sizes:
            _must_name_an_axis(draft, name, f"{call}, axes")
            if call == f"given({quoted(name)})":
                raise SymattnError(f"{call}, axes: {name} is the matrix: give the axis another name")
            new[name] = size
    for name, size in new.items():
        add_size(draft, name, size)
    return [Axis(size, "" if whole_size(name) else name) for name, size, _ in places]


def _token_axis(draft: Manuscript, name: str, table: dict[str, Any]) -> str:
    """Return the axis of the tokens, for a new given that has them as rows."""
    axis, tables = str(draft.data.get("token_axis", "n")), {**draft.table("given"), name: table}
    known = {each: (other.get("axes"), other["value"].sizes) for each, other in tables.items()}
    has_tokens = bool(draft.data.get("tokens"))
    return axis if has_tokens and given_of_tokens(known, axis, len(draft.labels[axis])) == name else ""


def add_general(draft: Manuscript, name: str, shape: Sequence[str | int], note: object, call: str) -> None:
    """Add a matrix with a shape and no numbers; its letters are sizes. A note is kept until there are numbers."""
    named = _axes(shape, call, "shape")
    letters = [letter for letter in named if whole_size(letter) is None]
    for letter in letters:
        if letter not in draft.plan.sizes:
            _must_name_an_axis(draft, letter, f"{call}, shape")
    draft.check(call, {"general": {name: named}}, 2)
    axes = [*map(general_axis, named)]
    draft.plan.given_along(name, axes, general=True)
    for letter in letters:
        if letter not in draft.plan.sizes:
            draft.with_size(letter, letter)
    draft.table("general")[name] = named
    if note is not None:
        draft.notes[name] = note
    draft.define(name, call, draft.plan.given_along(name, axes, general=True))


def given_of(value: object, call: str, symbols: Sequence[str] = (), decimals: int | None = None) -> Given:
    """Read a matrix from ``value``: rows, a vector, a number, an array, a tensor, a file; errors begin with ``call``.

    Where there are ``symbols``, the entries of lists may hold them.

    Raises :class:`~symattn.base.errors.FormulaError` for a float that was typed by hand.
    """
    # A file has an ending of letters; a number may have a point too.
    is_text = isinstance(value, str) and not PurePath(value).suffix[1:2].isalpha()
    is_vector = isinstance(value, list | tuple) and not any(isinstance(row, list | tuple) for row in value)
    if is_text or (symbols and (is_vector or _is_rows(value)) and not _holds_arrays(value)):
        return checked(call, lambda: read_matrix(_as_texts(value), symbols))
    if decimals is None and (number := _typed_float(value)) is not None:
        raise FormulaError(
            f'{call}: {number!r} is a binary float and no longer the number that was meant: write "{number!r}", or '
            "decimals=4 for the decimals that floats print; an array of NumPy keeps its binary numbers"
        )
    from symattn.read.arrays import matrix

    return matrix(value, decimals, where=call)


def _typed_float(value: object) -> float | None:
    """Return the first finite float of a list or alone, as typed by hand; floats in arrays come from programs."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list | tuple):
            waiting += reversed(each)
        elif type(each) is float and isfinite(each):
            return each
    return None


def _is_rows(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(row, list | tuple) for row in value)


def _holds_arrays(value: Any) -> bool:
    return any(hasattr(row, "tolist") for row in value)


def _as_texts(value: Any) -> Any:
    """Return lists with their numbers as texts."""
    if isinstance(value, list | tuple):
        return [_as_texts(part) for part in value]
    return value if isinstance(value, int | float) else str(value)


def number_text(number: object) -> object:
    """Write a number as in a scenario file."""
    return spelled(number) if isinstance(number, Fraction | Decimal) else number
