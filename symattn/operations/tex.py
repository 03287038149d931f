"""Formulas as SymPy's printer of LaTeX asks for them: written as on the page, names in SymPy's own way.

Every node of ours says how it is written (``Stored.in_tex``). The matrices of SymPy's own that stand inside one are
written here, because SymPy sorts sums and puts everything in parentheses that is turned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, OneMatrix, S, Transpose, ZeroMatrix
from sympy.printing.latex import translate

_SCRIPT = re.compile(r"(_\w|(?<!bmatrix)\})$")
"""The end of what has a subscript, or of a fraction."""

Write = Callable[[Any], str]
"""Writes a part of a formula."""


AROUND: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "|·|": (r"\left\lvert ", r"\right\rvert"),
        "⌊·⌋": (r"\left\lfloor ", r"\right\rfloor"),
        "√·": (r"\sqrt{", "}"),
    }
)
"""What stands around the operand of what has a sign and no name."""

BY_ROWS = frozenset(("row_sum", "row_mean", "row_min", "row_var"))
"""Records that are made of every row."""

PRIME, TURNED, TURNED_JACOBIAN, OF_ALL, JACOBIAN = "'", "^T", "J^T_", "grad_", "J^_"
"""What gradients are called: f′ entry by entry, Aᵀ of what is linear, Jᵀ with the name below, J;
grad of all entries."""

POWER = "·ᵏ"
"""What powers are called: the exponent above what is raised."""


def call(name: str, arguments: Iterable[str] = (), sub: str = "") -> str:
    r"""A function by its upright name; a word that is given nothing stands by itself.

    >>> print(call("top", ["P"], "2"))
    \mathrm{top}_{2}\left(P\right)
    """
    if name in AROUND:
        return next(iter(arguments)).join(AROUND[name])
    if (gradient := marked(name)) is not None:
        return gradient.in_tex + parens(", ".join(arguments))
    given = ", ".join(arguments)
    return _upright(name) + (f"_{{{sub}}}" if sub else "") + (rf"\left({given}\right)" if given else "")


@dataclass(frozen=True)
class GradientName:
    """A name with the marks of a gradient: what is above it, and the names below."""

    name: str
    above: Literal["", "'", "T"]
    below: tuple[str, ...] = ()
    """The operation, and the parameter where it has several matrices."""

    @property
    def in_tex(self) -> str:
        """The name with its marks."""
        name = self.name if len(self.name) == 1 else _upright(self.name)
        parameter = map(translate, self.below[1:])
        below = ", ".join([*map(_upright, self.below[:1]), *parameter])
        above = {"": "", "'": "'", "T": "^{T}"}[self.above]
        return name + (f"_{{{below}}}" if below else "") + above


def marked(called: str) -> GradientName | None:
    """What a gradient is called, taken apart; ``None`` for any other name.

    >>> marked("ReLU'"), marked("softmax")
    (GradientName(name='ReLU', above="'", below=()), None)
    >>> marked("J^T_softmax").in_tex, marked("grad_mse,X").in_tex
    ('J_{\\\\mathrm{softmax}}^{T}', '\\\\mathrm{grad}_{\\\\mathrm{mse}, X}')
    """
    for begin, name, above in ((TURNED_JACOBIAN, "J", "T"), (OF_ALL, "grad", ""), (JACOBIAN, "J", "")):
        if called.startswith(begin):
            return GradientName(name, above, tuple(called.removeprefix(begin).split(",")))  # type: ignore[arg-type]
    if called.endswith(PRIME):
        return GradientName(called.removesuffix(PRIME), "'")
    return GradientName(called.removesuffix(TURNED), "T") if called.endswith(TURNED) else None


def _upright(name: str) -> str:
    style = r"\mathrm" if name.isascii() and name.isalnum() else r"\text"
    return style + "{" + name.replace("_", r"\_") + "}"


def parens(text: str) -> str:
    """In parentheses that grow."""
    return rf"\left({text}\right)"


def atom(node: Basic, write: Write) -> str:
    """What a superscript or a subscript may stand at."""
    loose = isinstance(node, MatMul | MatAdd | Transpose | MatPow) or binds(node)
    return parens(write(node)) if loose or getattr(node, "is_high", False) else write(node)


def power_of_entries(node: Basic, exponent: Basic, write: Write) -> str:
    """x²; of a square matrix X^{⊙2}, for X² is a product."""
    is_square = node.shape[0] == node.shape[1] != 1
    return rf"{atom(node, write)}^{{{chr(92) + 'odot ' if is_square else ''}{write(exponent)}}}"


def below(node: Basic, sub: str, write: Write) -> str:
    """A node with a subscript; where it has one already, it stands in parentheses."""
    text = atom(node, write)
    return f"{parens(text) if _SCRIPT.search(text) else text}_{{{sub}}}"


def row(node: Basic, index: str, write: Write) -> str:
    """A row: X_{i,·}."""
    return below(node, rf"{index},\cdot", write)


def columns(node: Basic, first: str, last: str, write: Write) -> str:
    """A block of columns: Q_{·,1:2}."""
    return below(node, rf"\cdot,{first}" + (f":{last}" if first != last else ""), write)


def of_every_row(node: Basic, of_row: Callable[[str], str], write: Write) -> str:
    """What is made of every row, (‖X_{i,·}‖)_i; of a single row without an index, ‖x‖."""
    single = node.shape[0] == 1
    return of_row(write(node)) if single else parens(of_row(row(node, "i", write))) + "_{i}"


def made_of_rows(node: Basic, called: str, less: Basic | None, write: Write) -> str:
    """(mean(X_{i,·}))_i, the sum as one over the entries, and a variance with what it is divided by instead of n."""
    width, single = write(node.shape[1]), node.shape[0] == 1
    if called == "sum":
        one = below(node, "j" if single else "ij", write) if width != "1" or not single else write(node)
        total = rf"\sum_{{j=1}}^{{{width}}} {one}"
        return total if single else parens(total) + "_i"
    under = "" if less in (None, S.Zero) else f"{width} - {write(less)}"
    return of_every_row(node, lambda of: call(called, (of,), under), write)


def length(text: str) -> str:
    """‖x‖"""
    return rf"\left\lVert {text}\right\rVert"


def ones(size: str) -> str:
    """A column of ones."""
    return rf"\mathbf{{1}}_{{{size}}}"


def side(node: Basic, write: Write) -> str:
    """What stands beside a sign."""
    return parens(write(node)) if isinstance(node, MatMul | MatAdd) or binds(node) else write(node)


def factor(node: Basic, write: Write) -> str:
    """What stands behind another factor."""
    return parens(write(node)) if isinstance(node, MatAdd) or is_subtracted(node) or binds(node) else write(node)


def binds(node: Basic) -> bool:
    """Whether a node of ours falls apart beside a factor: X ⊙ Y."""
    return bool(getattr(node, "is_infix", False) or getattr(node, "is_repeated", False))


def as_number(node: Basic) -> Expr | None:
    """The number that a matrix of one entry is, which a formula writes as that: c · 1."""
    if node == OneMatrix(1, 1):
        return S.One
    if not (isinstance(node, MatMul) and len(node.args) == 2 and node.args[1] == OneMatrix(1, 1)):
        return None
    return None if node.args[0].is_Matrix else node.args[0]


def is_number(node: Basic) -> bool:
    """Whether a matrix has one entry."""
    return bool(node.shape == (1, 1))


def side_by_side(nodes: Sequence[Basic]) -> tuple[Basic, ...]:
    """What stands beside one another entry by entry: what is repeated there alone, as people write it, where
    something else says how often."""
    found = tuple(map(_alone, nodes))
    return tuple(nodes) if all(one is not other for one, other in zip(nodes, found, strict=True)) else found


def _alone(node: Basic) -> Basic:
    """What is repeated, with the numbers before it; any other matrix itself."""
    if getattr(node, "is_repeated", False):
        return _alone(node.args[0])
    if isinstance(node, MatMul) and not any(arg.is_Matrix for arg in node.args[:-1]):
        inner = _alone(node.args[-1])
        return node if inner is node.args[-1] else MatMul(*node.args[:-1], inner, evaluate=False)
    return node


def matrix(node: Basic, printer: Any) -> str:
    """A matrix as it stands inside a node of ours, and a number as SymPy writes it."""

    def write(part: Any) -> str:
        return matrix(part, printer)

    if (number := as_number(node)) is not None:
        return write(number)
    match node:
        case MatMul():
            return _product(node, write)
        case MatAdd():
            first, *others = map(write, side_by_side(node.args))
            return first + "".join(f" {'' if term.startswith('-') else '+ '}{term}" for term in others)
        case MatPow():
            return f"{atom(node.base, write)}^{{{write(node.exp)}}}"
        case Transpose():
            return f"{atom(node.arg, write)}^{{T}}"
        case Identity():
            return f"I_{{{write(node.shape[0])}}}"
        case OneMatrix():
            rows, columns = (parens(write(each)) if each.is_Add else write(each) for each in node.shape)
            return rf"\mathbf{{1}}_{{{rows} \times {columns}}}"
        case ZeroMatrix():
            return r"\mathrm{0}"
    text: str = printer._print(node)
    return text


def is_subtracted(node: Basic) -> bool:
    """Whether a term of a sum begins with a minus."""
    return isinstance(node, MatMul) and not node.args[0].is_Matrix and node.args[0].could_extract_minus_sign()


def _product(node: MatMul, write: Write) -> str:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    minus = is_subtracted(node)
    if minus:
        scalars = [-scalars[0], *scalars[1:]]
    said = [parens(write(each)) if each.is_Add else write(each) for each in scalars if each != 1]
    # A product inside a product was written in parentheses.
    several = len(matrices) > 1
    parts = [
        parens(write(arg))
        if isinstance(arg, MatAdd)
        or is_subtracted(arg)
        or (isinstance(arg, MatMul) and several)
        or (binds(arg) and (several or bool(said)))
        else write(arg)
        for arg in matrices
    ]
    return " ".join([*(["-"] if minus else []), *([r" \cdot ".join(said)] if said else []), *parts])
