"""Sums on paper: Σ over all entries, over an index that runs along vectors, and what is said of every entry."""

from __future__ import annotations

import ast
import re

from symattn.formula.names import ENTRYWISE
from symattn.formula.signs import PRODUCT, SIGNS, SignParser
from symattn.formula.tree import LINEAR, Beside, Caret, of_entries

OVER_INDEX = frozenset("sum max min mean".split())
"""Functions below which an index may stand."""


class SumParser(SignParser):
    """What stands behind Σ, and names with the index of a sum."""

    def name(self, name: str, start: int) -> ast.Name:
        return self.made(ast.Name(name, ast.Load()), start)

    def with_index(self, text: str, below: str, start: int) -> ast.expr | None:
        """What stands with the index of a sum, as the whole along which it runs: x for x_j, A[0, :] for a_{1j}."""
        letter, shapes = str(self.index), self.names.scope.names
        if below == letter and self.names.known(text):
            shape = shapes.get(text)
            node: ast.expr = self.name(text, start)
            axis = self.names.axis(text)
            if axis is None and shape is not None:
                axis = shape.rows
                self.indexed_rows.add(id(node))
        else:
            row, comma, column = below.partition(",")
            if not comma:
                row, column = (letter, below[1:]) if below[0] == letter else (below[:-1], below[-1])
            name = text if text in shapes else text.upper() if len(text) == 1 else ""
            other = column if row == letter else row if column == letter else ""
            shape = shapes.get(name)
            if shape is None or not (other.isdecimal() and other.isascii()) or other.startswith("0"):
                return None
            whole, place = self.made(ast.Slice(), start), int(other) - 1
            at = self.made(ast.Constant(place, str(place)), start)
            places = self.made(ast.Tuple([whole, at] if row == letter else [at, whole], ast.Load()), start, at)
            matrix = self.name(name, start)
            node = self.made(ast.Subscript(matrix, places, ast.Load()), start, matrix, places)
            axis = shape.rows if row == letter else shape.columns
        self.indexed.add(id(node))
        self.runs.append((text, axis))
        return node

    def must_end(self, argument: ast.expr, function: str, start: int) -> None:
        """``\\exp x y``: is y an argument too?"""
        is_sign = self.token.kind == "sign" and SIGNS.get(self.token.text, (0,))[0] == PRODUCT
        if not is_sign and not self.begins_operand():
            return
        operator = SIGNS[self.advance().text][1]() if is_sign else Beside()
        right = self.signed()
        name = {"√": "sqrt", "∑": "sum"}.get(function, function.lstrip("\\"))
        apart = ast.BinOp(ast.Call(ast.Name(name), [argument], []), operator, right)
        together = ast.Call(ast.Name(name), [ast.BinOp(argument, operator, right)], [])
        raise self.two(self.typed(start), apart, together)

    # -- sums ----------------------------------------------------------------------------------------------------------

    def summed(self, start: int, below: str = "") -> ast.expr:
        """What stands behind Σ: added up over all entries, or over an index that runs over all."""
        below = self.script() if self.at("_") else below
        above = self.script() if self.at("^") else ""
        if below or above:
            return self.over("sum", below, above, start)
        first = self.token.start
        body = self.expression(PRODUCT)
        if isinstance(body, ast.BinOp) and body.col_offset == first:
            left = body.left
            if isinstance(body.op, Caret) and left.col_offset > first and not _is_difference(left):
                one, other = ast.BinOp(_sum(left), ast.Pow(), body.right), _sum(ast.BinOp(left, ast.Pow(), body.right))
                raise self.two(self.typed(start), one, other)
        return self.sum_of(body, first, start)

    def sum_of(self, body: ast.expr, first: int, start: int) -> ast.expr:
        """``Σ x / n`` is one thing where n is a number."""
        if isinstance(body, ast.BinOp) and body.col_offset == first and isinstance(body.op, LINEAR):
            if self.names.is_number(body.right):
                left = self.sum_of(body.left, first, start)
                return self.made(ast.BinOp(left, body.op, body.right), start, left, body.right)
            if not self.names.is_number(body.left):
                product = ast.BinOp(body.left, of_entries(body.op), body.right)
                raise self.two(self.typed(start), ast.BinOp(_sum(body.left), body.op, body.right), _sum(product))
        if isinstance(body, ast.BinOp):
            body.op = of_entries(body.op)
        return self.reduced("sum", body, start)

    def reduced(self, name: str, body: ast.expr, start: int) -> ast.expr:
        return self.made(ast.Call(self.name(name, start), [body], []), start, body)

    def over(self, name: str, below: str, above: str, start: int) -> ast.expr:
        """``\\sum_{k=1}^{n} e_k`` over the whole vector e, and the largest or smallest entry likewise."""
        found = re.fullmatch(r"([A-Za-z])(?:=(.+))?", below)
        if found is None or self.index != self.free:
            how = "one index, as in \\sum_{k=1}^{n} x_k" if found is None else "one sum, and none inside of it"
            raise self.source.unreadable(f"{self.typed(start)} at character {start + 1}: expected {how}")
        outer = self.index, self.runs
        self.index, self.runs, self.free = found[1], [], None
        body = self.expression(PRODUCT) if name == "sum" else self.powered()
        if name != "sum":
            self.must_end(body, name, start)
        self.must_be_whole(found[2] or "1", above, start)
        factors: list[tuple[ast.operator, ast.expr]] = []
        while isinstance(body, ast.BinOp) and isinstance(body.op, LINEAR) and self.names.is_number(body.right):
            if self.mentions(body.right):
                break
            factors.append((body.op, body.right))
            body = body.left
        node = self.weighted(body, start) if name == "sum" else None
        node = node or self.reduced(name, self.entrywise(body, start), start)
        (self.index, self.runs), self.free = outer, outer[0]
        for operator, factor in reversed(factors):
            node = self.made(ast.BinOp(node, operator, factor), start, node, factor)
        return node

    def weighted(self, body: ast.expr, start: int) -> ast.expr | None:
        """``\\sum_j a_j v_j`` of numbers times rows: a row times a matrix, a @ V."""
        if isinstance(body, ast.BinOp) and isinstance(body.op, LINEAR) and not isinstance(body.op, ast.Div):
            for weights, rows in ((body.left, body.right), (body.right, body.left)):
                if id(rows) in self.indexed_rows and self.mentions(weights):
                    left = self.entrywise(weights, start)
                    return self.made(ast.BinOp(left, ast.MatMult(), rows), start, left, rows)
        return None

    def mentions(self, node: ast.expr) -> bool:
        return any(id(part) in self.indexed for part in ast.walk(node))

    def must_be_whole(self, first: str, last: str, start: int) -> None:
        """An index runs from 1 to the length of the vector, or says nothing."""
        where = f"{self.typed(start)} at character {start + 1}"
        if not self.runs:
            pieces = re.findall(rf"([A-Za-z]+)_\{{?{self.index}\b", self.typed(start))
            unknown = next((piece for piece in pieces if piece not in OVER_INDEX), "")
            said = f"nothing is called {unknown}" if unknown else f"the index {self.index} stands nowhere behind it"
            raise self.source.unreadable(f"{where}: {said}")
        for name, axis in self.runs:
            if axis is None:
                raise self.source.unreadable(f"{where}: {name} is a number, expected a vector")
            size = self.names.scope.sizes.get(last, last)
            if first != "1" or (last and str(axis.size) != str(size) and axis.name != last):
                to = f" to {last}" if last else ""
                raise self.source.unreadable(
                    f"{where}: {self.index} runs from {first}{to}, and {name} has the entries 1 to {axis.size}; "
                    f"some of them are {name}[0:2]"
                )

    def entrywise(self, node: ast.expr, start: int) -> ast.expr:
        """What is said of each entry, said of whole vectors."""
        if id(node) in self.indexed_rows:
            row = f"{self.typed(node.col_offset, node.end_col_offset)}"
            along = "along one axis of a matrix it is sum(X, axis=1)"
            raise self.source.unreadable(
                f"{row} at character {node.col_offset + 1} is a row, expected a number; {along}"
            )
        if id(node) in self.indexed or self.names.is_number(node):
            return node
        match node:
            case ast.UnaryOp():
                node.operand = self.entrywise(node.operand, start)
                return node
            case ast.BinOp() if not isinstance(node.op, ast.MatMult):
                node.left, node.right = self.entrywise(node.left, start), self.entrywise(node.right, start)
                node.op = of_entries(node.op)
                return node
            case ast.Call(func=ast.Name(id=function), args=[_], keywords=[]) if function in ENTRYWISE:
                node.args = [self.entrywise(argument, start) for argument in node.args]
                return node
        piece = self.typed(node.col_offset, node.end_col_offset)
        raise self.source.unreadable(
            f"{self.typed(start)} at character {start + 1}: {piece} stands without the index {self.index}: "
            "write the sum with whole vectors, as in sum(x * y)"
        )


def _sum(body: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("sum"), [body], [])


def _is_difference(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
