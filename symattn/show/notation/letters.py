"""The letters of one page: the meaning of each, and those that are free for indices and intermediate numbers.

Everything with a name keeps its letter: matrices with their entries, sizes, symbols, and constants such as e. Every
other letter is assigned here, so that none means two things. A bound index may return in another sum, where it is a
bound index again.
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
"""The usual letters for each purpose, in order of preference."""

_OF_EVERY_RULE = ("time", "weight", "gradient", "rate", "decay")
TRAINING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sgd": _OF_EVERY_RULE,
        "momentum": (*_OF_EVERY_RULE, "momentum"),
        **dict.fromkeys(("adam", "adamw"), (*_OF_EVERY_RULE, "decays", "epsilon")),
    }
)
"""The purposes of the letters in each training rule."""

CONSTANTS = frozenset(letter.name for letter in (EULER, PI, UNIT, KRONECKER))
"""Letters with the same meaning on every page, unless a name uses them."""

OTHERS = (
    *"uvwszyxabcghfdt",
    *"kappa lambda nu rho tau xi zeta eta chi psi omega iota mu sigma theta gamma beta alpha".split(),
    *"pqmnrlkji",
)
"""The letters to use if none of the usual ones is free, those of indices last; after them k1, k2, …"""


@dataclass(frozen=True)
class Uses:
    """The uses of letters on a page, besides the names of its matrices."""

    numbers: frozenset[str] = frozenset()
    """The names of sizes and of operations."""
    symbols: frozenset[str] = frozenset()
    """Letters that mean any real number."""
    words: tuple[str, ...] = ()
    """Names of intermediate numbers in the page's operations: mu, MS."""
    purposes: tuple[str, ...] = ()
    """Other purposes that need a letter, such as ``pair`` and ``shift``, each as often as it needs one."""
    powers: bool = False
    """Whether there are powers of e."""


@dataclass(frozen=True)
class PageLetters:
    """The letters of one page."""

    meant: frozenset[str] = frozenset()
    """Letters that already have a meaning."""
    constants: frozenset[str] = frozenset()
    """Letters that mean a number on every page."""
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
        is_free = re.split(r"_|\d", word)[0] not in given  # beside e^x, \bar e would be confusing
        first = ([word] if is_free else []) + (["Psi", "Omega"] if word in CAPITAL_GREEK else [])
        return self._free(others, "helper", *first)

    def _free(self, taken: Iterable[str], purpose: str, *first: str) -> str:
        """Return the first free letter for a purpose."""
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
        """Return the name of an intermediate number that its equation calls ``word``: that word, unless it is taken."""
        return self._handed_out.get(("helper", word)) or self._for_word(word, self._handed_out.values())

    def letter(self, purpose: str, place: int = 0) -> Letter:
        """Return the letter for a purpose, or for its second, third, … instance."""
        if (found := self._handed_out.get((purpose, place))) is None:
            before = (self.letter(purpose, earlier).name for earlier in range(place))
            found = self.bound(*before, purpose=purpose)
        return Letter(found)

    def bound(self, *inside: str, purpose: str = "bound") -> str:
        """Return a letter for a bound index in sums over the letters ``inside``, or for another purpose beside them.

        >>> PageLetters(frozenset("kx")).bound(), PageLetters(frozenset("kx")).bound("l")
        ('l', 'r')
        """
        taken = (letter for (other, _), letter in self._handed_out.items() if other != purpose)
        return self._free((*taken, *inside), purpose)

    def told_apart(self, page: Piece) -> Piece:
        """Return a page, or a part of one, with its constants told apart from names: exp(x) or bold beside a matrix e.

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
