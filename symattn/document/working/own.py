"""What is worked in a way of its own: sums and products, shares with their exponentials, lengths and angles, choices,
positions. Everything else follows from equations, :mod:`symattn.document.working.derived`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from flint import arb
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixExpr, OneMatrix, Rational, S

from symattn import operations as ops
from symattn.document.entries.nodes import entry, entry_of
from symattn.document.entries.positions import frequency_of, frequency_power
from symattn.document.math import Bars, Call, Chain, Fraction, Letter, Math, Number, Parens, Script, Sign, added, seq
from symattn.document.notation import logarithms
from symattn.document.notation.formulas import factors_before, formula, name_of, number
from symattn.document.working.derived import (
    calculates,
    column_work,
    entry_by_entry,
    entry_work,
    row_work,
    worked_entry,
    worked_row,
)
from symattn.document.working.entry import (
    LONGEST,
    Logarithm,
    Work,
    Written,
    behind,
    clear,
    divisor_figure,
    guarded,
    is_faint,
    lines,
    plain,
    relation,
    shortened,
    summed,
    times,
    worked_line,
)
from symattn.document.working.exponentials import exact_value, exponentials, row_lines, scores_of, share_line
from symattn.operations.node import named
from symattn.shapes import whole_sizes
from symattn.values.number import number_ball
from symattn.values.rational import digits_of, to_fmpq
from symattn.values.rounding import Figure

# -- on the way --------------------------------------------------------------------------------------------------


def operand_work(node: Basic, work: Work, i: int, j: int) -> tuple[Chain, ...]:
    """Entry (i, j) of what is worked out on the way to it and has no name, one line each."""
    lines: list[Chain] = []
    for operand in _on_the_way(node):
        shown = entry(operand, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
        inner = replace(work, name=work.solution.part(operand), shown=shown)
        shared = row_work(operand, inner, i)
        line = None if shared and not isinstance(operand, MatMul | MatPow) else entry_work(operand, inner, i, j)
        lines += [*operand_work(operand, work, i, j), *shared, line] if line is not None else []
    return (*lines, *column_work(node, work, j))


def _on_the_way(node: Basic) -> list[Basic]:
    """The operands whose entry (i, j) that of a node is made of, and which are worked out themselves."""
    sides = [_sign_and_size(arg)[1] for arg in node.args] if isinstance(node, MatAdd) else entry_by_entry(node)
    return [side for side in sides if calculates(side) or isinstance(side, MatAdd) or _is_sum_of_products(side)]


def _sign_and_size(term: MatrixExpr) -> tuple[bool, MatrixExpr]:
    """Whether a term of a sum is subtracted, and what is added or subtracted."""
    if not (isinstance(term, MatMul) and term.args[0] == -1):
        return False, term
    rest = term.args[1:]
    return True, rest[0] if len(rest) == 1 else MatMul(*rest, evaluate=False)


def _is_sum_of_products(node: Basic) -> bool:
    """Whether a node is a product of matrices in which something is added up; a column times a row is not."""
    factors = [arg for arg in node.args if arg.is_Matrix] if isinstance(node, MatMul) else []
    return len(factors) == len(node.args) and any(factor.shape[1] != 1 for factor in factors[:-1])


# -- sums and products -------------------------------------------------------------------------------------------


@entry_work.register
def _(node: MatMul, work: Work, i: int, j: int) -> Chain | None:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    front = factors_before(scalars, number)
    if len(matrices) == 1:
        operand = work.cells(matrices[0])[i][j]
        sides = seq(*front, *([Sign("·")] if front and scalars != [-1] else []), behind(operand))
        return worked_line(work.left(i, j), work.result(i, j), (sides, [operand]))
    # A longer chain is worked as (everything before) times (the last factor).
    before = matrices[0] if len(matrices) == 2 else MatMul(*matrices[:-1], evaluate=False)
    if isinstance(matrices[-1], OneMatrix) and matrices[-1].shape[0] == 1 and not front:
        # A column that is written again and again has the same entries everywhere.
        return entry_work(before, replace(work, shown=work.left(i, j), name=work.solution.part(before)), i, 0)
    return _product_work(front, before, matrices[-1], work, i, j)


HIGHEST = 4
"""The rows of lower powers lead up to a power as far as this; nobody reads those of a thirtieth."""


@row_work.register
def _(node: MatMul | MatPow, work: Work, i: int) -> tuple[Chain, ...]:
    """Row i of the product of all factors but the last, where these are several: its figures stand nowhere else."""
    before = _all_but_last(node)
    if before is None:
        return ()
    count, lines = whole_sizes(before)[1], list(row_work(before, work, i))
    shown = range(count) if count <= LONGEST else (*range(3), count - 1)
    for k in shown:
        left = entry_of(before, formula(before, work.letters.names), _index(i), _index(k))
        line = entry_work(before, replace(work, shown=left, name=work.solution.part(before)), i, k)
        lines += [Chain(Sign("⋮"))] if k - 1 not in {*shown, -1} else []
        lines += [line] if line is not None else []
    return tuple(lines)


def _all_but_last(node: MatMul | MatPow) -> MatrixExpr | None:
    """The product that an entry is worked as times the last factor, if it is one."""
    if isinstance(node, MatPow):
        return MatPow(node.base, int(node.exp) - 1) if 2 < node.exp <= HIGHEST else None
    *before, last = (arg for arg in node.args if arg.is_Matrix)
    return MatMul(*before, evaluate=False) if len(before) > 1 and not isinstance(last, OneMatrix) else None


def _product_work(front: list[Math], before: Basic, last: Basic, work: Work, i: int, j: int) -> Chain:
    """Entry (i, j) of a product of two: row i of the first times column j of the second."""
    row, column = work.cells(before)[i], [cells[j] for cells in work.cells(last)]
    if isinstance(last, OneMatrix):
        column, terms = [], [plain(row[0]), *map(behind, row[1:])]
    elif isinstance(before, OneMatrix):
        row, terms = [], [plain(column[0]), *map(behind, column[1:])]
    else:
        terms = [times(a, b) for a, b in zip(row, column, strict=True)]
    total = summed(terms)
    right = seq(*front, Parens(total)) if front else total
    return worked_line(work.left(i, j), work.result(i, j), (right, [*row, *column]))


@entry_work.register
def _(node: MatPow, work: Work, i: int, j: int) -> Chain | None:
    exponent = int(node.exp)
    if exponent == 1:
        return entry_work(MatMul(node.base, evaluate=False), work, i, j)
    before = node.base if exponent == 2 else MatPow(node.base, exponent - 1)
    return _product_work([], before, node.base, work, i, j)


@entry_work.register
def _(node: MatAdd, work: Work, i: int, j: int) -> Chain | None:
    parts: list[Math] = []
    used: list[Figure] = []
    for arg in node.args:
        negative, inner = _sign_and_size(arg)
        figure = work.cells(inner)[i][j]
        used.append(figure)
        term = behind(figure) if negative or parts else plain(figure)
        parts.append(seq(Sign("-"), term) if negative else term)
    result = work.result(i, j)
    # However a finite term was rounded, with −∞ the sum is −∞.
    if result.text.endswith("oo"):
        return Chain(work.left(i, j), ((relation(used), added(*parts)), ("=", plain(result))))
    return worked_line(work.left(i, j), result, (added(*parts), used))


# -- shares ------------------------------------------------------------------------------------------------------


def _sees_no_key(node: Basic, work: Work, i: int) -> bool:
    """Whether every score of a row is −∞: then there is no sum to divide by, and its weights are 0."""
    return isinstance(node, ops.Softmax) and all(score.text == "-oo" for score in work.cells(node.argument)[i])


def _has_exponentials(node: Basic, work: Work, i: int) -> bool:
    """Whether the shares of a row are worked with exponentials: those of a softmax are, others where theirs are too
    large or too small."""
    if isinstance(node, ops.Softmax):
        return True
    return scores_of(node) is not None and exponentials(work, node, i).taken_off is not None


@row_work.register(ops.Softmax)
@row_work.register(ops.Proportions)
def _(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    if _sees_no_key(node, work, i):
        return ()
    return row_lines(work, node, i) if _has_exponentials(node, work, i) else worked_row(node, work, i)


@entry_work.register(ops.Softmax)
@entry_work.register(ops.Proportions)
def _(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    if _sees_no_key(node, work, i):
        return Chain(work.left(i, j), (("=", Number("0")),))
    return share_line(work, node, i, j) if _has_exponentials(node, work, i) else worked_entry(node, work, i, j)


@entry_work.register
def _(node: ops.Exp, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    power = Script(Letter("e"), sup=plain(operand))
    # e^{ln 2} is 2, whatever else is in the matrix.
    powers = logarithms.exponentials(work.solution, work.solution.part(node.argument), i)
    exact = powers[j] if powers and isinstance(operand, Logarithm) else None
    if exact is None:
        return worked_line(work.left(i, j), result, (power, [operand]))
    last = ((relation([result]), plain(result)),) if isinstance(exact, Written) else ()
    return Chain(work.left(i, j), ((relation([operand]), power), ("=", plain(exact)), *last))


# -- lengths and angles ------------------------------------------------------------------------------------------


@row_work.register
def _(node: ops.Cosine | ops.Angle, work: Work, i: int) -> tuple[Chain, ...]:
    return ()


@entry_work.register
def _(node: ops.Cosine, work: Work, i: int, j: int) -> Chain | None:
    product, result = work.cells(ops.Dot(node.left, node.right))[i][j], work.result(i, j)
    lengths = (work.cells(ops.RowNorm(node.left))[i][0], work.cells(ops.RowNorm(node.right))[j][0])
    if any(map(is_faint, lengths)):
        product = clear(work, ops.Dot(node.left, node.right), i, j)
        lengths = (clear(work, ops.RowNorm(node.left), i, 0), clear(work, ops.RowNorm(node.right), j, 0))
    below = seq(plain(lengths[0]), Sign("·"), plain(lengths[1]))
    return worked_line(work.left(i, j), result, (Fraction(plain(product), below), (product, *lengths)))


@entry_work.register
def _(node: ops.Angle, work: Work, i: int, j: int) -> Chain | None:
    cosine = work.cells(ops.Cosine(node.left, node.right))[i][j]
    right = seq(Fraction(Number("180"), Letter("pi")), Call("arccos", (plain(cosine),)))
    return worked_line(work.left(i, j), work.result(i, j), (right, (cosine,)))


@row_work.register
def _(node: ops.ClipNorm, work: Work, i: int) -> tuple[Chain, ...]:
    left = Bars(formula(node.argument, work.letters.names), double=True)
    return tuple(replace(line, left=left) for line in worked_row(node, work, i))


def length_of_all(work: Work, node: ops.ClipNorm) -> Figure:
    """‖G‖, the length of all entries together."""
    return work.cells(named(node, "r"))[0][0]


@entry_work.register
def _(node: ops.ClipNorm, work: Work, i: int, j: int) -> Chain | None:
    operand, size = work.cells(node.argument)[i][j], length_of_all(work, node)
    if not size.text.strip("0."):
        # Nobody divides by a length that prints as 0: then every entry is as short.
        return Chain(work.left(i, j), ((relation([operand, work.result(i, j)]), plain(work.result(i, j))),))
    threshold = divisor_figure(work.solution, node.threshold)
    smaller = Call("min", (Number("1"), Fraction(plain(threshold), plain(size))))
    side = seq(guarded(operand), Sign("·"), smaller)
    return worked_line(work.left(i, j), work.result(i, j), (side, (operand, size, threshold)))


# -- choices, positions, pairs ------------------------------------------------------------------------------------


def _index(place: int) -> Number:
    """A row or column counted from 0, as the page counts."""
    return Number(str(place + 1))


@entry_work.register
def _(node: ops.ArgMax, work: Work, i: int, j: int) -> Chain | None:
    row, chosen = work.cells(node.argument)[i], int(work.result(i, j).text)
    printed = [_printed(figure) for figure in row]
    if printed.index(max(printed)) != chosen:
        return None  # rounding has made a tie, or more than that, of what is none
    one = (Sign("-"), Number("1"))
    return Chain(
        work.left(i, j),
        (
            (relation(row), seq(Call(name_of(node), shortened([plain(x) for x in row])), *one)),
            ("=", seq(_index(chosen), *one)),
            ("=", Number(str(chosen))),
        ),
    )


def _printed(figure: Figure) -> float:
    """The number that a figure prints, to be compared with others in its row."""
    if figure.number is None:
        return -inf if figure.text.startswith("-") else inf
    return float(figure.number)


@row_work.register
def _(node: ops.TopK, work: Work, i: int) -> tuple[Chain, ...]:
    """The entries of a row in order: p_{13} > p_{11} = p_{12} > …; no line where the order is not known."""
    signs: list[str] = []
    columns: list[int] = []
    groups = work.solution.groups(work.solution.part(node.argument), i)
    for group in groups:
        signs += [">", *["="] * (len(group.columns) - 1)]
        columns += group.columns
    sides: list[Math] = [entry(node.argument, work.letters, _index(i), _index(j), ()) for j in columns]
    if len(sides) > LONGEST:
        sides, signs = [*sides[: LONGEST - 1], Sign("⋯")], [*signs[: LONGEST - 1], ">"]
    if len(sides) == 1 or any(group.open for group in groups):
        return ()
    return (Chain(sides[0], tuple(zip(signs[1:], sides[1:], strict=True))),)  # type: ignore[arg-type]


@entry_work.register
def _(node: ops.TopK, work: Work, i: int, j: int) -> Chain | None:
    return Chain(work.left(i, j), (("=", plain(work.result(i, j))),))


# -- positions and pairs -----------------------------------------------------------------------------------------


@entry_work.register
def _(node: ops.AdditiveScores, work: Work, i: int, j: int) -> Chain | None:
    query, key, weights = work.cells(node.queries)[i], work.cells(node.keys)[j], work.cells(node.vector)[0]

    def enclosures(bits: int) -> list[arb]:
        q, k = (work.solution.evaluate_ball(side, bits) for side in (node.queries, node.keys))
        return [(q[i, c] + k[j, c]).tanh() for c in range(q.ncols())]

    def exactly(c: int) -> Expr | None:
        a, b = exact_value(query[c]), exact_value(key[c])
        return S.Zero if a is not None and b is not None and a + b == 0 else None

    names = [f"{work.name}[{i + 1},{j + 1}]: tanh {c + 1}" for c in range(len(weights))]
    values = work.solution.numbers(enclosures, names, exactly)
    sums = (Call("tanh", (seq(plain(a), Sign("+"), guarded(b)),)) for a, b in zip(query, key, strict=True))
    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (_weighted(weights, list(sums)), [*weights, *query, *key]),
        (_weighted(weights, list(map(guarded, values))), values),
    )


def _weighted(weights: Sequence[Figure], terms: list[Math]) -> Math:
    return summed([seq(guarded(v), Sign("·"), term) for v, term in zip(weights, terms, strict=True)])


@row_work.register
def _(node: ops.Sinusoidal | ops.Rotary, work: Work, i: int) -> tuple[Chain, ...]:
    """The angles of row i: 2·θ_2 = 2·10000^{−2/4} = 0.02; at position 0 there are none."""
    place = _position(node, i)
    if place == 0:
        return ()
    before = (_factor(place), Sign("·"))

    def line(pair: int) -> list[Chain]:
        power = seq(*before, frequency_power(node, _index(pair)))
        left, angle = seq(*before, frequency_of(_index(pair))), _angle(work, node, i, 2 * pair)
        return [worked_line(left, angle, (power, ()))]

    return tuple(lines(whole_sizes(node)[1] // 2, line))


def _position(node: ops.Sinusoidal | ops.Rotary, i: int) -> Expr:
    return Rational(i) if isinstance(node, ops.Sinusoidal) else (node.start + i).doit()


def _factor(value: Expr) -> Math:
    return Parens(number(value)) if value.is_negative or value.is_Add else number(value)


def _angle(work: Work, node: ops.Sinusoidal | ops.Rotary, i: int, j: int) -> Figure:
    """By how much row i turns column j, in radians; exact where it is a short decimal."""
    angle = node.angle(Rational(i), Rational(j)).doit()
    exact = to_fmpq(angle)
    places = None if exact is None else digits_of(exact, work.solution.style.decimals)
    if exact is None or places is None:
        return divisor_figure(work.solution, angle)
    return Figure.of(int(exact * 10**places), places, True)


@entry_work.register
def _(node: ops.Sinusoidal, work: Work, i: int, j: int) -> Chain | None:
    angle = _angle(work, node, i, j)
    side = Call("cos" if j % 2 else "sin", (plain(angle),))
    return worked_line(work.left(i, j), work.result(i, j), (side, (angle,)))


@entry_work.register
def _(node: ops.Rotary, work: Work, i: int, j: int) -> Chain | None:
    row, angle = work.cells(node.argument)[i], _angle(work, node, i, j)
    a, b = row[j - j % 2], row[j - j % 2 + 1]
    exact = node.angle(Rational(i), Rational(j)).doit()

    def enclosures(_: int) -> list[arb]:
        return [number_ball(exact).cos(), number_ball(exact).sin()]

    names = [f"{work.name}[{i + 1},{j + 1}]: the {what}" for what in ("cosine", "sine")]
    cosine, sine = work.solution.numbers(enclosures, names)

    def side(cos: Math, sin: Math) -> Math:
        first, second = (cos, sin) if j % 2 == 0 else (sin, cos)
        sign = Sign("-" if j % 2 == 0 else "+")
        return seq(guarded(a), Sign("·"), first, sign, guarded(b), Sign("·"), second)

    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (side(Call("cos", (plain(angle),)), Call("sin", (plain(angle),))), (a, b, angle)),
        (side(guarded(cosine), guarded(sine)), (cosine, sine)),
    )
