"""Rewrite a number as people write it as a formula: ``2√3`` as ``2*sqrt(3)``, with ``e^2`` as a separate atom.

>>> number_text("2√3"), number_text("e^(1/2)/3")
(('2*sqrt(3)', ()), ('x0/3', (Atom(function='exp', inside='(1 / 2)'),)))
>>> try:
...     number_text("1/2√3")
... except Trouble as trouble:
...     print(trouble)
brackets
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

_TOKEN = re.compile(r"\s*(\d+\.?\d*|\.\d+|[A-Za-z]+|[-+*/^()√])", re.ASCII)
_NUMBER = re.compile(r"[\d.]")
_NAMES = MappingProxyType({"ln": "log", "log": "log", "exp": "exp", "sqrt": "√", "e": "e"})


class Trouble(ValueError):
    """The reason why a cell cannot be read, in one word."""


@dataclass(frozen=True)
class Atom:
    """A function of a number that is read separately: ``exp`` or ``log``."""

    function: str
    inside: str


def number_text(text: str) -> tuple[str, tuple[Atom, ...]]:
    """Return ``text`` for the reader of exact numbers, in which ``x0``, ``x1``, … name atoms, and these atoms.

    A product without a sign after a division, and a logarithm without brackets before one, are ambiguous: they are
    rejected.
    """
    reader = _TokenReader(_tokens(text))
    line = reader.all()
    return line, tuple(reader.atoms)


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            raise Trouble("number")
        place = match.end()
        token = match[1]
        if token[0].isalpha():
            found.append(_function(token))
        else:
            found.append(token)
    if any(_may_be_a_power_of_ten(found[place : place + 4]) for place in range(len(found))):
        raise Trouble("brackets")
    return found


def _may_be_a_power_of_ten(tokens: list[str]) -> bool:
    """Return whether tokens are like ``2``, ``e``, ``-``, ``1``: a fifth, or one less than 2e."""
    match tokens:
        case [mantissa, "e", "+" | "-", exponent]:
            return bool(_NUMBER.match(mantissa) and _NUMBER.match(exponent))
    return False


def _function(word: str) -> str:
    if word.lower() not in _NAMES:
        raise Trouble("number")
    return _NAMES[word.lower()]


class _TokenReader:
    """Read tokens from left to right."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0
        self.atoms: list[Atom] = []

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    @property
    def follows_e(self) -> bool:
        """Whether the next token is a number right after e, as in ``2e3/4``: a power of ten, or of e?"""
        return bool(self.place and self.tokens[self.place - 1] == "e" and _NUMBER.match(self.next))

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def all(self) -> str:
        line: list[str] = []
        sign, divided, beside = "", False, False
        while self.next:
            if self.next in ("+", "-", "*", "/", "^", ")"):
                if beside:
                    sign, divided = self.sign(divided)
                elif self.next not in ("+", "-"):
                    raise Trouble("number")
                line.append(self.take())
                beside = False
                continue
            if beside:
                if divided or (sign == "^" and line[-1] != ")"):
                    raise Trouble("brackets")
                sign = "*"
                line.append(sign)
            if self.follows_e:
                raise Trouble("brackets")
            if self.next == "(":
                line += ["(", self.inside(), ")"]
            else:
                line.append(self.operand())
            beside = True
        return "".join(line)

    def sign(self, divided: bool) -> tuple[str, bool]:
        """Return the sign between two numbers, and whether the next one still belongs to a divisor.

        A quotient that is divided once more needs brackets.
        """
        if self.next == "/" and divided:
            raise Trouble("brackets")
        return self.next, self.next == "/" or (divided and self.next == "^")

    def operand(self) -> str:
        """Read a number, a root, a power of e or a logarithm."""
        token = self.take()
        if _NUMBER.match(token):
            return token
        if token == "√":
            return f"sqrt({self.argument()})"
        if token == "e":
            return self.atom("exp", self.exponent())
        if token == "exp":
            if self.next != "(":
                raise Trouble("brackets")
            return self.atom("exp", self.raw())
        bare = self.next != "("
        inner = self.raw()
        if bare and ("^" in inner or self.next not in ("", "+", "-", ")")):
            raise Trouble("brackets")
        return self.atom("log", inner)

    def atom(self, function: str, inner: str) -> str:
        self.atoms.append(Atom(function, inner))
        return f"x{len(self.atoms) - 1}"

    def inside(self) -> str:
        """Read the contents of the brackets that open here."""
        other = _TokenReader(self.group())
        other.atoms = self.atoms
        return other.all()

    def argument(self) -> str:
        """Read the argument of a root: a number, brackets, or another root."""
        if self.next == "(":
            return self.inside()
        if self.next == "√" or self.next == "e" or _NUMBER.match(self.next):
            return self.operand()
        raise Trouble("number")

    def exponent(self) -> str:
        """Read the exponent of e; it is 1 if there is none."""
        if self.next != "^":
            return "1"
        self.take()
        sign = self.take() if self.next in ("-", "+") else ""
        bare = self.next != "("
        power = sign + self.raw()
        if self.next == "^" or (bare and ("^" in power or self.next not in ("", "+", "-", "*", "/", ")"))):
            raise Trouble("brackets")
        return power

    def raw(self) -> str:
        """Return brackets, a number or a root as text."""
        if self.next == "(":
            return f"({' '.join(self.group())})"
        if _NUMBER.match(self.next):
            return self.take()
        if self.next in ("√", "e"):
            start = self.place
            before = len(self.atoms)
            self.operand()
            del self.atoms[before:]
            return " ".join(self.tokens[start : self.place])
        raise Trouble("number")

    def group(self) -> list[str]:
        """Return the tokens between the bracket that opens here and its partner."""
        start, depth = self.place + 1, 0
        while self.next:
            token = self.take()
            depth += (token == "(") - (token == ")")
            if not depth:
                return self.tokens[start : self.place - 1]
        raise Trouble("number")
