"""The letter of the entries of every matrix in a document: chosen once, so that a letter means one matrix.

A matrix that is one letter has the small one, q_{ij}; a short subscript stands above, w^{Q}_{ij}, w^{(1)}_{ij}, because
the indices stand below; any other name stands in parentheses, (K_raw)_{ij}. An entry of a gradient has its indices at
what it is the gradient by, ∂L/∂s_{ij}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from symattn.show.math import (
    CAPITAL_GREEK,
    Accented,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Script,
    Seq,
    Sign,
    derivative,
    is_derivative,
)

MEANT = frozenset("ij")
"""Letters that mean something else on every page: the row and the column of an entry."""

MOST_PARTS = 2
"""A subscript of more letters and figures than this, as Q,1, does not stand above."""


def chosen(
    symbols: Mapping[str, Math],
    reserved: Collection[str] = (),
    sizes: Collection[str] = (),
    indices: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Math]:
    """What the indices of each name's entries stand at, given how the names are written.

    Of several names with one small letter, the one that is that letter has it: beside a vector q the entries of Q are
    Q_{ij}. What nobody can have, or is ``reserved`` for a number, is left: these names keep what they are. A letter of
    ``sizes`` is no entry by itself, beside h there may be h^{(1)}_{ij}. ``indices`` says how many the entries of each
    name have.

    >>> W, Q = Letter("W"), Letter("Q")
    >>> chosen({"X": Letter("X"), "W_Q": Script(W, sub=Q)})["W_Q"]
    Script(base=Letter(name='w', style='italic'), sub=None, sup=Letter(name='Q', style='italic'))
    >>> chosen({"Q": Q, "q": Letter("q")})
    {'Q': Letter(name='Q', style='italic'), 'q': Letter(name='q', style='italic')}

    Where b_1 is a name, it is no entry of B; h_new looks like none of h:

    >>> chosen({"B": Letter("B"), "b_1": Script(Letter("b"), sub=Number("1"))}, indices={"B": 1})["B"]
    Letter(name='B', style='italic')
    >>> chosen({"h": Letter("h"), "h_new": Script(Letter("h"), sub=Letter("new", "upright"))}, indices={"h": 1})["h"]
    Letter(name='h', style='italic')
    """
    small = {name: _small(symbol) for name, symbol in symbols.items()}
    owners = Counter(small.values())
    own = {name for name, base in small.items() if _plain(symbols[name]) == base}
    owned = Counter(small[name] for name in own)
    taken = MEANT.union(reserved)
    like_entries = {
        (symbol.base, _indices_in(symbol.sub))
        for symbol in symbols.values()
        if isinstance(symbol, Script) and symbol.sub is not None
    }

    def may_have(name: str, base: Math) -> bool:
        is_its_own = owners[base] == 1 or (name in own and owned[base] == 1)
        is_size = isinstance(base, Letter) and base.name in sizes
        return is_its_own and head(base) not in taken and not is_size and can_be_told(name, base)

    def can_be_told(name: str, base: Math) -> bool:
        return (base, indices.get(name)) not in like_entries

    def whole(name: str) -> Math:
        symbol = symbols[name]
        return _itself(symbol) if can_be_told(name, symbol) else Parens(symbol)

    return {name: base if may_have(name, base) else whole(name) for name, base in small.items()}


def _indices_in(sub: Math) -> int:
    """How many indices a subscript of a name looks like: those of b_1, b_{11} and b_{1,2}; a word looks like none."""
    if any(isinstance(part, Letter) and part.style == "upright" for part in (sub, *getattr(sub, "parts", ()))):
        return 0
    if isinstance(sub, Seq):
        return len([part for part in sub.parts if not isinstance(part, Sign)])
    return min(len(sub.text), 2) if isinstance(sub, Number) else 1


def _plain(symbol: Math) -> Math:
    return _plain(symbol.base) if isinstance(symbol, Accented) and symbol.accent == "bold" else symbol


def head(base: Math) -> str:
    """The letter of a base, or nothing where a name stands in parentheses.

    >>> head(Script(Accented("tilde", Letter("s")), sup=Letter("Q")))
    's'
    """
    base = _letter_in(base)
    while isinstance(base, Script | Accented):
        base = base.base
    return base.name if isinstance(base, Letter) else ""


def at_letter(base: Math, change: Callable[[Math], Math]) -> Math:
    """What ``change`` makes of what indices stand at: of S itself, and in ∂L/∂S of the S below.

    >>> at_letter(derivative(Letter("L"), Letter("S")), lambda letter: Letter("X")).denominator.parts[1]
    Letter(name='X', style='italic')
    """
    match base:
        case Script(Parens(inner), through, None) if is_derivative(inner):
            return Script(Parens(at_letter(inner, change)), through)
        case Fraction(Seq((_, of)), Seq((_, by))) if is_derivative(base):
            return derivative(of, change(by))
    return change(base)


def with_indices(base: Math, indices: Math) -> Math:
    """An entry, with what stands above its letter over the indices.

    >>> with_indices(Script(Letter("w"), sup=Letter("Q")), Letter("i")) == Script(Letter("w"), Letter("i"), Letter("Q"))
    True
    """

    def below(letter: Math) -> Math:
        if isinstance(letter, Script) and letter.sub is None:
            return Script(letter.base, sub=indices, sup=letter.sup)
        return Script(letter, sub=indices)

    return at_letter(base, below)


def _letter_in(base: Math) -> Math:
    """What indices stand at."""
    found = base

    def see(letter: Math) -> Math:
        nonlocal found
        found = letter
        return letter

    at_letter(base, see)
    return found


def _itself(symbol: Math) -> Math:
    return symbol if isinstance(symbol, Letter) else Parens(symbol)


def _small(symbol: Math) -> Math:
    match symbol:
        case Letter(name, "italic") if len(name) == 1 and name.isalpha():
            return Letter(name.lower())
        case Letter(name, "italic") if name in CAPITAL_GREEK:
            return Letter(name.lower())
        case Accented("bold", inner):
            return _small(inner)
        case Accented(kind, inner) if isinstance(small := _small(inner), Letter | Accented):
            return Accented(kind, small)
        case Script(base, sub, None) if isinstance(small := _small(base), Letter | Accented) and sub is not None:
            above = _above(sub) if _is_letter(base) else None
            return Parens(symbol) if above is None else Script(small, sup=above)
        case Script(base, None, Parens(Number()) as time) if isinstance(small := _small(base), Letter | Accented):
            return Script(small, sup=time)  # after so many steps of training
    return _itself(symbol)


def _is_letter(base: Math) -> bool:
    """Whether a subscript stands at a letter by itself, and at no word."""
    while isinstance(base, Accented):
        base = base.base
    return isinstance(base, Letter) and base.style == "italic"


def _above(sub: Math) -> Math | None:
    """A subscript as it stands above: a capital by itself, anything that could be an exponent in parentheses."""
    parts = sub.parts if isinstance(sub, Seq) else (sub,)
    short = [
        part for part in parts if isinstance(part, Number) or (isinstance(part, Letter) and part.style == "italic")
    ]
    if len(short) > MOST_PARTS or any(part not in (*short, Sign(",")) for part in parts):
        return None
    # Above a letter, T turns and a small letter is a power.
    return sub if isinstance(sub, Letter) and sub.name.isupper() and sub.name != "T" else Parens(sub)
