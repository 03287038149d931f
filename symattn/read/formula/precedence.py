"""Precedence in a formula: signs between operands, postfixes and superscripts, calls and brackets.

An operand is read by the function that a table has for its first token; the caller gives the table.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from symattn.base.errors import FormulaError
from symattn.base.shapes import Axis
from symattn.read.formula import wrong
from symattn.read.formula.cursor import Cursor
from symattn.read.formula.functions import Scope
from symattn.read.formula.names import Vocabulary
from symattn.read.formula.tokens import FormulaText, Token
from symattn.read.formula.tree import Beside, Caret, Cdot, FromOne, Times, in_python

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


class Parsing(Cursor):
    """The state of parsing a formula: the cursor, the names it may use, and the findings so far."""

    def __init__(
        self, source: FormulaText, scope: Scope, operands: Mapping[str, Callable[[Parsing], ast.expr]]
    ) -> None:
        super().__init__(source)
        self.operands = operands
        """The readers of operands, by the sign or else the kind of the first token."""
        self.names = Vocabulary(scope)
        self.index: str | None = None
        """The index of the current sum."""
        self.free: str | None = None
        """The index that runs over every entry of the result."""
        self.indexed: set[int] = set()
        """The ids of nodes that have the index."""
        self.indexed_rows: set[int] = set()
        """The ids of those that are rows of a matrix, not numbers."""
        self.runs: list[tuple[str, Axis | None]] = []
        """The names that the index runs along, each with its axis."""
        self.turned_above: set[int] = set()
        """The ids of nodes that are transposed by a superscript T, as on paper."""
        text = source.text  # authors who write @ write every product, even if the rest is as on paper
        self.is_on_paper = "@" not in text and (not text.isascii() or "\\" in text or "{" in text)
        self.doubtful: tuple[str, tuple[str, ...]] | None = None
        """A word that is a name here and would be a product on paper, with its pieces."""

    def operand(self) -> ast.expr:
        """Read an operand."""
        read = self.operands.get(self.token.text if self.token.kind == "sign" else self.token.kind)
        if read is None:
            raise self.missing()
        return read(self)

    def two(self, piece: str, one: ast.expr, other: ast.expr) -> FormulaError:
        """Return the error for a piece with two readings."""
        return self.source.two(piece.strip(), *(in_python(reading, self.names.is_number) for reading in (one, other)))


def shown_call(name: str, *arguments: ast.expr) -> ast.Call:
    """Return a call in a reading that an error shows: it has no place in the text."""
    return ast.Call(ast.Name(name), list(arguments), [])


def shown_power(base: ast.expr, exponent: ast.expr) -> ast.BinOp:
    """Return a power in a reading that an error shows."""
    return ast.BinOp(base, ast.Pow(), exponent)


def shown_product(pieces: Sequence[ast.expr]) -> ast.expr:
    """Return a product of pieces side by side, from left to right, in a reading that an error shows."""
    node = pieces[0]
    for piece in pieces[1:]:
        node = ast.BinOp(node, Beside(), piece)
    return node


# Sums and products


def parse_expression(p: Parsing, level: int = SUM) -> ast.expr:
    start = p.token.start
    left = parse_signed(p)
    before: ast.BinOp | None = None
    while True:
        mark = p.token.text
        sign = SIGNS.get(mark) if p.token.kind == "sign" else None
        if sign is not None:
            if sign[0] < level:
                break
            p.advance()
            operator = sign[1]()
            right = parse_expression(p, PRODUCT) if sign[0] == SUM else parse_signed(p)
        elif begins_operand(p):
            p.is_on_paper = True
            operator, right = Beside(), parse_powered(p)
            if isinstance(right, ast.List) and len(right.elts) == 1 and p.names.is_number(left):
                right = right.elts[0]  # 1/2 [x + y]
            if isinstance(right, ast.Tuple) and not p.names.is_number(left):  # X(1, 2) is called, or a product
                whole, *places = (in_python(part, p.names.is_number) for part in (left, *right.elts))
                product, entry = f"{whole} @ [{', '.join(places)}]", f"{whole}_{{{','.join(places)}}}"
                raise p.source.two(p.typed(start).strip(), product, entry)
        else:
            break
        if mark == "*" and {id(left), id(right)} & p.turned_above:
            operator = Times()  # Q * K^T is typed for a product of matrices as well as for one of entries
        node = ast.BinOp(left, operator, right)
        if before is not None:
            must_be_one_product(p, before, node, start)
        left = p.made(node, start)
        before = node if not isinstance(operator, ast.Add | ast.Sub) else None
    return left


def must_be_one_product(p: Parsing, before: ast.BinOp, node: ast.BinOp, start: int) -> None:
    """Refuse ``a / b c`` and ``A * B C``, which depend on the order of operations."""
    one, other = before.op, node.op
    is_line = isinstance(one, ast.Div) and isinstance(other, Beside)
    mixed = {type(one), type(other)}
    is_mixed = Beside in mixed and bool(mixed & {ast.Mult, Cdot, Times})
    if is_line or (is_mixed and not (p.names.is_number(before.left) or p.names.is_number(node.right))):
        later = ast.BinOp(before.left, one, ast.BinOp(before.right, other, node.right))
        raise p.two(p.typed(start), node, later)


def begins_operand(p: Parsing) -> bool:
    """Return whether the next token begins an operand beside the last one."""
    token = p.token
    if token.kind == "sign":
        return token.text in p.operands and not p.is_closing_fence
    if token.kind == "number" and p.open and p.open[-1].text == "[":
        return False  # [1 2; 3 4]
    if token.kind == "number" or (token.kind == "word" and wrong.is_python_word(token.text)):
        raise p.unexpected()
    return token.kind != "end"


def parse_signed(p: Parsing) -> ast.expr:
    if not p.at("+", "-"):
        return parse_powered(p)
    p.inside()
    token = p.advance()
    operand = parse_signed(p)
    p.depth -= 1
    return p.made(ast.UnaryOp(ast.UAdd() if token.text == "+" else ast.USub(), operand), token.start)


# Postfixes and superscripts


def parse_powered(p: Parsing) -> ast.expr:
    """Read an operand with its postfixes and superscripts: ``X.T[0]^2``."""
    start = p.token.start
    p.inside()
    node = p.operand()
    while p.token.kind == "sign" and (behind := parse_postfix(p, node, start)) is not None:
        node = behind
    p.depth -= 1
    return node


def parse_postfix(p: Parsing, node: ast.expr, start: int) -> ast.expr | None:
    """Read one postfix or superscript of ``node``, if there is one."""
    match p.token.text:
        case ".":
            p.advance()
            if p.token.kind != "word":
                raise p.missing()
            return p.made(ast.Attribute(node, p.advance().text, ast.Load()), start)
        case "[":
            # A number has no indices, and brackets behind a LaTeX fraction are parentheses.
            is_typed = p.source.text.startswith("\\", node.col_offset)
            is_fraction = is_typed and isinstance(node, ast.BinOp) and p.names.is_number(node)
            return None if isinstance(node, ast.Constant) or is_fraction else parse_subscript(p, node, start)
        case "(":
            is_method = isinstance(node, ast.Attribute) and node.attr not in ("T", "mT")
            return parse_call(p, node, start) if is_method or p.ahead().text == ")" else None
        case "'" | "⊤":
            p.advance()
            return transpose_node(p, node, start)
        case "°":
            p.advance()
            return call_node(p, "radians", [node], start)
        case "_":
            return parse_entry(p, node, start)
        case "^" | "**":
            return parse_superscript(p, node, start)
    return None


def transpose_node(p: Parsing, node: ast.expr, start: int) -> ast.expr:
    return p.made(ast.Attribute(node, "T", ast.Load()), start)


def parse_superscript(p: Parsing, node: ast.expr, start: int) -> ast.expr:
    sign = p.advance().text
    braced = p.at("{")
    script = p.ahead() if braced and p.ahead(2).text == "}" else p.token
    past = 3 if script is not p.token else 1
    if sign == "^" and script.text == "∘":
        p.skip(past)
        return call_node(p, "radians", [node], start)
    if sign == "^" and is_transpose(p, script, braced):
        p.skip(past)
        turned = transpose_node(p, node, start)
        if script.kind == "word" and p.names.may_be_exponent("T"):
            raise p.two(p.typed(start), turned, shown_power(node, ast.Name("T")))
        p.is_on_paper = True
        p.turned_above.add(id(turned))
        return turned
    if braced:
        must_be_power(p, node, start)
        exponent = parse_group(p)
    else:
        must_be_one_exponent(p, node, start)
        exponent = parse_signed(p)
    if isinstance(node, ast.Name) and node.id == "e":
        if not p.names.known("e"):
            return call_node(p, "exp", [exponent], start)
        if sign == "^":
            power = shown_power(node, exponent)
            raise p.two(p.typed(start), shown_call("exp", exponent), power)
    return p.made(ast.BinOp(node, Caret() if sign == "^" else ast.Pow(), exponent), start)


def must_be_power(p: Parsing, node: ast.expr, start: int) -> None:
    """Refuse ``x^{(2)}``, which on paper may also be the second x."""
    inside = [p.ahead(place) for place in range(5)]
    script = inside[2].text
    is_numbered = [token.text for token in inside[:2] + inside[3:]] == ["{", "(", ")", "}"] and script.isalnum()
    if is_numbered and isinstance(node, ast.Name):
        piece = p.typed(start, inside[-1].end)
        power = in_python(shown_power(node, ast.Name(script)), p.names.is_number)
        raise p.source.two(piece, power, f"a name of its own for number {script} of several, such as {node.id}_a")


def is_transpose(p: Parsing, script: Token, braced: bool) -> bool:
    """Return whether a superscript is T, alone or before the next letters: ``K^TV`` is Kᵀ V."""
    if script.text == "⊤":
        return True
    if script.kind != "word" or script.text[0] != "T":
        return False
    rest = script.text[1:]
    if not rest:
        return True
    if braced or not (p.names.known(rest) or p.names.splits(rest)):
        return False
    if p.names.known(script.text):
        raise p.source.two(f"^{script.text}", f".T @ {rest}", f"** {script.text}")
    half = script._replace(text="T", end=script.start + 1)
    p.instead_of_here(half, script._replace(text=rest, start=half.end))
    return True


def must_be_one_exponent(p: Parsing, node: ast.expr, start: int) -> None:
    """Refuse ``x^ab``: is b in the exponent?"""
    word = p.token
    if word.kind == "word" and not p.names.known(word.text) and p.names.function(word.text) is None:
        for pieces in p.names.splits(word.text):
            names: list[ast.expr] = [ast.Name(piece) for piece in pieces]
            above = shown_product(names)
            lower = shown_product([shown_power(node, names[0]), *names[1:]])
            raise p.two(p.typed(start, word.end), lower, shown_power(node, above))


def parse_entry(p: Parsing, node: ast.expr, start: int) -> ast.expr:
    """Read the entry of an expression: ``(Q K^T)_{12}``, ``softmax(s)_1``."""
    place = p.token
    below = p.script()
    if below == p.index and p.index is not None:
        p.indexed.add(id(node))
        return node
    parts = below.split(",") if "," in below else list(below)
    if not all(part.isdecimal() and part.isascii() for part in parts) or len(parts) > 2:
        raise p.refused("expected a row and a column, as in (Q K^T)_{1,2}", place.start)
    entry = entry_node(p, node, tuple(map(int, parts)), start)
    if isinstance(node, ast.Attribute) and node.col_offset == start:
        # K^T_1: a row of the transpose, or the transposed row?
        first = FromOne(node.value, entry.slice, ast.Load())
        raise p.two(p.typed(start), ast.Attribute(first, node.attr), entry)
    return entry


def entry_node(p: Parsing, value: ast.expr, place: tuple[int, ...], start: int) -> FromOne:
    numbers: list[ast.expr] = [p.made(ast.Constant(number, str(number)), start) for number in place]
    below = numbers[0] if len(numbers) == 1 else p.made(ast.Tuple(numbers, ast.Load()), start)
    return p.made(FromOne(value, below, ast.Load()), start)


def name_node(p: Parsing, name: str, start: int) -> ast.Name:
    return p.made(ast.Name(name, ast.Load()), start)


def number_node(p: Parsing, text: str, start: int) -> ast.Constant:
    """Return a number, with its digits as ``kind``; decimals stay text, so that they are exact."""
    plain = text.replace("_", "")
    return p.made(ast.Constant(int(plain) if plain.isdecimal() else plain, plain), start)


def call_node(p: Parsing, function: str, arguments: Sequence[ast.expr], start: int) -> ast.expr:
    """Return the function of a sign: ``√x``, ``|x|``."""
    return p.made(ast.Call(name_node(p, function, start), list(arguments), []), start)


# Calls and brackets


def parse_call(p: Parsing, function: ast.expr, start: int) -> ast.Call:
    p.opening()
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    while not p.at(")"):
        if p.token.kind == "word" and p.ahead().text == "=":
            name = p.advance().text
            p.advance()
            keywords.append(ast.keyword(name, parse_expression(p)))
        elif keywords:
            raise p.source.unreadable(f"behind {keywords[-1].arg}=… a value has to have its name too")
        else:
            arguments.append(parse_expression(p))
        if not p.at(","):
            break
        p.advance()
    p.closing()
    return p.made(ast.Call(function, arguments, keywords), start)


def parse_subscript(p: Parsing, node: ast.expr, start: int) -> ast.expr:
    first = p.opening().end
    places: list[ast.expr] = [parse_slice(p)]
    while p.at(","):
        p.advance()
        if p.at("]"):
            break
        places.append(parse_slice(p))
    place = places[0] if len(places) == 1 else p.made(ast.Tuple(places, ast.Load()), first)
    p.closing()
    return p.made(ast.Subscript(node, place, ast.Load()), start)


def parse_slice(p: Parsing) -> ast.expr:
    start = p.token.start
    if p.at(".") and p.ahead().text == p.ahead(2).text == ".":
        p.skip(3)
        return p.made(ast.Constant(...), start)
    ends: list[ast.expr | None] = [None if p.at(":") else parse_expression(p)]
    while p.at(":") and len(ends) < 3:
        p.advance()
        ends.append(None if p.at(":", ",", "]") else parse_expression(p))
    if len(ends) == 1 and ends[0] is not None:
        return ends[0]
    return p.made(ast.Slice(*ends), start)


def parse_tuple(p: Parsing, first: ast.expr, start: int) -> ast.expr:
    parts = [first]
    while p.at(","):
        p.advance()
        if p.at(")"):
            break
        parts.append(parse_expression(p))
    return p.made(ast.Tuple(parts, ast.Load()), start)


def parse_group(p: Parsing) -> ast.expr:
    opened = p.opening()
    inner = parse_expression(p)
    if opened.text == "(" and p.at(","):
        inner = parse_tuple(p, inner, opened.end)
    elif opened.text == "{" and p.at("\\over"):
        p.advance()
        below = parse_expression(p)
        inner = p.made(ast.BinOp(inner, ast.Div(), below), opened.end)
    p.closing()
    return inner


def parse_bracketed_argument(p: Parsing, start: int) -> ast.expr:
    """Read a list, or an argument in brackets instead of parentheses."""
    function = p.typed(start, p.token.start).strip().lstrip("\\")
    inner = parse_list(p)
    if not isinstance(inner, ast.List) or len(inner.elts) != 1:
        return inner
    only = inner.elts[0]
    if p.names.is_number(only):
        raise p.two(p.typed(start), shown_call(function, only), shown_call(function, inner))
    return only


def parse_list(p: Parsing) -> ast.expr:
    """Read ``[1, 2]`` or ``[1 2; 3 4]``; LaTeX's growing brackets around one expression only group it."""
    opened = p.opening()
    rows: list[list[ast.expr]] = [[]]
    is_apart = False
    while not p.at("]", "\\]"):
        rows[-1].append(parse_expression(p))
        if p.at(";"):
            p.advance()
            rows.append([])
        elif p.at(","):
            p.advance()
        elif p.token.kind == "number":
            is_apart = True
        else:
            break
    p.closing()
    if opened.text == "\\[" and len(rows) == 1 == len(rows[0]):
        return rows[0][0]
    if is_apart or len(rows) > 1:
        must_be_apart(p, rows, opened.start)
    lists = [p.made(ast.List(row, ast.Load()), opened.start) for row in rows]
    return lists[0] if len(lists) == 1 else p.made(ast.List([*lists], ast.Load()), opened.start)


def must_be_apart(p: Parsing, rows: list[list[ast.expr]], start: int) -> None:
    """Refuse ``[1 -2; 3 4]``: without commas a sign may be between two numbers or before one."""
    for row in rows:
        for entry in row:
            if isinstance(entry, ast.BinOp) and isinstance(entry.op, ast.Add | ast.Sub):
                one, other = ast.UnaryOp(ast.USub(), entry.right), entry.right
                parts = [entry.left, one if isinstance(entry.op, ast.Sub) else other]
                raise p.two(p.typed(start), entry, ast.List(parts))
