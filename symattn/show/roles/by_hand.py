"""Rules for shares and normalised rows by hand, in one formula or in several, found by their structure."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from sympy import MatAdd, MatMul, MatrixSymbol, S

from symattn import operations as ops
from symattn.operations.node import Applied
from symattn.operations.records import RECORDS
from symattn.operations.stored import as_number
from symattn.operations.terms import size_symbol
from symattn.show.roles.model import Finder, FormulaPart, bare, unrepeated, within


def applied_to(node: FormulaPart, *names: str) -> FormulaPart:
    """Return the operand of a named operation without a class, or ``None`` for any other formula."""
    is_one = isinstance(node, Applied) and any(node.operation == RECORDS[name] for name in names)
    return node.args[1] if is_one else None


# -- shares ------------------------------------------------------------------------------------------------------


def shared(finder: Finder, node: FormulaPart) -> FormulaPart:
    """Return the operand of shares: the scores of a softmax, or the numbers divided by the sum of their row."""
    if isinstance(node, ops.Softmax | ops.Proportions):
        return node.args[0]
    if isinstance(node, ops.EntryQuotient):
        above, below = node.args
        of_rows = applied_to(finder.formula(unrepeated(below)), "row_sum") == above
        return above if of_rows or is_share(finder, node) else None
    return None


def is_share(finder: Finder, node: FormulaPart) -> bool:
    """Return whether this is one exponential over the sum of several, a softmax written index by index."""
    if not isinstance(node, ops.EntryQuotient):
        return False
    above, below = node.args[0], finder.formula(node.args[1])
    if not isinstance(below, MatAdd) or above not in below.args:
        return False
    return all(isinstance(finder.formula(term), ops.Exp) for term in below.args)


def mixed_one_by_one(finder: Finder, node: FormulaPart) -> Iterator[FormulaPart]:
    """Yield the vectors of a₁ v₁ + a₂ v₂ if the factors are shares; nothing for any other formula."""
    terms = node.args if isinstance(node, MatAdd) else ()
    factors = [term.args if isinstance(term, ops.Hadamard) else (term, term) for term in terms]
    if all(finder.kind(unrepeated(share)) == "share" for share, _ in factors):
        yield from (vector for _, vector in factors)


def sigmoids(finder: Finder) -> None:
    """Mark 1 / (1 + exp(−X))."""
    for name, formula in finder.steps:
        if isinstance(formula, ops.EntryQuotient) and _is_one(formula.args[0]):
            terms = below.args if isinstance(below := finder.formula(formula.args[1]), MatAdd) else ()
            powers = [finder.formula(term) for term in terms if not _is_one(term)]
            if len(terms) == 2 and [_is_negative(power.args[0]) for power in powers if isinstance(power, ops.Exp)] == [
                True
            ]:
                finder.mark(name, "sigmoid", "sigmoid")


def _is_one(node: FormulaPart) -> bool:
    return as_number(unrepeated(node)) == 1


def _is_negative(node: FormulaPart) -> bool:
    return isinstance(node, MatMul) and node.args[0] == -1


# -- normalised rows ---------------------------------------------------------------------------------------------


def norms_by_hand(finder: Finder) -> None:
    """Mark (X − mean) / √(variance + ε), X / √(mean of the squares + ε), and γ and β that come after, or between."""
    normal: set[FormulaPart] = set()
    for name, node in finder.parts(ops.EntryQuotient):
        above, gain = _without_gain(node.args[0])
        if (why := _normalised(finder, above, unrepeated(node.args[1]))) is None:
            continue
        normal.add(node)
        finder.mark(gain, "gain")
        if finder.formula(name) is node:
            normal.add(name)
            finder.mark(name, "normalised", why)
    for name, node in finder.parts(ops.Hadamard):
        for one, other in (node.args, node.args[::-1]):
            if one in normal and finder.is_given(gain := unrepeated(other)):
                finder.mark(gain, "gain")
                _after(finder, name, node, gain)


def _without_gain(node: FormulaPart) -> tuple[FormulaPart, FormulaPart]:
    """Return X and γ of γ ⊙ X; X and ``None`` of any other X."""
    if isinstance(node, ops.Hadamard) and isinstance(gain := unrepeated(node.args[0]), MatrixSymbol):
        return node.args[1], gain
    return node, None


def _after(finder: Finder, name: FormulaPart, node: FormulaPart, gain: FormulaPart) -> None:
    """Mark γ ⊙ N, or γ ⊙ N + β."""
    formula = finder.formula(name)
    if formula is node:
        finder.mark(name, "normalised", "gained", gain=gain)
    elif isinstance(formula, MatAdd) and len(formula.args) == 2 and node in formula.args:
        shift = unrepeated(next(term for term in formula.args if term is not node))
        if finder.is_given(shift):
            finder.mark(shift, "shift")
            finder.mark(name, "normalised", "gained_shifted", gain=gain, shift=shift)


def _normalised(finder: Finder, above: FormulaPart, below: FormulaPart) -> str | None:
    """Return the key of the reason for dividing rows by this; ``None`` if that does not normalise them."""
    radicand = applied_to(finder.formula(below), "sqrt")
    if radicand is None:
        return None
    total = finder.formula(radicand)
    terms = [unrepeated(term) for term in (total.args if isinstance(total, MatAdd) else (radicand,))]
    rows, mean = centred(finder, above)
    if rows is not None and (spread := next((t for t in terms if _is_variance(finder, t, rows)), None)) is not None:
        finder.mark_input(rows)
        finder.mark(above, "moved", "moved")
        finder.mark(mean, "row_means")
        finder.mark(spread, "variances")
        finder.mark(below, "deviations")
        return "normalised"
    if any(_squared(finder, averaged(finder, term)) == above for term in terms):
        finder.mark_input(above)
        return "by_size"
    return None


def centred(finder: Finder, node: FormulaPart) -> tuple[FormulaPart, FormulaPart]:
    """Return X and the mean of X − mean; ``None`` twice for any other formula."""
    formula = finder.formula(node)
    terms = formula.args if isinstance(formula, MatAdd) and len(formula.args) == 2 else ()
    for term, other in zip(terms, reversed(terms), strict=True):
        mean = unrepeated(bare(term))
        if term != bare(term) and averaged(finder, mean) == other:
            return other, mean
    return None, None


def averaged(finder: Finder, node: FormulaPart) -> FormulaPart:
    """Return X if this is the mean of each of its rows, or their sum over the number of entries."""
    formula = finder.formula(node)
    inner = bare(formula)
    if inner is formula:
        return applied_to(inner, "row_mean")
    rows = applied_to(inner, "row_sum")
    return rows if rows is not None and is_divided_by(finder, formula, rows.shape[1]) else None


def is_divided_by(finder: Finder, node: FormulaPart, count: FormulaPart) -> bool:
    """Return whether a formula is divided by a count: by the number, by a size, or by 1/n in front."""
    match node:
        case ops.Quotient():
            divisor = node.divisor
        case MatMul() if within(node) is not None:
            divisor = 1 / prod(node.args[:-1], start=S.One)
        case _:
            return False
    sizes = {size_symbol(name): size for name, size in finder.plan.sizes.items() if isinstance(size, int)}
    return bool(within(node) is bare(node) and (divisor - count).subs(sizes) == 0)


def _is_variance(finder: Finder, node: FormulaPart, rows: FormulaPart) -> bool:
    if applied_to(finder.formula(node), "row_var") == rows:
        return True
    squared = _squared(finder, averaged(finder, node))
    return squared is not None and centred(finder, squared)[0] == rows


def _squared(finder: Finder, node: FormulaPart) -> FormulaPart:
    """Return X if this is X² or X ⊙ X."""
    formula = finder.formula(node)
    if isinstance(formula, ops.Hadamard):
        return formula.args[0] if formula.args[0] == formula.args[1] else None
    base = applied_to(formula, "power")
    return base if base is not None and formula.args[2] == 2 else None
