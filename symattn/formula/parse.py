r"""Text to tree: formulas as Python, NumPy, mathematics on paper and LaTeX write them, by one parser.

The tree is one of Python's ``ast`` nodes and those of :mod:`symattn.formula.tree`; places are counted in characters
of the text. What a text can mean in two ways is refused with both. Nothing is run, and what a text costs is what its
length is.

>>> from symattn.shapes import shape
>>> from symattn.formula.written import canonical
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)}, {"d_k": 4})
>>> canonical(parse(r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)", scope))
'softmax(Q K.T / sqrt(d_k))'
>>> parse("Q / 2 K", scope)
Traceback (most recent call last):
    ...
symattn.errors.FormulaError: formula 'Q / 2 K': Q / 2 K can mean two things: write Q / 2 @ K or Q / (2 * K)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from symattn import limits
from symattn.errors import FormulaError, cut
from symattn.formula.functions import Scope
from symattn.formula.tokens import FormulaText, Token
from symattn.formula.tree import Beside
from symattn.formula.words import WordParser


def parse(text: str, scope: Scope, kind: str = "formula") -> ast.expr:
    """The tree of a text.

    Raises :class:`~symattn.errors.FormulaError` for what cannot be read, for what can mean two things, and for limits.
    """
    if not isinstance(text, str):
        raise FormulaError(f"{kind}: expected a text, came {cut(repr(text))}")
    source = FormulaText(text, kind)
    stripped = text.strip()
    if not stripped:
        raise source.error("is empty")
    if len(text) > limits.FORMULA_LENGTH:
        raise source.error(f"more than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
    if "\n" in stripped or "\r" in stripped or "\0" in stripped:
        raise source.error("a formula is one line")
    return _Parser(source, scope).formula()


class _Parser(WordParser):
    """What begins with a sign of its own."""

    def formula(self) -> ast.expr:
        self.free = self.index = self.for_all()
        tree = self.expression()
        if self.index is not None:
            if not self.runs:
                raise self.source.unreadable(f"the index {self.index} stands nowhere")
            tree = self.entrywise(tree, tree.col_offset)
        if self.at(","):
            tree = self.tuple_from(tree, 0)
        if self.token.kind != "end":
            raise self.unexpected()
        if self.doubtful and self.is_on_paper:
            word, pieces = self.doubtful
            raise self.source.two(word, " @ ".join(pieces), f"{word} in a formula of Python's signs, with @ and .T")
        return tree

    def for_all(self) -> str | None:
        """``x_i + b_i ∀ i``: the index of which every entry is spoken, at the end of the formula."""
        if len(self.tokens) < 4 or self.tokens[-3].text != "∀" or self.tokens[-2].kind not in ("word", "letter"):
            return None
        letter = self.tokens[-2].text
        del self.tokens[-4 if self.tokens[-4].text == "," else -3 : -1]
        return letter

    def operand(self) -> ast.expr:
        token = self.token
        if token.kind == "number":
            self.advance()
            return self.number(token.text, token.start)
        if token.kind in ("word", "letter"):
            return self.word()
        match token.text:
            case "(":
                return self.group()
            case "{":
                return self.braces()
            case "[" | "\\[":
                return self.listed()
            case "|" | "‖" | "||":
                return self.bars()
            case "⌊" | "⌈":
                return self.rounded()
            case "⟨":
                return self.inner_product()
            case "√":
                return self.root_sign()
            case "∑":
                self.advance()
                return self.summed(token.start)
            case "\\frac":
                return self.fraction()
            case "\\sqrt":
                return self.root()
            case "\\begin":
                return self.grid()
        raise self.missing()

    # -- what encloses -------------------------------------------------------------------------------------------------

    def group(self) -> ast.expr:
        opened = self.opening()
        inner = self.expression()
        if opened.text == "(" and self.at(","):
            inner = self.tuple_from(inner, opened.end)
        elif opened.text == "{" and self.at("\\over"):
            self.advance()
            below = self.expression()
            inner = self.made(ast.BinOp(inner, ast.Div(), below), opened.end, inner, below)
        self.closing()
        return inner

    def braces(self) -> ast.expr:
        """Braces around one name say nothing: ``{W}_Q`` is W_Q."""
        name = self.ahead()
        if name.kind in ("word", "letter") and self.ahead(2).text == "}":
            self.instead_of_here(name, count=3)
            return self.word()
        return self.group()

    def bars(self) -> ast.expr:
        start = self.opening().start
        is_norm = self.tokens[self.at_place - 1].text != "|"
        inner = self.expression()
        self.closing()
        if (
            not is_norm
            and not self.at("|")
            and self.begins_operand()
            and any(each.text == "|" for each in self.later())
        ):
            raise self.source.unreadable(f"a | behind character {self.end} may open or close: write abs(x) or norm(x)")
        if not is_norm:
            if not self.names.is_number(inner):
                one, other = (ast.Call(ast.Name(name), [inner], []) for name in ("abs", "norm"))
                raise self.two(self.typed(start), one, other)
            return self.called("abs", [inner], start)
        if self.at("_") and (which := self.script()) != "2":
            raise self.source.unreadable(
                f"{self.typed(start)}: a length with {which} below is not known; others are sum(abs(x)) and max(abs(x))"
            )
        if isinstance(inner, ast.Name) and (shape := self.names.shape(inner.id)) and 1 not in shape.sizes:
            whole = f"sqrt(sum({inner.id} ** 2, axis=None))"
            raise self.source.two(self.typed(start), f"norm({inner.id}), of each row,", whole)
        return self.called("norm", [inner], start)

    def later(self) -> Sequence[Token]:
        return self.tokens[self.at_place :]

    def rounded(self) -> ast.expr:
        opened = self.opening()
        inner = self.expression()
        self.closing()
        if opened.text == "⌊":
            return self.called("floor", [inner], opened.start)
        below = self.made(ast.UnaryOp(ast.USub(), inner), opened.start, inner)
        floor = self.called("floor", [below], opened.start)
        return self.made(ast.UnaryOp(ast.USub(), floor), opened.start, floor)

    def inner_product(self) -> ast.expr:
        start = self.opening().start
        left = self.expression()
        if not self.at(",", "|"):
            raise self.unexpected()
        self.advance()
        right = self.expression()
        self.closing()
        return self.called("dot", [left, right], start)

    # -- fractions and roots -------------------------------------------------------------------------------------------

    def fraction(self) -> ast.expr:
        start = self.advance().start
        above = self.part()
        below = self.part()
        return self.made(ast.BinOp(above, ast.Div(), below), start, above, below)

    def part(self) -> ast.expr:
        """What belongs to a command of LaTeX: braces, or one sign, as in ``\\frac12``."""
        if self.at("{"):
            return self.group()
        token = self.token
        is_long = token.kind == "word" and len(token.text) > 1 and not self.names.known(token.text)
        if token.kind == "number" and token.text.isdecimal():
            digit = token._replace(text=token.text[0], end=token.start + 1)
            rest = [token._replace(text=token.text[1:], start=digit.end)] if len(token.text) > 1 else []
            self.instead_of_here(digit, *rest)
        elif token.kind == "sign" or is_long:
            where = f"{self.typed(token.start, token.end)} at character {token.start + 1}"
            raise self.source.unreadable(f"{where} needs braces around it: \\frac{{…}}{{…}}")
        return self.operand()

    def root(self) -> ast.expr:
        start = self.advance().start
        if self.at("["):
            self.opening()
            degree = self.expression()
            self.closing()
            if not (isinstance(degree, ast.Constant) and degree.value == 2):
                where = f"{self.typed(start)} at character {start + 1}"
                raise self.source.unreadable(f"{where}: expected a square root; another one is exp(log(x) / 3)")
        if self.token.kind == "number" and len(self.token.text) > 1:
            digits = self.token.text
            raise self.source.two(f"\\sqrt{digits}", f"sqrt({digits})", f"sqrt({digits[0]}) * {digits[1:]}")
        return self.called("sqrt", [self.group() if self.at("{") else self.part()], start)

    def root_sign(self) -> ast.expr:
        """√ reaches over what comes next; where it may reach further it is refused."""
        start = self.advance().start
        if self.at("(", "{"):
            return self.called("sqrt", [self.group()], start)
        self.inside()
        under = self.operand()
        self.depth -= 1
        if self.at("^", "**"):
            self.advance()
            power = ast.BinOp(under, ast.Pow(), self.group() if self.at("{") else self.signed())
            outside = ast.BinOp(_root(under), ast.Pow(), power.right)
            raise self.two(self.typed(start), outside, _root(power))
        if self.begins_operand():
            right = self.powered()
            apart, together = ast.BinOp(_root(under), Beside(), right), ast.BinOp(under, Beside(), right)
            raise self.two(self.typed(start), apart, _root(together))
        return self.called("sqrt", [under], start)

    # -- lists ---------------------------------------------------------------------------------------------------------

    def in_brackets(self, start: int) -> ast.expr:
        function = ast.Name(self.typed(start, self.token.start).strip().lstrip("\\"))
        inner = self.listed()
        if not isinstance(inner, ast.List) or len(inner.elts) != 1:
            return inner
        only = inner.elts[0]
        if self.names.is_number(only):
            raise self.two(self.typed(start), ast.Call(function, [only], []), ast.Call(function, [inner], []))
        return only

    def listed(self) -> ast.expr:
        """``[1, 2]``, ``[1 2; 3 4]``; with brackets that grow, as in LaTeX, one thing in them just stands together."""
        opened = self.opening()
        rows: list[list[ast.expr]] = [[]]
        is_apart = False
        while not self.at("]", "\\]"):
            rows[-1].append(self.expression())
            if self.at(";"):
                self.advance()
                rows.append([])
            elif self.at(","):
                self.advance()
            elif self.token.kind == "number":
                is_apart = True
            else:
                break
        self.closing()
        if opened.text == "\\[" and len(rows) == 1 == len(rows[0]):
            return rows[0][0]
        if is_apart or len(rows) > 1:
            self.must_be_numbers(rows, opened.start)
        lists = [self.made(ast.List(row, ast.Load()), opened.start, *row) for row in rows]
        return lists[0] if len(lists) == 1 else self.made(ast.List([*lists], ast.Load()), opened.start, *lists)

    def must_be_numbers(self, rows: list[list[ast.expr]], start: int) -> None:
        """``[1 -2; 3 4]``: without commas a sign may stand between two numbers or before one."""
        for row in rows:
            for entry in row:
                if isinstance(entry, ast.BinOp) and isinstance(entry.op, ast.Add | ast.Sub):
                    one, other = ast.UnaryOp(ast.USub(), entry.right), entry.right
                    parts = [entry.left, one if isinstance(entry.op, ast.Sub) else other]
                    raise self.two(self.typed(start), entry, ast.List(parts))

    def grid(self) -> ast.expr:
        start = self.opening().start
        rows: list[ast.expr] = []
        cells: list[ast.expr] = []
        while not self.at("\\end"):
            cells.append(self.expression())
            if self.at("&"):
                self.advance()
            elif self.at("\\\\"):
                self.advance()
                rows.append(self.made(ast.List(cells, ast.Load()), start, *cells))
                cells = []
            else:
                break
        self.closing()
        if cells:
            rows.append(self.made(ast.List(cells, ast.Load()), start, *cells))
        return self.made(ast.List(rows, ast.Load()), start, *rows)


def _root(under: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("sqrt"), [under], [])
