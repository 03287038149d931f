"""How one entry comes about where a whole row (or matrix) is behind it: exponentials and their sum, mean and variance,
lengths, shares."""

from __future__ import annotations

from functools import singledispatch

from flint import arb
from sympy import Basic, Expr, MatMul, OneMatrix, S, sqrt

from symattn import operations as ops
from symattn.document import logarithms
from symattn.document.entries import entry, length, mean_of, one_term, variance_of
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
from symattn.document.working import (
    LARGEST,
    LONGEST,
    Work,
    Written,
    behind,
    entry_work,
    guarded,
    plain,
    relation,
    summed,
)
from symattn.values.number import norm, normalised, number_ball
from symattn.values.rounding import Figure, read_figure


@singledispatch
def row_work(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """What all entries of row i share: the exponentials and their sum, the mean and the variance, a length."""
    return ()


@entry_work.register
def _(node: ops.Softmax, work: Work, i: int, j: int) -> Chain | None:
    exponentials, total = _exponentials(work, node, i)
    result = work.result(i, j)
    return Chain(
        work.left(i, j),
        (
            (relation([exponentials[j], total]), Fraction(plain(exponentials[j]), plain(total))),
            (relation([exponentials[j], total, result]), plain(result)),
        ),
    )


def _exponentials(work: Work, node: ops.Softmax, i: int) -> tuple[tuple[Figure, ...], Figure]:
    """The exponentials of one row of scores, and their sum."""
    width = int(node.shape[1])
    shown = work.cells(node.argument)[i]

    def enclosures(bits: int) -> list[arb]:
        scores = work.solution.evaluate_ball(node.argument, bits)
        powers = [(exact_ball(shown[k]) or scores[i, k]).exp() for k in range(width)]
        return [*powers, sum(powers, arb())]

    figures = work.solution.numbers(width + 1, enclosures, f"softmax in {work.name}, row {i + 1}")
    exact = logarithms.exponentials(work.solution, work.solution.part(node.argument), i)
    if exact is not None:
        figures = tuple(x or figure for x, figure in zip(exact, figures, strict=True))
    *exponentials, total = figures
    return tuple(exponentials), total


def exact_ball(figure: Figure) -> arb | None:
    """The value of a figure that is exact: e⁰ is 1, though the enclosure of a sum of roots around 0 has a radius."""
    read = read_figure(figure.text) if figure.exact and not isinstance(figure, Written) else None
    return None if read is None else arb(read[0])


@row_work.register
def _(node: ops.Softmax, work: Work, i: int) -> tuple[Chain, ...]:
    scores = work.cells(node.argument)[i]
    exponentials, total = _exponentials(work, node, i)
    shown = range(len(scores)) if len(scores) <= LONGEST else (*range(3), len(scores) - 1)
    lines: list[Chain] = []
    for k in shown:
        power = Script(Letter("e"), sup=plain(scores[k]))
        symbol = Script(Letter("e"), sup=entry(node.argument, work.letters, Number(str(i + 1)), Number(str(k + 1)), ()))
        exact = relation([scores[k], exponentials[k]])
        if k == len(scores) - 1 and k + 1 != len(lines) + 1:
            lines.append(Chain(Sign("⋮")))
        lines.append(Chain(symbol, ((relation([scores[k]]), power), (exact, plain(exponentials[k])))))
    bound = work.letters.bound()
    k_letter = Letter(bound)
    body = Script(Letter("e"), sup=entry(node.argument, work.letters, Number(str(i + 1)), k_letter, (bound,)))
    left = Sum(k_letter, Number("1"), number(node.shape[1]), body)
    right = summed([guarded(x) for x in exponentials])
    lines.append(Chain(left, ((relation(exponentials), right), (relation([*exponentials, total]), plain(total)))))
    return tuple(lines)


def _moments(work: Work, node: ops.LayerNorm, i: int) -> tuple[Figure, Figure]:
    def enclosures(bits: int) -> list[arb]:
        x = work.solution.evaluate_ball(node.argument, bits)
        mean, variance, _ = normalised([x[i, k] for k in range(x.ncols())], number_ball(node.epsilon.doit()))
        return [mean, variance]

    def exactly(index: int) -> Expr | None:
        source = work.solution.part(node.argument)
        if work.solution.closed_form_size(source) > LARGEST:
            return None
        row = list(work.solution.exact_value(source).row(i))
        average = sum(row, S.Zero) / len(row)
        return average if index == 0 else sum(((x - average) ** 2 for x in row), S.Zero) / len(row)

    mean, variance = work.solution.numbers(2, enclosures, f"layer norm in {work.name}, row {i + 1}", exactly)
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
    return Root(summed([Script(guarded(x), sup=Number("2")) for x in row]))


@entry_work.register
def _(node: ops.RowNorm, work: Work, i: int, j: int) -> Chain | None:
    row, result = list(work.cells(node.argument)[i]), work.result(i, j)
    return Chain(work.left(i, j), ((relation(row), _square_root(row)), (relation([*row, result]), plain(result))))


@row_work.register
def _(node: ops.UnitRows, work: Work, i: int) -> tuple[Chain, ...]:
    row, size = list(work.cells(node.argument)[i]), work.cells(ops.RowNorm(node.argument))[i][0]
    left = length(node.argument, work.letters, Number(str(i + 1)), ())
    return (Chain(left, ((relation(row), _square_root(row)), (relation([*row, size]), plain(size)))),)


@entry_work.register
def _(node: ops.UnitRows, work: Work, i: int, j: int) -> Chain | None:
    return _share(work, i, j, work.cells(node.argument)[i][j], work.cells(ops.RowNorm(node.argument))[i][0])


def _share(work: Work, i: int, j: int, above: Figure, below: Figure) -> Chain:
    result = work.result(i, j)
    return Chain(
        work.left(i, j),
        (
            (relation([above, below]), Fraction(plain(above), plain(below))),
            (relation([above, below, result]), plain(result)),
        ),
    )


def _total(work: Work, node: ops.Proportions, i: int) -> Figure:
    total = MatMul(node.argument, OneMatrix(node.shape[1], 1), evaluate=False)
    return work.cells(total)[i][0]


@row_work.register
def _(node: ops.Proportions, work: Work, i: int) -> tuple[Chain, ...]:
    row, total = work.cells(node.argument)[i], _total(work, node, i)
    bound = work.letters.bound()
    k = Letter(bound)
    body = entry(node.argument, work.letters, Number(str(i + 1)), k, (bound,))
    left = Sum(k, Number("1"), number(node.shape[1]), one_term(body))
    right = summed([plain(row[0]), *map(behind, row[1:])])
    return (Chain(left, ((relation(row), right), (relation([*row, total]), plain(total)))),)


@entry_work.register
def _(node: ops.Proportions, work: Work, i: int, j: int) -> Chain | None:
    return _share(work, i, j, work.cells(node.argument)[i][j], _total(work, node, i))


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
    if not terms:
        return None
    right = seq(Sign("-"), Parens(summed(terms)))
    return Chain(work.left(i, j), ((relation(weights), right), (relation([*weights, result]), plain(result))))


@entry_work.register
def _(node: ops.Cosine, work: Work, i: int, j: int) -> Chain | None:
    product, result = work.cells(ops.Dot(node.left, node.right))[i][j], work.result(i, j)
    lengths = (work.cells(ops.RowNorm(node.left))[i][0], work.cells(ops.RowNorm(node.right))[j][0])
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
        source = work.solution.part(node.argument)
        if work.solution.closed_form_size(source) > LARGEST:
            return None
        return sqrt(sum((x**2 for x in work.solution.exact_value(source)), S.Zero))

    (figure,) = work.solution.numbers(1, enclosures, f"the length in {work.name}", exactly)
    return figure


@entry_work.register
def _(node: ops.ClipNorm, work: Work, i: int, j: int) -> Chain | None:
    operand, result, size = work.cells(node.argument)[i][j], work.result(i, j), length_of_all(work, node)
    if not size.text.strip("0."):
        # Nobody divides by a length that prints as 0: then every entry is as short.
        return Chain(work.left(i, j), ((relation([operand, result]), plain(result)),))
    threshold = work.solution.numbers(1, lambda _: [number_ball(node.threshold.doit())], "the threshold")[0]
    smaller = Call("min", (Number("1"), Fraction(plain(threshold), plain(size))))
    used = [operand, size, threshold]
    return Chain(
        work.left(i, j),
        ((relation(used), seq(guarded(operand), Sign("·"), smaller)), (relation([*used, result]), plain(result))),
    )
