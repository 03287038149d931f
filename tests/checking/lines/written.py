"""Pages with formulas, sentences and tables, in a formula, on their own, in plain text or in code spans."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from random import Random
from typing import Any

from tests.checking.lines.drawing import claim, drawn, numbers, right_and_wrong, templates
from tests.checking.lines.expressions import (
    INNER_DOT,
    AwkwardError,
    ExpressionWriter,
    Value,
    decimals_of,
    figure,
    value_of,
)
from tests.checking.scoring import Case

LINES = templates("lines.txt")
"""The templates of every class: formulas that follow from those before them, ``"`` a sentence, ``|`` a table.

In a formula ``?`` is its value: ``?3,4`` with three or four decimals, ``?+`` with a sign, ``?/`` as a quotient, ``?%``
as a percentage, ``?,`` as two numbers. In a sentence and a table it is ``<a + b>``, and ``<total>`` that of a column.
"""

FRAMES = {"inline": "tex", "display": "tex", "plain": "plain", "code": "code"}


class LineWriter:
    """A writer with habits: its frame, its sign of multiplication, its minus."""

    def __init__(self, random: Random, frame: str) -> None:
        self.random, self.frame, self.notation = random, frame, FRAMES[frame]
        self.expressions = ExpressionWriter(random, self.notation)
        self.dot = self.by(r"\cdot|\times", "·|×|*", "*")
        self.dash = "−" if self.notation == "plain" and random.random() < 0.25 else "-"
        self.kept: dict[str, str] = {}
        self.names: dict[str, Value] = {}

    def by(self, *texts: str) -> str:
        return self.expressions.by(*texts)

    def draw(self, template: str, has_parentheses: bool = False) -> str:
        return drawn(self.random, template, self.kept, has_parentheses)

    # -- formulas ----------------------------------------------------------------------------------------------------

    def formula(self, template: str) -> str:
        """Write a formula with its value."""
        name, *parts = self.draw(template, True).split(" = ")
        if not name.isidentifier():
            parts.insert(0, name)
        sides = [ast.parse(part, mode="eval").body for part in parts if not part.startswith("?")]
        value = value_of(sides[0], {**numbers(self.kept), **self.names})
        if name.isidentifier():
            self.names[name] = value
        texts = [self.expressions.name(name)] if name.isidentifier() else []
        texts += map(self.expressions.write, sides)
        asked = [part.removeprefix("?") for part in parts if part.startswith("?")]
        return " = ".join(texts) + "".join(f" {self.result(value, each)}" for each in asked)

    def result(self, value: Value, asked: str) -> str:
        """Write a relation and what is claimed: exact where it ends, else rounded."""
        match asked:
            case ",":
                texts = [claim(figure(each)) for each in self.random.sample([*value], 2)]
                return "= " + self.by(r", | \text{ or } |\ \text{and}\ ", ", | or ", " or ").join(texts)
            case "%":
                return f"= {claim(figure(value * 100) + self.by(chr(92) + '%', '%| %', '%'))}"
            case "/":
                over = f"{abs(value.numerator)}/{value.denominator}"
                tex = rf"\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
                shown = str(value) if value.denominator == 1 else "-" * (value < 0) + self.by(tex, over, over)
                return f"= {claim(shown)}"
        digits = [int(each) for each in re.findall(r"\d", asked)] or [2, 3, 4]
        if hasattr(value, "shape"):
            is_exact = all(decimals_of(each) is not None for each in value.flat)
            return f"{self._relation(is_exact)} {self.array(value, self.random.choice(digits))}"
        decimals = (
            None if decimals_of(value) is not None and not re.search(r"\d", asked) else self.random.choice(digits)
        )
        text = figure(value, decimals)
        if decimals and abs(float(text)) < 10 ** (1 - decimals):
            raise AwkwardError(f"{text} has one digit")
        is_exact = isinstance(value, Fraction) and Fraction(text) == value
        return f"{self._relation(is_exact)} {claim('+' * (asked == '+' and value > 0) + text)}"

    def _relation(self, is_exact: bool) -> str:
        return "=" if is_exact or self.random.random() < 0.5 else self.by(r"\approx", "≈", "≈")

    def array(self, value: Value, digits: int) -> str:
        """Write a list or a matrix with every entry claimed: all of them exact, or none."""
        decimals = None if all(decimals_of(each) is not None for each in value.flat) else digits
        rows = [[claim(figure(each, decimals)) for each in row] for row in value.reshape(-1, value.shape[-1])]
        return f"[{', '.join(rows[0])}]" if value.ndim == 1 else self.expressions.grid(rows)

    # -- pages -------------------------------------------------------------------------------------------------------

    def styled(self, body: str) -> str:
        """Write the signs of a formula as this writer does."""
        if self.notation == "tex":
            return body.replace(r"\cdot", self.dot).replace(INNER_DOT, r"\cdot")
        body = body.replace("·", self.dot) if self.notation == "plain" else body
        return body.replace("-", self.dash).replace(INNER_DOT, "·")

    def inside(self, body: str) -> str:
        """Put a formula into a sentence."""
        around = {"plain": "{}", "code": "`{}`"}.get(self.frame, "${}$")
        return around.format(self.styled(body)) if "{" not in around.strip("$`{}") else body

    def together(self, bodies: list[str]) -> str:
        """Write formulas as a page: the last follows from those before it."""
        if self.frame == "display":
            around = self.random.choice(("$$%s$$", "$$\n%s\n$$", "\\[ %s \\]"))
            return "\n\n".join(around % self.styled(body) for body in bodies) + "\n"
        *first, last = map(self.inside, bodies)
        if self.frame == "plain" and self.random.random() < 0.5:
            return "\n\n".join([*first, last]) + "\n"
        if not first:
            return self.random.choice(("%s\n", "Here %s.\n", "We get %s.\n", "So %s, as expected.\n")) % last
        before, between = self.random.choice(("", "Let ", "With ")), self.random.choice((", so ", ", hence "))
        return f"{before}{', '.join(first)}{between}{last}.\n"

    def sentence(self, template: str) -> str:
        """Write a sentence with formulas and claims in it."""
        text = re.sub("`([^`]*)`", lambda found: self.inside(self.formula(found[1])), template)
        text = self.draw(text)

        def told(found: re.Match[str]) -> str:
            value = value_of(ast.parse(found[2], mode="eval").body, numbers(self.kept))
            if hasattr(value, "shape"):
                return found[1] + self.array(value, self.random.choice((3, 4)))
            is_exact = decimals_of(value) is not None
            verb = found[1] if is_exact or found[1] != "is " else self.random.choice(("is about ", "is "))
            return verb + claim(figure(value) if is_exact else figure(value, 3))

        return re.sub(r"(is |: |gives )<(.*?)>", told, text) + "\n"

    def table(self, lines: list[str]) -> str:
        """Write a table: a row for the heads, rows that are drawn so many times, and a total."""
        head, *below = lines
        rows = [[self._head(cell) for cell in self.draw(head)[2:-2].split(" | ")]]
        columns: list[list[Fraction]] = [[] for _ in rows[0]]
        for line in below:
            count, template = re.fullmatch(r"\|(\d?) (.*) \|", line).groups()  # type: ignore[union-attr]
            for _ in range(int(count or 1)):
                rows.append(
                    [
                        self._cell(cell, column)
                        for cell, column in zip(self.draw(template).split(" | "), columns, strict=True)
                    ]
                )
        shown = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([shown[0], "|" + " --- |" * len(rows[0]), *shown[1:]]) + "\n"

    def _head(self, cell: str) -> str:
        if not cell.startswith("`"):
            return cell
        return self.inside(self.expressions.write(ast.parse(cell.strip("`"), mode="eval").body))

    def _cell(self, cell: str, column: list[Fraction]) -> str:
        if cell == "<total>":
            return claim(figure(sum(column, Fraction())))
        if cell.startswith("<"):
            return claim(figure(value_of(ast.parse(cell[1:-1], mode="eval").body, numbers(self.kept))))
        if re.fullmatch(r"-?\d[\d.]*", cell):
            column.append(Fraction(cell))
        return cell

    def write(self, template: str) -> str:
        """Write a page from a template without its first line, if that says how it may be written."""
        lines = template.split("\n")
        if lines[0].startswith("|"):
            return self.table(lines)
        sentences = [self.sentence(line[2:]) for line in lines if line.startswith('" ')]
        bodies = [self.formula(line) for line in lines if not line.startswith('" ')]
        return "\n".join([*sentences, *([self.together(bodies)] if bodies else [])])


def line_page(kind: str, seed: int) -> str:
    """Write the page of a class that belongs to a seed, its claims marked; four in a row have the four frames."""
    random = Random(f"{kind} {seed}")
    frame = [*FRAMES][seed % len(FRAMES)]
    while True:
        template = random.choice(LINES[kind])
        asked, _, rest = template.partition("\n") if template.startswith("! ") else ("", "", template)
        if asked and FRAMES[frame] not in asked:
            frame = "plain" if all(each.startswith("! ") for each in LINES[kind]) else frame
            continue
        writer = LineWriter(random, frame)
        try:
            text = writer.write(rest)
        except AwkwardError:
            continue
        return re.sub(r"(?<=\d)\.(?=\d)", writer.by(",|{,}", ",", ","), text) if "comma" in asked else text


def line_cases(kind: str, seed: int) -> tuple[Case, Case]:
    """Write the right page and the wrong one."""
    labels: tuple[Any, ...] = (kind, [*FRAMES][seed % len(FRAMES)])
    return right_and_wrong(Random(f"planted {kind} {seed}"), labels, line_page(kind, seed))
