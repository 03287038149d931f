"""Sentences about a kind of step: its reason, and those beside its formula and its general entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from sympy import (
    Basic,
    Expr,
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixSymbol,
    Transpose,
    postorder_traversal,
    preorder_traversal,
)

from symattn import operations as ops
from symattn.base.shapes import Shape
from symattn.operations.node import Applied, Node, parameters_of, record_of
from symattn.operations.records import RECORDS
from symattn.operations.stages import same_as_ours
from symattn.operations.stored import POWER, distinct_operands, is_number, marked
from symattn.read.plan import Step
from symattn.show.blocks import Phrase
from symattn.show.math import Accented, Chain, Letter, Math, Number, Script, Seq, Sign, every
from symattn.show.notation.calls import call_name, is_of_columns
from symattn.show.notation.formulas import Names, as_product, formula, number

PRIMITIVE: Mapping[type, str] = MappingProxyType(
    {
        MatMul: "product",
        MatPow: "product",
        MatAdd: "sum",
        MatrixSymbol: "copy",
        ops.ArgMax: "argmax",
        ops.TopK: "top_k",
    }
)
"""Names in the words for steps whose nodes have no equations; all other steps have the name of their operation."""

HAVE_REASONS = frozenset({"cross_entropy"})
"""The operations defined by a record alone that have a reason in the words."""


def reason(node: Basic) -> Phrase | None:
    """Return the reason for a step of this kind, or ``None``.

    Of numbers by themselves, of what everybody has learned at school, and of operations that no words speak of, such as
    one's own, there is nothing to say.

    >>> reason(ops.Softmax(MatrixSymbol("S", 2, 2))).key
    'why_softmax'
    """
    if isinstance(node, Applied):
        is_ours = node.operation == RECORDS.get(node.operation.name)
        is_told = is_ours and node.operation.name in HAVE_REASONS
        return Phrase(f"why_{node.operation.name}", (), "need") if is_told else None
    if isinstance(node, ops.Hadamard | ops.EntryQuotient):
        if is_number(node):
            return None
        if isinstance(node.args[-1], ops.Everywhere) or (
            isinstance(node, ops.Hadamard) and isinstance(node.args[0], ops.Everywhere)
        ):
            return Phrase("why_quotient", (), "need")
        repeated = [arg for arg in node.args if isinstance(arg, ops.InEveryRow | ops.InEveryColumn)]
        if repeated:
            divides, of_rows = isinstance(node, ops.EntryQuotient), isinstance(repeated[-1], ops.InEveryColumn)
            return Phrase("why_own", (("divides", int(divides)), ("rows", int(of_rows))), "need")
    if isinstance(node, ops.Stack) and all(isinstance(part, MatrixSymbol) and part.shape[0] == 1 for part in node.args):
        return Phrase("why_rows_below", (), "need")
    if ops.grid_of(node) is not None:
        return None
    record = record_of(node)
    return Phrase(f"why_{PRIMITIVE[type(node)] if record is None else record.name}", (), "need")


SAID: Mapping[type, Callable[[Basic, Names], Phrase]] = MappingProxyType(
    {
        ops.ArgMax: lambda node, names: Phrase("said_argmax" if node.of_smallest is None else "said_argmin"),
        ops.TopK: lambda node, names: Phrase("said_top_k", (("matrix", formula(node.argument, names)),)),
        ops.GELU: lambda _, names: Phrase("said_gelu", (("share", Letter(names.letters.helper("Phi"))),)),
    }
)
"""Makers of the sentences about signs in a general entry that do not explain themselves."""


def said_of(node: Basic, names: Names) -> list[Phrase]:
    """Return the sentences that belong to the general entry of a formula."""
    inside = (same_as_ours(each) for each in preorder_traversal(node))
    return list(dict.fromkeys(SAID[type(each)](each, names) for each in inside if type(each) in SAID))


def is_of_numbers(node: Basic) -> bool:
    """Return whether a formula is a list of numbers, or built of such lists alone: their entries have no letter."""
    lists = (each for each in preorder_traversal(node) if isinstance(each, ops.Concat | ops.Stack))
    alone = not node.atoms(MatrixSymbol) and any(ops.numbers_listed(each) is not None for each in lists)
    return alone or ops.grid_of(node) is not None


# -- under a formula ---------------------------------------------------------------------------------------------


def said_beside(node: Basic, names: Names) -> tuple[Phrase, ...]:
    """Return the sentences about operands that are repeated and signs that work entry by entry, each once, in order.

    >>> from sympy import OneMatrix
    >>> X, c = MatrixSymbol("X", 3, 4), MatrixSymbol("c", 3, 1)
    >>> [said.key for said in said_beside(ops.Hadamard(X, ops.InEveryColumn(c, 4)), Names())]
    ['in_every_column', 'sign_times']
    >>> [said.key for said in said_beside(ops.InEveryColumn(c, 4), Names())]
    ['sign_ones_column']
    """
    repeated: dict[tuple[str, Expr], dict[Math, None]] = {}
    signs: dict[Phrase, None] = {}
    for each in postorder_traversal(node):
        if isinstance(each, MatAdd | Node):
            for key, length, what in _repeated_beside(each):
                repeated.setdefault((key, length), {})[formula(what, names)] = None
        if (product := as_product(each)) is not None:
            matrices = sorted(product.atoms(Identity), key=lambda matrix: str(matrix.shape))
            signs |= dict.fromkeys(Phrase("unit_matrix", (("matrix", formula(matrix, names)),)) for matrix in matrices)
        if isinstance(each, Transpose) and is_of_columns(each) and each.shape[1] != 1:
            signs[Phrase("by_columns")] = None
        if isinstance(each, Node) and not is_number(each):
            signs |= dict.fromkeys(_signs(each))
        if isinstance(each, Applied):
            signs |= dict.fromkeys(_turned_jacobian(each, names))
    signs |= dict.fromkeys(said_of_ones(formula(node, names)))
    told = ((key, (("names", tuple(found)), ("count", number(length)))) for (key, length), found in repeated.items())
    numbers = [Phrase("with_number")] if any(key == "with_number" for key, _ in repeated) else []
    return (*(Phrase(key, about) for key, about in told if key != "with_number"), *numbers, *signs)


def shape_of_gradient(step: Step, names: Names, shaped: Callable[[Math, Shape], Math]) -> tuple[Phrase, ...]:
    """Return the sentence that a gradient has the shape of its matrix; none for a number, or for a Jacobian, whose
    reason says what its rows and columns are."""
    by = names.gradient_of(step.name)
    if (
        by is None
        or by not in names.shapes
        or step.shape.ndim == 0
        or (step.derivative is not None and step.derivative.is_jacobian)
    ):
        return ()
    return (Phrase("gradient_shape", (("name", names(step.name)), ("matrix", shaped(names(by), names.shapes[by])))),)


def _repeated_beside(node: Basic) -> Iterator[tuple[str, Expr, Basic]]:
    """Yield each repeated operand with its key and count; a factor or divisor that is a number needs none."""
    matrices = [arg for arg in node.args if arg.is_Matrix]
    for arg, alone in zip(matrices, distinct_operands(matrices), strict=True):
        if arg is alone:
            continue
        inner = arg if isinstance(arg, Node) else arg.args[-1]
        rows, columns = inner.shape
        if isinstance(inner, ops.InEveryRow):
            yield "in_every_row", rows, inner.argument
        elif isinstance(inner, ops.InEveryColumn):
            yield "in_every_column", columns, inner.argument
        elif not isinstance(node, ops.Hadamard | ops.EntryQuotient):
            yield "with_number", rows, inner.argument


def said_of_ones(*written: Math) -> Iterator[Phrase]:
    """Yield the meaning of each 1_n, 1_{m×n} and 1_{M = 0} in some formulas: a bold 1 with sizes or a condition below.

    >>> from symattn.show.math import Accented, Number, Script
    >>> [said.key for said in said_of_ones(Script(Accented("bold", Number("1")), sub=Letter("n")))]
    ['sign_ones_column']
    """
    ones = [piece for piece in every(Script, written) if piece.base == Accented("bold", Number("1")) and piece.sub]
    for sizes in dict.fromkeys(piece.sub for piece in ones):
        sign = Script(Accented("bold", Number("1")), sub=sizes)
        if isinstance(sizes, Chain):
            yield Phrase("proof_holds", (("one", sign), ("condition", sizes)))
        elif sizes is None or (isinstance(sizes, Seq) and Sign("×") in sizes.parts):
            yield Phrase("sign_ones_everywhere", (("sign", sign),))
        else:
            turned = tuple(dict.fromkeys(piece for piece in ones if piece.sub == sizes and piece.sup is not None))
            yield Phrase("sign_ones_column", (("sign", sign), ("count", sizes), ("turned", turned[:1])))


def _turned_jacobian(node: Applied, names: Names) -> Iterator[Phrase]:
    """Yield the meaning of Jᵀ(X, G), a gradient that has no compact form."""
    mark = marked(node.operation.called)
    if mark is not None and (mark.name, mark.above) == ("J", "T"):
        told = [(parameter.name, formula(arg, names)) for parameter, arg in parameters_of(node)]
        by = dict(told)[mark.below[1]] if len(mark.below) > 1 else told[0][1]
        about = (("operation", mark.below[0]), ("by", by), ("reached", told[-1][1]))
        yield Phrase("sign_turned_jacobian", (("sign", formula(node, names)), *about))


def said_of_derived(sides: Iterable[Basic], names: Names) -> list[Phrase]:
    """Return the meanings of the signs in statements about gradients: Jᵀ, and 1_n."""
    found = [each for side in sides for each in postorder_traversal(side) if isinstance(each, Applied)]
    jacobians = [said for each in found for said in _turned_jacobian(each, names)]
    return list(dict.fromkeys((*jacobians, *said_of_ones(*(formula(side, names) for side in sides)))))


def _signs(node: Node) -> Iterator[Phrase]:
    """Yield the sentence for a sign between matrices, or around one."""
    if isinstance(node, ops.Hadamard) and not node.with_number:
        yield Phrase("sign_times", (("sign", Sign("⊙")),))
    elif isinstance(node, ops.EntryQuotient) and not node.is_fraction:
        yield Phrase("sign_divide", (("sign", Sign("⊘")),))
    elif isinstance(node, ops.EntryQuotient) and not is_number(node.sides[1]):
        yield Phrase("sign_fraction")
    elif call_name(node) == "√·":
        yield Phrase("sign_root")
    elif call_name(node) == POWER:
        is_square = node.shape[0] == node.shape[1]
        yield Phrase("sign_square_power", (("sign", Sign("⊙")),)) if is_square else Phrase("sign_power")
