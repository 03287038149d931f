"""Formulas in LaTeX that stand in a text without signs around them, as pages leave them that are copied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from symattn.checking.sources.traced import Traced

_RUN = re.compile(r"[^\n\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_KEPT = re.compile(r"\\(?:begin|end)\{[A-Za-z*]+\}|\\[A-Za-z]+|\\.")
_PLAIN = re.compile(r"[^0-9A-Za-z]")
_WORDS = re.compile(r"(?<![\\A-Za-z{])[a-z]{2,} [a-z]{2,} [a-z]{2,}(?![A-Za-z}])", re.IGNORECASE)


def formulas_in(traced: Traced, leave: Callable[[Traced, str], None]) -> Iterator[tuple[bool, Traced]]:
    r"""The parts of a text in order, and whether each is a formula.

    A page that is copied often has each formula twice, once as its letters and right after that in LaTeX; the letters
    are left out.

    >>> text = Traced.of(r"有 x1=[1,3]\mathbf{x_1} = [1, 3]，于是")
    >>> [(is_formula, part.text) for is_formula, part in formulas_in(text, lambda traced, why: None)]
    [(False, '有 '), (True, '\\mathbf{x_1} = [1, 3]'), (False, '，于是')]
    """
    if not _COMMAND.search(traced.text):
        yield False, traced
        return
    done = 0
    for run in _RUN.finditer(traced.text):
        found = _COMMAND.search(run[0])
        if found is None or _WORDS.search(run[0]):
            continue
        start = run.start() + len(run[0]) - len(run[0].lstrip())
        begin = start + _said_before(traced.text[start : run.end()], found.start() - (start - run.start()))
        if done < start:
            yield False, traced[done:start]
        leave(traced[start:begin], "the letters of a formula that follows in LaTeX")
        yield True, traced[begin : run.end()]
        done = run.end()
    if done < len(traced):
        yield False, traced[done:]


def _said_before(run: str, first: int) -> int:
    """How many characters say what the rest says in LaTeX; ``first`` is where its first command stands."""
    letters = _PLAIN.sub("", run[:first])
    rest = _PLAIN.sub("", _KEPT.sub("", run[first:]))
    size = (len(letters) + len(rest)) // 2
    if (
        not size
        or (len(letters) + len(rest)) % 2
        or (letters + rest)[:size] != (letters + rest)[size:]
        or size > len(letters)
    ):
        return 0
    place = 0
    for _ in range(size):
        while not (run[place].isascii() and run[place].isalnum()):
            place += 1
        place += 1
    while place < first and not (run[place].isascii() and run[place].isalnum()) and run[place] not in "\\-":
        place += 1
    return place
