"""Pages that speak of a well-known example and print none of its vectors: figures in their sentences are held against
the vectors that this package has.

A page is taken to speak of an example only if it names two of its words that are no everyday ones, prints no list of
figures, and two of its figures are entries of the products of that example. Then "the dot product of journey and
starts" is a claim, and so is a figure "after softmax" behind one of its entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TypeAlias

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

TELLING, RARE, ENOUGH = 3, 5, 2
"""Digits that a figure has at least to tell where it comes from; letters of a word that is no everyday one, in scripts
with letters; how many words, and how many figures, a page has of an example."""

CLOSE = Fraction(1, 10)
"""How far a figure is at most from what it is said to be, as a share of it, if it is not another entry of that row."""

_QUOTED = re.compile(r"[「『“\"«‘`]([^\W\d_]{1,20})[」』”\"»’`]")

ExampleSentence: TypeAlias = list[str | FigureRead]
"""Words and figures in the order they stand."""

EntryOf: TypeAlias = tuple[str, int, int]
"""An entry of a table."""


@dataclass(frozen=True, eq=False)
class KnownExample:
    """The words of an example, and what is made of their vectors."""

    tokens: tuple[str, ...]
    tables: dict[str, BallMatrix]

    def entries(self, figure: FigureRead, *names: str) -> list[EntryOf]:
        """Where a figure stands in some of its tables; of a symmetric one above the diagonal."""
        return [
            (name, i, j)
            for name in names
            for i, row in enumerate(self.tables[name])
            for j, x in enumerate(row)
            if prints(figure, x, figure.unit) and (name != SCORES or i <= j)
        ]

    def hold(self, one: ExampleSentence, ledger: Ledger) -> None:
        """Hold the figures of a sentence against what it says that they are."""
        tokens = [each.lower() for each in self.tokens]
        spoken = {word.lower() for word in _QUOTED.findall(_text(one))} & set(tokens)
        if len(spoken) == 2:
            first, second = sorted(map(tokens.index, spoken))
            self.hold_products(one, (SCORES, first, second), ledger)
        figures = [each for each in one if isinstance(each, FigureRead)]
        for before, figure in pairwise(figures):
            at, rest = self.entries(before, SHARES, SCORES), one[one.index(figure) + 1 :]
            behind = "" if any(isinstance(each, FigureRead) for each in rest) else _text(rest)
            if len(at) == 1 and "softmax" in hints(f"{_before(one, figure)} {behind}").does:
                self.enter(before, at[0], at[0], ledger)
                self.enter(figure, (WEIGHTS, *at[0][1:]), None, ledger)

    def hold_products(self, one: ExampleSentence, meant: EntryOf, ledger: Ledger) -> None:
        """Hold the figure behind two words against their product, unless another one of the sentence is it."""
        figures = [each for each in one if isinstance(each, FigureRead)]
        right = [each for each in figures if meant in self.entries(each, SCORES)]
        said = next(iter(right or [each for each in figures if "dot" in hints(_before(one, each)).does]), None)
        if said is None:
            return
        value = self.tables[SCORES][meant[1]][meant[2]]
        own = (each for each in self.entries(said, SCORES) if each[1] == each[2] in meant[1:])
        other = next(own, None)
        is_close = said.value is not None and bool(abs(on.ball(said.value) - value) < on.ball(CLOSE) * abs(value))
        if right or other is not None or is_close:
            self.enter(said, meant, other, ledger)
            for figure in figures:
                entries = self.entries(figure, SCORES) if figure is not said else []
                for entry in [each for each in entries if {*meant[1:]} & {*each[1:]}][:1]:
                    self.enter(figure, entry, entry, ledger)

    def enter(self, figure: FigureRead, meant: EntryOf, instead: EntryOf | None, ledger: Ledger) -> None:
        """Hold a figure against an entry; ``instead`` is where it stands."""
        name, i, j = meant
        value, words = self.tables[name][i][j], (self.tokens[i], self.tokens[j])
        ledger.reopen((figure,))
        if prints(figure, value, figure.unit):
            ledger.enter(Entered(figure, "right", of=", ".join(words), expected=figure.text, worked=name))
            return
        expected = written_like(figure, value)
        because = (
            f"with the vectors of the known example “{' '.join(self.tokens)}”, which are not printed here, {name} of "
            f"{words[0]} and {words[1]} is {expected}"
        )
        if instead is not None and instead != meant:
            because += f"; {figure.text} is that of {self.tokens[instead[1]]} and {self.tokens[instead[2]]}"
        cause = ledger.new_cause()
        ledger.enter(Entered(figure, "wrong", "wrong", expected, because, cause, ", ".join(words), name))


def hold_against_examples(reading: Reading, ledger: Ledger) -> None:
    """Hold the figures of sentences against the known example that they speak of, if they do."""
    sentences = list(_sentences(reading))
    quoted = {word.lower() for one in sentences for word in _QUOTED.findall(_text(one))}
    figures = [each for one in sentences for each in one if isinstance(each, FigureRead)]
    if len(quoted) < ENOUGH or not figures or _has_vectors(reading):
        return
    for example in known_examples():
        words = {each.lower() for each in example.tokens if len(each) >= RARE or not each.isascii()} & quoted
        found = {each.value for each in figures if example.entries(each, SCORES, SHARES, WEIGHTS)}
        if len(words) >= ENOUGH and len(found) >= ENOUGH:
            for one in sentences:
                example.hold(one, ledger)
            return


def _text(one: ExampleSentence) -> str:
    return " ".join(each if isinstance(each, str) else each.text for each in one)


def _before(one: ExampleSentence, figure: FigureRead) -> str:
    """What is said between the last figure and this one."""
    words: list[str] = []
    for each in one[: one.index(figure)]:
        words = [*words, each] if isinstance(each, str) else []
    return " ".join(words)


def _sentences(reading: Reading) -> Iterator[ExampleSentence]:
    one: ExampleSentence = []
    for told in (*reading.told, Stop("sentence", 0)):
        match told:
            case Talk():
                one.append(told.text)
            case Statement(sides=(side,)) if isinstance(side.of, FigureRead):
                if side.of.unit < 1 and len(digits(side.of)) >= TELLING and not side.of.text.endswith("%"):
                    one.append(side.of)
            case Stop():
                yield one
                one = []


def _has_vectors(reading: Reading) -> bool:
    """Whether a page prints lists of figures itself."""
    return any(
        isinstance(each, GridRead) and sum(isinstance(cell, FigureRead) for row in each.rows for cell in row) > 1
        for told in reading.told
        if isinstance(told, Statement)
        for side in told.sides
        for each in walk(side.of)
    )


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
            try:
                given = [[on.ball(Fraction(each)) for each in row] for row in rows]
            except ValueError:
                continue
            scores = on.product(given, on.transposed(given))
            shares, weights = on.called("proportions", scores), on.called("softmax", scores)
            found.append(KnownExample(tuple(tokens), {SCORES: scores, SHARES: shares, WEIGHTS: weights}))
    return tuple(found)
