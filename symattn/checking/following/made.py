"""What something is for, seen from how it was made."""

from __future__ import annotations

from types import MappingProxyType

from symattn.checking.following.verdicts import Ought
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import Combined, FigureRead

_MADE = MappingProxyType(
    {
        "over_root": "scaled",
        "over": "scaled",
        "quotient": "scaled",
        "over_root_of": "scaled",
        "softmax": "weights",
        "product_t": "scores",
        "causal": "masked",
    }
)


def made_by(truth: Ought) -> tuple[str, ...]:
    """What something is for, seen from the last thing that was done."""
    if truth.roles:
        return truth.roles
    if truth.does in _MADE:
        return (_MADE[truth.does],)
    match truth.formula:
        case Combined("/", (above, below)) if any(
            isinstance(x, Combined) and x.op in ("root", "call:sqrt") for x in walk(below)
        ):
            return ("scaled",) if not isinstance(above, FigureRead) else ()
        case Combined("/", (Combined("*" | "@", (_, Combined("T"))), _)):
            return ("scaled",)
        case Combined("call:softmax"):
            return ("weights",)
        case Combined("*" | "@", (_, Combined("T"))):
            return ("scores",)
    return ()
