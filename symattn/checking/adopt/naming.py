r"""What names of a document are called in a scenario: ``W^Q`` is W_Q, ``\hat{X}`` X_hat, ``α`` alpha."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import chain, count

from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Expressed, NameRead
from symattn.read.formula import is_name

LONGEST_NAME = 36
"""Characters of a name, which leaves room for a number behind it."""

_ACCENTS = ("hat", "tilde", "bar")
_LETTER = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?([A-Z]+)\Z")
_SIGNS = {"+": "plus", "*": "star", "†": "dagger", "∗": "star", "-": "minus", "′": "prime"}


def name_key(name: NameRead) -> str:
    r"""What two mentions of one name have in common: letter, marks, and what stands below and above.

    A word above is a word below, as ``W^Q`` and ``W_Q`` are, where nothing else stands there.
    """
    below, above = _scripts(name)
    parts = [name.base, *(f"|{mark}" for mark in name.marks)]
    parts += [f"_{','.join(map(shown, below))}"] if below else []
    parts += [f"^{','.join(map(shown, above))}"] if above else []
    return "".join(parts)


def plain_name(name: NameRead) -> str:
    """A name that a scenario may have: letters of ASCII, digits and underscores; two names may have the same."""
    below, above = _scripts(name)
    marks = ["prime" if mark == "'" else mark for mark in name.marks if mark != "vec"]
    return legal_name("_".join([name.base, *marks, *map(shown, [*below, *above])]))


def square_key(name: NameRead) -> str:
    """The key of what is called by a square, as the variance σ² is."""
    return f"{name_key(name)}|sq"


def legal_name(text: str) -> str:
    """The name that is nearest to a text.

    >>> legal_name("Attention Weights"), legal_name("λ"), legal_name("2x"), legal_name("分數"), legal_name("head_1")
    ('Attention_Weights', 'lambda', 'M_2x', 'M', 'head_1')
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", "".join(map(_ascii, text[: 4 * LONGEST_NAME]))).strip("_")
    plain = plain[:LONGEST_NAME].rstrip("_")
    if not plain[:1].isalpha():
        plain = f"M_{plain}" if plain else "M"
    return plain if is_name(plain) else f"{plain}_"


def another_name(name: str, used: Container[str]) -> str:
    """The name, or with the first number behind it that makes it new."""
    numbered = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(each for each in numbered if each not in used)


def notation_of(name: NameRead) -> str:
    """How the page is to write a name, where it does not do so by rule; else nothing."""
    accents = [mark for mark in name.marks if mark in _ACCENTS]
    if not accents or len(name.marks) > 1:
        return ""
    return f"{accents[0]}({plain_name(replace(name, marks=()))})"


def _scripts(name: NameRead) -> tuple[Sequence[Expressed], Sequence[Expressed]]:
    """What stands below and above; a word alone above stands below."""
    if not name.below and len(name.above) == 1 and isinstance(name.above[0], NameRead):
        return name.above, ()
    return name.below, name.above


def _ascii(character: str) -> str:
    """A character in letters of ASCII; nothing where it has none."""
    if character.isascii():
        return f"_{_SIGNS[character]}_" if character in _SIGNS else character
    if found := _LETTER.match(unicodedata.name(unicodedata.normalize("NFKC", character)[:1], "")):
        letter = "lambda" if found[2] == "LAMDA" else found[2].lower()
        return letter.capitalize() if found[1] == "CAPITAL" else letter
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return plain or _SIGNS.get(character, "_")
