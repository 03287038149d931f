"""The lines of a display, read back from the TeX and held against values: what a line promises is said here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from mpmath import mp, mpf

from symattn.operations.records import RECORDS
from symattn.read.formula.functions import TABLE
from symattn.show.math import Math
from symattn.show.notation.names import by_rule
from symattn.write.tex_math import DollarTex, tex
from tests.readback.balls import Ball, Table, near, total
from tests.readback.evaluate import Definition, Scope, Unbound, Unknown, Value, compare, half_a_digit, split
from tests.readback.evaluate import as_table as table
from tests.readback.tex import LETTERS, ROW, SMALL, Elided, Node, Statement, Tokens, Unreadable, characters, statements

PAGE = DollarTex()

MATHEMATICS = frozenset("softmax exp tanh erf sin cos tan max min mean var argmax argmin".split())
"""What is typed as mathematics calls it."""

TYPED = frozenset(name for name in TABLE if name not in RECORDS or RECORDS[name].called != name) - MATHEMATICS
"""What a formula in a file calls, and no formula on a page; of a record that is called as its name, people say that."""


@dataclass
class Report:
    """What was found wrong, and how many sides were compared with another."""

    wrong: list[str] = field(default_factory=list)
    compared: int = 0
    unread: list[str] = field(default_factory=list)


def spellings(
    written: Callable[[str], Math], names: Iterable[str], sizes: Iterable[str], others: Iterable[str] = ()
) -> dict[Tokens, str]:
    """How names and sizes may be written: as they are, in parentheses, and names as a small letter with indices.

    A small letter has the short subscript of its name above it, and means one name of all that a document has, the
    ``others`` too: the only one that has it, or the only one that is it.
    """
    found: dict[Tokens, str] = {}
    small: dict[Tokens, list[tuple[bool, str]]] = {}
    names = list(dict.fromkeys(names))
    for name in dict.fromkeys((*names, *others)):
        tokens = characters(tex(written(name), PAGE))
        of = tokens[: tokens[0].startswith("∂")]  # what stands before the name in a gradient
        ways = (tokens, ("(", *tokens, ")"), ("{", *tokens, "}"), (*of, "(", *tokens[len(of) :], ")"))
        for spelling in ways if name in names else ():
            found[spelling] = name
        letter, above = _small(tokens)
        if letter:
            small.setdefault((*letter, *above), []).append((_plain(tokens) in (letter, (*letter, *above)), name))
            if name in names:
                found.setdefault((*of, r"\mathbf", "{", *letter[len(of) :], "}", *above), ROW + name)
    for spelling, owners in small.items():
        entitled = owners if len(owners) == 1 else [owner for owner in owners if owner[0]]
        if len(entitled) == 1 and entitled[0][1] in names:
            for way in (spelling, ("{", *spelling, "}")) if len(spelling) > 1 else (spelling,):
                found.setdefault(way, SMALL + entitled[0][1])
    for letter in sizes:
        found[characters(tex(by_rule(letter), PAGE))] = f"size {letter}"  # which no entry is written with
    return found


def _small(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """The small letter of a name and what stands above it; nothing for a name of a word or with a longer subscript."""
    if r"\mathrm" in tokens or r"\text" in tokens:
        return (), ()
    if (cut := tokens.index("^") if "^" in tokens else 0) and tokens[cut : cut + 3] == ("^", "{", "("):
        # After a step of training: Q^{(1)} has entries q^{(1)}.
        letter, above = _small(tokens[:cut])
        return (letter, tokens[cut:]) if not above else ((), ())
    end = tokens.index("_") if "_" in tokens else len(tokens)
    base, below = _plain(tokens[:end]), tokens[end + 1 :]
    letters = [place for place, token in enumerate(base) if len(token) == 1 and token.isalpha()]
    if not (len(letters) == 1 or (len(base) == 1 and base[0].startswith("\\"))) or "^" in tokens:
        return (), ()
    letter = tuple(token.lower() if place in letters or token in LETTERS else token for place, token in enumerate(base))
    if not below:
        return letter, ()
    below = below[1:-1] if below[0] == "{" else below
    parts = "".join(below).split(",")
    if len(parts) > 2 or not all(part.isdigit() or len(part) == 1 or part in LETTERS for part in parts):
        return (), ()
    alone = len(below) == 1 and below[0].isupper() and below != ("T",)
    return letter, ("^", *below) if alone else ("^", "{", "(", *below, ")", "}")


def _plain(tokens: Tokens) -> Tokens:
    return tokens[2:-1] if tokens[0] == r"\mathbf" else tokens


class Lines:
    """Reads displays about one matrix, which has a name and a value, with what stands in a scope."""

    def __init__(self, name: str, names: dict[Tokens, str], scope: Scope, report: Report) -> None:
        self.name, self.names, self.scope, self.report = name, names, scope, report
        self.matrix = table(scope.names[name]) if name in scope.names else Table(())

    def display(self, text: str, kind: str) -> None:
        try:
            lines = statements(text, self.names)
        except Unreadable as error:
            self._wrong(f"{kind}: {error}", text)
            return
        nodes = (node for line in lines for side in line.sides for node in side.walk())
        if typed := {node.text for node in nodes if node.kind in ("call", "letter", "over")} & TYPED:
            self._wrong(f"{kind}: {', '.join(typed)} is a program's word", text)
        # A lesson has the general entry above the lines that work one out.
        general = [line for line in lines if kind == "entry" or (kind == "working" and self._is_for_all(line))]
        self._define(general, text)
        for line in lines:
            try:
                self._line(line, "entry" if line in general else kind)
            except Elided:
                self.report.unread.append(text)
            except Unknown as error:
                self.report.unread.append(f"{self.name}: {error}: {text}")
            except (Unbound, Unreadable, IndexError, ZeroDivisionError, ValueError) as error:
                self._wrong(f"{kind}: {type(error).__name__} {error}", text)
        if kind == "entry":
            self._all_said(lines, text)

    def _line(self, line: Statement, kind: str) -> None:
        if kind in ("entry", "statement"):
            self._entry(line, kind)
        elif kind == "shapes":
            self._shapes(line)
        elif kind == "matrix":
            self._matrix(line)
        elif kind == "squared":
            self._squared(line.sides[0])
        else:
            self._worked(line, kind)

    def _wrong(self, what: str, text: str) -> None:
        self.report.wrong.append(f"step {self.name}: {what}\n{text}")

    # -- general entries ---------------------------------------------------------------------------------------------

    def _define(self, lines: Sequence[Statement], text: str) -> None:
        """μ_i = …, Φ(x) = …, θ_t = …: what a display says of words that are no names."""
        found: dict[str, tuple[Definition, ...]] = {}
        for line in lines:
            left, exponent = line.sides[0], ""
            if left.kind == "power":
                left, exponent = left.parts[0], f"^{left.parts[1].text}"
            if left.kind == "call" and all(part.kind in ("letter", "number") for part in left.parts):
                word, places = f"{left.text}()", left.parts
            elif left.kind == "letter" or (left.kind == "at" and left.parts[0].kind == "letter"):
                word = (left.parts[0] if left.kind == "at" else left).text
                places = tuple(split(list(left.parts[1:]), 1)) if left.kind == "at" else ()
            else:
                continue
            key = f"{word}{exponent}/{len(places)}"
            if any(_same_places(places, other.places) for other in found.get(key, ())):
                self._wrong(f"entry: {word} is said twice", text)
            found[key] = (*found.get(key, ()), Definition(places, line.sides[1]))
        self.scope = replace(self.scope, definitions={**self.scope.definitions, **found})

    def _entry(self, line: Statement, kind: str) -> None:
        """A left side that has a value by itself is compared with the right for all of its letters."""
        left = line.sides[0]
        if left.kind == "call" or (left.kind in ("letter", "power") and not self._is_own(left)):
            return
        if left.kind == "at" and left.parts[0].kind == "letter":
            return
        for scope in self._all_places(left):
            self._compare(line, replace(scope, kind=kind))

    def _is_for_all(self, line: Statement) -> bool:
        """Whether a line is no line in figures: an index on its left is a letter, which stands for each place; or it
        says what the mean of the only row is, by entries that have names."""
        left = line.sides[0].parts[0] if line.sides[0].kind == "power" else line.sides[0]
        if left.kind == "letter":
            return any(node.kind == "name" for node in line.sides[1].walk())
        letters = {node.text for place in _places(left) for node in place.walk() if node.kind == "letter"}
        return any(not self._stands_for_something(letter) for letter in letters - self.scope.bound.keys())

    def _all_places(self, left: Node) -> Iterator[Scope]:
        letters = list(dict.fromkeys(node.text for node in left.walk() if node.kind == "letter"))
        letters = [letter for letter in letters if not self._stands_for_something(letter)]
        # One more than there are: an index that points nowhere is left out, one that should not is seen.
        most = max(max(table(value).shape) for value in self.scope.names.values()) + 1
        for numbers in product(range(1, most + 1), repeat=len(letters)):
            scope = self.scope.binding(**{a: Ball(mpf(n)) for a, n in zip(letters, numbers, strict=True)})
            try:
                scope.value(left)
            except IndexError:
                continue
            yield scope

    def _stands_for_something(self, letter: str) -> bool:
        known = letter in self.scope.functions or f"size {letter}" in self.scope.names
        is_said = any(word.split("/")[0].partition("^")[0] == letter for word in self.scope.definitions)
        return known or is_said or any(word.startswith(f"{letter}_") for word in self.scope.functions)

    def _is_own(self, node: Node) -> bool:
        return node == Node("name", (), self.name)

    def _all_said(self, lines: Sequence[Statement], text: str) -> None:
        """Every entry of the step is one of those that the lines speak of."""
        said: set[tuple[int, int]] = set()
        for line in lines:
            left = line.sides[0]
            if self._is_own(left):
                said |= set(product(range(self.matrix.shape[0]), range(self.matrix.shape[1])))
            if left.kind == "at" and self._is_own(left.parts[0]):
                for scope in self._all_places(left):
                    row, column = scope._place(self.matrix, list(left.parts[1:]), left)
                    said.add((row - 1, column - 1))
        if said != set(product(range(self.matrix.shape[0]), range(self.matrix.shape[1]))):
            self._wrong("entry: not all entries are spoken of", text)

    # -- lines in figures --------------------------------------------------------------------------------------------

    def _shapes(self, line: Statement) -> None:
        """Every shape beside an operand is that of the operand; a formula without shapes is worth what its name is."""
        if self._is_own(line.sides[0]) and not any(
            node.kind == "shaped" for side in line.sides for node in side.walk()
        ):
            self._compare(line, replace(self.scope, kind="formula"))
            return
        for side in line.sides:
            for node in side.walk():
                if node.kind == "shaped":
                    try:
                        replace(self.scope, kind="formula").value(node)
                        self.report.compared += 1
                    except Unknown:
                        pass

    def _worked(self, line: Statement, kind: str) -> None:
        if line.sides[0].kind == "dots" and len(line.sides) == 1:
            return
        self._introduce(line)
        self._compare(line, replace(self.scope, kind=kind))

    def _introduce(self, line: Statement) -> None:
        """c_3 = max(…) or c = max(…): a letter for the largest score of a row, which the lines after it take off."""
        left = line.sides[0].parts[0] if line.sides[0].kind == "at" else line.sides[0]
        is_maximum = len(line.sides) > 1 and line.sides[1] == Node("call", line.sides[1].parts, "max")
        found = self.largest_scores() if left.kind == "letter" and is_maximum else []
        printed = self.scope.number(line.sides[-1]).middle if found else mpf(0)
        about = max(mpf("0.001"), abs(printed) / 1000)
        rows = [[near(row[0].middle, printed, about) for row in scores.rows] for scores in found]
        largest = next((scores for scores, is_it in zip(found, rows, strict=True) if any(is_it)), None)
        # What an operation names is said in the general entry.
        is_said = any(f"{left.text}/{places}" in self.scope.definitions for places in (0, 1))
        if largest is not None and left.text not in self.scope.bound and not is_said:
            self.scope = self.scope.binding(**{left.text: largest})

    def largest_scores(self) -> list[Table]:
        """The largest score of each row, for all scores that the lines are about."""
        return []

    def _matrix(self, line: Statement) -> None:
        """The figures of a matrix are its values, rounded."""
        figures = line.sides[-1]
        if figures.kind != "bmatrix":
            self._compare(line, self.scope)
            return
        shaped = line.sides[0]
        if shaped.kind == "shaped":
            self.scope.value(shaped)
        found = [list(row.parts) for row in figures.parts]
        if any(cell.kind == "dots" for row in found for cell in row):
            raise Elided
        for row, values in zip(found, self.matrix.rows, strict=True):
            for cell, value in zip(row, values, strict=True):
                self._rounded(cell, value, self.scope)

    def _squared(self, sheet: Node) -> None:
        """On squared paper every entry is the product of the row beside it and the column above it, rounded."""
        rows, scope = [row.parts for row in sheet.parts], replace(self.scope, rounded=True)
        count = len(self.matrix.rows)
        for row, values in zip(rows[-count:], self.matrix.rows, strict=True):
            across = [scope.number(cell) for cell in row[: len(rows) - count]]
            for j, value in enumerate(values, len(across) + 1):
                self._rounded(row[j], value, self.scope)
                down = [scope.number(above[j]) for above in rows[:-count]]
                if not total(a * b for a, b in zip(across, down, strict=True)).holds(value):
                    raise Unbound(f"a product on squared paper: {mp.nstr(value.middle, 20)}")

    def _rounded(self, cell: Node, value: Ball, scope: Scope) -> None:
        """A printed figure is a value, or rounds it to its last digit."""
        printed = scope.number(cell)
        figure = literal(cell)
        allowed = mpf(0) if figure is None else half_a_digit(figure, scope.significant)
        self.report.compared += 1
        if not near(printed.middle, value.middle, allowed):
            said = f"{mp.nstr(printed.middle, 20)} stands for {mp.nstr(value.middle, 20)}"
            raise Unbound(said)

    def _compare(self, line: Statement, scope: Scope) -> None:
        """``=``: both sides are one number. ``≈``: the figures in it, each as near as its digits say, may be the first
        side, and a figure by itself is the first side rounded to its last digit."""
        before = line.sides[0]
        for relation, side in zip(line.relations, line.sides[1:], strict=True):
            try:
                if relation == "≈":
                    self._nearly(line.sides[0], side, scope)
                else:
                    self._holds(before, relation, side, scope)
            except Elided:
                self.report.unread.append(f"{self.name}: a middle is left out")
                continue
            before = side

    def _holds(self, a: Node, relation: str, b: Node, scope: Scope) -> None:
        left, right = scope.value(a), scope.value(b)
        for x, y in _entries(left, right):
            self.report.compared += 1
            if not compare(x, relation, y):
                raise Unbound(f"{mp.nstr(x.middle, 20)} {relation} {mp.nstr(y.middle, 20)} {_where(scope)}")

    def _nearly(self, first: Node, side: Node, scope: Scope) -> None:
        truth = scope.value(first)
        if literal(side) is not None:
            ((x, _),) = _entries(truth, scope.value(side))
            self._rounded(side, x, scope)
            return
        may_be = replace(scope, rounded=True).value(side)
        for x, y in _entries(truth, may_be):
            self.report.compared += 1
            if not y.holds(x):
                bound = mp.nstr(y.radius, 5)
                raise Unbound(f"{mp.nstr(x.middle, 20)} ≈ {mp.nstr(y.middle, 20)} ± {bound} {_where(scope)}")


def _places(left: Node) -> Sequence[Node]:
    """Where the indices of an entry stand, or those of both entries of a slope, or the arguments of a function."""
    if left.kind == "slope":
        return [place for part in left.parts for place in _places(part)]
    return left.parts if left.kind == "call" else left.parts[1:] if left.kind == "at" else ()


def _same_places(places: Sequence[Node], others: Sequence[Node]) -> bool:
    """Whether two definitions are about the same: letters stand for everything."""
    pairs = zip(places, others, strict=True)
    return all("letter" in (a.kind, b.kind) or a.text == b.text for a, b in pairs)


def literal(node: Node) -> str | None:
    """The text of a figure by itself: 0.25, −3, 1.5·10^9, −10^9."""
    if node.kind == "sum" and len(node.parts) == 1:
        return literal(node.parts[0])
    if node.kind == "power" and node.parts[0] == Node("number", (), "10"):
        return f"1e{node.parts[1].text}"
    return node.text if node.kind == "number" else None


def _where(scope: Scope) -> str:
    return ", ".join(f"{letter} = {table(value).rows[0][0].middle}" for letter, value in scope.bound.items())


def _entries(left: Value, right: Value) -> Iterator[tuple[Ball, Ball]]:
    """The numbers of two sides, in pairs."""
    a, b = table(left), table(right)
    if a.shape != b.shape:
        raise Unbound(f"one side is {a.shape}, the other {b.shape}")
    for row, other in zip(a.rows, b.rows, strict=True):
        yield from zip(row, other, strict=True)
