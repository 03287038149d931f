"""The rules a proof may use: each an identity of real numbers, applied wherever it fits.

A rule looks at one place of a tree and returns its replacement, or ``None``. Divisors are assumed to be nonzero, and
numbers under a root not to be negative: where a side is defined at all, both are true. Rules for blocks side by side or
stacked and for columns that are rotated in pairs come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import product as combinations
from math import gcd, lcm
from types import MappingProxyType

from sympy import Add, Basic, Expr, Integer, KroneckerDelta, Mul, Pow, Rational, S, Sum, Symbol, exp, pi
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.compute.proof.angles import angle_sum, angle_terms, circle, collect_angles
from symattn.compute.proof.canon import bases, collected, key, same_base
from symattn.compute.proof.definitions import general_entry, position_entry, widths
from symattn.compute.proof.tree import (
    Bound,
    Indices,
    ProofError,
    Same,
    Smaller,
    Truth,
    add,
    coefficient,
    exponential,
    factors,
    finite_sum,
    free,
    fresh_beside,
    is_nonnegative,
    mapped,
    mul,
    nested_sums,
    power_of,
    replaced,
    terms_of,
    totals,
    walk,
)
from symattn.operations import Concat, Rotary, Sinusoidal, Stack

PAIR = "pair_"
"""Prefix of the names of indices that count pairs of columns."""


def sum_by_blocks(node: Expr) -> Expr | None:
    """Σ_k f(k) over a + b columns = Σ_k f(k) over the first a + Σ_k f(k) over the other b."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    for place, (index, _) in enumerate(bounds):
        found = [node for node in _elements(body) if _block_index(node) == index]
        lengths = {widths(element.parent) for element in found}
        cut = any(isinstance(part, KroneckerDelta) and part.has(index) for part in walk(body))
        if len(lengths) != 1 or cut:
            # None, or blocks of different widths: these would have to be cut at the same places first. An identity
            # matrix would be cut too, and a sum over a part of it need not hold its 1.
            continue
        parts: list[Expr] = []
        start: Expr = Integer(0)
        for number, length in enumerate(lengths.pop()):
            inner = _in_block(body, index, number, start)
            parts.append(totals((*bounds[:place], (index, length), *bounds[place + 1 :]), inner))
            start += length
        return add(*parts)
    return None


def _block_index(element: MatrixElement) -> Expr | None:
    """Return the index that runs over the blocks of an entry, if there are blocks."""
    if isinstance(element.parent, Concat):
        return element.j
    return element.i if isinstance(element.parent, Stack) else None


def _in_block(body: Expr, index: Symbol, number: int, start: Expr) -> Expr:
    """Return the body of a sum for the indices of one block, counted from its first column."""
    # A separate index, while the other places are shifted by the columns before the block.
    inside = Symbol(f"{index.name}_inside", integer=True)
    indices = Indices(body.atoms(Symbol))

    def entry(element: MatrixElement) -> Expr | None:
        if _block_index(element) != index:
            return None
        part = element.parent.args[number]
        place = (element.i, inside) if isinstance(element.parent, Concat) else (inside, element.j)
        return general_entry(part, *place, indices)

    moved = replaced(_with_elements(body, entry), {index: index + start})
    return replaced(moved, {inside: index})


def pairs(node: Expr) -> Expr | None:
    """Σ_k f(k) over d columns = Σ_t (f(2t − 1) + f(2t)) over d/2 pairs, for even d."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    for place, (index, length) in enumerate(bounds):
        if any(isinstance(e.parent, Rotary | Sinusoidal) and e.j == index for e in _elements(body)):
            pair = Symbol(f"{PAIR}{index.name}", integer=True)
            both = add(*(replaced(body, {index: 2 * pair + number}) for number in (0, 1)))
            inner = finite_sum(totals(bounds[place + 1 :], both), pair, length / 2)
            return totals(bounds[:place], inner)
    return None


def turn(node: Expr) -> Expr | None:
    """Rotate a pair of columns: (x, y) becomes (x cos φ − y sin φ, x sin φ + y cos φ)."""
    if not (isinstance(node, MatrixElement) and isinstance(node.parent, Rotary | Sinusoidal)):
        return None
    return position_entry(node.parent, node.i, node.j, Indices(node.i.atoms(Symbol) | node.j.atoms(Symbol)))


def _elements(node: Basic) -> Iterator[MatrixElement]:
    return (found for found in walk(node) if isinstance(found, MatrixElement))


def _with_elements(node: Expr, change: Callable[[MatrixElement], Expr | None]) -> Expr:
    """Replace entries where ``change`` returns one. All bound indices are different, so none is captured."""
    if isinstance(node, MatrixElement):
        changed = change(node)
        return node if changed is None else changed
    return mapped(lambda part: _with_elements(part, change), node)


ProofRule = Callable[[Expr], Expr | None]

TERMS = 400
"""Terms that a product of sums may be expanded to."""


def power_law(node: Expr) -> Expr | None:
    """e^{a+b} = e^a e^b."""
    if isinstance(node, exp) and isinstance(node.exp, Add):
        return mul(*map(exponential, node.exp.args))
    return None


def pull_out(node: Expr) -> Expr | None:
    """Σ_k c f(k) = c Σ_k f(k): factors without an index leave its sum; sums that share no factor are separated."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    outside: list[Expr] = []
    groups: list[tuple[set[Symbol], list[Expr]]] = []
    indices = {index for index, _ in bounds}
    for factor in factors(body):
        own = set(free(factor) & indices)
        if not own:
            outside.append(factor)
            continue
        touching = [group for group in groups if group[0] & own]
        # Factors that share an index stay together, in the order they are written.
        members = {id(member) for group in touching for member in group[1]} | {id(factor)}
        ordered = [member for member in factors(body) if id(member) in members]
        groups = [group for group in groups if not any(group is other for other in touching)]
        groups.append((own.union(*(group[0] for group in touching)), ordered))
    empty = [bound for bound in bounds if not any(bound[0] in own for own, _ in groups)]
    parts = len(groups) + len(empty)
    if parts <= 1 and (not outside or body == 1):
        return None
    sums = [totals(tuple(b for b in bounds if b[0] in own), mul(*inside)) for own, inside in groups]
    return mul(*outside, *(Sum(S.One, (index, 0, length - 1)) for index, length in empty), *sums)


def into_sum(node: Expr) -> Expr | None:
    """Σ_k g(k) Σ_l f(k, l) = Σ_k Σ_l g(k) f(k, l): move a factor into a sum that depends on the index around it."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    parts = factors(body)
    for position, factor in enumerate(parts):
        repeated = isinstance(factor, Pow) and isinstance(factor.base, Sum) and factor.exp.is_Integer
        if repeated and 2 <= factor.exp <= 4:
            copies = [factor.base] * int(factor.exp)
        elif isinstance(factor, Sum):
            copies = [factor]
        else:
            continue
        others = (*parts[:position], *copies[1:], *parts[position + 1 :])
        taken = {symbol for other in others for symbol in other.atoms(Symbol)} | {index for index, _ in bounds}
        inner, inside = _renamed(copies[0], taken)
        return totals(bounds + inner, mul(*parts[:position], inside, *copies[1:], *parts[position + 1 :]))
    return None


def _renamed(node: Sum, taken: set[Symbol]) -> tuple[tuple[Bound, ...], Expr]:
    """Return the bound indices and the body of a sum, with indices renamed that are already taken."""
    bounds, body = nested_sums(node)
    changed: list[Bound] = []
    for index, length in bounds:
        new = index
        if index in taken:
            new = fresh_beside(index, taken | body.atoms(Symbol))
            body = replaced(body, {index: new})
        taken = taken | {new}
        changed.append((new, length))
    return tuple(changed), body


def constant_sum(node: Expr) -> Expr | None:
    """Σ_k 1 = n."""
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        if body == 1:
            return mul(*(length for _, length in bounds))
    return None


def delta(node: Expr) -> Expr | None:
    """Σ_k f(k) δ_{kj} = f(j): an identity matrix picks one term."""
    if not isinstance(node, Sum):
        return None
    bounds, body = nested_sums(node)
    indices = [index for index, _ in bounds]
    for factor in factors(body):
        if not isinstance(factor, KroneckerDelta):
            continue
        for index, other in (factor.args, factor.args[::-1]):
            if index in indices:
                # Both indices run over the rows of the same identity matrix, so the term is there.
                rest = mul(*(part for part in factors(body) if part is not factor))
                return totals(tuple(b for b in bounds if b[0] != index), replaced(rest, {index: other}))
    return None


def cancel(node: Expr) -> Expr | None:
    """x / x = 1: cancel a common factor of numerator and denominator."""
    return _gathered(node, lambda exponents: min(exponents) < 0 < max(exponents))


def powers(node: Expr) -> Expr | None:
    """x x = x²: combine equal factors into a power."""
    return _gathered(node, lambda exponents: min(exponents) > 0 or max(exponents) < 0)


def _gathered(node: Expr, wanted: Callable[[list[Rational]], bool]) -> Expr | None:
    if not isinstance(node, Mul):
        return None
    found: dict[str, list[tuple[int, Expr, Rational]]] = {}
    for position, factor in enumerate(node.args):
        if not factor.is_number:
            text, base, exponent = same_base(factor)
            found.setdefault(text, []).append((position, base, exponent))
    changes: dict[int, Expr] = {}
    for group in found.values():
        exponents = [exponent for _, _, exponent in group]
        if len(group) > 1 and wanted(exponents):
            changes.update((position, S.One) for position, _, _ in group)
            base = group[0][1]
            changes[group[0][0]] = _powered(base, sum(exponents, S.Zero))
    if not changes:
        return None
    return mul(*(changes.get(position, factor) for position, factor in enumerate(node.args)))


def _powered(base: Expr, exponent: Rational) -> Expr:
    if isinstance(base, exp):
        return exponential(mul(exponent, base.exp))
    return power_of(base, exponent)


def split_sum(node: Expr) -> Expr | None:
    """Σ_k (f(k) + g(k)) = Σ_k f(k) + Σ_k g(k)."""
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        if isinstance(body, Add):
            return add(*(totals(bounds, term) for term in body.args))
    return None


def root_of_product(node: Expr) -> Expr | None:
    """√(xy) = √x √y for x ≥ 0."""
    if not (isinstance(node, Pow) and isinstance(node.base, Mul) and not node.exp.is_Integer):
        return None
    out = [factor for factor in node.base.args if is_nonnegative(factor)]
    if not out:
        return None
    rest = [factor for factor in node.base.args if not is_nonnegative(factor)]
    return mul(*(power_of(factor, node.exp) for factor in out), power_of(mul(*rest), node.exp))


def arithmetic(node: Expr) -> Expr | None:
    """Evaluate products and powers of numbers."""
    if isinstance(node, Pow) and node.base.is_Rational and node.exp.is_Rational:
        return _if_new(node, node.base**node.exp)
    if not isinstance(node, Mul):
        return None
    numbers = [factor for factor in node.args if _is_number(factor)]
    if len(numbers) < 2:
        return None
    worked = reduce(lambda a, b: a * b, numbers)
    rest = [factor for factor in node.args if not _is_number(factor)]
    return _if_new(node, mul(*factors(worked), *rest))


def _if_new(node: Expr, new: Expr) -> Expr | None:
    return None if key(new) == key(node) else new


def _is_number(node: Expr) -> bool:
    if isinstance(node, Pow):
        return bool(node.base.is_Rational and node.exp.is_Rational)
    return bool(node.is_Rational) or node == pi


def like_terms(node: Expr) -> Expr | None:
    """2x + 3x = 5x: combine terms that differ only in a number."""
    if not isinstance(node, Add):
        return None
    terms_left = collected(node.args)
    return None if len(terms_left) == len(node.args) else add(*(mul(number, rest) for number, rest in terms_left))


def common_factors(node: Expr) -> Expr | None:
    """(ab + ac) / (ax + ay) = a(b + c) / (a(x + y)): take the same factor out of a sum and out of its divisor."""
    if not isinstance(node, Mul):
        return None
    for above in (factor for factor in node.args if isinstance(factor, Add)):
        for below in node.args:
            if not (isinstance(below, Pow) and isinstance(below.base, Add) and below.exp == -1):
                continue
            upper, lower = shared_factors(above.args), shared_factors(below.base.args)
            both = {text: upper[text] for text in upper if text in lower and upper[text][1] == lower[text][1]}
            if both:
                common = mul(*(_powered(base, exponent) for base, exponent in both.values()))
                tops, bottoms = (
                    add(*(divided_by(term, both, S.One) for term in part.args)) for part in (above, below.base)
                )
                inverse = mul(*(power_of(factor, S.NegativeOne) for factor in factors(common)))
                changes = {above: mul(common, tops), below: mul(inverse, power_of(bottoms, S.NegativeOne))}
                return mul(*(changes.get(factor, factor) for factor in node.args))
    return None


def common_factor(node: Expr) -> Expr | None:
    """ab + ac = a(b + c), in a divisor or under a root."""
    if not (isinstance(node, Pow) and isinstance(node.base, Add)):
        return None
    if node.exp.is_Integer and node.exp > 0:
        return None
    content, shared = _content(node.base.args), shared_factors(node.base.args)
    if not node.exp.is_Integer:
        # Only nonnegative factors may be moved out of a root.
        shared = {text: pair for text, pair in shared.items() if is_nonnegative(_powered(*pair))}
    if not shared and content == 1:
        return None
    common = mul(content, *(_powered(base, exponent) for base, exponent in shared.values()))
    rest = add(*(divided_by(term, shared, content) for term in node.base.args))
    return mul(*(power_of(factor, node.exp) for factor in factors(common)), power_of(rest, node.exp))


def shared_factors(parts: tuple[Expr, ...]) -> dict[str, tuple[Expr, Rational]]:
    """Return the common divisors of all terms: the bases in all of them, with the exponent nearest to zero."""
    held = [bases(part) for part in parts]
    found: dict[str, tuple[Expr, Rational]] = {}
    for text, (base, _) in held[0].items():
        if base.is_number or not all(text in other for other in held):
            continue
        exponents = [other[text][1] for other in held]
        if min(exponents) > 0:
            found[text] = (base, min(exponents))
        elif max(exponents) < 0:
            found[text] = (base, max(exponents))
    return found


def _content(parts: tuple[Expr, ...]) -> Rational:
    numbers = [abs(coefficient(part)[0]) for part in parts]
    return Rational(gcd(*(int(n.p) for n in numbers)), lcm(*(int(n.q) for n in numbers)))


def divided_by(term: Expr, shared: dict[str, tuple[Expr, Rational]], content: Rational) -> Expr:
    number, rest = coefficient(term)
    left = dict(shared)
    parts: list[Expr] = []
    for factor in factors(rest):
        text, base, exponent = same_base(factor)
        if text in left:
            # The first factor with this base absorbs the whole exponent, which may leave a negative power.
            parts.append(_powered(base, exponent - left.pop(text)[1]))
        else:
            parts.append(factor)
    return mul(number / content, *parts)


def distribute(node: Expr) -> Expr | None:
    """a(b + c) = ab + ac.

    Raises :class:`~symattn.base.errors.ProofError` where the result has more than ``TERMS`` terms.
    """
    if not (isinstance(node, Mul) and any(isinstance(factor, Add) for factor in node.args)):
        return None
    count = 1
    for factor in node.args:
        count *= len(terms_of(factor))
    if count > TERMS:
        raise ProofError(f"a product of sums has {count} terms: expected at most TERMS = {TERMS}")
    return add(*(mul(*choice) for choice in combinations(*map(terms_of, node.args))))


def multiply_out(node: Expr) -> Expr | None:
    """(a + b)² = aa + ab + ba + bb."""
    if isinstance(node, Pow) and isinstance(node.base, Add) and node.exp.is_Integer and 2 <= node.exp <= 8:
        return distribute(Mul(*[node.base] * int(node.exp), evaluate=False))
    return None


def truth(node: Expr) -> Expr | None:
    """[c]² = [c], where [c] is 1 or 0; [x < y] [y < x] = 0 and [x < y] [x = y] = 0."""
    if isinstance(node, Pow) and isinstance(node.base, Truth) and node.exp.is_Integer and node.exp > 0:
        return node.base
    if isinstance(node, Mul):
        said = [(type(each), *map(key, each.args)) for each in node.args if isinstance(each, Truth)]
        for kind, x, y in said:
            if kind is Smaller and not {(Smaller, y, x), (Same, x, y), (Same, y, x)}.isdisjoint(said):
                return S.Zero
    return None


def sides(node: Expr) -> Expr | None:
    """[0 < −2x] = [x < 0]: move terms to the side where they are positive, and divide by a common positive number."""
    if not isinstance(node, Truth):
        return None
    left, right = node.args
    moved = collected((*terms_of(left), *(mul(S.NegativeOne, term) for term in terms_of(right))))
    parts = [mul(number, rest) for number, rest in moved if number != 0]
    content = _content(tuple(parts)) if parts else S.One
    split: list[list[Expr]] = [[], []]
    for number, rest in map(coefficient, parts):
        split[bool(number < 0)].append(mul(abs(number) / content, rest))
    return _if_new(node, type(node)(*(add(*side) for side in split)))


def upwards(node: Expr) -> Expr | None:
    """1 / (1 + e^{−x}) = e^x / (e^x + 1): remove negative powers of e from a divisor."""
    if not (isinstance(node, Pow) and isinstance(node.base, Add) and node.exp.is_Rational and node.exp < 0):
        return None
    for factor in (factor for term in node.base.args for factor in factors(term)):
        if isinstance(factor, exp) and coefficient(factor.exp)[0] < 0:
            up = exponential(mul(*coefficient(mul(S.NegativeOne, factor.exp))))
            raised = add(*(_with_exponential(term, up) for term in node.base.args))
            return mul(_powered(up, -node.exp), power_of(raised, node.exp))
    return None


def _with_exponential(term: Expr, by: Expr) -> Expr:
    """Return a term times a power of e, without the factor e^0."""
    product = mul(by, term)
    return _gathered(product, lambda exponents: True) or product


def remainder(node: Expr) -> Expr | None:
    """x / (1 + x) = 1 − 1 / (1 + x)."""
    if not isinstance(node, Mul):
        return None
    for below in node.args:
        is_below = isinstance(below, Pow) and isinstance(below.base, Add) and below.exp.is_Integer and below.exp < 0
        if not is_below or len(below.base.args) != 2:
            continue
        number, term = sorted(below.base.args, key=lambda part: not part.is_Rational)
        times, rest = coefficient(term)
        wanted, above = bases(rest), mul(*(factor for factor in node.args if factor is not below))
        held = bases(above)
        if not number.is_Rational or not wanted:
            continue
        if all(text in held and 0 < exponent <= held[text][1] for text, (_, exponent) in wanted.items()):
            quotient = divided_by(above, wanted, times)
            return add(mul(quotient, power_of(below.base, below.exp + 1)), mul(S.NegativeOne, number, quotient, below))
    return None


RULES: Mapping[str, ProofRule] = MappingProxyType(
    {
        "power_law": power_law,
        "pull_out": pull_out,
        "into_sum": into_sum,
        "constant_sum": constant_sum,
        "delta": delta,
        "blocks": sum_by_blocks,
        "pairs": pairs,
        "turn": turn,
        "cancel": cancel,
        "powers": powers,
        "root": root_of_product,
        "arithmetic": arithmetic,
        "circle": circle,
        "collect_angles": collect_angles,
        "angle_sum": angle_sum,
        "angle_terms": angle_terms,
        "like_terms": like_terms,
        "split_sum": split_sum,
        "common_factors": common_factors,
        "distribute": distribute,
        "common_factor": common_factor,
        "multiply_out": multiply_out,
        "truth": truth,
        "sides": sides,
        "remainder": remainder,
        "upwards": upwards,
    }
)
"""Every rule by its name, in the order of application: rules that undo structure come last."""
