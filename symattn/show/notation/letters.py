"""The letters of one page: what each of them means, and which are left for indices and for numbers on the way.

What somebody has named keeps its letter: matrices with their entries, sizes, symbols, and constants such as e. Every
other letter of the page is handed out here, so that none means two things. A bound index may come back in another sum,
for there it is a bound index again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count
from types import MappingProxyType

from symattn.base.remembered import cached_property
from symattn.operations.entry import fresh_letter
from symattn.show.math import (
    CAPITAL_GREEK,
    EULER,
    KRONECKER,
    PI,
    UNIT,
    Accented,
    Call,
    Letter,
    Number,
    Parens,
    Piece,
    Script,
    changed,
)

USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "row": ("i", "p", "a", "g"),
        "column": ("j", "q", "b", "h"),
        "bound": (*"klrtuvcfswzyxpqnmabghd", "kappa", "lambda", "nu", "rho", "tau"),
        "pair": ("t", "r", "u", "v", "c", "f"),
        "argument": ("x", "y", "z", "u", "w", "s", "r"),
        "shift": ("m", "c", "h", "z", "b"),
        "helper": ("z", "u", "v", "w", "s", "r", "p", "q", "a", "b", "c", "g", "h"),
        "label": ("w", "v"),
        "token": ("t", "x"),
        "condition": ("c", "u", "s"),
        "time": ("t", "s", "tau"),
        "weight": ("theta", "omega", "psi"),
        "gradient": ("g", "h", "d"),
        "rate": ("eta", "alpha", "xi"),
        "momentum": ("mu", "rho", "chi"),
        "decays": ("beta", "rho", "gamma"),
        "epsilon": ("epsilon", "zeta", "iota"),
        "decay": ("lambda", "kappa", "nu"),
        "wave": ("theta", "phi", "omega", "psi", "xi", "eta", "zeta", "chi", "kappa", "rho", "tau", "nu"),
        "angle": ("alpha", "beta", "gamma", "delta"),
        "anything": (*"abcuvwxyz", "rho", "sigma", "tau"),
    }
)
"""What letters for each purpose are usually taken from, in this order."""

_OF_EVERY_RULE = ("time", "weight", "gradient", "rate", "decay")
TRAINING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sgd": _OF_EVERY_RULE,
        "momentum": (*_OF_EVERY_RULE, "momentum"),
        **dict.fromkeys(("adam", "adamw"), (*_OF_EVERY_RULE, "decays", "epsilon")),
    }
)
"""What each rule of training needs letters for."""

CONSTANTS = frozenset(letter.name for letter in (EULER, PI, UNIT, KRONECKER))
"""What means the same on every page, unless somebody has called something else so."""

OTHERS = (
    *"uvwszyxabcghfdt",
    *"kappa lambda nu rho tau xi zeta eta chi psi omega iota mu sigma theta gamma beta alpha".split(),
    *"pqmnrlkji",
)
"""What is taken where none of the usual ones is free, the letters of indices last; after them k1, k2, …"""


@dataclass(frozen=True)
class Uses:
    """What letters of a page are needed for, beside the names of its matrices."""

    numbers: frozenset[str] = frozenset()
    """The names of sizes and of operations."""
    symbols: frozenset[str] = frozenset()
    """Letters that stand for any real number."""
    words: tuple[str, ...] = ()
    """What operations of the page call numbers on the way: mu, MS."""
    purposes: tuple[str, ...] = ()
    """For what else the page needs a letter, as ``pair`` and ``shift``, each as often as it needs one."""
    powers: bool = False
    """Whether there are powers of e."""


@dataclass(frozen=True)
class PageLetters:
    """The letters of one page."""

    meant: frozenset[str] = frozenset()
    """Those that somebody has given a meaning."""
    constants: frozenset[str] = frozenset()
    """Those that mean a number on every page."""
    words: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()

    @cached_property
    def _handed_out(self) -> Mapping[tuple[str, object], str]:
        """The letter of every row, column, word and purpose."""
        found: dict[tuple[str, object], str] = {}
        for purpose in ("row", "column"):
            found[purpose, 0] = self._free(found.values(), purpose)
        for word in self.words:
            found["helper", word] = self._for_word(word, found.values())
        for place, purpose in enumerate(self.purposes):
            number = self.purposes[:place].count(purpose)
            found[purpose, number] = self._free(found.values(), purpose)
        return MappingProxyType(found)

    def _for_word(self, word: str, taken: Iterable[str]) -> str:
        given = (*self.meant, *self.constants)
        others = {form for each in (*given, *taken) for form in (each, each.lower(), each.upper())}
        is_free = re.split(r"_|\d", word)[0] not in given  # beside e^x nothing is called \bar e
        first = ([word] if is_free else []) + (["Psi", "Omega"] if word in CAPITAL_GREEK else [])
        return self._free(others, "helper", *first)

    def _free(self, taken: Iterable[str], purpose: str, *first: str) -> str:
        """The first letter for a purpose that means nothing."""
        usual = chain(first, USUAL[purpose], OTHERS, (f"k{i}" for i in count(1)))
        return fresh_letter(self.meant.union(self.constants, taken), usual)

    @property
    def row(self) -> Letter:
        """The index of a row."""
        return Letter(self._handed_out["row", 0])

    @property
    def column(self) -> Letter:
        """The index of a column."""
        return Letter(self._handed_out["column", 0])

    def helper(self, word: str) -> str:
        """What a number on the way is called whose equation calls it ``word``: by that, unless it means something."""
        return self._handed_out.get(("helper", word)) or self._for_word(word, self._handed_out.values())

    def letter(self, purpose: str, place: int = 0) -> Letter:
        """The letter for a purpose, or for its second, third, … instance."""
        if (found := self._handed_out.get((purpose, place))) is None:
            before = (self.letter(purpose, earlier).name for earlier in range(place))
            found = self.bound(*before, purpose=purpose)
        return Letter(found)

    def bound(self, *inside: str, purpose: str = "bound") -> str:
        """A letter for a bound index in sums over the letters ``inside``, or for another purpose beside them.

        >>> PageLetters(frozenset("kx")).bound(), PageLetters(frozenset("kx")).bound("l")
        ('l', 'r')
        """
        taken = (letter for (other, _), letter in self._handed_out.items() if other != purpose)
        return self._free((*taken, *inside), purpose)

    def told_apart(self, page: Piece) -> Piece:
        """A page, or a part of one, whose constants are not taken for names: exp(x) beside a matrix e, and in bold.

        A name T in an exponent by itself has parentheses: without them it transposes.

        >>> PageLetters(frozenset("e")).told_apart(Script(EULER, sup=Letter("x")))
        Call(function='exp', arguments=(Letter(name='x', style='italic'),), brackets='round', sub=None)
        >>> PageLetters(frozenset("T")).told_apart(Script(EULER, sup=Letter("T"))).sup
        Parens(inner=Letter(name='T', style='italic'))
        """

        def change(piece: object) -> object:
            match piece:
                case Script(Letter("e", _, True), None, exponent) if "e" in self.meant and exponent is not None:
                    return Call("exp", (exponent,))
                case Letter("e", _, True) if "e" in self.meant:
                    return Call("exp", (Number("1"),))
                case Letter(name, _, True) if name in self.meant:
                    return Accented("bold", Letter(name))
                case Script(base, below, Letter("T") as exponent):
                    return Script(base, below, Parens(exponent))
            return piece

        return changed(page, change) if self.meant & {*CONSTANTS, "T"} else page
