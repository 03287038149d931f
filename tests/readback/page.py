"""A page's lines, rendered as they are printed, read back from the TeX and held against the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from mpmath import inf, mp, mpf
from sympy import Basic

from symattn import operations as ops
from symattn.document.blocks import Block, Equation, Matrix
from symattn.document.build import _builder, scenario_names
from symattn.document.math import Letter
from symattn.document.notation import by_rule
from symattn.document.steps import Detail
from symattn.render.layout import displays
from symattn.render.markdown import LINE
from symattn.render.page import matrix_tex
from symattn.render.tex import MARKDOWN, Mode, tex
from symattn.scenario.model import ShowItem, StepItem
from symattn.solution import Solution
from symattn.values.number import at_precision
from tests.readback.balls import Ball, Table, near
from tests.readback.evaluate import Definition, Scope, Unbound, Unknown, Value, compare, half_a_digit, split
from tests.readback.functions import functions_of, ranks, table
from tests.readback.tex import ROW, SMALL, Elided, Node, Statement, Tokens, Unreadable, characters, statements

PAGE = Mode(MARKDOWN)
SHOWN = ("values", "entries", "rows", "vectors", "weighted")
BITS = 400
DIGITS = 75


@dataclass
class Report:
    """What was found wrong, and how many sides were compared with another."""

    wrong: list[str] = field(default_factory=list)
    compared: int = 0
    unread: list[str] = field(default_factory=list)


def read_solution(solution: Solution, details: Sequence[Detail] = ("entries",), language: str = "en") -> Report:
    """Every line of every step and every matrix of a page, read back and worked out."""
    report = Report()
    with mp.workdps(DIGITS):
        for detail in details:
            builder = replace(_builder(solution.scenario, solution, language), detail=detail)
            for section in solution.scenario.sections:
                for item in section.items:
                    # What a program in double precision makes of a formula is not its value.
                    if isinstance(item, StepItem) or (isinstance(item, ShowItem) and item.form in SHOWN):
                        _read(solution, item.name, list(builder._blocks(item)), report)
    return report


def _read(solution: Solution, name: str, blocks: Sequence[Block], report: Report) -> None:
    step = solution.derivation[name]
    if step.general or solution.touches_symbols(name) or solution.is_interval(name):
        report.unread.append(f"{name}: general, free symbols or intervals")
        return
    _Step(solution, name, report).read(blocks)


def value_of(solution: Solution, name: str, operand: bool) -> Table:
    """The value of a name, to far more digits than a page shows."""
    with at_precision(BITS):
        balls = solution._operand_ball(name, BITS) if operand else solution.enclosure(name, BITS)
    rows, columns = balls.nrows(), balls.ncols()
    return Table.of([Ball(_number(balls[i, j])) for j in range(columns)] for i in range(rows))


def _number(ball: object) -> mpf:
    if not ball.is_finite():  # type: ignore[attr-defined]
        return -inf if ball < 0 else inf  # type: ignore[operator]
    return mpf(ball.mid().str(DIGITS + 15, radius=False))  # type: ignore[attr-defined]


def spellings(solution: Solution, own: str, uses: Iterable[str]) -> dict[Tokens, str]:
    """How the names of a step may be written: as they are, in parentheses, and as a small letter with indices.

    A small letter is that of the name without a subscript where there is one; one that could be two names is none.
    """
    written = scenario_names(solution.scenario)
    found: dict[Tokens, str] = {}
    small: dict[Tokens, list[tuple[bool, str]]] = {}
    for name in dict.fromkeys([own, *uses]):
        tokens = characters(tex(written(name), PAGE))
        for spelling in (tokens, ("(", *tokens, ")"), ("{", *tokens, "}")):
            found[spelling] = name
        base = tokens[: tokens.index("_")] if "_" in tokens else tokens
        if base[0] == r"\mathbf":
            base = base[2:-1]
        letters = [place for place, token in enumerate(base) if len(token) == 1 and token.isalpha()]
        if len(letters) == 1 and r"\mathrm" not in base and r"\mathit" not in base:
            lowered = tuple(token.lower() if place == letters[0] else token for place, token in enumerate(base))
            small.setdefault(lowered, []).append(("_" in tokens, name))
            found.setdefault((r"\mathbf", "{", *lowered, "}"), ROW + name)
    for spelling, owners in small.items():
        plain = [name for subscripted, name in owners if not subscripted] or [name for _, name in owners]
        if len(plain) == 1:
            for way in (spelling, ("{", *spelling, "}")) if len(spelling) > 1 else (spelling,):
                found.setdefault(way, SMALL + plain[0])
    for letter, size in solution.derivation.sizes.items():
        if isinstance(size, int):
            found.setdefault(characters(tex(by_rule(letter), PAGE)), f"size {letter}")
    return found


def _labels(solution: Solution, names: Iterable[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """The rows of names by their labels."""
    written = scenario_names(solution.scenario)
    for name in names:
        for place, label in enumerate(written.row_labels(name), 1):
            yield (name, "".join(characters(tex(Letter(label, "text"), PAGE)))), place


class _Step:
    """Reads the blocks of one step."""

    def __init__(self, solution: Solution, name: str, report: Report) -> None:
        self.solution, self.name, self.report = solution, name, report
        self.step = solution.derivation[name]
        uses = list(self.step.uses)
        self.names = spellings(solution, name, uses)
        values: dict[str, Value] = {used: value_of(solution, used, True) for used in uses}
        values[name] = value_of(solution, name, False)
        for letter, size in solution.derivation.sizes.items():
            if isinstance(size, int):
                values[f"size {letter}"] = Ball(mpf(size))
        formula = self.step.formula
        self.scope = Scope(values, functions_of(formula, lambda scalar: solution.number(scalar).doit()))
        self.scope = replace(
            self.scope, significant=solution.style.places(name), labels=dict(_labels(solution, [name, *uses]))
        )
        self._with_ranks(formula)
        self.matrix: Table = values[name]  # type: ignore[assignment]

    def _with_ranks(self, formula: Basic | None) -> None:
        if isinstance(formula, ops.TopK):
            balls = self.solution.evaluate_ball(self.solution.formula(self.name).argument, BITS)
            rows = ([Ball(_number(balls[i, j])) for j in range(balls.ncols())] for i in range(balls.nrows()))
            placed = Table.of(ranks(tuple(row)) for row in rows)
            self.scope = replace(self.scope, functions={**self.scope.functions, "rank": lambda *_: placed})

    def read(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            if isinstance(block, Equation):
                for text in displays(block.chains, PAGE, LINE):
                    self._display(text, block.kind)
            if isinstance(block, Matrix):
                self._display(matrix_tex(block, PAGE), "matrix")

    def _display(self, text: str, kind: str) -> None:
        try:
            lines = statements(text, self.names)
        except Unreadable as error:
            self._wrong(f"{kind}: {error}", text)
            return
        if kind == "entry":
            self._define(lines, text)
        for line in lines:
            try:
                self._line(line, kind)
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
            self._entry(line)
        elif kind == "shapes":
            self._shapes(line)
        elif kind == "matrix":
            self._matrix(line)
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
            if left.kind == "call" and all(part.kind == "letter" for part in left.parts):
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

    def _entry(self, line: Statement) -> None:
        """A left side that has a value by itself is compared with the right for all of its letters."""
        left = line.sides[0]
        if left.kind == "call" or (left.kind in ("letter", "power") and not self._is_own(left)):
            return
        if left.kind == "at" and left.parts[0].kind == "letter":
            return
        for scope in self._all_places(left):
            self._compare(line, scope)

    def _all_places(self, left: Node) -> Iterator[Scope]:
        letters = list(dict.fromkeys(node.text for node in left.walk() if node.kind == "letter"))
        letters = [letter for letter in letters if letter not in self.scope.functions]
        # One more than there are: an index that points nowhere is left out, one that should not is seen.
        most = max(max(table(value).shape) for value in self.scope.names.values()) + 1
        for numbers in product(range(1, most + 1), repeat=len(letters)):
            scope = self.scope.binding(**{a: Ball(mpf(n)) for a, n in zip(letters, numbers, strict=True)})
            try:
                scope.value(left)
            except IndexError:
                continue
            yield scope

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
        """Every shape beside an operand is that of the operand."""
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
        self._compare(line, replace(self.scope, kind=kind))

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

    def _rounded(self, cell: Node, value: Ball, scope: Scope) -> None:
        """A printed figure is a value, or rounds it to its last digit."""
        printed = scope.number(cell)
        literal = _literal(cell)
        allowed = mpf(0) if literal is None else half_a_digit(literal, scope.significant)
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
        if _literal(side) is not None:
            ((x, _),) = _entries(truth, scope.value(side))
            self._rounded(side, x, scope)
            return
        may_be = replace(scope, rounded=True).value(side)
        for x, y in _entries(truth, may_be):
            self.report.compared += 1
            if not y.holds(x):
                bound = mp.nstr(y.radius, 5)
                raise Unbound(f"{mp.nstr(x.middle, 20)} ≈ {mp.nstr(y.middle, 20)} ± {bound} {_where(scope)}")


def _same_places(places: Sequence[Node], others: Sequence[Node]) -> bool:
    """Whether two definitions are about the same: letters stand for everything."""
    pairs = zip(places, others, strict=True)
    return all("letter" in (a.kind, b.kind) or a.text == b.text for a, b in pairs)


def _literal(node: Node) -> str | None:
    """The text of a figure by itself: 0.25, −3, 1.5·10^9, −10^9."""
    if node.kind == "sum" and len(node.parts) == 1:
        return _literal(node.parts[0])
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
