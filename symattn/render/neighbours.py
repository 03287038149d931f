"""How pieces of mathematics stand side by side: where a line may break, what needs a space or parentheses."""

from __future__ import annotations

from symattn.document.math import Accented, Call, Chain, Fraction, Letter, Math, Number, Parens, Script, Seq, Sign, Sum

GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()
)


def can_break(before: Math | None, part: Math) -> bool:
    """Whether a line may break before this part of a row: before a plus or minus between two terms.

    >>> can_break(Letter("a"), Sign("-")), can_break(Sign("·"), Sign("-")), can_break(None, Sign("-"))
    (True, False, False)
    """
    return isinstance(part, Sign) and part.sign in ("+", "-") and not (before is None or _is_binary(before))


def _is_binary(piece: Math) -> bool:
    return isinstance(piece, Sign) and piece.sign in ("+", "-", "·", "×", "⊙", "⊘", ",", "≤", ">")


def is_sum(piece: Math) -> bool:
    """Whether a piece falls apart beside a stroke: 1 + x and X ⊘ Y, but not k·x."""
    return isinstance(piece, Chain | Sum) or (
        isinstance(piece, Seq) and any(isinstance(p, Sign) and p.sign in ("+", "-", "⊙", "⊘") for p in piece.parts)
    )


def is_slashed(piece: Math) -> bool:
    """Whether a piece is written with a stroke, or a times, inside a line."""
    return isinstance(piece, Fraction) or (isinstance(piece, Number) and ("/" in piece.text or "*" in piece.text))


def stands_apart(before: Math | None, after: Math | None) -> bool:
    """Whether a/b needs no parentheses here: (a/b) x and (a/b)·x do."""
    follows = after is None or (isinstance(after, Sign) and after.sign not in ("·", "×", "⊙", "⊘"))
    return follows and (before is None or isinstance(before, Sign))


def needs_space(before: Math | None, part: Math) -> bool:
    """Whether words would run into their neighbours: Q softmax(S), LN₁ W."""
    if before is None or isinstance(before, Sign) or isinstance(part, Sign | Parens):
        return False
    return _is_word(before) or _is_word(part) or isinstance(part.base if isinstance(part, Script) else part, Call)


def _is_word(piece: Math) -> bool:
    match piece:
        case Letter(name, "italic") if name in GREEK:
            return False
        case Letter(name):
            return len(name) > 1
        case Script(base) | Accented(_, base):
            return _is_word(base)
        case _:
            return False
