r"""Formulas with indices: ``\sum_i \alpha_{2,i} x^{(i)}``, ``s_{ij} = q_i \cdot k_j``, ``\frac{1}{n} \sum_i x_i``.

Which letters are indices, and how far they go, is seen from what they stand at: an axis of something that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Memory
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import bound_by, walk
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead

WorthAt = Callable[[Expressed], Worlds]
"""Works out what stands in brackets."""

LETTERS = frozenset("i j k l m n p q t r s c λ ℓ ν".split())
"""What an index may be called."""

MOST = 64
"""How far an index goes at most."""


def letters_of(name: NameRead) -> tuple[str | int | None, ...]:
    """What stands below and above a name, place by place: letters, whole numbers, or ``None``."""
    return letters_in((*name.below, *name.above))


def letters_in(pieces: Sequence[Expressed]) -> tuple[str | int | None, ...]:
    """The same of what stands there."""
    return tuple(_letter(each) for each in pieces)


def _letter(written: Expressed) -> str | int | None:
    if isinstance(written, NameRead) and written.base in LETTERS and not written.below and not written.above:
        return written.base
    if isinstance(written, FigureRead) and written.value is not None and written.value.denominator == 1:
        return int(written.value)
    return None


def bracketed(one: Expressed) -> Expressed:
    """``Q K^T`` of ``[Q K^T]_{2k}``."""
    inner = one.args[0] if isinstance(one, Combined) else one
    if isinstance(inner, GridRead) and len(inner.rows) == 1 == len(inner.rows[0]):
        return inner.rows[0][0]
    return inner


def letters_below(one: Combined) -> tuple[str | int | None, ...]:
    """What stands below brackets, place by place."""
    return letters_in(one.args[1:])


def reach(letter: str, formula: Expressed, scope: Memory, worth: WorthAt) -> int | None:
    """How far an index goes: as far as an axis of something known at which it stands."""
    for each in walk(formula):
        at = _indices(each, scope)
        if letter not in at or None in at:
            continue
        value = _indexed(each, scope, worth)
        if value is None:
            continue
        place = at.index(letter)
        if len(at) == 1 and (value.axes == 1 or 1 in value.shape):
            return min(MOST, value.entries)
        if value.axes == 2 and place < 2:
            return min(MOST, value.shape[place])
    return None


def _indices(one: Expressed, scope: Memory) -> tuple[str | int | None, ...]:
    if isinstance(one, NameRead):
        return letters_in(scope.indexed(one)[1])
    return letters_below(one) if _is_entry(one) else ()


def _indexed(one: Expressed, scope: Memory, worth: WorthAt) -> Worlds | None:
    if isinstance(one, NameRead):
        whole, _ = scope.indexed(one)
        return None if whole is None else whole.value
    try:
        return worth(bracketed(one))
    except NoFit:
        return None


def free(formula: Expressed, scope: Memory, worth: WorthAt) -> tuple[str, ...]:
    """The indices of a formula that no sum binds, in the order they stand."""
    bound = {over.base for each in walk(formula) if isinstance(each, Combined) and (over := bound_by(each))}
    found: dict[str, None] = {}
    for each in walk(formula):
        for letter in _indices(each, scope):
            if isinstance(letter, str) and letter not in bound and reach(letter, formula, scope, worth):
                found[letter] = None
    return tuple(found)


def is_for_all(formula: Expressed) -> bool:
    """Whether a formula speaks of all places of an index, so that no single number is meant."""
    bound = {over.base for each in walk(formula) if isinstance(each, Combined) and (over := bound_by(each))}
    letters = (
        letter
        for each in walk(formula)
        for letter in (
            letters_of(each) if isinstance(each, NameRead) else letters_below(each) if _is_entry(each) else ()
        )
    )
    return any(isinstance(letter, str) and letter not in bound for letter in letters)


def _is_entry(one: Expressed) -> TypeGuard[Combined]:
    return isinstance(one, Combined) and one.op == "index" and one.sign == "_"


def sums(formula: Expressed) -> Iterator[Combined]:
    """The sums of a formula."""
    return (each for each in walk(formula) if isinstance(each, Combined) and each.op == "sum")
