r"""Text to tree: formulas as in Python, NumPy, mathematics on paper and LaTeX, with one parser.

The tree consists of Python's ``ast`` nodes and those of :mod:`symattn.read.formula.tree`; places are counted in
characters of the text. Ambiguous texts are refused with both readings. Nothing is executed, and the cost of a text
is proportional to its length.

>>> from symattn.base.shapes import shape
>>> from symattn.read.formula.tree import canonical
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)}, {"d_k": 4})
>>> canonical(parse(r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)", scope))
'softmax(Q K.T / sqrt(d_k))'
>>> parse("Q / 2 K", scope)
Traceback (most recent call last):
    ...
symattn.base.errors.FormulaError: formula 'Q / 2 K': Q / 2 K can mean two things: write Q / 2 @ K or Q / (2 * K)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

from symattn.base import limits
from symattn.base.errors import FormulaError, cut
from symattn.read.formula import wrong
from symattn.read.formula.functions import Scope
from symattn.read.formula.names import ENTRYWISE, defined_name
from symattn.read.formula.precedence import (
    PRODUCT,
    SIGNS,
    Parsing,
    begins_operand,
    call_node,
    entry_node,
    name_node,
    number_node,
    parse_bracketed_argument,
    parse_call,
    parse_expression,
    parse_group,
    parse_list,
    parse_powered,
    parse_signed,
    parse_tuple,
    shown_call,
    shown_power,
    shown_product,
)
from symattn.read.formula.tokens import FormulaText, Token
from symattn.read.formula.tree import LINEAR, Beside, Caret, of_entries

_LITERALS = {"True": True, "False": False, "None": None}
_ALONG = {"row": None, "rows": None, "col": 0, "cols": 0, "column": 0, "columns": 0}
_OVER_INDEX = frozenset("sum max min mean".split())
"""Functions that may have an index as subscript."""


def parse(text: str, scope: Scope, kind: str = "formula") -> ast.expr:
    """Parse a text to its tree.

    Raises :class:`~symattn.base.errors.FormulaError` for an unreadable or ambiguous text, and for limits.
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
    return parse_formula(Parsing(source, scope, _OPERANDS))


def parse_formula(p: Parsing) -> ast.expr:
    p.free = p.index = for_all(p)
    tree = parse_expression(p)
    if p.index is not None:
        if not p.runs:
            raise p.source.unreadable(f"the index {p.index} stands nowhere")
        tree = entrywise(p, tree, tree.col_offset)
    if p.at(","):
        tree = parse_tuple(p, tree, 0)
    if p.token.kind != "end":
        raise p.unexpected()
    if p.doubtful and p.is_on_paper:
        word, pieces = p.doubtful
        raise p.source.two(word, " @ ".join(pieces), f"{word} in a formula of Python's signs, with @ and .T")
    return tree


def for_all(p: Parsing) -> str | None:
    """Read ``x_i + b_i ∀ i`` at the end of a formula, and return the index that runs over all entries."""
    if len(p.tokens) < 4 or p.tokens[-3].text != "∀" or p.tokens[-2].kind not in ("word", "letter"):
        return None
    letter = p.tokens[-2].text
    del p.tokens[-4 if p.tokens[-4].text == "," else -3 : -1]
    return letter


# Words


def parse_word(p: Parsing) -> ast.expr:
    token, behind = p.token, p.ahead()
    text, start = token.text, token.start
    if token.kind == "word":
        if text in _LITERALS:
            p.advance()
            return p.made(ast.Constant(_LITERALS[text]), start)
        if wrong.is_python_word(text):
            raise p.missing()
        function = p.names.function(text) if behind.text == "(" else None
        if function and (function == text or not p.names.known(text)):
            p.advance()
            return parse_call(p, name_node(p, function, start), start)
        if (
            behind.text == "("
            and not function
            and not p.names.known(text)
            and (name := parse_name_of_application(p, text))
        ):
            return name_node(p, name, start)
        if behind.text in ("[", "\\[") and text == "E" and not p.names.known(text):
            p.advance()
            return call_node(p, "mean", [parse_bracketed_argument(p, start)], start)  # the expectation, E[x]
        if behind.text in (".", "[") and not p.names.known(text) and not p.names.function(text):
            return parse_library_name(p, token, behind)
    if behind.text not in ("_", "^", "'") and token.kind == "word" and p.names.known(text):
        p.advance()
        must_be_one_word(p, text)
        return name_node(p, text, start)
    return parse_scripted_word(p, token)


def parse_name_of_application(p: Parsing, text: str) -> str:
    """Read a name that a step defined by ``FFN(x) = …``; return an empty text, and read nothing, if there is none."""
    place, close = p.at_place, p.at_place + 1
    while p.tokens[close].text not in (")", "") and p.tokens[close].kind != "end":
        close += 1
    whole = p.source.text[p.token.start : p.tokens[close].end]
    name = defined_name(f"{text}{whole[whole.find('(') :]}")
    if not p.names.known(name):
        return ""
    p.skip(close + 1 - place)
    return name


def must_be_one_word(p: Parsing, text: str) -> None:
    """Note a doubt: if Q, K and QK are names, QK is a name in Python and a product on paper."""
    if len(text) > 1 and not p.doubtful and (pieces := p.names.splits(text)):
        p.doubtful = (text, pieces[0])


def parse_library_name(p: Parsing, token: Token, behind: Token) -> ast.expr:
    """Read the name of a library, or an unknown name; ``QK.T`` may be either."""
    pieces = p.names.splits(token.text)
    if pieces and (behind.text == "[" or p.ahead(2).text in ("T", "mT")):
        tail, apart = ".T" if behind.text == "." else "[…]", " @ ".join(pieces[0])
        raise p.source.two(f"{token.text}{tail}", f"{apart}{tail}", f"({apart}){tail}")
    p.advance()
    return name_node(p, token.text, token.start)


def parse_scripted_word(p: Parsing, token: Token) -> ast.expr:
    """Read a word with its subscript and superscript."""
    at, start, text = p.at_place, token.start, token.text
    is_letter = token.kind == "letter"
    p.advance()
    below = [p.script()] if p.at("_") else []
    if not below and not is_letter and not p.names.known(text) and "_" in text[1:-1] and text[-1] != "_":
        text, _, under = text.rpartition("_")
        below = [under]
    found: list[ast.expr] = [name_node(p, name, start) for name in p.names.spelled(text, is_letter, below)]
    if p.at("^") and (above := parse_superscripted_name(p, text, is_letter, below, found, start)) is not None:
        return above
    if below:
        # W_1 is a row of W only if nothing has the name W_1.
        entries = p.names.entries(text, below[0], not found)
        found += [entry_node(p, name_node(p, name, start), place, start) for name, place in entries]
    if below and not found and "," in below[0]:  # \\alpha_{1,1} may be the name alpha_11
        names = p.names.spelled(text, is_letter, [below[0].replace(",", "")])
        found += [name_node(p, name, start) for name in names]
    if p.at("'") and (primed := parse_primed_name(p, text, below, start)) is not None:
        return primed
    if len(found) > 1:
        raise p.two(p.typed(start) + "'" * p.at("'"), found[0], found[1])
    if found:
        if is_letter and p.at("(") and (function := {"Sigma": "sum", "sigma": "sigmoid"}.get(text)):
            raise p.source.two(f"{p.typed(start)}(…)", f"{function}(…)", f"{text} @ (…)")
        if not below and not is_letter:
            must_be_one_word(p, text)
        return found[0]
    if below and p.index and (node := parse_indexed_name(p, text, below[0], start)) is not None:
        return node
    return parse_other_word(p, token, at, text, below)


def parse_primed_name(p: Parsing, text: str, below: list[str], start: int) -> ast.expr | None:
    """Read x' as x_prime if that is defined, instead of a transpose."""
    place = p.at_place
    p.advance()
    scripts = [*below, *([p.script()] if p.at("_") else [])]
    if p.names.known(name := "_".join([text, "prime", *scripts])):
        return name_node(p, name, start)
    p.back_to(place)
    return None


def parse_other_word(p: Parsing, token: Token, place: int, text: str, below: list[str]) -> ast.expr:
    """Read a word that is not a name: a function, several names without a gap, or an unknown word."""
    start = token.start
    if token.kind == "letter" and (text == "Sigma" or (text == "sigma" and not below)):
        if text == "Sigma":
            return parse_sum(p, start, *below)
        if p.at("("):
            return parse_call(p, name_node(p, "sigmoid", start), start)
    if token.kind == "word" and (whole := p.names.function(token.text)):
        return parse_function(p, whole, below if token.text == text else [], start)
    if token.kind == "word" and below and (function := p.names.function(text)):
        return parse_function(p, function, below, start)
    if text == "I" and below and (below[0].isdecimal() or below[0] in p.names.scope.sizes):
        size = number_node(p, below[0], start) if below[0].isdecimal() else name_node(p, below[0], start)
        return call_node(p, "identity", [size], start)
    pieces = split_word(p, token, text, below)
    if pieces:
        p.back_to(place)
        p.instead_of_here(*pieces)
        return parse_word(p)
    name = name_node(p, "_".join([text, *below]), start)
    if not re.fullmatch(r"\w+", name.id, re.ASCII):
        raise p.refused("expected a name or numbers below, as in W_{Q} and s_{12}", start)
    return parse_call(p, name, start) if p.at("(") and name.id == token.text else name


def split_word(p: Parsing, token: Token, text: str, below: list[str]) -> list[Token]:
    """Split a word into names: ``QK``, ``Wx_1``; return nothing if it cannot be split."""
    if token.kind != "word" or p.source.text[token.start] == "\\":
        return []  # \max is one word, even if m, a and x are names
    ways, rest = p.names.splits(token.text, p.token.text), ""
    if not ways and p.at("^"):
        ways = split_before_superscript(p, token.text)
    if not ways and text != token.text:
        ways, rest = p.names.splits(text), token.text[len(text) :]
    if len(ways) > 1:
        one, other = (shown_product([ast.Name(piece) for piece in way]) for way in ways)
        raise p.two(token.text, one, other)
    pieces: list[Token] = []
    start = token.start
    for piece in ways[0] if ways else ():
        pieces.append(Token("word", piece, start, start + len(piece)))
        start += len(piece)
    if pieces:
        p.is_on_paper = True
        last = pieces[-1]
        pieces[-1] = last._replace(text=last.text + rest, end=last.end + len(rest))
    return pieces


def split_before_superscript(p: Parsing, text: str) -> list[tuple[str, ...]]:
    """Split a word whose last name has a superscript: ``XW^Q``."""
    here = p.at_place
    p.advance()
    above, _ = parse_simple_superscript(p)
    p.back_to(here)
    found = []
    for place in range(1, len(text)):
        if above not in ("", "T") and p.names.spelled(text[place:], False, [above]):
            first = [(text[:place],)] if p.names.known(text[:place]) else p.names.splits(text[:place])
            found += [(*pieces, text[place:]) for pieces in first]
    return found[:2]


def parse_superscripted_name(
    p: Parsing, text: str, is_letter: bool, below: list[str], found: list[ast.expr], start: int
) -> ast.expr | None:
    """Read ``W^Q``, ``W^{(1)}`` or ``σ²`` if it is a name; else read nothing."""
    place = p.at_place
    p.advance()
    above, meant = parse_simple_superscript(p)
    if meant == "power":
        names = p.names.squared(text, is_letter, below) if above == "2" else []
        names = names or ([] if found else p.names.spelled(text, is_letter, [*below, above]))
    elif above and above != "T":
        more = [p.script()] if p.at("_") and not below else []
        spelled = p.names.spelled(text, is_letter, [*below, above, *more])
        names = [name for name in spelled if not found or name != text + above]
    else:
        names = []
    if not names:
        p.back_to(place)
        return None
    readings: list[ast.expr] = [name_node(p, name, start) for name in names]
    if found and meant != "name" and (above.isdecimal() or (p.names.known(above) and p.names.shape(above) is None)):
        exponent = ast.Constant(int(above)) if above.isdecimal() else ast.Name(above)
        readings.append(shown_power(found[0], exponent))
    if len(readings) > 1:
        raise p.two(p.typed(start), readings[0], readings[1])
    return readings[0]


def parse_simple_superscript(p: Parsing) -> tuple[str, str]:
    """Read a superscript of one word or number, and return whether it can only be a power or a name."""
    closes: list[str] = []
    while p.at("{", "(") and len(closes) < 2:
        closes.append(")" if p.advance().text == "(" else "}")
    if p.token.kind not in ("word", "number", "letter"):
        return "", ""
    token = p.advance()
    for close in reversed(closes):
        if not p.at(close):
            return "", ""
        p.advance()
    if closes == ["}", ")"]:
        return token.text, "name"  # W^{(1)} is no power
    return token.text, "power" if token.kind == "number" and not closes.count(")") else ""


# Functions with and without parentheses


def parse_function(p: Parsing, name: str, below: list[str], start: int) -> ast.expr:
    """Read a function whose argument may have no parentheses: ``\\exp x``, ``\\sin^2 x``, ``\\max_j s_j``."""
    along: list[ast.keyword] = []
    if below and name in _OVER_INDEX and re.match(r"[a-z](=|$)", below[0]):
        return parse_over_index(p, name, below[0], "", start)
    if below and name == "softmax" and below[0] in _ALONG:
        if (axis := _ALONG[below[0]]) is not None:
            along = [ast.keyword("axis", p.made(ast.Constant(axis), start))]
    elif below:
        way = f"nothing is called {p.typed(start)}, and nothing stands below {name}; write {name}(…)"
        if name == "log":
            way = f"nothing stands below log; write log(x) / log({below[0]})"
        raise p.refused(way, start)
    exponent = parse_function_power(p, name, start)
    if p.at("("):
        applied = parse_call(p, name_node(p, name, start), start)
        applied.keywords += along
    elif (argument := parse_bare_argument(p, start)) is not None:
        applied = p.made(ast.Call(name_node(p, name, start), [argument], along), start)
    elif exponent is None and not along:
        return name_node(p, name, start)
    else:
        raise p.missing()
    return applied if exponent is None else p.made(ast.BinOp(applied, Caret(), exponent), start)


def parse_function_power(p: Parsing, name: str, start: int) -> ast.expr | None:
    """Read a power of a result, ``\\sin^2 x``; ``\\sin^{-1} x`` may be that or the inverse function."""
    if not p.at("^"):
        return None
    p.advance()
    exponent = parse_group(p) if p.at("{") else parse_signed(p) if p.at("-") else p.operand()
    if isinstance(exponent, ast.Constant) and isinstance(exponent.value, int):
        return exponent
    if isinstance(exponent, ast.UnaryOp) and isinstance(exponent.operand, ast.Constant):
        raise p.source.two(p.typed(start), f"1 / {name}(x)", f"arc{name}(x)")
    raise p.refused(f"no power of a function: what {name} is of stands behind it, {name}(x)", start)


def parse_bare_argument(p: Parsing, start: int) -> ast.expr | None:
    """Read the argument of a function without parentheses: the next operand, if its end is clear."""
    if p.at("{"):
        return parse_group(p)
    if p.at("[", "\\["):
        return parse_bracketed_argument(p, start)
    is_minus = p.at("-") and p.token.start > p.end and p.ahead().start == p.token.end
    if not is_minus and p.token.kind != "number" and not begins_operand(p):
        return None
    first = p.token.start
    argument = parse_signed(p)
    function = p.typed(start, first).strip()
    if isinstance(argument, ast.BinOp) and argument.left.col_offset == first:
        name = function.lstrip("\\")
        outside = shown_power(shown_call(name, argument.left), argument.right)
        raise p.two(p.typed(start), outside, shown_call(name, shown_power(argument.left, argument.right)))
    must_end_argument(p, argument, function, start)
    return argument


def must_end_argument(p: Parsing, argument: ast.expr, function: str, start: int) -> None:
    """Refuse ``\\exp x y``: is y an argument too?"""
    is_sign = p.token.kind == "sign" and SIGNS.get(p.token.text, (0,))[0] == PRODUCT
    if not is_sign and not begins_operand(p):
        return
    operator = SIGNS[p.advance().text][1]() if is_sign else Beside()
    right = parse_signed(p)
    name = {"√": "sqrt", "∑": "sum"}.get(function, function.lstrip("\\"))
    apart = ast.BinOp(shown_call(name, argument), operator, right)
    together = shown_call(name, ast.BinOp(argument, operator, right))
    raise p.two(p.typed(start), apart, together)


# Sums


def parse_sum(p: Parsing, start: int, below: str = "") -> ast.expr:
    """Read the operand of Σ, a sum over all entries, or over an index that runs over all."""
    below = p.script() if p.at("_") else below
    above = p.script() if p.at("^") else ""
    if below or above:
        return parse_over_index(p, "sum", below, above, start)
    first = p.token.start
    body = parse_expression(p, PRODUCT)
    if isinstance(body, ast.BinOp) and body.col_offset == first:
        left = body.left
        if isinstance(body.op, Caret) and left.col_offset > first and not _is_sum(left):
            one, other = (
                shown_power(shown_call("sum", left), body.right),
                shown_call("sum", shown_power(left, body.right)),
            )
            raise p.two(p.typed(start), one, other)
    return sum_node(p, body, first, start)


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def sum_node(p: Parsing, body: ast.expr, first: int, start: int) -> ast.expr:
    """Return the node of ``Σ x / n``, which is unambiguous if n is a number."""
    if isinstance(body, ast.BinOp) and body.col_offset == first and isinstance(body.op, LINEAR):
        if p.names.is_number(body.right):
            left = sum_node(p, body.left, first, start)
            return p.made(ast.BinOp(left, body.op, body.right), start)
        if not p.names.is_number(body.left):
            product = ast.BinOp(body.left, of_entries(body.op), body.right)
            raise p.two(
                p.typed(start), ast.BinOp(shown_call("sum", body.left), body.op, body.right), shown_call("sum", product)
            )
    if isinstance(body, ast.BinOp):
        body.op = of_entries(body.op)
    return call_node(p, "sum", [body], start)


def parse_over_index(p: Parsing, name: str, below: str, above: str, start: int) -> ast.expr:
    """Read ``\\sum_{k=1}^{n} e_k`` over the whole vector e, and the largest or smallest entry likewise."""
    found = re.fullmatch(r"([A-Za-z])(?:=(.+))?", below)
    if found is None or p.index != p.free:
        how = "one index, as in \\sum_{k=1}^{n} x_k" if found is None else "one sum, and none inside of it"
        raise p.refused(f"expected {how}", start)
    outer = p.index, p.runs
    p.index, p.runs, p.free = found[1], [], None
    body = parse_expression(p, PRODUCT) if name == "sum" else parse_powered(p)
    if name != "sum":
        must_end_argument(p, body, name, start)
    must_be_whole(p, found[2] or "1", above, start)
    factors: list[tuple[ast.operator, ast.expr]] = []
    while isinstance(body, ast.BinOp) and isinstance(body.op, LINEAR) and p.names.is_number(body.right):
        if has_index(p, body.right):
            break
        factors.append((body.op, body.right))
        body = body.left
    node = weighted_rows(p, body, start) if name == "sum" else None
    node = node or call_node(p, name, [entrywise(p, body, start)], start)
    (p.index, p.runs), p.free = outer, outer[0]
    for operator, factor in reversed(factors):
        node = p.made(ast.BinOp(node, operator, factor), start)
    return node


def parse_indexed_name(p: Parsing, text: str, below: str, start: int) -> ast.expr | None:
    """Read a name with the index of a sum as the whole that it runs over: x for x_j, A[0, :] for a_{1j}."""
    letter, shapes = str(p.index), p.names.scope.names
    if below == letter and p.names.known(text):
        shape = shapes.get(text)
        node: ast.expr = name_node(p, text, start)
        axis = p.names.axis(text)
        if axis is None and shape is not None:
            axis = shape.rows
            p.indexed_rows.add(id(node))
    else:
        row, comma, column = below.partition(",")
        if not comma:
            row, column = (letter, below[1:]) if below[0] == letter else (below[:-1], below[-1])
        name = text if text in shapes else text.upper() if len(text) == 1 else ""
        other = column if row == letter else row if column == letter else ""
        shape = shapes.get(name)
        if shape is None or not (other.isdecimal() and other.isascii()) or other.startswith("0"):
            return None
        whole, place = p.made(ast.Slice(), start), int(other) - 1
        at = p.made(ast.Constant(place, str(place)), start)
        places = p.made(ast.Tuple([whole, at] if row == letter else [at, whole], ast.Load()), start)
        matrix = name_node(p, name, start)
        node = p.made(ast.Subscript(matrix, places, ast.Load()), start)
        axis = shape.rows if row == letter else shape.columns
    p.indexed.add(id(node))
    p.runs.append((text, axis))
    return node


def weighted_rows(p: Parsing, body: ast.expr, start: int) -> ast.expr | None:
    """Return ``\\sum_j a_j v_j`` of numbers times rows as a row times a matrix, a @ V."""
    if isinstance(body, ast.BinOp) and isinstance(body.op, LINEAR) and not isinstance(body.op, ast.Div):
        for weights, rows in ((body.left, body.right), (body.right, body.left)):
            if id(rows) in p.indexed_rows and has_index(p, weights):
                left = entrywise(p, weights, start)
                return p.made(ast.BinOp(left, ast.MatMult(), rows), start)
    return None


def has_index(p: Parsing, node: ast.expr) -> bool:
    return any(id(part) in p.indexed for part in ast.walk(node))


def must_be_whole(p: Parsing, first: str, last: str, start: int) -> None:
    """Check that an index appears, and that it runs from 1 to the length of the vector."""
    if not p.runs:
        pieces = re.findall(rf"([A-Za-z]+)_\{{?{p.index}\b", p.typed(start))
        unknown = next((piece for piece in pieces if piece not in _OVER_INDEX), "")
        said = f"nothing is called {unknown}" if unknown else f"the index {p.index} stands nowhere behind it"
        raise p.refused(said, start)
    for name, axis in p.runs:
        if axis is None:
            raise p.refused(f"{name} is a number, expected a vector", start)
        size = p.names.scope.sizes.get(last, last)
        if first != "1" or (last and str(axis.size) != str(size) and axis.name != last):
            to = f" to {last}" if last else ""
            runs = f"{p.index} runs from {first}{to}, and {name} has the entries 1 to {axis.size}"
            raise p.refused(f"{runs}; some of them are {name}[0:2]", start)


def entrywise(p: Parsing, node: ast.expr, start: int) -> ast.expr:
    """Turn a formula of single entries into one of whole vectors."""
    if id(node) in p.indexed_rows:
        row = p.typed(node.col_offset, node.end_col_offset)
        along = "along one axis of a matrix it is sum(X, axis=1)"
        raise p.source.unreadable(f"{row} at character {node.col_offset + 1} is a row, expected a number; {along}")
    if id(node) in p.indexed or p.names.is_number(node):
        return node
    match node:
        case ast.UnaryOp():
            node.operand = entrywise(p, node.operand, start)
            return node
        case ast.BinOp() if not isinstance(node.op, ast.MatMult):
            node.left, node.right = entrywise(p, node.left, start), entrywise(p, node.right, start)
            node.op = of_entries(node.op)
            return node
        case ast.Call(func=ast.Name(id=function), args=[_], keywords=[]) if function in ENTRYWISE:
            node.args = [entrywise(p, argument, start) for argument in node.args]
            return node
    piece = p.typed(node.col_offset, node.end_col_offset)
    how = "write the sum with whole vectors, as in sum(x * y)"
    raise p.refused(f"{piece} stands without the index {p.index}: {how}", start)


# Brackets


def parse_braces(p: Parsing) -> ast.expr:
    """Read braces; around one name they mean nothing: ``{W}_Q`` is W_Q."""
    name = p.ahead()
    if name.kind in ("word", "letter") and p.ahead(2).text == "}":
        p.instead_of_here(name, count=3)
        return parse_word(p)
    return parse_group(p)


def parse_bars(p: Parsing) -> ast.expr:
    start = p.opening().start
    is_norm = p.tokens[p.at_place - 1].text != "|"
    inner = parse_expression(p)
    p.closing()
    if not is_norm and not p.at("|") and begins_operand(p) and any(each.text == "|" for each in p.tokens[p.at_place :]):
        raise p.source.unreadable(f"a | behind character {p.end} may open or close: write abs(x) or norm(x)")
    if not is_norm:
        if not p.names.is_number(inner):
            one, other = (shown_call(name, inner) for name in ("abs", "norm"))
            raise p.two(p.typed(start), one, other)
        return call_node(p, "abs", [inner], start)
    if p.at("_") and (which := p.script()) != "2":
        raise p.source.unreadable(
            f"{p.typed(start)}: a length with {which} below is not known; others are sum(abs(x)) and max(abs(x))"
        )
    if isinstance(inner, ast.Name) and (shape := p.names.shape(inner.id)) and 1 not in shape.sizes:
        whole = f"sqrt(sum({inner.id} ** 2, axis=None))"
        raise p.source.two(p.typed(start), f"norm({inner.id}), of each row,", whole)
    return call_node(p, "norm", [inner], start)


def parse_rounding(p: Parsing) -> ast.expr:
    opened = p.opening()
    inner = parse_expression(p)
    p.closing()
    if opened.text == "⌊":
        return call_node(p, "floor", [inner], opened.start)
    below = p.made(ast.UnaryOp(ast.USub(), inner), opened.start)
    floor = call_node(p, "floor", [below], opened.start)
    return p.made(ast.UnaryOp(ast.USub(), floor), opened.start)


def parse_inner_product(p: Parsing) -> ast.expr:
    start = p.opening().start
    left = parse_expression(p)
    if not p.at(",", "|"):
        raise p.unexpected()
    p.advance()
    right = parse_expression(p)
    p.closing()
    return call_node(p, "dot", [left, right], start)


# Fractions, roots and matrices


def parse_fraction(p: Parsing) -> ast.expr:
    start = p.advance().start
    above = parse_latex_argument(p)
    below = parse_latex_argument(p)
    return p.made(ast.BinOp(above, ast.Div(), below), start)


def parse_latex_argument(p: Parsing) -> ast.expr:
    """Read the argument of a LaTeX command: braces, or one sign, as in ``\\frac12``."""
    if p.at("{"):
        return parse_group(p)
    token = p.token
    is_long = token.kind == "word" and len(token.text) > 1 and not p.names.known(token.text)
    if token.kind == "number" and token.text.isdecimal():
        digit = token._replace(text=token.text[0], end=token.start + 1)
        rest = [token._replace(text=token.text[1:], start=digit.end)] if len(token.text) > 1 else []
        p.instead_of_here(digit, *rest)
    elif token.kind == "sign" or is_long:
        where = f"{p.typed(token.start, token.end)} at character {token.start + 1}"
        raise p.source.unreadable(f"{where} needs braces around it: \\frac{{…}}{{…}}")
    return p.operand()


def parse_latex_root(p: Parsing) -> ast.expr:
    start = p.advance().start
    if p.at("["):
        p.opening()
        degree = parse_expression(p)
        p.closing()
        if not (isinstance(degree, ast.Constant) and degree.value == 2):
            raise p.refused("expected a square root; another one is exp(log(x) / 3)", start)
    if p.token.kind == "number" and len(p.token.text) > 1:
        digits = p.token.text
        raise p.source.two(f"\\sqrt{digits}", f"sqrt({digits})", f"sqrt({digits[0]}) * {digits[1:]}")
    return call_node(p, "sqrt", [parse_group(p) if p.at("{") else parse_latex_argument(p)], start)


def parse_root_sign(p: Parsing) -> ast.expr:
    """Read √ over the next operand; if it may reach further, it is refused."""
    start = p.advance().start
    if p.at("(", "{"):
        return call_node(p, "sqrt", [parse_group(p)], start)
    p.inside()
    under = p.operand()
    p.depth -= 1
    if p.at("^", "**"):
        p.advance()
        power = shown_power(under, parse_group(p) if p.at("{") else parse_signed(p))
        outside = shown_power(shown_call("sqrt", under), power.right)
        raise p.two(p.typed(start), outside, shown_call("sqrt", power))
    if begins_operand(p):
        right = parse_powered(p)
        apart, together = ast.BinOp(shown_call("sqrt", under), Beside(), right), ast.BinOp(under, Beside(), right)
        raise p.two(p.typed(start), apart, shown_call("sqrt", together))
    return call_node(p, "sqrt", [under], start)


def parse_grid(p: Parsing) -> ast.expr:
    start = p.opening().start
    rows: list[ast.expr] = []
    cells: list[ast.expr] = []
    is_open = True
    while is_open and not p.at("\\end"):
        cells.append(parse_expression(p))
        is_open = p.at("&", "\\\\")
        if is_open and p.advance().text != "&":
            rows.append(p.made(ast.List(cells, ast.Load()), start))
            cells = []
    p.closing()
    if cells:
        rows.append(p.made(ast.List(cells, ast.Load()), start))
    return p.made(ast.List(rows, ast.Load()), start)


_OPERANDS: Mapping[str, Callable[[Parsing], ast.expr]] = {
    "number": lambda p: number_node(p, p.token.text, p.advance().start),
    "word": parse_word,
    "letter": parse_word,
    "(": parse_group,
    "{": parse_braces,
    "[": parse_list,
    "\\[": parse_list,
    "|": parse_bars,
    "‖": parse_bars,
    "||": parse_bars,
    "⌊": parse_rounding,
    "⌈": parse_rounding,
    "⟨": parse_inner_product,
    "√": parse_root_sign,
    "∑": lambda p: parse_sum(p, p.advance().start),
    "\\frac": parse_fraction,
    "\\sqrt": parse_latex_root,
    "\\begin": parse_grid,
}
"""The readers of operands, by the sign or else the kind of the first token."""
