"""How one entry comes about where a whole row (or matrix) is behind it: exponentials and their sum, mean and variance,
lengths, shares."""

from __future__ import annotations

from functools import singledispatch

from flint import arb
from sympy import Basic, Expr, MatMul, MatrixExpr, OneMatrix, S, sqrt

from symattn import operations as ops
from symattn.document.entries import entry, length, mean_of, variance_of
from symattn.document.exponentials import exact_row, exponentials, row_lines, scores_of, share_line
from symattn.document.math import (
    Bars,
    Call,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
    seq,
)
from symattn.document.notation import formula, number
from symattn.document.terms import one_term
from symattn.document.working import (
    LONGEST,
    Work,
    behind,
    clear,
    divisor_figure,
    entry_work,
    guarded,
    is_faint,
    plain,
    quotient_line,
    relation,
    summed,
    to_power,
)
from symattn.values.number import norm, normalised, number_ball
from symattn.values.rounding import Figure


@singledispatch
def row_work(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """What all entries of row i share: the exponentials and their sum, the mean and the variance, a length."""
    return ()


@entry_work.register
def _(node: ops.Softmax, work: Work, i: int, j: int) -> Chain | None:
    if _sees_no_key(node, work, i):
        return Chain(work.left(i, j), (("=", Number("0")),))
    return share_line(work, node, i, j)


def _sees_no_key(node: ops.Softmax, work: Work, i: int) -> bool:
    """Whether every score of a row is −∞: then there is no sum to divide by, and its weights are 0."""
    return all(score.text == "-oo" for score in work.cells(node.argument)[i])


@row_work.register
def _(node: ops.Softmax, work: Work, i: int) -> tuple[Chain, ...]:
    if _sees_no_key(node, work, i):
        return ()
    return row_lines(work, node, i)


def _moments(work: Work, node: ops.LayerNorm, i: int) -> tuple[Figure, Figure]:
    def enclosures(bits: int) -> list[arb]:
        x = work.solution.evaluate_ball(node.argument, bits)
        mean, variance, _ = normalised([x[i, k] for k in range(x.ncols())], number_ball(node.epsilon.doit()))
        return [mean, variance]

    def exactly(index: int) -> Expr | None:
        row = exact_row(work, node.argument, i)
        if row is None:
            return None
        average = sum(row, S.Zero) / len(row)
        return average if index == 0 else sum(((x - average) ** 2 for x in row), S.Zero) / len(row)

    names = [f"{work.name}, row {i + 1}: the {what}" for what in ("mean", "variance")]
    mean, variance = work.solution.numbers(enclosures, names, exactly)
    return mean, variance


@row_work.register
def _(node: ops.LayerNorm, work: Work, i: int) -> tuple[Chain, ...]:
    row = work.cells(node.argument)[i]
    mean, variance = _moments(work, node, i)
    index, width = Number(str(i + 1)), number(node.shape[1])
    total = summed([behind(x) for x in row])
    squares = summed([Script(Parens(_minus(x, mean)), sup=Number("2")) for x in row])
    return (
        Chain(
            mean_of(node, work.letters, index),
            ((relation(row), Fraction(total, width)), (relation([*row, mean]), plain(mean))),
        ),
        Chain(
            variance_of(node, work.letters, index),
            ((relation([*row, mean]), Fraction(squares, width)), (relation([*row, mean, variance]), plain(variance))),
        ),
    )


def _minus(x: Figure, mean: Figure) -> Seq:
    return Seq((plain(x), Sign("-"), guarded(mean)))


@entry_work.register
def _(node: ops.LayerNorm, work: Work, i: int, j: int) -> Chain | None:
    x, result = work.cells(node.argument)[i][j], work.result(i, j)
    mean, variance = _moments(work, node, i)
    root = Root(seq(plain(variance), Sign("+"), number(node.epsilon)))
    right: Math = Fraction(_minus(x, mean), root)
    used = [x, mean, variance]
    if node.gamma is not None and node.beta is not None:
        gain, bias = work.cells(node.gamma)[0][j], work.cells(node.beta)[0][j]
        right = seq(right, Sign("·"), guarded(gain), Sign("+"), guarded(bias))
        used += [gain, bias]
    return Chain(work.left(i, j), ((relation(used), right), (relation([*used, result]), plain(result))))


# -- lengths and shares ------------------------------------------------------------------------------------------


def _square_root(row: list[Figure]) -> Math:
    """√(0.43² + 0.15² + …)"""
    return Root(summed([to_power(x, 2) for x in row]))


@entry_work.register
def _(node: ops.RowNorm, work: Work, i: int, j: int) -> Chain | None:
    row, result = list(work.cells(node.argument)[i]), work.result(i, j)
    return Chain(work.left(i, j), ((relation(row), _square_root(row)), (relation([*row, result]), plain(result))))


@row_work.register
def _(node: ops.UnitRows, work: Work, i: int) -> tuple[Chain, ...]:
    row, size = _row_over(work, node, ops.RowNorm(node.argument), i)
    left = length(node.argument, work.letters, Number(str(i + 1)), ())
    return (Chain(left, ((relation(row), _square_root(row)), (relation([*row, size]), plain(size)))),)


@entry_work.register
def _(node: ops.UnitRows, work: Work, i: int, j: int) -> Chain | None:
    row, size = _row_over(work, node, ops.RowNorm(node.argument), i)
    return quotient_line(work.left(i, j), row[j], size, work.result(i, j))


def _row_and_total(work: Work, node: ops.Proportions, i: int) -> tuple[list[Figure], Figure]:
    return _row_over(work, node, MatMul(node.argument, OneMatrix(node.shape[1], 1), evaluate=False), i)


def _row_over(
    work: Work, node: ops.Proportions | ops.UnitRows, divisor: MatrixExpr, i: int
) -> tuple[list[Figure], Figure]:
    """Row i of the argument, and what each of its entries is divided by."""
    row, below = list(work.cells(node.argument)[i]), work.cells(divisor)[i][0]
    if not is_faint(below):
        return row, below
    return [clear(work, node.argument, i, j) for j in range(len(row))], clear(work, divisor, i, 0)


def _is_shifted(work: Work, node: ops.Proportions, i: int) -> bool:
    """Whether the shares are worked as those of a softmax are: their exponentials are too large or too small."""
    return scores_of(node) is not None and exponentials(work, node, i).taken_off is not None


@row_work.register
def _(node: ops.Proportions, work: Work, i: int) -> tuple[Chain, ...]:
    if _is_shifted(work, node, i):
        return row_lines(work, node, i)
    row, total = _row_and_total(work, node, i)
    bound = work.letters.bound()
    k = Letter(bound)
    body = entry(node.argument, work.letters, Number(str(i + 1)), k, (bound,))
    left = Sum(k, Number("1"), number(node.shape[1]), one_term(body))
    right = summed([plain(row[0]), *map(behind, row[1:])])
    return (Chain(left, ((relation(row), right), (relation([*row, total]), plain(total)))),)


@entry_work.register
def _(node: ops.Proportions, work: Work, i: int, j: int) -> Chain | None:
    if _is_shifted(work, node, i):
        return share_line(work, node, i, j)
    row, total = _row_and_total(work, node, i)
    return quotient_line(work.left(i, j), row[j], total, work.result(i, j))


@entry_work.register
def _(node: ops.RowMax, work: Work, i: int, j: int) -> Chain | None:
    row, result = work.cells(node.argument)[i], work.result(i, j)
    shown = [plain(x) for x in row]
    if len(shown) > LONGEST:
        shown = [*shown[:3], Sign("⋯"), shown[-1]]
    return Chain(
        work.left(i, j), ((relation(row), Call("max", tuple(shown))), (relation([*row, result]), plain(result)))
    )


@entry_work.register
def _(node: ops.Entropy, work: Work, i: int, j: int) -> Chain | None:
    weights, result = work.cells(node.argument)[i], work.result(i, j)
    # A weight of 0 adds nothing, and ln 0 is no number to show.
    terms = [seq(plain(a), Letter("ln", "upright"), plain(a)) for a in weights if a.text.strip("0.")]
    last = (relation([*weights, result]), plain(result))
    if not terms:  # a row that sees no key
        return Chain(work.left(i, j), (last,))
    right = seq(Sign("-"), Parens(summed(terms)))
    return Chain(work.left(i, j), ((relation(weights), right), last))


@entry_work.register
def _(node: ops.Cosine, work: Work, i: int, j: int) -> Chain | None:
    product, result = work.cells(ops.Dot(node.left, node.right))[i][j], work.result(i, j)
    lengths = (work.cells(ops.RowNorm(node.left))[i][0], work.cells(ops.RowNorm(node.right))[j][0])
    if any(map(is_faint, lengths)):
        product = clear(work, ops.Dot(node.left, node.right), i, j)
        lengths = (clear(work, ops.RowNorm(node.left), i, 0), clear(work, ops.RowNorm(node.right), j, 0))
    below = seq(plain(lengths[0]), Sign("·"), plain(lengths[1]))
    used = [product, *lengths]
    return Chain(
        work.left(i, j), ((relation(used), Fraction(plain(product), below)), (relation([*used, result]), plain(result)))
    )


@entry_work.register
def _(node: ops.Angle, work: Work, i: int, j: int) -> Chain | None:
    cosine, result = work.cells(ops.Cosine(node.left, node.right))[i][j], work.result(i, j)
    right = seq(Fraction(Number("180"), Letter("pi")), Call("arccos", (plain(cosine),)))
    return Chain(work.left(i, j), ((relation([cosine]), right), (relation([cosine, result]), plain(result))))


@row_work.register
def _(node: ops.ClipNorm, work: Work, i: int) -> tuple[Chain, ...]:
    if i:
        return ()
    entries, size = [x for row in work.cells(node.argument) for x in row], length_of_all(work, node)
    left = Bars(formula(node.argument, work.letters.names), double=True)
    return (Chain(left, ((relation(entries), _square_root(entries)), (relation([*entries, size]), plain(size)))),)


def length_of_all(work: Work, node: ops.ClipNorm) -> Figure:
    """‖G‖, the length of all entries together."""

    def enclosures(bits: int) -> list[arb]:
        return [norm(work.solution.evaluate_ball(node.argument, bits).entries())]

    def exactly(_: int) -> Expr | None:
        rows = [exact_row(work, node.argument, i) for i in range(int(node.argument.shape[0]))]
        if any(row is None for row in rows):
            return None
        return sqrt(sum((x**2 for row in rows for x in row or ()), S.Zero))

    (figure,) = work.solution.numbers(enclosures, [f"{work.name}: the length"], exactly)
    return figure


@entry_work.register
def _(node: ops.ClipNorm, work: Work, i: int, j: int) -> Chain | None:
    operand, result, size = work.cells(node.argument)[i][j], work.result(i, j), length_of_all(work, node)
    if not size.text.strip("0."):
        # Nobody divides by a length that prints as 0: then every entry is as short.
        return Chain(work.left(i, j), ((relation([operand, result]), plain(result)),))
    threshold = divisor_figure(work.solution, node.threshold)
    smaller = Call("min", (Number("1"), Fraction(plain(threshold), plain(size))))
    used = [operand, size, threshold]
    return Chain(
        work.left(i, j),
        ((relation(used), seq(guarded(operand), Sign("·"), smaller)), (relation([*used, result]), plain(result))),
    )
