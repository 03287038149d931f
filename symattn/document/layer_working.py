"""How one entry of what layers are made of comes about in figures: activations, gates, RMS norm, positions, choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from flint import arb
from sympy import Basic, Expr, MatMul, OneMatrix, Rational, S, sqrt

from symattn import operations as ops
from symattn.document.entries import entry
from symattn.document.exponentials import exact_ball, exact_row, exact_value
from symattn.document.layer_entries import (
    PHI,
    ROOT_OF_TWO_OVER_PI,
    frequency_of,
    frequency_power,
    mean_square_of,
)
from symattn.document.math import Bars, Call, Chain, Fraction, Letter, Math, Number, Parens, Root, Script, Sign, seq
from symattn.document.notation import name_of, number
from symattn.document.row_working import row_work as row_work
from symattn.document.working import (
    LONGEST,
    Logarithm,
    Work,
    behind,
    clear,
    divisor_figure,
    entry_work,
    guarded,
    is_faint,
    plain,
    relation,
    summed,
    to_power,
)
from symattn.errors import UndecidedError
from symattn.values.number import number_ball
from symattn.values.rational import digits_of, to_fmpq
from symattn.values.rounding import Figure, decimal_text, read_figure


def _index(place: int) -> Number:
    """A row or column counted from 0, as the page counts."""
    return Number(str(place + 1))


def worked_line(left: Math, result: Figure, *sides: tuple[Math, Sequence[Figure]]) -> Chain:
    """left = side = … = result: each side with the figures that are new in it; after the first ≈ nothing is exact."""
    used: list[Figure] = []
    links = []
    for side, figures in (*sides, (plain(result), (result,))):
        used += figures
        links.append((relation(used), side))
    return Chain(left, tuple(links))


def _figure(work: Work, node: Basic, i: int, j: int, of: Callable[[arb], arb], what: str) -> Figure:
    """A function of entry (i, j) of a formula."""
    shown = work.cells(node)[i][j]

    def enclosures(bits: int) -> list[arb]:
        return [of(exact_ball(shown) or work.solution.evaluate_ball(node, bits)[i, j])]

    (figure,) = work.solution.numbers(enclosures, [f"{work.name}[{i + 1},{j + 1}]: {what}"])
    return figure


def _written(work: Work, node: Basic, i: int, j: int, of: Callable[[arb], arb], what: str) -> Figure | None:
    """The same, or ``None`` where that is too large to be written down: the line then goes on without it."""
    try:
        return _figure(work, node, i, j, of, what)
    except UndecidedError:
        return None


# -- entry by entry ----------------------------------------------------------------------------------------------


@entry_work.register
def _(node: ops.Hadamard, work: Work, i: int, j: int) -> Chain | None:
    a, b = (work.cells(side)[i][j] for side in node.args)
    return worked_line(work.left(i, j), work.result(i, j), (seq(guarded(a), Sign("·"), guarded(b)), (a, b)))


@entry_work.register
def _(node: ops.EntryQuotient, work: Work, i: int, j: int) -> Chain | None:
    a, b = (work.cells(side)[i][j] for side in node.args)
    if is_faint(b):
        a, b = (clear(work, side, i, j) for side in node.args)
    return worked_line(work.left(i, j), work.result(i, j), (Fraction(plain(a), plain(b)), (a, b)))


@entry_work.register(ops.Tanh)
@entry_work.register(ops.Log)
def _(node: ops.Tanh | ops.Log, work: Work, i: int, j: int) -> Chain | None:
    x = work.cells(node.argument)[i][j]
    return worked_line(work.left(i, j), work.result(i, j), (Call(name_of(node), (plain(x),)), (x,)))


@entry_work.register
def _(node: ops.GELU, work: Work, i: int, j: int) -> Chain | None:
    x = work.cells(node.argument)[i][j]
    share = _figure(work, node.argument, i, j, lambda ball: (-ball * arb(2).rsqrt()).erfc() / 2, "Φ")
    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (seq(guarded(x), Sign("·"), PHI, Parens(plain(x))), (x,)),
        (seq(guarded(x), Sign("·"), plain(share)), (share,)),
    )


@entry_work.register
def _(node: ops.GELUTanh, work: Work, i: int, j: int) -> Chain | None:
    x, cubic = work.cells(node.argument)[i][j], number_ball(node.CUBIC)

    def inside(ball: arb) -> arb:
        return (2 / arb.pi()).sqrt() * (ball + cubic * ball * ball * ball)

    argument = _written(work, node.argument, i, j, inside, "the input of tanh")
    value = _figure(work, node.argument, i, j, lambda ball: inside(ball).tanh(), "tanh")
    cubed = to_power(x, 3)
    whole = seq(ROOT_OF_TWO_OVER_PI, Parens(seq(plain(x), Sign("+"), number(node.CUBIC), Sign("·"), cubed)))
    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (_half_of(x, Call("tanh", (whole,))), (x,)),
        *([] if argument is None else [(_half_of(x, Call("tanh", (plain(argument),))), (argument,))]),
        (_half_of(x, guarded(value)), (value,)),
    )


def _half_of(x: Figure, more: Math) -> Math:
    """x/2 · (1 + …)"""
    return seq(Fraction(plain(x), Number("2")), Parens(seq(Number("1"), Sign("+"), more)))


@entry_work.register
def _(node: ops.SiLU, work: Work, i: int, j: int) -> Chain | None:
    x = work.cells(node.argument)[i][j]
    power = _written(work, node.argument, i, j, lambda ball: (-ball).exp(), "e to the power of −x")
    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (_sigmoid(x), (x,)),
        *([] if power is None else [(Fraction(plain(x), seq(Number("1"), Sign("+"), plain(power))), (power,))]),
    )


def _sigmoid(x: Figure) -> Math:
    """x / (1 + e^{−x}) with the figure and its opposite."""
    text = x.short or x.text
    opposite = text.removeprefix("-") if text.startswith("-") or not text.strip("0.") else f"-{text}"
    exponent = seq(Sign("-"), behind(x)) if isinstance(x, Logarithm) else Number(opposite)
    power = Script(Letter("e"), sup=exponent)
    return Fraction(plain(x), seq(Number("1"), Sign("+"), power))


# -- rows --------------------------------------------------------------------------------------------------------


def _mean_square(work: Work, node: ops.RMSNorm, i: int) -> Figure:
    width = node.shape[1]
    squares = MatMul(ops.Hadamard(node.argument, node.argument), OneMatrix(width, 1), evaluate=False)
    return work.cells(ops.Quotient(squares, width))[i][0]


@row_work.register
def _(node: ops.RMSNorm, work: Work, i: int) -> tuple[Chain, ...]:
    row = work.cells(node.argument)[i]
    squares = summed([to_power(x, 2) for x in row])
    side = Fraction(squares, number(node.shape[1]))
    return (worked_line(mean_square_of(node, work.letters, _index(i)), _mean_square(work, node, i), (side, row)),)


@entry_work.register
def _(node: ops.RMSNorm, work: Work, i: int, j: int) -> Chain | None:
    x, square, root = work.cells(node.argument)[i][j], _mean_square(work, node, i), _root(work, node, i)
    gain = None if node.gamma is None else work.cells(node.gamma)[0][j]

    def side(below: Math) -> Math:
        return Fraction(plain(x), below) if gain is None else seq(Fraction(plain(x), below), Sign("·"), guarded(gain))

    under = seq(plain(square), Sign("+"), number(node.epsilon)) if node.epsilon != 0 else plain(square)
    used = [x, square] if gain is None else [x, square, gain]
    return worked_line(work.left(i, j), work.result(i, j), (side(Root(under)), used), (side(plain(root)), (root,)))


def _root(work: Work, node: ops.RMSNorm, i: int) -> Figure:
    """√(MS_i + ε)"""
    width, epsilon = node.shape[1], node.epsilon.doit()

    def enclosures(bits: int) -> list[arb]:
        x = work.solution.evaluate_ball(node.argument, bits)
        squares = sum((x[i, k] * x[i, k] for k in range(x.ncols())), arb())
        return [(squares / x.ncols() + number_ball(epsilon)).sqrt()]

    def exactly(_: int) -> Expr | None:
        row = exact_row(work, node.argument, i)
        return None if row is None else sqrt(sum(x**2 for x in row) / width + epsilon)

    (figure,) = work.solution.numbers(enclosures, [f"{work.name}, row {i + 1}: the root"], exactly)
    return figure


@entry_work.register(ops.Rows)
@entry_work.register(ops.Stack)
def _(node: ops.Rows | ops.Stack, work: Work, i: int, j: int) -> Chain | None:
    part, row = node.place(i) if isinstance(node, ops.Stack) else (0, i)
    place = node.args[part] if isinstance(node, ops.Stack) else node
    source = entry(place, work.letters, _index(row), _index(j), ())
    result = work.result(i, j)
    return Chain(work.left(i, j), (("=", source), (relation([result]), plain(result))))


@entry_work.register
def _(node: ops.ArgMax, work: Work, i: int, j: int) -> Chain | None:
    row, chosen = work.cells(node.argument)[i], int(work.result(i, j).text)
    printed = [_printed(figure) for figure in row]
    if printed.index(max(printed)) != chosen:
        return None  # rounding has made a tie, or more than that, of what is none
    shown = [plain(x) for x in row] if len(row) <= LONGEST else [*map(plain, row[:3]), Sign("⋯"), plain(row[-1])]
    one = (Sign("-"), Number("1"))
    return Chain(
        work.left(i, j),
        (
            (relation(row), seq(Call(name_of(node), tuple(shown)), *one)),
            ("=", seq(_index(chosen), *one)),
            ("=", Number(str(chosen))),
        ),
    )


def _printed(figure: Figure) -> float:
    """The number that a figure prints, to be compared with others in its row."""
    read = read_figure(figure.text)
    return float(read[0]) if read is not None else -inf if figure.text.startswith("-") else inf


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
def _(node: ops.Distance, work: Work, i: int, j: int) -> Chain | None:
    return worked_line(work.left(i, j), work.result(i, j), (Bars(seq(_index(i), Sign("-"), _index(j))), ()))


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


@row_work.register(ops.Sinusoidal)
@row_work.register(ops.Rotary)
def _(node: ops.Sinusoidal | ops.Rotary, work: Work, i: int) -> tuple[Chain, ...]:
    """The angles of row i: 2·θ_2 = 2·10000^{−2/4} = 0.02; at position 0 there are none."""
    place = _position(node, i)
    if place == 0:
        return ()
    pairs = int(node.shape[1]) // 2
    lines = []
    for pair in range(pairs) if pairs <= LONGEST else (*range(3), pairs - 1):
        angle = _angle(work, node, i, 2 * pair)
        before = (_factor(place), Sign("·"))
        power = seq(*before, frequency_power(node, _index(pair)))
        lines.append(Chain(seq(*before, frequency_of(_index(pair))), (("=", power), (relation([angle]), plain(angle)))))
    return tuple(lines)


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
    return Figure(decimal_text(int(exact * 10**places), places), True)


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
