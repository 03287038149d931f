"""Prove two matrix formulas equal for all sizes: rewrite entry (i, j) of both by named rules until they meet.

Two checks must both succeed. For all sizes each side is rewritten to its normal form by
:data:`symattn.compute.proof.rules.RULES`, and every line on the way is kept with the rule that led to it. For a few
small sizes every entry of both sides is computed for certain numbers and compared
(:mod:`symattn.compute.proof.small_sizes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sympy import Abs, Expr, Integer, MatAdd, MatPow, MatrixExpr, MatrixSymbol, Max, Min, Sum, Symbol, floor, oo, zoo
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.errors import ShapeError, cut, shown
from symattn.base.shapes import Shape, Size
from symattn.compute.proof.canon import ALL, SUMS, Likeness, bound_indices, key
from symattn.compute.proof.definitions import as_ours, general_entry
from symattn.compute.proof.rules import RULES
from symattn.compute.proof.small_sizes import compared
from symattn.compute.proof.tree import Indices, Largest, ProofError, Truth, everywhere, is_nonnegative, renamed, walk
from symattn.operations import CausalMask, Keep, Rotary, Sinusoidal, WindowMask
from symattn.operations.node import Applied
from symattn.operations.terms import size_symbol
from symattn.read.plan import Plan, names_in
from symattn.read.sized import Sized, choices, in_letters, letters, with_sizes

LINES = 80
"""The most lines for rewriting one side."""

NODES = 6000
"""The most pieces of an entry on the way."""

EXPLICIT = 3
"""The number of choices of sizes for which every entry is compared."""


@dataclass(frozen=True)
class ProofStep:
    """A line and the rule that leads to it from the one before; ``backwards`` where the rule is applied in reverse."""

    expr: Expr
    rule: str
    backwards: bool = False


@dataclass(frozen=True)
class Proof:
    """An equality for all sizes, line by line, and the sizes for which every entry was also compared."""

    left: MatrixExpr
    right: MatrixExpr
    shape: Shape
    row: Expr
    column: Expr
    steps: tuple[ProofStep, ...]
    checked: tuple[Mapping[str, Size], ...]
    names: Mapping[str, Shape] = field(repr=False)
    nonzero: bool = False
    """Whether there are divisors that might be zero for some entries; there neither side has a value."""
    masked: bool = False
    """Whether e^m marks what a mask of 0 and −∞ keeps: 1 where m is 0, 0 where it is −∞."""
    symbols: tuple[str, ...] = ()
    """The steps that are treated as any matrix of their shape, without their definitions."""
    even: tuple[Expr, ...] = ()
    """The widths assumed to be even, because their columns are rotated in pairs."""


def prove(left: str, right: str, plan: Plan) -> Proof:
    """Prove that two formulas over the names of ``plan`` are equal for all sizes.

    >>> from symattn.base.shapes import Axis, Shape
    >>> plan = Plan().given("S", Shape(Axis("m", "m"), Axis("n", "n"))).given("c", Shape(Axis("m", "m"), Axis(1)))
    >>> proof = prove("softmax(S - c @ ones(1, n))", "softmax(S)", replace(plan, sizes={"n": "n"}))
    >>> [step.rule for step in proof.steps]
    ['definition', 'power_law', 'pull_out', 'cancel']
    >>> prove("2 * S", "S", plan)
    Traceback (most recent call last):
        ...
    symattn.compute.proof.tree.ProofError: 2 * S = S is false: with m = 2, n = 3, entry [1,1] differs

    Raises :class:`~symattn.compute.proof.tree.ProofError` where the formulas differ or the rules do not reach; and what
    :func:`~symattn.read.formula.read_formula` raises.
    """
    general = in_letters((left, right), plan)
    statement = f"{left} = {right}"
    _must_be_alike(general, statement)
    masked = _masks_hide_all(general.formulas, plan, statement)
    symbols = _steps_taken_as_symbols(general.formulas, plan)
    used = used_letters(general, plan)
    even = even_widths(general)
    checked = _compared(left, right, plan, used, even, statement, symbols)
    i, j = index_of("i", general.shapes[0].rows.size), index_of("j", general.shapes[0].columns.size)
    try:
        indices = Indices()
        one, two = (rewritten(general_entry(formula, i, j, indices)) for formula in general.formulas)
        lines = _joined(one, two)
    except RecursionError:
        raise ProofError(f"{shown(statement)}: nested too deeply to be proved") from None
    except ProofError as error:
        raise ProofError(f"{shown(statement, 120)} cannot be proved: {error}") from None
    entries = one[0].expr, two[0].expr
    if lines is None and any(map(_chooses, entries)):
        raise ProofError(_not_compared(statement))
    if lines is None:
        raise ProofError(
            f"{shown(statement, 120)} is not proved: it holds for {_listed(checked)}, but for all sizes the rules do "
            f"not lead from one side to the other; try it in smaller steps{_without_definition(symbols)}"
        )
    nonzero = any(map(_may_be_zero, entries))
    first, second = general.formulas
    return Proof(first, second, general.shapes[0], i, j, lines, checked, general.names, nonzero, masked, symbols, even)


def _masks_hide_all(formulas: tuple[MatrixExpr, ...], plan: Plan, statement: str) -> bool:
    """Return whether a formula uses keep. Its mask must be the name of a step whose entries are 0 and −∞."""
    masks = {node.mask for formula in formulas for node in formula.atoms(Keep)}
    for mask in masks:
        made = plan[mask.name].formula if isinstance(mask, MatrixSymbol) else None
        parts = made.args if isinstance(made, MatAdd) else (made,)
        if not all(isinstance(part, CausalMask | WindowMask) and part.value is -oo for part in parts):
            raise ProofError(
                f"{shown(statement, 120)}: keep is proved where its mask is the name of a step made of causal_mask and "
                f"window_mask with the value -oo, came {cut(str(mask))}"
            )
    return bool(masks)


def _steps_taken_as_symbols(formulas: tuple[MatrixExpr, ...], plan: Plan) -> tuple[str, ...]:
    """Return the steps in a statement, save masks of keep, whose definitions are used."""
    masks = {node.mask for formula in formulas for node in formula.atoms(Keep)}
    named = dict.fromkeys(name for formula in formulas for name in names_in(formula))
    hidden = {mask.name for mask in masks if isinstance(mask, MatrixSymbol)}
    return tuple(name for name in named if not plan[name].is_given and name not in hidden)


def _without_definition(symbols: tuple[str, ...]) -> str:
    """Return the end of an error message where steps are treated as arbitrary matrices."""
    if not symbols:
        return ""
    return f"; a step such as {symbols[0]} is taken as a symbol, without its definition: write its formula in its place"


def _must_be_alike(general: Sized, statement: str) -> None:
    one, two = general.shapes
    if one.sizes != two.sizes:
        raise ShapeError(
            f"{shown(statement, 120)}: the left side is {one}, the right side {two}: expected the same shape"
        )
    for formula in general.formulas:
        if any(power.exp > SUMS for power in formula.atoms(MatPow)):
            raise ProofError(f"{shown(statement, 120)}: a power of a matrix is proved up to the exponent {SUMS}")
        if formula.has(oo, -oo, zoo):
            raise ProofError(f"{shown(statement, 120)}: with infinite entries there is nothing to calculate with")


def index_of(name: str, size: Size) -> Expr:
    """Return the index of an axis, or 0 where its size is 1."""
    return Integer(0) if size == 1 else Symbol(name, integer=True)


def used_letters(general: Sized, plan: Plan) -> tuple[str, ...]:
    """Return the letters that the formulas depend on."""
    # The sizes of a matrix are not arguments of its symbol, so they are collected separately.
    matrices = {symbol for formula in general.formulas for symbol in formula.atoms(MatrixSymbol)}
    symbols = {size for matrix in matrices for size in matrix.shape}
    symbols |= {symbol for formula in general.formulas for symbol in formula.atoms(Symbol)}
    return tuple(letter for letter in letters(plan) if size_symbol(letter) in symbols and letter in general.sizes)


def even_widths(general: Sized) -> tuple[Expr, ...]:
    """Return the widths in letters that consist of pairs of columns."""
    nodes = {node for formula in general.formulas for node in formula.atoms(Rotary, Sinusoidal, Applied)}
    found = {node.shape[1] for node in nodes if isinstance(as_ours(node), Rotary | Sinusoidal)}
    return tuple(sorted((width for width in found if width.is_even is None), key=str))


# -- for explicit sizes ------------------------------------------------------------------------------------------


def _compared(
    left: str,
    right: str,
    plan: Plan,
    used: tuple[str, ...],
    even: tuple[Expr, ...],
    statement: str,
    symbols: tuple[str, ...],
) -> tuple[Mapping[str, Size], ...]:
    kept = {name: size for name, size in plan.sizes.items() if name not in used}
    done: list[Mapping[str, Size]] = []
    for sizes in choices(used, {str(width) for width in even}):
        try:
            small = with_sizes((left, right), plan, {**kept, **sizes})
            one, two = small.formulas
            found = compared(one, two, _numbers(small))
        except ShapeError:
            continue
        except ProofError as error:
            raise ProofError(f"{shown(statement, 120)} cannot be compared: {error}") from None
        if isinstance(found, tuple):
            raise ProofError(
                f"{cut(statement, 200)} is false: {_where(sizes)}entry [{found[0]},{found[1]}] differs"
                + _without_definition(symbols)
            )
        if not found:
            continue
        done.append(sizes)
        if len(done) == EXPLICIT:
            break
    if not done:
        raise ProofError(_not_compared(statement))
    return tuple(done)


def _not_compared(statement: str) -> str:
    return f"{shown(statement, 120)} is not proved: not even for small sizes could its entries be compared"


def _chooses(entry: Expr) -> bool:
    """Return whether an entry's value depends on which case holds, so that numbers test only one case."""
    return any(node.has(MatrixElement) for node in entry.atoms(AppliedUndef, Largest, Truth, Max, Min, Abs, floor))


def _numbers(small: Sized) -> dict[Symbol, Expr]:
    return {size_symbol(name): Integer(size) for name, size in small.sizes.items() if isinstance(size, int)}


def _where(sizes: Mapping[str, Size]) -> str:
    return f"with {', '.join(f'{name} = {size}' for name, size in sizes.items())}, " if sizes else ""


def _listed(checked: tuple[Mapping[str, Size], ...]) -> str:
    return "; ".join(_where(sizes)[5:-2] or "these sizes" for sizes in checked)


# -- for all sizes -----------------------------------------------------------------------------------------------


def rewritten(entry: Expr) -> tuple[ProofStep, ...]:
    """Rewrite an entry line by line, until no rule applies.

    Raises :class:`~symattn.base.errors.ProofError` where the entry grows too large, and where the rules come to no end.
    """
    lines = [ProofStep(entry, "definition")]
    known: dict[str, dict[Expr, Expr]] = {name: {} for name in RULES}
    while len(lines) <= LINES:
        current = lines[-1].expr
        if sum(1 for _ in walk(current)) > NODES:
            raise ProofError(f"an entry grows to more than NODES = {NODES} pieces")
        # The first rule that changes anything: those that undo structure wait until no other one applies.
        changes = ((name, everywhere(rule, current, known[name])) for name, rule in RULES.items())
        name, changed = next(((name, new) for name, new in changes if new != current), ("", None))
        if changed is None:
            return tuple(lines)
        lines.append(ProofStep(changed, name))
    raise ProofError(f"no end after LINES = {LINES} lines")


def _joined(left: tuple[ProofStep, ...], right: tuple[ProofStep, ...]) -> tuple[ProofStep, ...] | None:
    """Return the lines of the left side to where both sides first meet, then those of the right side backwards."""
    keys = {key(step.expr): place for place, step in reversed(list(enumerate(right)))}
    texts = [(here, key(step.expr)) for here, step in enumerate(left)]
    meetings = [(here + keys[text], here, keys[text]) for here, text in texts if text in keys]
    if not meetings:
        return None
    _, here, there = min(meetings)
    steps, right = list(left[: here + 1]), _named_like(right[: there + 1], left[here].expr)
    join = _difference(steps[-1].expr, right[-1].expr)
    if join != "same":
        steps.append(ProofStep(right[-1].expr, join))
    for later, earlier in zip(reversed(right[1:]), reversed(right[:-1]), strict=True):
        steps.append(ProofStep(earlier.expr, later.rule, backwards=True))
    return tuple(steps)


def _named_like(lines: tuple[ProofStep, ...], meeting: Expr) -> tuple[ProofStep, ...]:
    """Return the lines with the bound indices named as in the line where both sides meet, where that is possible."""
    names = dict(zip(bound_indices(lines[-1].expr), bound_indices(meeting), strict=True))
    new = tuple(replace(step, expr=renamed(step.expr, names)) for step in lines)
    # An index that got the name of another one around it would change the meaning.
    return new if all(key(a.expr) == key(b.expr) for a, b in zip(new, lines, strict=True)) else lines


def _difference(one: Expr, two: Expr) -> str:
    readings = {
        "same": Likeness(commute=False, exchange=False),
        "commute": Likeness(exchange=False),
        "exchange": Likeness(commute=False),
        "reorder": ALL,
    }
    return next(name for name, reading in readings.items() if key(one, reading) == key(two, reading))


def _may_be_zero(entry: Expr) -> bool:
    """Return whether a divisor is something other than a sum of exponentials, a size or a nonzero number."""
    return any(
        node.is_Pow and node.exp.is_Rational and node.exp < 0 and not _is_positive(node.base) for node in walk(entry)
    )


def _is_positive(node: Expr) -> bool:
    if node.is_number or node.is_Symbol:
        return bool(node.is_positive)
    if isinstance(node, Sum):
        return _is_positive(node.function)
    if node.is_Mul:
        return all(map(_is_positive, node.args))
    if node.is_Add:
        return all(map(is_nonnegative, node.args)) and any(map(_is_positive, node.args))
    return node.func.__name__ == "exp" or (node.is_Pow and _is_positive(node.base))
