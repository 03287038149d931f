"""Prove facts about values beyond their digits: signs, equality, order.

Enclosures of growing precision answer almost every question; exact equality is left to exact arithmetic, up to a size;
if neither settles it, an error names the entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cmp_to_key, partial
from itertools import chain, pairwise
from typing import Any

from flint import arb, fmpq
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr, MatrixSymbol, Rational, S, preorder_traversal

from symattn.base import limits
from symattn.base.budget import question, remark, spend
from symattn.base.errors import UndecidedError
from symattn.base.shapes import in_rows, whole_sizes
from symattn.compute.solution.store import Signs, Store
from symattn.compute.values.balls import at_precision, norm, number_ball
from symattn.compute.values.certify import START_BITS, answered, precisions, settle, unless_open
from symattn.compute.values.cost import closed_form_size, spend_on, takes_functions
from symattn.compute.values.zero import is_zero
from symattn.operations import Softmax
from symattn.read.plan import names_in

LARGEST_CLOSED_FORM = 1_000
"""Entries whose closed form would hold more numbers than this are never built to settle a question."""


BY_NUMBER = 20
"""Steps for the value number of an entry."""


@dataclass(frozen=True)
class Group:
    """Columns that share a place in a row's order: their entries are equal, or it is not known which is larger."""

    columns: tuple[int, ...]
    open: tuple[int, int] | None = None
    """Two of them whose order is not known."""


def sign_of(x: arb) -> int | None:
    """Return −1, 0 or 1 if the enclosure leaves no doubt, else ``None``.

    >>> sign_of(arb("-2 +/- 1")), sign_of(arb("0 +/- 1")), sign_of(arb(0))
    (-1, None, 0)
    """
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0 if x.is_zero() else None


def is_of_functions(solution: Store, formula: MatrixExpr) -> bool:
    """Return whether a name in a formula depends on functions of entries."""
    needed = dict.fromkeys(other for name in names_in(formula) for other in solution.needed(name))
    formulas = (solution.formula(name) for name in needed if name not in solution.givens)
    return any(map(takes_functions, chain.from_iterable(map(preorder_traversal, formulas))))


def entry_size(solution: Store, name: str) -> int:
    """Estimate how many numbers an entry of the closed form of ``name`` holds."""
    rounded, sizes = solution.style.carry == "rounded", solution.proved.sizes
    for needed in solution.needed(name):
        if needed in sizes:
            continue
        known = solution.rational_entries(needed)
        names: Callable[[str], int] = partial(_printed_size, solution) if rounded else sizes.__getitem__
        if known is not None:
            sizes[needed] = _written_size(known)
        elif needed in solution.givens:
            written = (part for value in solution.givens[needed].entries for part in value.atoms(Rational))
            sizes[needed] = _written_size(written)
        else:
            sizes[needed] = closed_form_size(solution.formula(needed), names)
    return sizes[name]


def _printed_size(solution: Store, name: str) -> int:
    printed = solution.printed_value(name)
    return 1 if printed is None else _written_size(printed.entries())


def _written_size(numbers: Iterable[fmpq | Rational]) -> int:
    """Return 1, or the digits of a number so long that SymPy's search for square factors under a root never ends."""
    digits = max((max(x.p.bit_length(), x.q.bit_length()) for x in numbers), default=0) * 3 // 10
    return digits if digits > limits.RADICAND_DIGITS else 1


@question
def equals(solution: Store, name: str, index: int, number: Expr) -> bool | None:
    """Return whether one entry is exactly ``number``; ``None`` if that cannot be decided."""
    known = solution.rational_entries(name)
    if known is not None:
        return bool(number.is_Rational and known[index] == fmpq(int(number.p), int(number.q)))
    kind = _kind(solution, name, index)
    share = None if kind is None else _share(solution, name, index, kind)
    if share is not None:
        return bool(number == Rational(share.numerator, share.denominator))
    # Entries that are made alike are one question.
    memory, asked = solution.proved.equal, (name, kind, number)
    if kind is not None and asked in memory:
        return memory[asked]
    found = _difference_is_zero(solution, name, lambda entries: entries[index] - number)
    if kind is not None and found is not None:
        memory[asked] = found
    return found


def one_of_each(solution: Store, name: str, indices: Sequence[int]) -> Sequence[int]:
    """Return one entry of each kind, whose answer holds for all entries with its value number."""
    is_rational = solution.rational_entries(name) is not None
    numbers = None if is_rational else remark(partial(value_numbers, solution, name))
    if numbers is None:
        return indices
    columns = solution.columns(name)
    return list({numbers[index // columns][index % columns]: index for index in reversed(indices)}.values())[::-1]


def _kind(solution: Store, name: str, index: int) -> int | None:
    """Return the value number of one entry."""
    numbers, columns = remark(partial(value_numbers, solution, name)), solution.columns(name)
    return None if numbers is None else numbers[index // columns][index % columns]


def _share(solution: Store, name: str, index: int, kind: int) -> Fraction | None:
    """Return 1/n for an entry that is one of n equal shares, as every weight of equal scores is."""
    share = solution.proved.kinds and solution.proved.kinds.share(kind)
    if not share:
        return None
    entry = solution.enclosure(name, START_BITS)[divmod(index, solution.columns(name))]
    return share if entry.is_finite() and not entry.contains(0) else None


@question
def equal_entries(solution: Store, name: str, first: int, second: int) -> bool | None:
    """Return whether two entries are exactly equal; ``None`` if that cannot be decided."""
    known = solution.rational_entries(name)
    if known is not None:
        return bool(known[first] == known[second])
    if _are_alike(solution, name, first, second):
        return True
    scores = _scores_of(solution, name, first, second)
    if scores is not None:
        return equal_entries(solution, scores, first, second)
    return _difference_is_zero(solution, name, lambda entries: entries[first] - entries[second])


def _scores_of(solution: Store, name: str, first: int, second: int) -> str | None:
    """Return the scores of a softmax: two of its entries in one row are equal exactly where its scores are, for it
    grows with them. Not so where a score is −∞."""
    formula = None if name in solution.givens or solution.style.carry == "rounded" else solution.formula(name)
    columns = solution.columns(name)
    is_one_row = first // columns == second // columns
    if not (is_one_row and isinstance(formula, Softmax) and isinstance(formula.args[0], MatrixSymbol)):
        return None
    scores = solution.evaluate_ball(formula.args[0], START_BITS).entries()
    return str(formula.args[0].name) if scores[first].is_finite() and scores[second].is_finite() else None


def _are_alike(solution: Store, name: str, first: int, second: int) -> bool:
    """Return whether two entries are made by the same operations from equal numbers, like those of a repeated token."""
    kind = _kind(solution, name, first)
    return kind is not None and kind == _kind(solution, name, second)


def value_numbers(solution: Store, name: str) -> list[list[int]] | None:
    """Return a number for every entry of a name: entries with equal numbers are equal, in this name and in any other.

    ``None`` where a given is rounded: two equal figures may stand for different numbers that round to them.
    """
    from symattn.compute.values.alike import Kinds, alike

    memory = solution.proved
    if any(map(solution.rounded_givens, solution.needed(name))):
        return None

    def rational_value(formula: MatrixExpr) -> list[tuple[int, int]] | None:
        known = solution.evaluate_rational(formula)
        return None if known is None else [(int(x.p), int(x.q)) for x in known]

    kinds = memory.kinds = memory.kinds or Kinds(rational_value)

    def of_operand(operand: str) -> list[list[int]]:
        if solution.style.carry == "rounded":
            printed = solution.printed_value(operand)
            if printed is not None:
                return kinds.of_values([[(int(x.p), int(x.q)) for x in row] for row in printed.tolist()])
            return kinds.own(operand, solution.rows(operand), solution.columns(operand))
        if operand not in memory.numbers:
            memory.numbers[operand] = of_value(operand)
        return memory.numbers[operand]

    def of_value(needed: str) -> list[list[int]]:
        columns = solution.columns(needed)
        values: Sequence[Any] | None = solution.rational_entries(needed)
        if values is not None:
            values = [(int(x.p), int(x.q)) for x in values]
        elif needed in solution.givens:
            values = solution.givens[needed].entries
        else:
            formula = solution.formula(needed)
            spend_on(formula, BY_NUMBER)
            return alike(formula, of_operand, kinds)
        return kinds.of_values(in_rows(values, columns))

    if name not in memory.numbers:
        for needed in solution.needed(name) if solution.style.carry == "exact" else ():
            of_operand(needed)  # in order, to avoid deep recursion
        memory.numbers[name] = of_value(name)
    return memory.numbers[name]


def _difference_is_zero(solution: Store, name: str, difference: Callable[[ImmutableDenseMatrix], Expr]) -> bool | None:
    if entry_size(solution, name) > LARGEST_CLOSED_FORM:
        return None
    return unless_open(lambda: is_zero(difference(solution.exact_value(name))))


@question
def known_signs(solution: Store, formula: MatrixExpr) -> Signs:
    """Return the sign of every entry of a formula over names of the solution, as far as it can be proved."""
    if formula in solution.proved.signs:
        return solution.proved.signs[formula]
    known = solution.evaluate_rational(formula)
    rows, columns = whole_sizes(formula)
    closed_form = cache(partial(solution.evaluate_exact, formula))

    def exactly(index: int, _: arb) -> int | None:
        if known is not None:
            entry = known[index]
            return (entry > 0) - (entry < 0)
        sizes = {name: entry_size(solution, name) for name in names_in(formula)}
        if closed_form_size(formula, sizes.__getitem__) > LARGEST_CLOSED_FORM:
            return None
        return unless_open(lambda: 0 if is_zero(closed_form()[index]) else None)

    flat = answered(rows * columns, lambda bits: solution.evaluate_ball(formula, bits).entries(), sign_of, exactly)
    found = in_rows(flat, columns)
    solution.proved.signs[formula] = found
    return found


@question
def proved_signs(solution: Store, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
    """Return the sign of every entry of a formula over names of the solution."""
    columns = whole_sizes(formula)[1]

    def proved(index: int, sign: int | None) -> int:
        if sign is not None:
            return sign
        written = formula.name if isinstance(formula, MatrixSymbol) else "entry "
        place = f"{what}, {written}[{index // columns + 1},{index % columns + 1}]"
        if not solution.evaluate_ball(formula, START_BITS).entries()[index].is_finite():
            raise UndecidedError(f"{place} is not a number: an infinite value cannot be used here")
        raise UndecidedError(
            f"{place}: its sign cannot be decided: it is too close to 0, and its closed form too large, to be settled"
        )

    found = known_signs(solution, formula)
    return tuple(tuple(proved(i * columns + j, sign) for j, sign in enumerate(row)) for i, row in enumerate(found))


@question
def groups(solution: Store, name: str, row: int, around: int | None = None) -> tuple[Group, ...]:
    """Return the columns of one row from the largest entry down, in groups that are each proved to be above the next.

    ``around`` limits this to the order around the first so many entries: nothing is proved of other ties.
    """
    start = row * solution.columns(name)
    known: dict[tuple[int, int], bool] = {}

    def are_equal(a: int, b: int) -> bool:
        pair = (min(a, b), max(a, b))
        if pair not in known:
            known[pair] = bool(equal_entries(solution, name, start + a, start + b))
        return known[pair]

    order = _order(solution, name, row, around, are_equal)

    def differences(bits: int) -> list[arb]:
        entries = _row(solution, name, row, bits)
        with at_precision(bits):
            # −∞ has no distance from itself; two of them, as a mask leaves them, are a tie.
            pairs = pairwise([entries[column] for column in order.columns])
            return [arb() if a == b and not a.is_finite() else a - b for a, b in pairs]

    def exactly(k: int, _: arb) -> int | None:
        if k in order.skipped:
            return _NOT_ASKED
        return 0 if are_equal(order.columns[k], order.columns[k + 1]) else None

    found = [Group((order.columns[0],))]
    signs = answered(len(order.columns) - 1, differences, sign_of, exactly)
    for pair, sign in zip(pairwise(order.columns), signs, strict=True):
        last = found[-1]
        # An entry above the last of them is not above the others, if their order is not known.
        if sign == 1 and (last.open is None or _are_above(order.values, last.columns, pair[1])):
            found.append(Group((pair[1],)))
        else:
            found[-1] = Group((*last.columns, pair[1]), last.open or (None if sign == 0 else pair))
    return tuple(Group(tuple(sorted(group.columns)), group.open) for group in found)


_NOT_ASKED = 2
"""In place of a sign: the order of two entries does not matter and was not examined."""


@dataclass(frozen=True)
class _Order:
    """The columns of a row from the largest entry down, as far as any precision orders them."""

    columns: list[int]
    values: list[arb]
    skipped: frozenset[int]
    """Places after which two entries are too close, where that does not matter."""


def _order(solution: Store, name: str, row: int, around: int | None, are_equal: Callable[[int, int], bool]) -> _Order:
    found = _Order([], [], frozenset())
    for bits in precisions():
        values = remark(partial(_row, solution, name, row, bits)) if found.values else _row(solution, name, row, bits)
        if values is None:
            break
        spend(40 * len(values))
        columns = _sorted(values)
        near = [k for k, (a, b) in enumerate(pairwise(columns)) if not _is_above(values[a], values[b])]
        asked = near if around is None else _run(near, around - 1)
        found = _Order(columns, values, frozenset(near).difference(asked))
        # No precision orders equal entries; exact arithmetic decides what the first precision left open.
        if not asked or (bits > START_BITS and all(are_equal(columns[k], columns[k + 1]) for k in asked)):
            break
    return found


def _is_above(a: arb, b: arb) -> bool:
    return bool(a > b or (a.is_exact() and a == b))


def _run(places: list[int], place: int) -> list[int]:
    """Return the run of consecutive ``places`` that contains ``place``.

    >>> _run([0, 3, 4, 5, 7], 4), _run([0, 3], 1)
    ([3, 4, 5], [])
    """
    found, known = [place] if place in places else [], set(places)
    while found and found[0] - 1 in known:
        found.insert(0, found[0] - 1)
    while found and found[-1] + 1 in known:
        found.append(found[-1] + 1)
    return found


def _row(solution: Store, name: str, row: int, bits: int) -> list[arb]:
    """Return the enclosures of one row, without listing the entries of the whole matrix."""
    values = solution.enclosure(name, bits)
    return [values[row, column] for column in range(values.ncols())]


def _are_above(entries: Sequence[arb], columns: Sequence[int], other: int) -> bool:
    return all(entries[column] > entries[other] for column in columns)


def ranking(solution: Store, name: str, row: int) -> tuple[tuple[int, ...], ...]:
    """Return the columns of one row from the largest entry down, ties together."""
    found = groups(solution, name, row)
    for group in found:
        if group.open:
            raise undecided(solution, name, row, group.open)
    return tuple(group.columns for group in found)


def undecided(solution: Store, name: str, row: int, pair: tuple[int, int]) -> UndecidedError:
    """Return the error for a result that depends on which of two entries is larger."""
    first, second = (solution.place(name, row * solution.columns(name) + column) for column in pair)
    return UndecidedError(f"{first} and {second}: which of the two is larger cannot be decided")


def _sorted(values: list[arb]) -> list[int]:
    """Return the places of the values from the largest midpoint down."""
    middles = [value.mid() for value in values]

    def by_size(a: int, b: int) -> int:
        return (middles[b] > middles[a]) - (middles[b] < middles[a])

    return sorted(range(len(values)), key=cmp_to_key(by_size))


@question
def compare(solution: Store, name: str, index: int, number: Expr) -> int:
    """Compare one entry with a number: −1, 0 or 1."""

    def difference(bits: int) -> list[arb]:
        columns = solution.columns(name)
        entry = solution.enclosure(name, bits)[index // columns, index % columns]
        with at_precision(bits):
            return [entry - number_ball(number)]

    (sign,) = settle(
        1,
        difference,
        sign_of,
        lambda _, __: 0 if equals(solution, name, index, number) else None,
        lambda _: f"{solution.place(name, index)}: whether it is more than {number} cannot be decided",
    )
    return sign


@question
def is_longer(solution: Store, formula: MatrixExpr, threshold: Expr) -> bool:
    """Return whether √(Σ x²) over all entries of a formula exceeds a positive number."""

    def difference(bits: int) -> list[arb]:
        entries = solution.evaluate_ball(formula, bits).entries()
        with at_precision(bits):
            return [norm(entries) - number_ball(threshold.doit())]

    def exactly(_: int, __: arb) -> int | None:
        if entry_size(solution, solution.part(formula)) > LARGEST_CLOSED_FORM:
            return None
        return unless_open(lambda: 0 if is_zero(_squares(solution, formula) - threshold.doit() ** 2) else None)

    def describe(_: int) -> str:
        what = formula.name if isinstance(formula, MatrixSymbol) else "the formula in it"
        return f"clip_norm: whether {what} is longer than {threshold} cannot be decided"

    (sign,) = settle(1, difference, sign_of, exactly, describe)
    return sign > 0


def _squares(solution: Store, formula: MatrixExpr) -> Expr:
    return sum((x**2 for x in solution.evaluate_exact(formula)), S.Zero)
