"""Substitute numbers for general matrices, sizes and free symbols: a new draft with the same steps.

>>> from symattn.api.authoring import Derivation
>>> d = Derivation(title="General")
>>> X, W = d.given("X", shape=("m", "n")), d.given("W", shape=("n", "p"))
>>> Q = d.step("Q", X @ W)
>>> d.substitute(X=[[1, 2]], W=[["1/2"], ["1/4"]]).solve()["Q"].exact
Matrix([[1]])
>>> d.substitute(X=[[1, 2]], W=[[1], [2], [3]])
Traceback (most recent call last):
    ...
symattn.base.errors.ShapeError: substitute(W=…): W is (n, p) and came with 3 rows, but n = 2 by the columns of X
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from operator import index
from typing import Any

from symattn.api.authoring.draft import Manuscript, spelled
from symattn.api.authoring.expression import Scalar
from symattn.api.authoring.givens import given_of
from symattn.base.errors import FormulaError, ShapeError, SymattnError, shown, unknown
from symattn.base.shapes import Size
from symattn.read.exact_number import exact
from symattn.read.given import Given
from symattn.read.scenario.definitions import PLACES, whole_size
from symattn.read.scenario.fields import finite
from symattn.read.scenario.problem import Problem


def substituted(draft: Manuscript, values: Mapping[str, object]) -> Manuscript:
    """Return a copy of ``draft`` with numbers for general matrices, sizes and symbols.

    Raises :class:`~symattn.base.errors.SymattnError` for names that are not general, or have a value already.
    """
    general: dict[str, list[str]] = draft.data.get("general", {})
    letters = _letters(draft)
    matrices: dict[str, Given] = {}
    symbols: dict[str, str] = {}
    sizes: dict[str, tuple[int, str]] = {}
    for name, value in values.items():
        if name in general:
            matrices[name] = _like(given_of(value, f"substitute({name}=…)", draft.symbols), general[name], name)
        elif name in letters:
            sizes[name] = (_size(name, value, draft.plan.sizes.get(name)), "what was given for it")
        elif name in draft.symbols:
            symbols[name] = _number(draft, name, value)
        else:
            raise SymattnError(f"substitute({name}=…): {_why_not(draft, name, [*general, *letters])}")
    for name, given in matrices.items():
        for letter, size, what in zip(general[name], given.sizes, PLACES[given.ndim], strict=True):
            _match(name, general[name], letter, size, what, sizes, draft)
    return _filled(draft, matrices, {letter: size for letter, (size, _) in sizes.items()}, symbols)


def _like(given: Given, axes: list[str], name: str) -> Given:
    """Return a matrix for a matrix, a vector for a vector; a list of numbers may replace the row of a matrix."""
    if len(axes) == given.ndim:
        return given
    if max(len(axes), given.ndim) == 3 or given.shape[0] != 1:
        came = " × ".join(map(str, given.sizes))
        raise ShapeError(f"substitute({name}=…): {name} is ({', '.join(axes)}) and came with {came} numbers")
    return replace(given, ndim=len(axes))


def _letters(draft: Manuscript) -> list[str]:
    pairs = draft.data.get("general", {}).values()
    return list(dict.fromkeys(letter for pair in pairs for letter in pair if whole_size(letter) is None))


def _why_not(draft: Manuscript, name: str, known: list[str]) -> str:
    symbols = [symbol for symbol in draft.symbols if symbol not in draft.data.get("substitute", {})]
    if name in draft.plan.by_name:
        kind = "is a step, which follows from what is given" if not draft.plan[name].is_given else "has numbers already"
        return f"{name} {kind}; general are: {', '.join([*known, *symbols]) or 'none'}"
    return unknown("general name, size or symbol" if symbols else "general name or size", name, [*known, *symbols])


def _number(draft: Manuscript, name: str, value: object) -> str:
    """Return the number for a symbol, as a file writes it."""
    call = f"substitute({name}=…)"
    if name in draft.data.get("substitute", {}):
        raise SymattnError(f"{call}: {name} is {draft.data['substitute'][name]} already")
    if isinstance(value, Scalar):
        value = value.text
    try:
        text = finite(str(value).strip() if exact(value).is_finite else value)
    except Problem as problem:
        raise SymattnError(f"{call}: {problem.message}") from None
    except FormulaError as error:
        raise FormulaError(f"{call}: {error}") from None
    return text


def _size(name: str, value: Any, known: Size | None) -> int:
    try:
        size = index(value)
    except TypeError:
        size = 0
    if size < 1:
        raise SymattnError(f"substitute({name}=…): expected a whole number from 1 up, came {shown(spelled(value))}")
    if isinstance(known, int) and known != size:
        raise ShapeError(f"substitute({name}=…): {name} is {known} already, came {size}")
    return size


def _match(
    name: str,
    pair: list[str],
    letter: str,
    size: int,
    what: str,
    sizes: dict[str, tuple[int, str]],
    draft: Manuscript,
) -> None:
    """Check that the letter of an axis is the same number everywhere."""
    if whole_size(letter) is not None:
        expected, by = int(letter), "its shape"
    elif letter in sizes:
        expected, by = sizes[letter]
    else:
        known = draft.plan.sizes.get(letter)
        expected, by = (known, "the derivation") if isinstance(known, int) else (size, f"the {what} of {name}")
        sizes[letter] = (expected, by)
    if expected != size:
        called = letter if whole_size(letter) is not None else f"{letter} = {expected}"
        came = f"{size} {what if size != 1 else what[:-1]}"
        raise ShapeError(
            f"substitute({name}=…): {name} is ({', '.join(pair)}) and came with {came}, but {called} by {by}"
        )


def _filled(
    draft: Manuscript, matrices: Mapping[str, Given], sizes: Mapping[str, int], symbols: Mapping[str, str]
) -> Manuscript:
    """Return the draft with everything substituted, and a plan built from the result."""
    data = copied(draft.data)
    general = data.get("general", {})
    known = {**{name: len(listed) for name, listed in draft.labels.items()}, **data.get("sizes", {})}
    new_sizes = {letter: size for letter, size in sizes.items() if letter not in known}
    data["sizes"] = {**data.get("sizes", {}), **new_sizes}
    if symbols:
        data.setdefault("substitute", {}).update(symbols)
    given = data.setdefault("given", {})
    for name, matrix in matrices.items():
        pair = general.pop(name)
        note = draft.notes.get(name)
        given[name] = {"value": matrix, "axes": pair, **({} if note is None else {"note": note})}
    for pair in general.values():
        pair[:] = [str(sizes.get(letter, letter)) for letter in pair]
    notes = {name: note for name, note in draft.notes.items() if name not in matrices}
    new = Manuscript(
        data, quantities=set(draft.quantities), calls=dict(draft.calls), items=dict(draft.items), notes=notes
    )
    new.take(new.scenario().derivation)
    return new


def copied(value: Any) -> Any:
    """Copy tables and lists; their other contents are immutable."""
    if isinstance(value, dict):
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if isinstance(value, list) else value
