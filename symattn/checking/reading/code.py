"""Which pieces of a document are programs."""

from __future__ import annotations

import re
from typing import Final

from symattn.checking.source import Stretch

_SPOKEN: Final = frozenset("python py python3 ipython ipython3 pycon julia jl matlab octave r numpy pytorch".split())
_PRINTED: Final = frozenset(
    ["", *"text txt plaintext plain output console none log ascii out math pseudo pseudocode markdown md".split()]
)
_SIGNS_OF_PROGRAMS: Final = re.compile(
    r"^\s*(?:import\s+\w|from\s+[\w.]+\s+import|def\s+\w+\s*\(|class\s+\w+|print\s*\(|>>> )"
    r"|\b(?:np|torch|F|nn|jnp|tf)\.(?!Size|float|int|bool|str_)\w+\(",
    re.M,
)


def is_program(piece: Stretch) -> bool:
    """Whether a piece is a program of several lines, or a line of a language whose formulas are read."""
    language = piece.language.lower()
    if piece.kind == "code":
        return language in _SPOKEN or (language in _PRINTED and bool(_SIGNS_OF_PROGRAMS.search(piece.text)))
    return piece.kind == "output" and bool(_SIGNS_OF_PROGRAMS.search(piece.text))


def is_naked_program(piece: Stretch) -> bool:
    """Whether a paragraph is a program that nobody fenced.

    >>> is_naked_program(Stretch("prose", "x = torch.softmax(s, dim=-1)", range(29)))
    True
    """
    return piece.kind == "prose" and not piece.table and bool(_NAKED.search(piece.text))


_NAKED: Final = re.compile(
    r"^\s*(?:import\s+\w+\s*(?:$|as\b)|from\s+[\w.]+\s+import\b"
    r"|\w+(?:, *\w+)* = [^\n]*\b(?:np|torch|F|nn|jnp|math|numpy)\.\w+\(|\w+ = \w+ @ [\w.]+\s*$"
    r"|print\([\w.]+\)\s*$)",
    re.M,
)


def is_other(piece: Stretch) -> bool:
    """Whether a piece is in a language without formulas: a shell, a diagram, a page."""
    language = piece.language.lower()
    return piece.kind == "code" and language not in _SPOKEN and language not in _PRINTED


def without_signs(comment: str) -> str:
    """A comment with a blank for each sign that makes it one."""
    return _SIGN_OF_COMMENT.sub(lambda found: found[0][:-1] + " ", comment)


_SIGN_OF_COMMENT: Final = re.compile(r"^\s*#", re.M)
