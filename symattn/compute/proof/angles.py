"""Rules for sines and cosines: turn products of them into those of the difference of two angles."""

from __future__ import annotations

from itertools import product as combinations

from sympy import Add, Expr, Integer, Mul, Pow, S, Symbol, cos, expand, sin

from symattn.compute.proof.canon import collected, key
from symattn.compute.proof.tree import PairFrequency, ProofError, add, coefficient, cosine, factors, mul, sine, terms_of

TERMS = 64
"""Terms that a product of sums with sines and cosines may be expanded to."""

Waves = tuple[Expr, ...]


def collect_angles(node: Expr) -> Expr | None:
    """(a c − b s)(x c′ − y s′) + (a s + b c)(x s′ + y c′) = (ax + by)(c c′ + s s′) + (ay − bx)(s c′ − c s′)."""
    if not (isinstance(node, Add) and any(_turns(factor) for term in node.args for factor in factors(term))):
        return None
    by_waves: dict[str, tuple[Waves, list[Expr]]] = {}
    for term in _multiplied(node):
        waves, rest = _waves(term)
        by_waves.setdefault(_text(waves), (waves, []))[1].append(rest)
    groups = [
        (waves, add(*_positive_first([mul(*term) for term in collected(rests)]))) for waves, rests in by_waves.values()
    ]
    parts: list[Expr] = []
    while groups:
        waves, rest = groups.pop(0)
        found = next((n for n, other in enumerate(groups) if _sign(waves, rest, *other)), None)
        if found is None:
            return None
        partner, other = groups.pop(found)
        parts.append(_both(waves, rest, partner, _sign(waves, rest, partner, other)))
    new = add(*parts)
    return None if key(new) == key(node) else new


def _both(waves: Waves, rest: Expr, partner: Waves, sign: int) -> Expr:
    """rest · (waves ± partner), with a sine of the first angle first."""
    one, other = sorted((waves, partner), key=_order)
    if one is not waves and sign < 0:
        rest = add(*_positive_first([mul(S.NegativeOne, term) for term in terms_of(rest)]))
    return mul(_plain(rest), add(mul(*one), mul(Integer(sign), *other)))


def _turns(factor: Expr) -> bool:
    parts = (part for term in factor.args for part in factors(term)) if isinstance(factor, Add) else ()
    return any(isinstance(part, cos | sin) for part in parts)


def _multiplied(node: Add) -> list[Expr]:
    out: list[Expr] = []
    for term in node.args:
        parts = [terms_of(factor) if _turns(factor) else (factor,) for factor in factors(term)]
        out += [mul(*choice) for choice in combinations(*parts)]
        if len(out) > TERMS:
            raise ProofError(f"a product with sines and cosines has more than TERMS = {TERMS} terms")
    return out


def _waves(term: Expr) -> tuple[Waves, Expr]:
    """Return the sines and cosines of a term, the one whose angle sorts first in front, and the rest."""
    waves = [factor for factor in factors(term) if isinstance(factor, cos | sin)]
    rest = mul(*(factor for factor in factors(term) if not isinstance(factor, cos | sin)))
    waves.sort(key=lambda wave: (_rank(wave.args[0]), key(wave.args[0])))
    return tuple(waves), rest


def _rank(angle: Expr) -> tuple[str, ...]:
    return tuple(sorted(symbol.name for symbol in angle.atoms(Symbol) if not symbol.is_positive))


def _text(waves: Waves) -> str:
    return ";".join(map(key, waves))


def _order(waves: Waves) -> tuple[bool, ...]:
    """Order cos cos before sin sin, sin cos before cos sin."""
    kinds = tuple(isinstance(wave, cos) for wave in waves)
    return kinds if kinds[0] != kinds[-1] else tuple(not kind for kind in kinds)


def _positive_first(parts: list[Expr]) -> list[Expr]:
    parts = [mul(*coefficient(part)) for part in parts]
    return sorted(parts, key=lambda part: bool(coefficient(part)[0] < 0))


def _plain(rest: Expr) -> Expr:
    return rest if isinstance(rest, Add) else mul(*factors(rest))


def _sign(waves: Waves, rest: Expr, partner: Waves, other: Expr) -> int:
    """Return 1 or −1 where two terms make one cosine or sine, with coefficients that agree up to that sign; else 0."""
    if _addition(waves, partner) is None:
        return 0
    if key(rest) == key(other):
        return 1
    opposite = add(*(mul(*coefficient(mul(S.NegativeOne, term))) for term in terms_of(other)))
    return -1 if key(rest) == key(opposite) else 0


def _addition(one: Waves, other: Waves) -> str | None:
    """Return ``cos`` for cos α cos β and sin α sin β, ``sin`` for sin α cos β and cos α sin β; else ``None``."""
    if len(one) != 2 or len(other) != 2 or [key(w.args[0]) for w in one] != [key(w.args[0]) for w in other]:
        return None
    kinds = frozenset("".join(type(wave).__name__ for wave in waves) for waves in (one, other))
    return {frozenset({"coscos", "sinsin"}): "cos", frozenset({"cossin", "sincos"}): "sin"}.get(kinds)


def angle_sum(node: Expr) -> Expr | None:
    """cos α cos β + sin α sin β = cos(α − β), sin α cos β − cos α sin β = sin(α − β), and with the other sign α + β."""
    if not isinstance(node, Add):
        return None
    split = [_waves(term) for term in node.args]
    for first, (waves, rest) in enumerate(split):
        for second in range(first + 1, len(split)):
            partner, other = split[second]
            sign = _sign(waves, rest, partner, other)
            if not sign:
                continue
            joined = _joined(waves, rest, partner, other, sign)
            left = [term for place, term in enumerate(node.args) if place not in (first, second)]
            return add(*left[:first], joined, *left[first:])
    return None


def _joined(waves: Waves, rest: Expr, partner: Waves, other: Expr, sign: int) -> Expr:
    kind = _addition(waves, partner)
    lead, factor = min(((waves, rest), (partner, other)), key=lambda pair: _order(pair[0]))
    alpha, beta = (wave.args[0] for wave in lead)
    # Of the cosine the signs are the other way round: cos α cos β + sin α sin β is cos(α − β).
    difference = (sign > 0) == (kind == "cos")
    angle = add(alpha, mul(S.NegativeOne, beta) if difference else beta)
    return mul(factor, cosine(angle) if kind == "cos" else sine(angle))


def circle(node: Expr) -> Expr | None:
    """sin² α + cos² α = 1."""
    if not isinstance(node, Add):
        return None
    squares = [_squared(term) for term in node.args]
    for place, one in enumerate(squares):
        for other in squares[place + 1 :]:
            if one and other and one[0] is not other[0] and one[1] == other[1] and key(one[2]) == key(other[2]):
                left = [term for term, each in zip(node.args, squares, strict=True) if each not in (one, other)]
                return add(*left[:place], one[2], *left[place:])
    return None


def _squared(term: Expr) -> tuple[type, str, Expr] | None:
    """Return sine or cosine where the term has its square, its angle, and the factor of the square."""
    for factor in factors(term):
        if isinstance(factor, Pow) and factor.exp == 2 and isinstance(factor.base, cos | sin):
            rest = mul(*(other for other in factors(term) if other is not factor))
            return type(factor.base), key(factor.base.args[0]), rest
    return None


def angle_terms(node: Expr) -> Expr | None:
    """cos(pθ − qθ) = cos((p − q)θ), with common parts of p and q cancelled; the first letter left has a plus, by
    cos(−x) = cos x and sin(−x) = −sin x.
    """
    if not (isinstance(node, cos | sin) and isinstance(node.args[0], Add)):
        return None
    linear: Expr = S.Zero
    frequencies: dict[str, PairFrequency] = {}
    for term in node.args[0].args:
        found = [factor for factor in factors(term) if isinstance(factor, PairFrequency)]
        if len(found) != 1:
            return None
        frequencies[key(found[0])] = found[0]
        linear += expand(Mul(*(factor for factor in factors(term) if factor is not found[0])))
    if len(frequencies) != 1:
        return None
    parts = sorted(Add.make_args(linear), key=lambda part: sorted(map(str, part.free_symbols)) or ["~"])
    minus = bool(coefficient(parts[0])[0] < 0)
    if minus:
        parts = [-part for part in parts]
    angle = mul(add(*_positive_first(parts)), *frequencies.values())
    if isinstance(node, cos):
        return cosine(angle)
    return mul(S.NegativeOne, sine(angle)) if minus else sine(angle)
