"""How figures are to be printed and carried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from symattn.errors import UnknownNameError, unknown
from symattn.values.rounding import Ties

FigureScope = Literal["matrix", "column", "entry"]
CarryMode = Literal["exact", "rounded"]
ShapeLine = Literal["short", "long"]
OnEmpty = Literal["error", "zero"]

_CHOICES = {"scope": FigureScope, "ties": Ties, "carry": CarryMode, "shape_line": ShapeLine}


@dataclass(frozen=True)
class FigureStyle:
    """How figures are printed and carried; see ``[figures]`` in the scenario format."""

    scope: FigureScope = "matrix"
    decimals: int = 6
    ties: Ties = "half_up"
    carry: CarryMode = "exact"
    shape_line: ShapeLine = "short"
    on_empty: OnEmpty = "error"
    """What a softmax of a row of nothing but −∞ is: refused, or weights of 0."""
    own: tuple[tuple[str, int], ...] = ()
    """Names with a number of decimals of their own."""

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            if (chosen := getattr(self, name)) not in get_args(known):
                raise UnknownNameError(unknown(name, chosen, get_args(known)))

    def places(self, name: str) -> int:
        """How many decimals ``name`` is printed with where no fewer are exact.

        >>> FigureStyle(decimals=6, own=(("A", 2),)).places("A")
        2
        """
        return dict(self.own).get(name, self.decimals)
