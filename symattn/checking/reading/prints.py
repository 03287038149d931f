"""What a program prints: the words of a call of ``print``, and the formulas whose figures may follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from symattn.checking.reading.expressions import Parser
from symattn.checking.reading.lexer import lexemes
from symattn.checking.reading.pairs import paired
from symattn.checking.reading.tree import Combined, Expressed, Member, Statement, Talk, ToldPart, Unread
from symattn.checking.source import Stretch

_FILLED: Final = re.compile(r"\{([^{}:!=]+)(?:[!=:][^{}]*)?\}")
"""``{scores[0]:.4f}`` in an f-string."""

_QUOTES: Final = re.compile(r"""\A[rbfuRBFU]{0,2}["']+|["']+\Z""")


def out_of_print(told: Sequence[ToldPart], document: str) -> Iterator[ToldPart]:
    """What stands between the brackets of ``print("Scores:", S / 2)``, each by itself."""
    for one in told:
        match one:
            case Statement(sides=(Member(of=Combined(op="call:print", args=args)),)):
                for each in args:
                    if isinstance(each, Unread):
                        yield from _of_string(each, document)
                    else:
                        yield _alone(each)
            case _:
                yield one


def _alone(each: Expressed) -> Statement:
    return Statement((Member(None, each),), each.start, each.end, is_code=True)


def _of_string(string: Unread, document: str) -> Iterator[ToldPart]:
    """The words of a string, and what is filled in where it is an f-string."""
    inner = string.text.lstrip("rbfuRBFU")
    is_filled = "f" in string.text[: len(string.text) - len(inner)].lower()
    place = 0
    for found in _FILLED.finditer(string.text) if is_filled else ():
        yield from _words(string.text[place : found.start()], string)
        start = string.start + found.start(1)
        signs = lexemes(Stretch("code", found[1], range(start, start + len(found[1]) + 1)), 0, "code")
        formula = Parser(signs, paired(signs), document).whole()
        if formula is not None and not isinstance(formula, Unread):
            yield _alone(formula)
        place = found.end()
    yield from _words(string.text[place:], string)


def _words(text: str, string: Unread) -> Iterator[Talk]:
    if words := _QUOTES.sub("", text).replace("\\n", " ").strip():
        yield Talk(words, string.start, string.end)
