"""The letter of the entries of every matrix in a document: chosen once, so that a letter means one matrix.

A matrix with a single letter has the small one, q_{ij}; a short subscript is raised, w^{Q}_{ij}, w^{(1)}_{ij}, because
the indices are below; any other name is in parentheses, (K_raw)_{ij}. An entry of a gradient has its indices at the
variable below, ∂L/∂s_{ij}.
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
"""Letters with another meaning on every page: the row and the column of an entry."""

MOST_PARTS = 2
"""The most letters and figures of a subscript that is raised, such as Q,1."""


def chosen(
    symbols: Mapping[str, Math],
    reserved: Collection[str] = (),
    sizes: Collection[str] = (),
    indices: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Math]:
    """Return the base that takes the indices of each name's entries, given how the names are written.

    Of several names with one small letter, the name that is that letter has it: beside a vector q the entries of Q are
    Q_{ij}. A letter that no name can have, or that is ``reserved`` for a number, is not used: these names keep their
    notation. A letter of ``sizes`` is not an entry by itself, but beside h there may be h^{(1)}_{ij}. ``indices`` holds
    the number of indices of each name's entries.

    >>> W, Q = Letter("W"), Letter("Q")
    >>> chosen({"X": Letter("X"), "W_Q": Script(W, sub=Q)})["W_Q"]
    Script(base=Letter(name='w', style='italic'), sub=None, sup=Letter(name='Q', style='italic'))
    >>> chosen({"Q": Q, "q": Letter("q")})
    {'Q': Letter(name='Q', style='italic'), 'q': Letter(name='q', style='italic')}

    If b_1 is a name, it cannot be an entry of B; h_new does not look like an entry of h:

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
    """Return how many indices a subscript of a name looks like: those of b_1, b_{11} and b_{1,2}; none for a word."""
    if any(isinstance(part, Letter) and part.style == "upright" for part in (sub, *getattr(sub, "parts", ()))):
        return 0
    if isinstance(sub, Seq):
        return len([part for part in sub.parts if not isinstance(part, Sign)])
    return min(len(sub.text), 2) if isinstance(sub, Number) else 1


def _plain(symbol: Math) -> Math:
    return _plain(symbol.base) if isinstance(symbol, Accented) and symbol.accent == "bold" else symbol


def head(base: Math) -> str:
    """Return the letter of a base, or an empty string if the name is in parentheses.

    >>> head(Script(Accented("tilde", Letter("s")), sup=Letter("Q")))
    's'
    """
    base = _letter_in(base)
    while isinstance(base, Script | Accented):
        base = base.base
    return base.name if isinstance(base, Letter) else ""


def at_letter(base: Math, change: Callable[[Math], Math]) -> Math:
    """Apply ``change`` to the part of a base that takes indices: to S itself, and in ∂L/∂S to the S below.

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
    """Return an entry, with any superscript of its letter over the indices.

    >>> with_indices(Script(Letter("w"), sup=Letter("Q")), Letter("i")) == Script(Letter("w"), Letter("i"), Letter("Q"))
    True
    """

    def below(letter: Math) -> Math:
        if isinstance(letter, Script) and letter.sub is None:
            return Script(letter.base, sub=indices, sup=letter.sup)
        return Script(letter, sub=indices)

    return at_letter(base, below)


def _letter_in(base: Math) -> Math:
    """Return the part of a base that takes indices."""
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
    """Return whether the base of a subscript is a single letter, and not a word."""
    while isinstance(base, Accented):
        base = base.base
    return isinstance(base, Letter) and base.style == "italic"


def _above(sub: Math) -> Math | None:
    """Return a subscript as a superscript: a capital by itself, anything that could be an exponent in parentheses."""
    parts = sub.parts if isinstance(sub, Seq) else (sub,)
    short = [
        part for part in parts if isinstance(part, Number) or (isinstance(part, Letter) and part.style == "italic")
    ]
    if len(short) > MOST_PARTS or any(part not in (*short, Sign(",")) for part in parts):
        return None
    # Above a letter, T turns and a small letter is a power.
    return sub if isinstance(sub, Letter) and sub.name.isupper() and sub.name != "T" else Parens(sub)
