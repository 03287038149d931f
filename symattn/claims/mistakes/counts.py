"""Mistakes about shapes, and about counts that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Add, Expr, Integer, MatMul, MatrixExpr, Mul, Pow, Symbol, expand

from symattn.claims.mistakes.building import factors, matrix_size, ones, transposed_matrix
from symattn.claims.mistakes.model import COUNTS, Change, Mistake
from symattn.claims.mistakes.subject import Subject
from symattn.operations import Dot
from symattn.operations.terms import size_symbol
from symattn.read.quantities import Quantity

HEADS = ("h", "heads", "n_heads", "H")
LAYERS = ("L", "layers", "n_layers", "N")

CountTerm = tuple[Expr, dict[Symbol, int]]
"""The coefficient of a term, and the power of each letter in it."""

Recount = Callable[[Subject, Quantity], Iterator[Expr]]
"""Yields the wrong counts that may replace a quantity."""


def count_terms(value: Expr, letters: tuple[Symbol, ...]) -> tuple[CountTerm, ...] | None:
    """Return an expanded count, or ``None`` if it is not a sum of products of sizes.

    >>> d = size_symbol("d")
    >>> count_terms(d * (4 * d + 2), (d,))
    ((4, {d: 2}), (2, {d: 1}))
    """
    found: list[CountTerm] = []
    parts = sorted(Add.make_args(expand(value)), key=lambda part: (-_degree(part, letters), str(part)))
    for part in parts:
        number, powers = Integer(1), dict[Symbol, int]()
        for factor in Mul.make_args(part):
            base, exponent = factor.as_base_exp()
            if factor.is_Rational:
                number *= factor
            elif base in letters and exponent.is_Integer and exponent.is_positive:
                powers[base] = int(exponent)
            else:
                return None
        found.append((number, powers))
    return tuple(found)


def _degree(part: Expr, letters: tuple[Symbol, ...]) -> int:
    powers = (factor.as_base_exp() for factor in Mul.make_args(part))
    return sum(int(exponent) for base, exponent in powers if base in letters and exponent.is_Integer)


def count_of_terms(parts: tuple[CountTerm, ...]) -> Expr:
    """Return the count with the given terms."""
    return Add(*(number * Mul(*(letter**power for letter, power in powers.items())) for number, powers in parts))


def _counted(name: str, recount: Recount, topics: tuple[str, ...] = COUNTS, *, rank: int) -> Mistake:
    def rewrite(subject: Subject) -> Iterator[Change]:
        for counted, quantity in subject.quantities.items():
            for value in recount(subject, quantity):
                if subject.scalar(value) != subject.scalar(quantity.value):
                    yield Change(counted, quantities={counted: value})

    return Mistake(name, rewrite, topics, ("number",), rank=rank)


def _parts(subject: Subject, quantity: Quantity) -> tuple[CountTerm, ...]:
    """Return the terms of a quantity, the highest powers first; nothing if it is no such sum or has no letters."""
    letters = tuple(letter for letter in subject.sizes if isinstance(letter, Symbol))
    found = count_terms(quantity.value, letters) or ()
    return found if any(powers for _, powers in found) else ()


def _power(term: CountTerm) -> int:
    return sum(term[1].values())


def _highest(parts: tuple[CountTerm, ...]) -> tuple[CountTerm, ...]:
    return tuple(part for part in parts if _power(part) == max(map(_power, parts)))


def _without_biases(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """Only the terms of the highest power: the matrices without the added rows."""
    parts = _parts(subject, quantity)
    if parts and _power(parts[0]) >= 2 and len(_highest(parts)) < len(parts):
        yield count_of_terms(_highest(parts))


def _without_output(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """Three matrices instead of four."""
    yield from _with_number(subject, quantity, 4, 3)


def _one_of_two(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """One of the two matrices of a feed-forward layer."""
    yield from _with_number(subject, quantity, 2, 1)


def _with_number(subject: Subject, quantity: Quantity, old: int, new: int) -> Iterator[Expr]:
    """Change the coefficient of a term of the highest power in the ratio ``new`` to ``old``."""
    parts = _parts(subject, quantity)
    for part in _highest(parts) if parts else ():
        number, powers = part
        if _power(part) >= 2 and number % old == 0 and (number == old or old > 2 or number == 8):
            yield count_of_terms(tuple((number * new / old, powers) if other is part else other for other in parts))


def _counted_once(names: tuple[str, ...]) -> Recount:
    """The number of heads or layers replaced by one."""

    def recount(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
        for name in names:
            letter = size_symbol(name)
            if letter in subject.sizes and quantity.value.has(letter):
                yield quantity.value.subs(letter, 1)

    return recount


def _for_every_head(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """Everything counted once more for every head, though the heads share the width."""
    for name in HEADS:
        letter = size_symbol(name)
        if letter in subject.sizes and not quantity.value.has(letter) and _parts(subject, quantity):
            yield letter * quantity.value


def _additions_too(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """One addition counted with every multiplication."""
    if quantity.counts or any(_power(part) >= 3 for part in _parts(subject, quantity)):
        yield 2 * quantity.value


def _exchanged(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """n d² instead of n² d."""
    parts = _parts(subject, quantity)
    for part in parts:
        number, powers = part
        if sorted(powers.values()) == [1, 2]:
            turned = {letter: 3 - power for letter, power in powers.items()}
            yield count_of_terms(tuple((number, turned) if other is part else other for other in parts))


def _sizes_added(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """m + n instead of m n, in every product."""
    parts = _parts(subject, quantity)
    if parts and _power(parts[0]) >= 2:
        yield Add(*(number * Add(*(p * letter for letter, p in powers.items())) for number, powers in parts))


def _one_per_entry(subject: Subject, quantity: Quantity) -> Iterator[Expr]:
    """One multiplication for every entry of a product, m n instead of m k n."""
    if quantity.counts:
        made = _outer(quantity.written)
        if made != quantity.written:
            yield made.doit()


def _outer(value: Expr) -> Expr:
    """Return a count as written, without the middle one of three multiplied sizes."""
    if isinstance(value, Mul) and len(value.args) == 3 and all(_is_size(arg) for arg in value.args):
        return Mul(value.args[0], value.args[2], evaluate=False)
    if isinstance(value, Add | Mul) and not isinstance(value, Pow):
        return value.func(*map(_outer, value.args), evaluate=False)
    return value


def _is_size(value: Expr) -> bool:
    return isinstance(value, Symbol | Integer) and value != -1


_COUNTS_MISTAKES = (
    _counted("biases-not-counted", _without_biases, ("parameter-count",), rank=290),
    _counted("output-projection-not-counted", _without_output, ("parameter-count",), rank=300),
    _counted("one-of-two-matrices-counted", _one_of_two, rank=310),
    _counted("one-head-counted", _counted_once(HEADS), rank=320),
    _counted("one-layer-counted", _counted_once(LAYERS), rank=330),
    _counted("counted-for-every-head", _for_every_head, rank=340),
    _counted("length-and-width-exchanged", _exchanged, ("operation-count",), rank=350),
    _counted("one-multiplication-per-entry", _one_per_entry, ("operation-count",), rank=360),
    _counted("additions-counted-too", _additions_too, ("operation-count",), rank=370),
    _counted("sizes-added", _sizes_added, rank=380),
)


def _taken_for(shape: str, name: str, rank: int) -> Mistake:
    """Return the mistake that changes each step whose shape would differ; ``shape``: a key of :func:`wrong_shapes`."""

    def rewrite(subject: Subject) -> Iterator[Change]:
        for step, formula in subject.steps:
            for key, made in wrong_shapes(formula):
                if key == shape and matrix_size(made) != matrix_size(formula):
                    yield Change(step.name, {step.name: made})

    return Mistake(name, rewrite, ("shape-of-product",), ("shape",), rank=rank)


def wrong_shapes(formula: MatrixExpr) -> Iterator[tuple[str, MatrixExpr]]:
    """Yield the shapes that may be confused with that of a formula, each as a matrix of that shape.

    >>> from symattn.operations import MatrixSymbol
    >>> [(name, matrix_size(made)) for name, made in wrong_shapes(MatrixSymbol("A", 2, 3) * MatrixSymbol("B", 3, 4))]
    [('turned', (4, 2)), ('first', (2, 3)), ('last', (3, 4)), ('inner', (3, 3))]
    """
    yield "turned", transposed_matrix(formula)
    parts = (formula.left, transposed_matrix(formula.right)) if isinstance(formula, Dot) else factors(formula)[1]
    if isinstance(formula, MatMul | Dot) and len(parts) > 1:
        yield "first", parts[0]
        yield "last", parts[-1]
        yield "inner", ones(matrix_size(parts[0])[1], matrix_size(parts[-1])[0])


_SHAPES_MISTAKES = (
    _taken_for("turned", "rows-and-columns-swapped", 250),
    _taken_for("inner", "inner-sizes-kept", 260),
    _taken_for("first", "shape-of-the-first-factor", 270),
    _taken_for("last", "shape-of-the-last-factor", 280),
)

MISTAKES = (*_COUNTS_MISTAKES, *_SHAPES_MISTAKES)
