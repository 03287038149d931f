"""The sentences of a page as its JSON has them, and what a sentence is held against."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tests.sentences.evidence import Evidence
from tests.sentences.values import Rows, all_values, groups, mp, number, parsed, rounded, same, work_out

NUMBER = r"\$?[-−]?\d+(?:\.\d+)?\$?"
SYMBOL = r"(?:\$[^$]+\$|[^\s$,.]+)"
ROW = r"(?:Row (?P<row>\d+)|The row)(?: \(“(?P<label>[^”]*)”\))?"


@dataclass(frozen=True)
class About:
    """What a sentence speaks of: the lesson as data, its numbers, and the step that the sentence stands at."""

    data: Mapping[str, Any]
    values: Mapping[str, Rows]
    name: str = ""

    @cached_property
    def named(self) -> dict[str, Mapping[str, Any]]:
        return {each["name"]: each for each in (*self.data["givens"], *self.data["steps"])}

    @property
    def step(self) -> Mapping[str, Any]:
        return self.named[self.name]

    @property
    def value(self) -> Rows:
        return self.values[self.name]

    @property
    def entries(self) -> list[Any]:
        return [x for row in self.value for x in row]

    @property
    def size(self) -> tuple[int, int]:
        return len(self.value), len(self.value[0])

    @property
    def blocks(self) -> list[tuple[tuple[str, ...], Mapping[str, Any]]]:
        """The blocks of the page, each with the names of its passage."""
        passages = self.data["document"]["passages"]
        return [(tuple(passage["names"]), block) for passage in passages for block in passage["blocks"]]

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(self.step["rows"]["labels"])

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.step["columns"]["labels"])

    @property
    def is_row(self) -> bool:
        """Whether the step is one row of a matrix, which keeps its number."""
        return str(self.step.get("written")).startswith("row(")

    @property
    def source(self) -> About:
        """The matrix that a row was taken from; any other step itself."""
        return self.operand if self.is_row else self

    @property
    def operand(self) -> About:
        """The first matrix that the step is made of."""
        return replace(self, name=self.step["uses"][0])

    @cached_property
    def printed(self) -> list[list[str]]:
        """Every figure as the page prints it; of those that a large matrix leaves out, as it would print them."""
        decimals = self.step["values"]["decimals"]
        if not self.step["shown"]:
            return [list(row) for row in decimals]
        places = max(len(text.partition(".")[2]) for row in decimals for text in row)
        return [[rounded(x, places) if mp.isfinite(x) else "-oo" for x in row] for row in self.value]

    @property
    def inner(self) -> Rows:
        """What the function of the step is applied to."""
        call = parsed(self.step["written"])
        assert isinstance(call, ast.Call), "no function"
        return work_out(ast.unparse(call.args[0]), self.values)

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence(self.data)

    def at(self, name: str) -> About:
        return replace(self, name=name)

    def called(self, symbol: str) -> About:
        """The matrix of a letter, as it is written on the page."""
        bare = symbol.strip("$")
        found = [
            name
            for name, each in self.named.items()
            if bare == each["symbol"]["text"] or flat(bare) == flat(each["symbol"]["latex"])
        ]
        assert found, f"no matrix is called {symbol}"
        assert len(found) == 1, f"several are called {symbol}: {found}"
        return self.at(found[0])

    def is_figure(self, text: str, value: Any) -> bool:
        """Whether a figure is a value, rounded."""
        bare = text.replace("$", "").replace("−", "-")
        half = mp.mpf("0.5000001") / 10 ** len(bare.partition(".")[2])
        return bool(abs(number(bare) - value) <= half)

    def row(self, found: re.Match[str]) -> list[Any]:
        """The row that a sentence speaks of, after its label has been looked at."""
        number_, label = int(found["row"] or 1), found["label"]
        if self.is_row:
            source = self.source
            assert all(map(same, source.value[number_ - 1], self.value[0])), "it is another row"
            assert not label or label == source.rows[number_ - 1], "the row has another label"
            return self.value[0]
        assert number_ <= len(self.value), "there is no such row"
        of = self.rows or (self.operand.rows if self.step.get("uses") else ())
        assert not label or label == of[number_ - 1], "the row has another label"
        return self.value[number_ - 1]

    def places(self, text: str, row: int, labels: tuple[str, ...], count: int) -> tuple[set[int], int]:
        """The columns or rows that a list names, counted from 0, and how many more it speaks of."""
        more = re.search(r" and (\d+) more$", text)
        found = set()
        listed = text.removesuffix(more[0]) if more else text
        for part in re.finditer(r"itself|“([^”]*)”(?: in place (\d+))?|(?:(?:column|row)s? )?(\d+)", listed):
            label, place, plain = part.groups()
            j = row if part[0] == "itself" else int(place or plain) - 1 if place or plain else labels.index(label)
            assert 0 <= j < count, f"there is no {part[0]}"
            assert not label or labels[j] == label, f"{label} is not in place {j + 1}"
            assert not label or place or labels.count(label) == 1, f"there are several {label}"
            found.add(j)
        return found, int(more[1]) if more else 0

    def is_list(
        self, text: str, expected: list[int] | set[int], row: int = -1, labels: tuple[str, ...] | None = None
    ) -> bool:
        """Whether a list names these columns, all of them or as many as there are more."""
        labels = self.columns if labels is None else labels
        count = max(len(self.value[0]), len(labels), *(j + 1 for j in expected))
        found, more = self.places(text, row, labels, count)
        return found <= set(expected) and len(found) + more == len(expected)


def flat(tex: str) -> str:
    """A formula without what depends on where it stands: in a line or in a display."""
    in_line = re.sub(r"\\d?frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", r"\1/\2", tex)
    in_line = in_line.replace(r"\mathop{\mathrm", r"{\mathrm").replace(r"\lt", "<").replace(r"\gt", ">")
    return re.sub(r"\\(?:left|right|lbrack|rbrack|nolimits|mathrm|[, ])|[\s{}()\[\]]", "", in_line)


Check = Callable[[About, re.Match[str]], bool]


@dataclass(frozen=True)
class Kind:
    """A kind of sentence: the macro that writes it, its form, and whether its claim is true of the numbers."""

    macro: str
    pattern: str
    holds: Check

    @cached_property
    def form(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self.pattern})(?= |$)", re.DOTALL)


def line(runs: list[Mapping[str, str]]) -> str:
    """A sentence with its mathematics between dollars."""
    return "".join(run["text"] if "text" in run else f"${run['tex']}$" for run in runs).strip()


def sentences(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every automatic sentence of a page, with the name of its step: the page's own, and those beside each step."""
    # The reasons of a backward pass are rules of calculus; what it reads in its numbers, and what its pictures show, is
    # checked like all of it.
    is_backward = any(r"\partial" in step["symbol"]["latex"] for step in data["steps"])
    for passage in data["document"]["passages"]:
        name = passage["names"][0] if passage["names"] else ""
        for block in passage["blocks"]:
            match block["block"]:
                case shape if is_backward and shape not in ("readings", "picture", "question"):
                    continue
                case "paragraph":
                    yield name, line(block["runs"])
                case "question":
                    yield name, f"{line(block['runs'])} {line(block['answer'])}"
                case "readings":
                    yield from ((name, line(item)) for item in block["items"])
                case "labels":
                    yield name, line(block["lead"])
                case "picture":
                    yield name, block["says"]
                    yield name, line(block["caption"])
                case "display" if block["shows"] in ("formula", "shapes"):
                    yield from ((name, f"shapes: {each}") for each in block["displays"] if r"\times" in each)
                case "table" if block["header"][0][0].get("text") != "Letter":
                    head = line(block["header"][0])
                    yield from ((name, f"what if: {head} | {' | '.join(map(line, row))}") for row in block["rows"])
                case "table":
                    yield from ((name, f"legend: {' | '.join(map(line, row))}") for row in block["rows"])
    for step in data["steps"]:
        yield from ((step["name"], said) for said in step["readings"])


@dataclass(frozen=True)
class Verdict:
    """What became of a sentence: the kinds that it is made of, or what is wrong with it."""

    name: str
    said: str
    kinds: tuple[str, ...]
    wrong: str = ""


def judge(about: About, said: str, kinds: tuple[Kind, ...]) -> Verdict:
    """A text taken to pieces, each of them a sentence of one kind that has to be true."""
    rest, found = said, []
    while rest:
        for kind in kinds:
            if match := kind.form.match(rest):
                break
        else:
            return Verdict(about.name, said, tuple(found), f"no checker knows: {rest}")
        found.append(kind.macro)
        try:
            is_true, why = kind.holds(about, match), ""
        except (AssertionError, ValueError, IndexError, KeyError) as error:
            is_true, why = False, f": {type(error).__name__} {error}"
        if not is_true:
            return Verdict(about.name, said, tuple(found), f"untrue ({kind.macro}){why}")
        rest = rest[match.end() :].strip()
    return Verdict(about.name, said, tuple(found))


def read(data: Mapping[str, Any], kinds: tuple[Kind, ...]) -> list[Verdict]:
    """Every sentence of a page, judged."""
    values = all_values(data)
    about = About(data, values)
    return [judge(about.at(name), said, kinds) for name, said in dict.fromkeys(sentences(data)) if said]


def largest(row: list[Any]) -> list[int]:
    return groups(row)[0]
