"""Random lessons read back, with values that another road works out from their givens: closed forms, lines, figures.

The lessons are those whose sentences are judged too; here their names may be letters of indices, and some of their
numbers may be symbols, for which numbers are put in when what the page shows is worked out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from mpmath import inf, mp, mpf

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from tests.readback.balls import Ball, Table, near
from tests.readback.crowded import CAPITALS, GREEK, LATIN
from tests.readback.evaluate import Scope, Unbound, Unknown, half_a_digit
from tests.readback.lines import literal
from tests.readback.page import DIGITS, read_solution
from tests.readback.tex import Unreadable, characters, statements
from tests.sentences.values import Rows, all_values, number

SYMBOLS = ("alpha", "tau")
_GIVEN = re.compile(r"^\[given\.(\w+)\]$", re.MULTILINE)
_STEP = re.compile(r'"(\w+) = ')
_NUMBER = re.compile(r'"(-?[\d./]+)"')


@dataclass
class Found:
    """What was compared, of each kind how often; what was wrong; whether there was a page at all."""

    compared: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: int = 0

    def add(self, other: Found) -> None:
        self.compared += other.compared
        self.wrong += other.wrong
        self.refused += other.refused


def renamed(text: str, seed: int) -> str:
    """A lesson whose names are letters of indices and their neighbours: k, r, i, e, mu, E."""
    draw = Random(f"names {seed}")
    names = list(dict.fromkeys((*_GIVEN.findall(text), *_STEP.findall(text))))
    letters = [each for each in (*LATIN, *GREEK, *CAPITALS) if each not in names]
    called = dict(zip(names, draw.sample(letters, min(len(names), len(letters))), strict=False))
    lines = [
        re.sub(r"\w+(?!\(|=)", lambda word: called.get(word[0], word[0]), line)
        if line.startswith(("[given.", "steps = "))
        else line
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def with_symbols(text: str, seed: int) -> str:
    """A lesson in which some numbers of the givens are letters for any real number."""
    draw = Random(f"symbols {seed}")

    def cell(found: re.Match[str]) -> str:
        letter = draw.choice(SYMBOLS)
        written = (letter, f"2*{letter}", f"{letter}/2", f"-{letter}", f"{letter}+1", f"{letter}^2")
        return f'"{draw.choice(written)}"' if draw.random() < 0.25 else found[0]

    lines = [_NUMBER.sub(cell, line) if line.startswith("value = ") else line for line in text.split("\n")]
    return "\n".join((lines[0], f"symbols = {json.dumps(SYMBOLS)}", *lines[1:]))


def read_lesson(text: str, backward: bool = False, seed: int = 0) -> Found:
    """Everything exact on a page and in its data, and every line of the page, compared with the other road."""
    found = Found()
    try:
        solution = derive(loads(text), backward="L" if backward else False)
        data = json.loads(solution.render("json"))
    except SymattnError:
        found.refused = 1
        return found
    draw = Random(f"values {seed}")
    symbols = {letter: mpf(draw.randint(3, 40)) / 13 for letter in SYMBOLS if letter in data["symbols"]}
    with mp.workdps(DIGITS):
        values = all_values(data, symbols)
        if any(hasattr(cell, "_mpc_") for rows in values.values() for row in rows for cell in row):
            found.refused = 1  # what the page assumes does not hold for these numbers, as that a symbol is positive
            return found
        known = {name: _table(rows) for name, rows in values.items()}
        for step in (*data["givens"], *data["steps"]):
            for what, written, value in exact_entries(step, known[step["name"]]):
                _compare(found, f"{step['name']}: {what}", written, value, symbols)
        # A row that sees no key has weights of 0, as the page says; its entry would be 0/0.
        is_empty = any(set(row) == {Ball(-inf)} for each in known.values() for row in each.rows)
        if not symbols and not is_empty:
            report = read_solution(solution, ("lesson", "entries"), known=known)
            found.compared["lines"] += report.compared
            found.wrong += report.wrong
    return found


def _table(rows: Rows) -> Table:
    return Table.of([Ball(mp.make_mpf(cell._mpf_)) for cell in row] for row in rows)


def exact_entries(step: Mapping[str, Any], value: Table) -> Iterator[tuple[str, Any, mpf]]:
    """What data say exactly of a matrix: what it is called, how it is written, and the value of the entry."""
    values = step["values"]
    grids = {
        "exact": values.get("exact"),
        "closed form": values.get("entries"),
        "exact figure": _where(values.get("decimals"), values.get("is_exact")),
    }
    for what, grid in grids.items():
        shown = step["shown"] or {"rows": range(1, len(value.rows) + 1), "columns": range(1, len(value.rows[0]) + 1)}
        for i, row in zip(shown["rows"], grid or (), strict=bool(grid)):
            for j, written in zip(shown["columns"], row, strict=True):
                if written is not None:
                    yield what, written, value.rows[i - 1][j - 1].middle


def _where(figures: Any, is_exact: Any) -> Any:
    if figures is None:
        return None
    return [
        [text if exact else None for text, exact in zip(*rows, strict=True)]
        for rows in zip(figures, is_exact, strict=True)
    ]


def _compare(found: Found, where: str, written: Any, value: mpf, symbols: Mapping[str, mpf]) -> None:
    kind = where.split(": ")[1]
    try:
        worth, slack = worth_of(written, symbols)
    except (Unbound, Unknown, Unreadable, ZeroDivisionError, ValueError) as error:
        found.wrong.append(f"{where}: {written}: {type(error).__name__} {error}")
        return
    found.compared[kind] += 1
    if not near(worth, value, slack if kind == "closed form" else mpf(0)):
        found.wrong.append(f"{where}: {written} is {mp.nstr(worth, 20)} and not {mp.nstr(value, 20)}")


def worth_of(written: Any, symbols: Mapping[str, mpf]) -> tuple[mpf, mpf]:
    """The value of a text or of a closed form with numbers in the place of its symbols; and how far off it may be if it
    is a certified decimal, as an entry without symbols is beside others that have some."""
    if isinstance(written, str):
        text = written.replace("oo", "inf")
        return mpf(text) if text.endswith("inf") else mp.make_mpf(number(text)._mpf_), mpf(0)
    names = {characters(rf"\{letter}"): letter for letter in symbols}
    scope = Scope({letter: Ball(value) for letter, value in symbols.items()})
    side = statements(written["latex"], names)[0].sides[0]
    figure = literal(side)
    return scope.number(side).middle, half_a_digit(figure) if figure and not figure.isdigit() else mpf(0)


def with_gradients(text: str) -> str:
    """A lesson with symbols that ends in a sum, the gradients of that by them, and numbers that are put in for them."""
    last = _STEP.findall(text)[-1]
    grads = ", ".join(f'"{_gradient(letter)} = grad(total, {letter})"' for letter in SYMBOLS)
    steps = f', "total = sum({last}, axis=None)", {grads}]'
    put_in = "".join(f'{letter} = "{value}"\n' for letter, value in POINT.items())
    return (
        text.rstrip().removesuffix("]").replace("[[section]]", f"[substitute]\n{put_in}[[section]]", 1) + steps + "\n"
    )


def _gradient(letter: str) -> str:
    return f"by_{letter}"


POINT = {"alpha": "3/7", "tau": "6/5"}
STEP = mpf(10) ** -20
"""How far a symbol is moved for a difference, whose square is far below the digits that are compared."""


def read_gradients(text: str) -> Found:
    """The gradients by symbols that numbers were put in for, compared with differences of the lesson computed anew."""
    found = Found()
    try:
        data = json.loads(derive(loads(with_gradients(text))).render("json"))
    except SymattnError:
        found.refused = 1
        return found
    steps = {step["name"]: step for step in data["steps"]}
    forward = {**data, "steps": data["steps"][: list(steps).index("total") + 1]}
    with mp.workdps(DIGITS):
        at = {letter: mpf(Fraction(value).numerator) / Fraction(value).denominator for letter, value in POINT.items()}
        for letter in SYMBOLS:
            ends = [_total(forward, {**at, letter: at[letter] + step}) for step in (STEP, -STEP)]
            slope, figure = (ends[0] - ends[1]) / (2 * STEP), steps[_gradient(letter)]["values"]["decimals"][0][0]
            found.compared["gradients"] += 1
            if not near(worth_of(figure, {})[0], slope, half_a_digit(figure.strip("-")) if "." in figure else mpf(0)):
                found.wrong.append(f"{_gradient(letter)} is {figure} and not {mp.nstr(slope, 20)}")
    return found


def _total(data: Mapping[str, Any], symbols: Mapping[str, mpf]) -> mpf:
    return _table(all_values(data, symbols)["total"]).rows[0][0].middle
