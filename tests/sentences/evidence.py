"""What a matrix of a lesson is for, found in the formulas of its data by code that shares nothing with the roles.

A step is looked at backwards, to what it is made of, and forwards, to what it goes into.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from tests.sentences.values import parsed

SHARING = ("softmax", "proportions")
BENDS = ("relu", "gelu", "gelu_tanh", "silu", "elu", "tanh")
OF_ROWS = frozenset(
    "row rows head rotary unit layer_norm rms_norm concat stack elu exp tanh keep broadcast masked entry".split()
)
"""What takes rows, or does something to each of them by itself."""
Node = ast.expr


def called(node: Node) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def factors(node: Node) -> list[Node]:
    """The matrices of a product; any other formula by itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        return [*factors(node.left), *factors(node.right)]
    return [node]


def terms(node: Node) -> list[Node]:
    """The parts of a sum or difference; any other formula by itself."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [*terms(node.left), *terms(node.right)]
    return [node]


@dataclass(frozen=True)
class Evidence:
    """The formulas of a lesson as trees, without those of its gradients."""

    data: Mapping[str, Any]

    @cached_property
    def formulas(self) -> dict[str, Node]:
        steps = (step for step in self.data["steps"] if r"\partial" not in step["symbol"]["latex"])
        return {step["name"]: parsed(step["written"]) for step in steps}

    @cached_property
    def shapes(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
        return {each["name"]: (each["rows"], each["columns"]) for each in (*self.data["givens"], *self.data["steps"])}

    def opened(self, node: Node) -> Node:
        """What a name stands for; any other formula, and a given, is itself."""
        while isinstance(node, ast.Name) and node.id in self.formulas:
            node = self.formulas[node.id]
        return node

    def turned(self, node: Node) -> Node | None:
        """K, where this is Kᵀ or the name of such."""
        node = self.opened(node)
        return node.value if isinstance(node, ast.Attribute) else None

    def is_number(self, node: Node) -> bool:
        if isinstance(node, ast.Name):
            if node.id not in self.shapes:
                return True
            return all(axis["size"] == 1 for axis in self.shapes[node.id])
        inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        is_call = called(node) not in ("", "sqrt", "exp", "log")
        return not is_call and all(
            self.is_number(child) for child in inner if not (isinstance(node, ast.Call) and child is node.func)
        )

    def unscaled(self, node: Node) -> Node:
        """A formula without the numbers that multiply and divide it."""
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            left, right = node.left, node.right
            if self.is_number(right):
                node = left
            elif self.is_number(left) and isinstance(node.op, ast.Mult):
                node = right
            else:
                return node
        return node.operand if isinstance(node, ast.UnaryOp) else node

    def parts(self, node: Node) -> Iterator[Node]:
        """Every part of a formula, names not opened."""
        return (each for each in ast.walk(node) if isinstance(each, ast.expr))

    @cached_property
    def everywhere(self) -> list[tuple[str, Node]]:
        """Every part of every formula, with the step that it is in."""
        return [(name, part) for name, formula in self.formulas.items() for part in self.parts(formula)]

    @cached_property
    def products(self) -> list[list[Node]]:
        """The factors of every product, and every other sum or quotient by itself."""
        return [factors(part) for _, part in self.everywhere if isinstance(part, ast.BinOp)]

    @cached_property
    def beside(self) -> list[tuple[Node, Node]]:
        """What multiplies what from the left."""
        return [pair for each in self.products for pair in pairwise(each)]

    def signs(self, *kinds: type) -> list[ast.BinOp]:
        """Every part that is made by one of these signs."""
        parts = (part for _, part in self.everywhere if isinstance(part, ast.BinOp))
        return [part for part in parts if isinstance(part.op, kinds)]

    def calls(self, *names: str) -> list[ast.Call]:
        """Every call of one of these functions."""
        parts = (part for _, part in self.everywhere if isinstance(part, ast.Call))
        return [part for part in parts if called(part) in names]

    def behind(self, names: set[str]) -> set[str]:
        """Everything that names are made of, themselves too."""
        found, waiting = set(), list(names)
        while waiting:
            found.add(name := waiting.pop())
            if name in self.formulas:
                waiting += self.named(self.formulas[name]) - found
        return found

    def named(self, node: Node) -> set[str]:
        return {part.id for part in self.parts(node) if isinstance(part, ast.Name) and part.id in self.shapes}

    # -- attention -------------------------------------------------------------------------------------------------

    @cached_property
    def shared(self) -> list[tuple[str, Node]]:
        """Everything that is made into shares: softmax, proportions, something over the sum of its rows."""
        found = []
        for name, part in self.everywhere:
            if called(part) in SHARING:
                assert isinstance(part, ast.Call)
                found.append((name, part.args[0]))
            elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
                below = self.opened(part.right)
                if called(below) in ("row_sum", "sum") or ("exp" in ast.unparse(self.opened(part.left))):
                    found.append((name, part.left))
        return found

    def pairs(self, node: Node, is_turned: bool = False) -> Iterator[tuple[Node, Node]]:
        """What is compared with what behind scores."""
        node = self.unscaled(self.opened(node))
        if isinstance(node, ast.Name) and node.id in self.formulas:
            yield from self.pairs(node, is_turned)
        elif isinstance(node, ast.Attribute):
            yield from self.pairs(node.value, not is_turned)
        elif called(node) in ("dot", "cosine", "additive_scores"):
            assert isinstance(node, ast.Call)
            yield (node.args[1], node.args[0]) if is_turned else (node.args[0], node.args[1])
        elif isinstance(node, ast.Call):
            yield from (pair for arg in node.args[:1] for pair in self.pairs(arg, is_turned))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            *_, left, right = factors(node)
            if (keys := self.turned(right)) is not None:
                yield (keys, left) if is_turned else (left, keys)
        elif isinstance(node, ast.BinOp):
            yield from self.pairs(node.left, is_turned)
            yield from self.pairs(node.right, is_turned)

    @cached_property
    def compared(self) -> list[tuple[Node, Node]]:
        """What is compared with what, behind any shares."""
        found = [pair for _, scores in self.shared for pair in self.pairs(scores)]
        for left, product in self.kernels:
            keys = self.turned(factors(product)[0])
            assert keys is not None
            found.append((left, keys))
        return found

    @cached_property
    def kernels(self) -> list[tuple[Node, Node]]:
        """What multiplies KᵀV from the left, and that product: attention without a softmax."""
        pairs = [(left, self.opened(right)) for left, right in self.beside]
        products = [(left, right) for left, right in pairs if len(factors(right)) > 1]
        return [(left, right) for left, right in products if self.turned(factors(right)[0]) is not None]

    def into(self, node: Node) -> set[str]:
        """The names whose rows these are, whatever was done with each of them."""
        found: set[str] = set()
        waiting = [node]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name) and node.id in self.shapes:
                if node.id not in found and node.id in self.formulas:
                    waiting.append(self.formulas[node.id])
                found.add(node.id)
            elif called(node) in OF_ROWS:
                assert isinstance(node, ast.Call)
                waiting += node.args
            elif isinstance(node, ast.Attribute | ast.Subscript):
                waiting.append(node.value)
            elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
                waiting += [node.left, node.right]
        return found

    def is_query(self, name: str) -> bool:
        return any(name in self.into(left) for left, _ in self.compared)

    def is_key(self, name: str) -> bool:
        return any(name in self.into(right) for _, right in self.compared)

    def is_value(self, name: str) -> bool:
        return any(name in self.into(part) for part in self.mixed)

    @cached_property
    def mixed(self) -> list[Node]:
        """What shares multiply from the left."""
        found = [right for left, right in self.beside if self.is_share(left)]
        one_by_one = [part for part in self.signs(ast.Mult) if self.is_number(part.left) and self.is_share(part.left)]
        return [*found, *(part.right for part in one_by_one), *(factors(product)[1] for _, product in self.kernels)]

    def is_share(self, node: Node) -> bool:
        """Whether this is the result of a softmax, a row of it, or what a mask lets through."""
        node = self.opened(node)
        if called(node) in ("row", "rows", "keep"):
            assert isinstance(node, ast.Call)
            return self.is_share(node.args[0])
        if called(node) in SHARING:
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            below = self.opened(node.right)
            if called(below) in ("row_sum", "sum") or ast.unparse(node.left) in map(ast.unparse, terms(below)):
                return True
            return self.is_number(node.right) and self.is_share(node.left)
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and all(map(self.is_share, terms(node)))

    def attends(self, name: str) -> bool:
        """Whether shares are of attention: rows are compared behind them, other rows are mixed by them, or both axes
        are the same tokens."""
        if not self.is_share(ast.Name(name)):
            return False
        rows, columns = self.shapes[name]
        compares = any(True for _, scores in self.of_shares(name) for _ in self.pairs(scores))
        mixes = any(name in self.into(left) for left in self.mixing)
        return compares or mixes or bool(rows["name"] and rows["name"] == columns["name"])

    def of_shares(self, name: str) -> list[tuple[str, Node]]:
        """The scores behind shares."""
        names = self.behind({name})
        return [(made, scores) for made, scores in self.shared if made in names]

    @cached_property
    def mixing(self) -> list[Node]:
        """What multiplies other rows from the left as shares."""
        return [left for left, _ in self.beside if self.is_share(left)]

    def is_mixture(self, name: str) -> bool:
        """Whether a name is shares times rows, perhaps with a weight matrix behind."""
        node = self.unscaled(self.opened(ast.Name(name)))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            node = node.left
        if isinstance(node, ast.Name):
            return node.id in self.formulas and self.is_mixture(node.id)
        first, *others = factors(node)
        if others:
            return self.is_share(first) or any(ast.unparse(first) == ast.unparse(left) for left, _ in self.kernels)
        return all(isinstance(each, ast.BinOp) and self.is_share(each.left) for each in terms(node))

    # -- layers and candidates ---------------------------------------------------------------------------------------

    def is_bent(self, name: str) -> bool:
        """Whether something that is not linear is applied to a name, or to it with a bias, or is its gate."""
        bends = [part.args[0] for part in self.calls(*BENDS)]
        gated = [part for part in self.signs(ast.Mult) if any(map(self._bends, (part.left, part.right)))]
        return any(name in self.into(part) for part in (*bends, *gated))

    def _bends(self, node: Node) -> bool:
        return any(called(part) in BENDS for part in self.parts(self.opened(node)))

    def is_of_bend(self, name: str) -> bool:
        """Whether a name is the result of something that is not linear, perhaps times a gate."""
        node = self.opened(ast.Name(name))
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) else (node,)
        return any(map(self._bends, sides))

    def goes_into_layer(self, name: str) -> bool:
        """Whether a name is multiplied by given weights from the right."""
        given = [left for left, right in self.beside if isinstance(right, ast.Name) and right.id not in self.formulas]
        return any(name in self.into(left) for left in given)

    def has_candidates(self, name: str) -> bool:
        """Whether the columns of a name are candidates: labelled and not as its rows, chosen from, or judged."""
        rows, columns = self.shapes[name]
        if columns["labels"] and columns["name"] != rows["name"]:
            return True
        asked = self.calls("argmax", "top_k", "cross_entropy", "pick")
        hot = [part for part in self.signs(ast.Mult) if "one_hot" in map(self._opened_call, (part.left, part.right))]
        by_place = [part for _, part in self.everywhere if isinstance(part, ast.Subscript)]
        return any(name in self.behind(self.named(part)) for part in (*asked, *hot, *by_place))

    def _opened_call(self, node: Node) -> str:
        return called(self.opened(node))

    def depends(self, name: str, on: str) -> bool:
        return on in self.behind({name}) and name != on
