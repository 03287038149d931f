"""Mistakes in turning scores into weights: along the wrong axis, without exponentials, without dividing, another base.

The right way is e^{s_ij} / Σ_k e^{s_ik} along every row: Goodfellow, Bengio and Courville 2016, *Deep Learning*,
section 6.2.2.3, equation (6.29).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sympy import Integer, MatMul, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, log

from symattn.claims.mistakes.building import (
    absolute,
    factors,
    matrix_size,
    ones,
    places,
    put,
    scaled_matrix,
    transposed_matrix,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.masks import split
from symattn.claims.mistakes.model import SOFTENED, WEIGHTED, WITH_MASKS, Change, Mistake, Rewrite
from symattn.claims.mistakes.rewriting import at_each, by_rows, of, with_all
from symattn.claims.mistakes.subject import Subject
from symattn.operations import (
    EntryQuotient,
    Exp,
    Hadamard,
    Keep,
    Log,
    Proportions,
    Quotient,
    ReLU,
    Row,
    RowMax,
    Rows,
    Softmax,
    TopK,
)


def exponentials(subject: Subject, node: MatrixExpr) -> MatrixExpr | None:
    """Return the dividend of a softmax that is written out: E in E / (E 1 1ᵀ) and in its shares.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("S", shape(2, 3)).step("E", "exp(S)").step("A", "divide(E, E @ ones(3, 3))")
    >>> exponentials(Subject(plan), plan["A"].formula)
    E
    """
    if isinstance(node, Proportions) and isinstance(subject.meaning(node.argument), Exp):
        return node.argument
    if not isinstance(node, EntryQuotient) or not isinstance(subject.meaning(node.left), Exp):
        return None
    below = subject.chain(node.right)
    rest = below[1:]
    return node.left if rest and below[0] == node.left and all(isinstance(x, OneMatrix) for x in rest) else None


def _over_columns(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every column divided by its own sum; a single row has no such mistake."""
    if matrix_size(node)[0] == 1:
        return
    if isinstance(node, Softmax):
        yield transposed_matrix(Softmax(transposed_matrix(node.argument)))
    elif (above := exponentials(subject, node)) is not None:
        rows = matrix_size(above)[0]
        yield EntryQuotient(above, unevaluated_product(ones(rows, rows), above))


def _over_all(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Every entry divided by the sum of all entries, which is right for a single row."""
    above = Exp(node.argument) if isinstance(node, Softmax) else exponentials(subject, node)
    if above is not None and matrix_size(above)[0] > 1:
        rows, columns = matrix_size(above)
        yield EntryQuotient(above, unevaluated_product(ones(rows, rows), above, ones(columns, columns)))


def _not_divided(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """The exponentials themselves, or any dividend of sums that fill every column."""
    if isinstance(node, Softmax):
        yield Exp(node.argument)
    elif (above := exponentials(subject, node)) is not None:
        yield above
    elif isinstance(node, EntryQuotient) and isinstance(subject.chain(node.right)[-1], OneMatrix):
        yield node.left


def _hardmax(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """1 at the largest score of each row and 0 elsewhere; a single number has weight 1 in any case."""
    above = node.argument if isinstance(node, Softmax) else exponentials(subject, node)
    if above is not None and matrix_size(above)[1] > 1:
        yield TopK(above, Integer(1))


def _shares(subject: Subject, node: MatrixExpr, made: Callable[[MatrixExpr], MatrixExpr]) -> Iterator[MatrixExpr]:
    """Shares of what is made of the scores; the sum leaves out hidden ones."""
    if isinstance(node, Softmax):
        scores, masks = split(subject, node.argument)
        yield Proportions(made(scores) if masks is None else Keep(made(scores), masks))


def _plain_shares(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """s_ij / Σ_k s_ik."""
    yield from _shares(subject, node, lambda scores: scores)


def _absolute_shares(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """|s_ij| / Σ_k |s_ik|."""
    yield from _shares(subject, node, lambda scores: absolute(ReLU(scores)))


def _negated(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """softmax(−S), with the mask as it was; where the lowest is to win, as with distances, that is no mistake."""
    if isinstance(node, Softmax):
        scores, mask = split(subject, node.argument)
        if _is_negative(subject, scores):
            return
        negative = scaled_matrix(Integer(-1), scores)
        yield Softmax(negative if mask is None else unevaluated_sum(negative, mask))


def _is_negative(subject: Subject, scores: MatrixExpr) -> bool:
    made = subject.meaning(scores)
    if isinstance(made, Quotient | Transpose):
        return _is_negative(subject, made.args[0])
    return any(number.is_negative for number in factors(made)[0])


def _maximum_only_above(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """e^{s − max} / Σ e^s: the maximum subtracted in the dividend only."""
    if isinstance(node, Softmax):
        columns = matrix_size(node)[1]
        largest = Exp(scaled_matrix(Integer(-1), RowMax(node.argument)))
        yield Hadamard(node, unevaluated_product(largest, ones(1, columns)))


def _unmasked(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """softmax(S) where S + M has a name of its own, which keeps its right figures."""
    if isinstance(node, Softmax) and isinstance(node.argument, MatrixSymbol):
        scores, mask = split(subject, node.argument)
        if mask is not None:
            yield Softmax(scores)


def _shares_without_exponentials(subject: Subject) -> Iterator[Change]:
    """Scores divided by their sum, also if the softmax is written out over several steps."""
    yield from at_each(_plain_shares)(subject)
    changes: list[Change] = []
    for step, formula, _, node in subject.places:
        above = exponentials(subject, node)
        if isinstance(above, MatrixSymbol):
            inner = subject.plan[above.name].formula
            changes += [Change(above.name, {above.name: inner.argument})] if isinstance(inner, Exp) else []
        elif isinstance(above, Exp):
            changes.append(Change(step.name, {step.name: _everywhere(formula, above, above.argument)}))
    yield from with_all(list({change.step: change for change in changes}.values()))


def _everywhere(formula: MatrixExpr, old: MatrixExpr, new: MatrixExpr) -> MatrixExpr:
    """Replace every occurrence of one part of a formula."""
    for path in [path for path, node in places(formula) if node == old]:
        formula = put(formula, path, new)
    return formula


def _base(base: int) -> Rewrite:
    """base^x instead of e^x: x ln(base) in place of x."""
    number = log(Integer(base))

    in_softmax = of(Softmax, lambda node: Softmax(scaled_matrix(number, node.argument)))
    # A single number is a perplexity or the like, whose base is that of a logarithm.
    in_powers = of(Exp, lambda node: None if matrix_size(node) == (1, 1) else Exp(scaled_matrix(number, node.argument)))

    def rewrite(subject: Subject) -> Iterator[Change]:
        yield from at_each(in_softmax)(subject)
        yield from at_each(in_powers, each=False)(subject)

    return rewrite


def _logarithm(base: int) -> Rewrite:
    """log_base x instead of ln x."""
    return at_each(of(Log, lambda node: scaled_matrix(1 / log(Integer(base)), node)))


# -- weights and values ------------------------------------------------------------------------------------------


def weights_and_values(subject: Subject, node: MatrixExpr) -> tuple[tuple[MatrixExpr, ...], MatrixExpr] | None:
    """Return the factors up to the weights A, and V, if a formula is A V; ``None`` otherwise.

    Given weights are recognised only if nothing in the derivation makes any.
    """
    if not isinstance(node, MatMul):
        return None
    matrices = tuple(arg for arg in node.args if arg.is_Matrix)
    if len(matrices) < 2 or any(isinstance(other, OneMatrix | Transpose) for other in matrices[:2]):
        return None
    return (matrices[:1], matrices[1]) if is_weights(subject, matrices[0]) else None


def is_weights(subject: Subject, node: MatrixExpr) -> bool:
    """Return whether a formula consists of shares that sum to one, or is given and nothing else could be."""
    made = subject.meaning(node)
    if isinstance(made, MatrixSymbol):
        alone = (MatrixSymbol, MatMul, Transpose, Row, Rows)
        return all(isinstance(x, alone) for _, _, _, x in subject.places)
    while isinstance(made, Row | Rows | Keep):
        made = subject.meaning(made.args[0])
    return isinstance(made, Softmax | Proportions) or exponentials(subject, made) is not None


def _values_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A instead of A V."""
    if weights_and_values(subject, node) is not None:
        matrices = [arg for arg in node.args if arg.is_Matrix]
        if len(matrices) == 2 or matrix_size(matrices[0])[1] == matrix_size(matrices[2])[0]:
            yield unevaluated_product(matrices[0], *matrices[2:])


def _values_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """A Vᵀ instead of A V, for a square V."""
    found = weights_and_values(subject, node)
    if found is not None and matrix_size(found[1])[0] == matrix_size(found[1])[1]:
        yield unevaluated_product(*(transposed_matrix(x) if x == found[1] else x for x in node.args))


def _weights_transposed(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """Aᵀ V instead of A V, for a square A: the values mixed along the columns of the weights."""
    found = weights_and_values(subject, node)
    if found is not None and 1 < matrix_size(found[0][0])[0] == matrix_size(found[0][0])[1]:
        yield unevaluated_product(*(transposed_matrix(x) if x == found[0][0] else x for x in node.args))


MISTAKES = (
    Mistake("softmax-over-columns", at_each(by_rows(_over_columns)), SOFTENED, rank=20),
    Mistake("exponentials-without-dividing", at_each(_not_divided), (*SOFTENED, "online-softmax"), rank=100),
    Mistake("shares-without-exponentials", _shares_without_exponentials, SOFTENED, rank=110),
    Mistake("absolute-shares", at_each(_absolute_shares), SOFTENED, subtle=True, rank=112),
    Mistake("softmax-of-negated-scores", at_each(_negated), SOFTENED, subtle=True, rank=113),
    Mistake("softmax-of-unmasked-scores", at_each(_unmasked), WITH_MASKS, subtle=True, rank=65),
    Mistake("maximum-only-above", at_each(_maximum_only_above), SOFTENED, subtle=True, rank=495),
    Mistake("hardmax", at_each(by_rows(_hardmax)), SOFTENED, rank=115),
    Mistake("values-forgotten", at_each(_values_forgotten), WEIGHTED, rank=120),
    Mistake("softmax-over-all", at_each(by_rows(_over_all)), SOFTENED, rank=470),
    Mistake("softmax-base-two", _base(2), (*SOFTENED, "online-softmax"), rank=480),
    Mistake("softmax-base-ten", _base(10), (*SOFTENED, "online-softmax"), rank=490),
    Mistake("weights-transposed", at_each(_weights_transposed), WEIGHTED, rank=520),
    Mistake("values-transposed", at_each(_values_transposed), WEIGHTED, rank=530),
    Mistake("logarithm-base-ten", _logarithm(10), ("cross-entropy",), rank=750),
    Mistake("logarithm-base-two", _logarithm(2), ("cross-entropy",), rank=760),
)
