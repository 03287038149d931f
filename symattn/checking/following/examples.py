"""Pages that speak of a well-known example and print none of its vectors: figures in their sentences are held against
the vectors that this package has.

A page is taken to speak of an example only if it names two of its words that are no everyday ones, prints no list of
figures, and two of its figures are entries of the products of that example. Then "the dot product of journey and
starts"
is a claim.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from symattn.checking.following import rows as on
from symattn.checking.following.hints import hints
from symattn.checking.following.judging import prints, written_like
from symattn.checking.following.ledger import Entered, Ledger
from symattn.checking.following.rows import BallMatrix
from symattn.checking.following.scope import digits
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import FigureRead, GridRead, Reading, Statement, Stop, Talk
from symattn.read.scenario.load import builtin_names, file_text, path_of

SCORES, SHARES, WEIGHTS = "X X^T", "X X^T divided by the sums of its rows", "softmax(X X^T)"

TELLING = 3
"""Digits that a figure has at least to tell where it comes from."""

RARE = 5
"""Letters of a word that is no everyday one, in scripts with letters."""

ENOUGH = 2
"""How many words, and how many figures, a page has of an example."""

CLOSE = Fraction(1, 10)
"""How far a figure is at most from what it is said to be, as a share of it, if it is not another entry of that row."""

_QUOTED = re.compile(r"[「『“\"«‘`]([^\W\d_]{1,20})[」』”\"»’`]")


@dataclass(frozen=True)
class KnownExample:
    """The words of an example, and what is made of their vectors."""

    tokens: tuple[str, ...]
    tables: tuple[tuple[str, BallMatrix], ...]

    @property
    def sentence(self) -> str:
        return " ".join(self.tokens)

    def table(self, name: str) -> BallMatrix:
        return dict(self.tables)[name]

    def entries(self, figure: FigureRead, *names: str) -> list[tuple[str, int, int]]:
        """Where a figure stands in some of its tables; of a symmetric one above the diagonal."""
        return [
            (name, i, j)
            for name, rows in self.tables
            if name in names
            for i, row in enumerate(rows)
            for j, x in enumerate(row)
            if prints(figure, x, figure.unit) and (name != SCORES or i <= j)
        ]


@dataclass
class _Sentence:
    """Words and figures in the order they stand."""

    parts: list[str | FigureRead] = field(default_factory=list)

    @property
    def figures(self) -> list[FigureRead]:
        return [each for each in self.parts if isinstance(each, FigureRead)]

    @property
    def text(self) -> str:
        return " ".join(each if isinstance(each, str) else each.text for each in self.parts)

    def before(self, figure: FigureRead) -> str:
        """What is said between the last figure and this one."""
        place = self.parts.index(figure)
        last = next((at for at in range(place - 1, -1, -1) if isinstance(self.parts[at], FigureRead)), -1)
        return " ".join(each for each in self.parts[last + 1 : place] if isinstance(each, str))

    def behind(self, figure: FigureRead) -> str:
        """What is said behind the last figure."""
        place = self.parts.index(figure)
        rest = self.parts[place + 1 :]
        return "" if any(isinstance(each, FigureRead) for each in rest) else " ".join(map(str, rest))


def hold_against_examples(reading: Reading, ledger: Ledger) -> None:
    """Hold the figures of sentences against the known example that they speak of, if they do."""
    sentences = list(_sentences(reading))
    text = " ".join(each.text for each in sentences)
    named = frozenset(word.lower() for word in _QUOTED.findall(text))
    if len(named) < ENOUGH or not any(each.figures for each in sentences) or _has_vectors(reading):
        return
    for example in known_examples():
        words = {each.lower() for each in example.tokens if _is_rare(each)} & named
        figures = [each for one in sentences for each in one.figures]
        found = {each.value for each in figures if example.entries(each, SCORES, SHARES, WEIGHTS)}
        if len(words) >= ENOUGH and len(found) >= ENOUGH:
            for one in sentences:
                _hold(one, example, ledger)
            return


def _hold(one: _Sentence, example: KnownExample, ledger: Ledger) -> None:
    tokens = [each.lower() for each in example.tokens]
    spoken = list(dict.fromkeys(word.lower() for word in _QUOTED.findall(one.text) if word.lower() in tokens))
    if len(spoken) == 2:
        first, second = sorted(map(tokens.index, spoken))
        _dots(one, example, first, second, ledger)
    for before, figure in zip(one.figures, one.figures[1:], strict=False):
        at = example.entries(before, SHARES, SCORES)
        if len(at) == 1 and "softmax" in hints(f"{one.before(figure)} {one.behind(figure)}").does:
            name, i, j = at[0]
            _enter(before, example, (name, i, j), (name, i, j), ledger)
            _enter(figure, example, (WEIGHTS, i, j), None, ledger)


def _dots(one: _Sentence, example: KnownExample, first: int, second: int, ledger: Ledger) -> None:
    """The dot product of two words: the figure behind these words, unless another one of the sentence is it."""
    meant = SCORES, first, second
    right = next((each for each in one.figures if meant in example.entries(each, SCORES)), None)
    said = right or next((each for each in one.figures if "dot" in hints(one.before(each)).does), None)
    if said is None:
        return
    value = example.table(SCORES)[first][second]
    own = [(SCORES, at, at) for at in (first, second)]
    other = next((each for each in example.entries(said, SCORES) if each in own), None)
    is_close = said.value is not None and bool(abs(on.ball(said.value) - value) < on.ball(CLOSE) * abs(value))
    if right is None and other is None and not is_close:
        return
    _enter(said, example, meant, other, ledger)
    for figure in one.figures:
        for entry in example.entries(figure, SCORES) if figure is not said else ():
            if {first, second} & set(entry[1:]):
                _enter(figure, example, entry, entry, ledger)
                break


def _enter(
    figure: FigureRead,
    example: KnownExample,
    meant: tuple[str, int, int],
    is_there: tuple[str, int, int] | None,
    ledger: Ledger,
) -> None:
    """Hold a figure against an entry; ``is_there`` is where it stands instead."""
    name, i, j = meant
    value = example.table(name)[i][j]
    ledger.reopen((figure,))
    of = f"{example.tokens[i]}, {example.tokens[j]}"
    if prints(figure, value, figure.unit):
        ledger.enter(Entered(figure, "right", of=of, expected=figure.text, worked=name))
        return
    expected = written_like(figure, value)
    instead = (
        f"; {figure.text} is that of {example.tokens[is_there[1]]} and {example.tokens[is_there[2]]}"
        if is_there is not None and is_there != meant
        else ""
    )
    because = (
        f"with the vectors of the known example “{example.sentence}”, which are not printed here, {name} of "
        f"{example.tokens[i]} and {example.tokens[j]} is {expected}{instead}"
    )
    ledger.enter(Entered(figure, "wrong", "wrong", expected, because, ledger.new_cause(), of, name))


def _sentences(reading: Reading) -> Iterator[_Sentence]:
    one = _Sentence()
    for told in reading.told:
        match told:
            case Talk():
                one.parts.append(told.text)
            case Statement(sides=(side,)) if isinstance(side.of, FigureRead):
                if side.of.unit < 1 and len(digits(side.of)) >= TELLING and not side.of.text.endswith("%"):
                    one.parts.append(side.of)
            case Stop():
                if one.parts:
                    yield one
                one = _Sentence()
    if one.parts:
        yield one


def _has_vectors(reading: Reading) -> bool:
    """Whether a page prints lists of figures itself."""
    return any(
        isinstance(each, GridRead) and sum(isinstance(cell, FigureRead) for row in each.rows for cell in row) > 1
        for told in reading.told
        if isinstance(told, Statement)
        for side in told.sides
        for each in walk(side.of)
    )


def _is_rare(token: str) -> bool:
    return len(token) >= RARE or not token.isascii()


@cache
def known_examples() -> tuple[KnownExample, ...]:
    """The examples of this package that have words, and vectors of rational numbers.

    >>> [example.tokens[1] for example in known_examples() if "journey" in example.tokens]
    ['journey']
    """
    found: list[KnownExample] = []
    for name in builtin_names():
        data = tomllib.loads(file_text(path_of(name)))
        rows = data.get("given", {}).get("X", {})
        rows = rows.get("value", ()) if isinstance(rows, dict) else rows
        tokens = data.get("tokens", ())
        if tokens and len(tokens) == len(rows) and all(isinstance(each, str) for each in tokens):
            found += _example(tuple(tokens), rows)
    return tuple(found)


def _example(tokens: tuple[str, ...], rows: Sequence[Sequence[str | int]]) -> Iterator[KnownExample]:
    try:
        given = [[on.ball(Fraction(each)) for each in row] for row in rows]
    except ValueError:
        return
    scores = on.product(given, on.transposed(given))
    tables = (
        (SCORES, scores),
        (SHARES, on.called("proportions", scores)),
        (WEIGHTS, on.called("softmax", scores)),
    )
    yield KnownExample(tokens, tables)
