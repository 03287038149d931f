"""Signs of a formula: what binds how closely, what stands behind and above something, calls and brackets.

What a word is, and what opens with a sign of its own, the classes that stand on this one know.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from symattn.errors import FormulaError
from symattn.formula import wrong
from symattn.formula.cursor import Cursor
from symattn.formula.functions import Scope
from symattn.formula.names import Vocabulary
from symattn.formula.tokens import FormulaText, Token
from symattn.formula.tree import Beside, Caret, Cdot, FromOne, Times
from symattn.formula.written import in_python
from symattn.shapes import Axis

SUM, PRODUCT = 1, 2
SIGNS: dict[str, tuple[int, type[ast.operator]]] = {
    "+": (SUM, ast.Add),
    "-": (SUM, ast.Sub),
    "*": (PRODUCT, ast.Mult),
    "/": (PRODUCT, ast.Div),
    "@": (PRODUCT, ast.MatMult),
    "·": (PRODUCT, Cdot),
    "×": (PRODUCT, Times),
    "⊙": (PRODUCT, ast.Mult),
    "∘": (PRODUCT, ast.Mult),
    "⊘": (PRODUCT, ast.Div),
    "÷": (PRODUCT, ast.Div),
}
OPENS = frozenset("( { √ \\frac \\sqrt \\begin ⌊ ⌈ ⟨ ∑ \\[ [ | ‖ ||".split())


class SignParser(Cursor):
    """One method per kind of syntax; each leaves off behind what it has read."""

    def __init__(self, source: FormulaText, scope: Scope) -> None:
        super().__init__(source)
        self.names = Vocabulary(scope)
        self.index: str | None = None
        """The index of the sum that is being read."""
        self.free: str | None = None
        """The index that stands for every entry of what is defined."""
        self.indexed: set[int] = set()
        """Pieces that stand with that index."""
        self.indexed_rows: set[int] = set()
        """Those of them that are a row of a matrix, and not a number."""
        self.runs: list[tuple[str, Axis | None]] = []
        """What the index runs along: the names, and the axis of each."""
        self.turned_above: set[int] = set()
        """Pieces that are turned by a T above, as on paper."""
        text = source.text  # who writes @ writes every product, whatever else is as on paper
        self.is_on_paper = "@" not in text and (not text.isascii() or "\\" in text or "{" in text)
        self.doubtful: tuple[str, tuple[str, ...]] | None = None
        """A word that is a name, and on paper would be a product."""

    def operand(self) -> ast.expr:
        """What signs stand between."""
        raise NotImplementedError

    def group(self) -> ast.expr:
        """What stands in parentheses or braces."""
        raise NotImplementedError

    # -- sums and products -------------------------------------------------------------------------------------------

    def expression(self, level: int = SUM) -> ast.expr:
        start = self.token.start
        left = self.signed()
        before: ast.BinOp | None = None
        while True:
            mark = self.token.text
            sign = SIGNS.get(mark) if self.token.kind == "sign" else None
            if sign is not None:
                if sign[0] < level:
                    break
                self.advance()
                operator = sign[1]()
                right = self.expression(PRODUCT) if sign[0] == SUM else self.signed()
            elif self.begins_operand():
                self.is_on_paper = True
                operator, right = Beside(), self.powered()
                if isinstance(right, ast.List) and len(right.elts) == 1 and self.names.is_number(left):
                    right = right.elts[0]  # 1/2 [x + y]
                if isinstance(right, ast.Tuple) and not self.names.is_number(left):  # X(1, 2) is called, or a product
                    whole, *places = (in_python(part, self.names.is_number) for part in (left, *right.elts))
                    product, entry = f"{whole} @ [{', '.join(places)}]", f"{whole}_{{{','.join(places)}}}"
                    raise self.source.two(self.typed(start).strip(), product, entry)
            else:
                break
            if mark == "*" and {id(left), id(right)} & self.turned_above:
                operator = Times()  # Q * K^T is typed for a product of matrices as well as for one of entries
            node = ast.BinOp(left, operator, right)
            if before is not None:
                self.must_be_one_product(before, node, start)
            left = self.made(node, start, left, right)
            before = node if not isinstance(operator, ast.Add | ast.Sub) else None
        return left

    def must_be_one_product(self, before: ast.BinOp, node: ast.BinOp, start: int) -> None:
        """``a / b c`` and ``A * B C`` depend on what is done first."""
        one, other = before.op, node.op
        is_line = isinstance(one, ast.Div) and isinstance(other, Beside)
        mixed = {type(one), type(other)}
        is_mixed = Beside in mixed and bool(mixed & {ast.Mult, Cdot, Times})
        if is_line or (is_mixed and not (self.names.is_number(before.left) or self.names.is_number(node.right))):
            later = ast.BinOp(before.left, one, ast.BinOp(before.right, other, node.right))
            raise self.two(self.typed(start), node, later)

    def two(self, piece: str, one: ast.expr, other: ast.expr) -> FormulaError:
        """The error for a piece with two readings."""
        return self.source.two(piece.strip(), *(in_python(reading, self.names.is_number) for reading in (one, other)))

    def begins_operand(self) -> bool:
        """Whether what comes next stands beside what was read."""
        token = self.token
        if token.kind == "sign":
            return token.text in OPENS and not self.is_closing_fence
        if token.kind == "number" and self.open and self.open[-1].text == "[":
            return False  # [1 2; 3 4]
        if token.kind == "number" or (token.kind == "word" and wrong.is_python_word(token.text)):
            raise self.unexpected()
        return token.kind != "end"

    def signed(self) -> ast.expr:
        if not self.at("+", "-"):
            return self.powered()
        self.inside()
        token = self.advance()
        operand = self.signed()
        self.depth -= 1
        return self.made(ast.UnaryOp(ast.UAdd() if token.text == "+" else ast.USub(), operand), token.start, operand)

    # -- what stands behind and above ----------------------------------------------------------------------------------

    def powered(self) -> ast.expr:
        """Something with all that belongs to it: ``X.T[0]^2``."""
        start = self.token.start
        self.inside()
        node = self.operand()
        while self.token.kind == "sign" and (behind := self.behind(node, start)) is not None:
            node = behind
        self.depth -= 1
        return node

    def behind(self, node: ast.expr, start: int) -> ast.expr | None:
        """``node`` with the one thing that comes next, if something belongs to it."""
        match self.token.text:
            case ".":
                return self.attribute(node, start)
            case "[" if not isinstance(node, ast.Constant) and not self.is_fraction(node):
                return self.subscript(node, start)
            case "(" if self.is_called(node):
                return self.call(node, start)
            case "'" | "⊤":
                self.advance()
                return self.transposed(node, start)
            case "°":
                self.advance()
                return self.called("radians", [node], start)
            case "_":
                return self.entry(node, start)
            case "^" | "**":
                return self.raised(node, start)
        return None

    def is_called(self, node: ast.expr) -> bool:
        is_turned = isinstance(node, ast.Attribute) and node.attr in ("T", "mT")
        return self.ahead().text == ")" or (isinstance(node, ast.Attribute) and not is_turned)

    def is_fraction(self, node: ast.expr) -> bool:
        """Whether a number is a fraction of LaTeX: brackets behind it are parentheses."""
        is_typed = self.source.text.startswith("\\", node.col_offset)
        return is_typed and isinstance(node, ast.BinOp) and self.names.is_number(node)

    def attribute(self, node: ast.expr, start: int) -> ast.expr:
        self.advance()
        if self.token.kind != "word":
            raise self.missing()
        return self.made(ast.Attribute(node, self.advance().text, ast.Load()), start, node)

    def transposed(self, node: ast.expr, start: int) -> ast.expr:
        return self.made(ast.Attribute(node, "T", ast.Load()), start, node)

    def raised(self, node: ast.expr, start: int) -> ast.expr:
        sign = self.advance().text
        braced = self.at("{")
        script = self.ahead() if braced and self.ahead(2).text == "}" else self.token
        past = 3 if script is not self.token else 1
        if sign == "^" and script.text == "∘":
            self.skip(past)
            return self.called("radians", [node], start)
        if sign == "^" and self.is_transpose(script, braced):
            self.skip(past)
            turned = self.transposed(node, start)
            if script.kind == "word" and self.names.may_be_exponent("T"):
                raise self.two(self.typed(start), turned, ast.BinOp(node, ast.Pow(), ast.Name("T")))
            self.is_on_paper = True
            self.turned_above.add(id(turned))
            return turned
        if braced:
            self.must_be_power(node, start)
            exponent = self.group()
        else:
            self.must_be_one_exponent(node, start)
            exponent = self.signed()
        if isinstance(node, ast.Name) and node.id == "e":
            if not self.names.known("e"):
                return self.called("exp", [exponent], start)
            if sign == "^":
                power = ast.BinOp(node, ast.Pow(), exponent)
                raise self.two(self.typed(start), ast.Call(ast.Name("exp"), [exponent], []), power)
        return self.made(ast.BinOp(node, Caret() if sign == "^" else ast.Pow(), exponent), start, node, exponent)

    def must_be_power(self, node: ast.expr, start: int) -> None:
        """``x^{(2)}`` is on paper the second x as well."""
        inside = [self.ahead(place) for place in range(5)]
        script = inside[2].text
        is_numbered = [token.text for token in inside[:2] + inside[3:]] == ["{", "(", ")", "}"] and script.isalnum()
        if is_numbered and isinstance(node, ast.Name):
            piece = self.typed(start, inside[-1].end)
            power = in_python(ast.BinOp(node, ast.Pow(), ast.Name(script)), self.names.is_number)
            raise self.source.two(
                piece, power, f"a name of its own for number {script} of several, such as {node.id}_a"
            )

    def skip(self, count: int) -> None:
        for _ in range(count):
            self.advance()

    def is_transpose(self, script: Token, braced: bool) -> bool:
        """T alone, or before the next letters: ``K^TV`` is Kᵀ V."""
        if script.text == "⊤":
            return True
        if script.kind != "word" or script.text[0] != "T":
            return False
        rest = script.text[1:]
        if not rest:
            return True
        if braced or not (self.names.known(rest) or self.names.splits(rest)):
            return False
        if self.names.known(script.text):
            raise self.source.two(f"^{script.text}", f".T @ {rest}", f"** {script.text}")
        half = script._replace(text="T", end=script.start + 1)
        self.instead_of_here(half, script._replace(text=rest, start=half.end))
        return True

    def must_be_one_exponent(self, node: ast.expr, start: int) -> None:
        """``x^ab``: is b still above?"""
        word = self.token
        if word.kind == "word" and not self.names.known(word.text) and self.names.function(word.text) is None:
            for pieces in self.names.splits(word.text):
                names: list[ast.expr] = [ast.Name(piece) for piece in pieces]
                above = beside(names)
                lower = beside([ast.BinOp(node, ast.Pow(), names[0]), *names[1:]])
                raise self.two(self.typed(start, word.end), lower, ast.BinOp(node, ast.Pow(), above))

    def entry(self, node: ast.expr, start: int) -> ast.expr:
        """The entry of what is no name: ``(Q K^T)_{12}``, ``softmax(s)_1``."""
        place = self.token
        below = self.script()
        if below == self.index and self.index is not None:
            self.indexed.add(id(node))
            return node
        parts = below.split(",") if "," in below else list(below)
        if not all(part.isdecimal() and part.isascii() for part in parts) or len(parts) > 2:
            what = f"{self.typed(place.start)} at character {place.start + 1}"
            raise self.source.unreadable(f"{what}: expected a row and a column, as in (Q K^T)_{{1,2}}")
        entry = self.from_one(node, tuple(map(int, parts)), start)
        if isinstance(node, ast.Attribute) and node.col_offset == start:
            # K^T_1: of what is turned, or the turned row?
            first = FromOne(node.value, entry.slice, ast.Load())
            raise self.two(self.typed(start), ast.Attribute(first, node.attr), entry)
        return entry

    def from_one(self, value: ast.expr, place: tuple[int, ...], start: int) -> FromOne:
        numbers: list[ast.expr] = [self.made(ast.Constant(number, str(number)), start) for number in place]
        below = numbers[0] if len(numbers) == 1 else self.made(ast.Tuple(numbers, ast.Load()), start, *numbers)
        return self.made(FromOne(value, below, ast.Load()), start, value, below)

    def script(self) -> str:
        """What stands below, as it is written, without gaps: ``12``, ``1,2``, ``model``."""
        self.advance()
        if not self.at("{"):
            if self.token.kind not in ("number", "word", "letter"):
                raise self.missing()
            return self.advance().text
        self.opening()
        if self.at("}"):
            raise self.missing()
        parts = []
        while self.token.kind != "end" and not self.at("}", "{"):
            parts.append(self.advance().text)
        self.closing()
        return "".join(parts)

    def number(self, text: str, start: int, end: int | None = None) -> ast.Constant:
        """A number, with its digits as ``kind``; a decimal is nothing else, for it is exact."""
        plain = text.replace("_", "")
        return self.made(ast.Constant(int(plain) if plain.isdecimal() else plain, plain), start, end=end)

    # -- calls and brackets --------------------------------------------------------------------------------------------

    def called(self, function: str, arguments: Sequence[ast.expr], start: int) -> ast.expr:
        """A function of a sign: ``√x``, ``|x|``."""
        name = self.made(ast.Name(function, ast.Load()), start)
        return self.made(ast.Call(name, list(arguments), []), start, *arguments)

    def call(self, function: ast.expr, start: int) -> ast.Call:
        self.opening()
        arguments: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        while not self.at(")"):
            if self.token.kind == "word" and self.ahead().text == "=":
                name = self.advance().text
                self.advance()
                keywords.append(ast.keyword(name, self.expression()))
            elif keywords:
                raise self.source.unreadable(f"behind {keywords[-1].arg}=… a value has to have its name too")
            else:
                arguments.append(self.expression())
            if not self.at(","):
                break
            self.advance()
        self.closing()
        values = [keyword.value for keyword in keywords]
        return self.made(ast.Call(function, arguments, keywords), start, function, *arguments, *values)

    def subscript(self, node: ast.expr, start: int) -> ast.expr:
        first = self.opening().end
        places: list[ast.expr] = [self.slice()]
        while self.at(","):
            self.advance()
            if self.at("]"):
                break
            places.append(self.slice())
        place = places[0] if len(places) == 1 else self.made(ast.Tuple(places, ast.Load()), first, *places)
        self.closing()
        return self.made(ast.Subscript(node, place, ast.Load()), start, node, place)

    def slice(self) -> ast.expr:
        start = self.token.start
        if self.at(".") and self.ahead().text == self.ahead(2).text == ".":
            self.skip(3)
            return self.made(ast.Constant(...), start)
        ends: list[ast.expr | None] = [None if self.at(":") else self.expression()]
        while self.at(":") and len(ends) < 3:
            self.advance()
            ends.append(None if self.at(":", ",", "]") else self.expression())
        if len(ends) == 1 and ends[0] is not None:
            return ends[0]
        return self.made(ast.Slice(*ends), start, *ends)

    def tuple_from(self, first: ast.expr, start: int) -> ast.expr:
        parts = [first]
        while self.at(","):
            self.advance()
            if self.at(")"):
                break
            parts.append(self.expression())
        return self.made(ast.Tuple(parts, ast.Load()), start, *parts)


def beside(pieces: Sequence[ast.expr]) -> ast.expr:
    """Pieces side by side, from left to right."""
    node = pieces[0]
    for piece in pieces[1:]:
        node = ast.BinOp(node, Beside(), piece)
    return node
