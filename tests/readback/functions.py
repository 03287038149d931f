"""What the functions of a formula make of matrices, worked out a second time with mpmath.

What a call on the page does not say (the ε of a norm, what a mask adds) comes from the nodes of the formula; where two
nodes of one formula differ in it, nothing can be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from mpmath import mp, mpf
from sympy import Basic, Expr, Identity, OneMatrix, ZeroMatrix, preorder_traversal

from symattn import operations as ops
from tests.readback.balls import Ball, Table, largest, length, smallest, total
from tests.readback.evaluate import Builtin, Scope, Unknown, Value
from tests.readback.evaluate import as_table as table

Row = tuple[Ball, ...]
ONE, ZERO = Ball(mpf(1)), Ball(mpf(0))
T = TypeVar("T")


def exact(number: Expr) -> Ball:
    """A number of a formula."""
    return Ball(mpf(number.evalf(60)) if not number.is_infinite else -mp.inf)


def whole(value: Value) -> int:
    return int(table(value).rows[0][0].middle)


def functions_of(formulas: Iterable[Basic | None], number: Callable[[Expr], Expr]) -> dict[str, Builtin]:
    """The functions that may stand in formulas and the lines about them; ``number`` puts in sizes."""
    inside = (node for formula in formulas if formula is not None for node in preorder_traversal(formula))
    nodes = list(dict.fromkeys(inside))
    return {**_PLAIN, **OF_RECORDS, **_with_parameters(nodes, number), **_constants(nodes, number)}


# -- functions of what they are given -----------------------------------------------------------------------------


def _each(function: Callable[[Ball], Ball]) -> Builtin:
    return lambda _, given: table(given[0]).each(function)


def _by_row(function: Callable[[Row], Row]) -> Builtin:
    return lambda _, given: Table.of(map(function, table(given[0]).rows))


def _of_row(function: Callable[[Row], Ball]) -> Builtin:
    return lambda _, given: Table.of([function(row)] for row in table(given[0]).rows)


def _by_pairs(function: Callable[[Row, Row], Ball]) -> Builtin:
    return lambda _, given: Table.of([function(a, b) for b in table(given[1]).rows] for a in table(given[0]).rows)


def softmax(row: Row) -> Row:
    powers = [ball.through(mp.exp) for ball in row]
    return tuple(power / total(powers) for power in powers)


def dot(a: Row, b: Row) -> Ball:
    return total(x * y for x, y in zip(a, b, strict=True))


def cosine(a: Row, b: Row) -> Ball:
    return dot(a, b) / (length(a) * length(b))


def angle(a: Row, b: Row) -> Ball:
    between = cosine(a, b).through(lambda x: mp.acos(min(max(x, mpf(-1)), mpf(1))))
    return between * Ball(180 / mp.pi)


def normal_share(x: mpf) -> mpf:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def gelu_tanh(x: Ball) -> Ball:
    inner = Ball(mp.sqrt(2 / mp.pi)) * (x + Ball(mpf("0.044715")) * x * x * x)
    return x * (ONE + inner.through(mp.tanh)) * Ball(mpf("0.5"))


def spread(row: Row) -> Ball:
    """−Σ a ln a, where what is 0 adds nothing."""
    return -total(a * a.logarithm() for a in row if a.middle)


def place_of_largest(row: Row) -> Ball:
    middles = [ball.middle for ball in row]
    return Ball(mpf(middles.index(max(middles))))


def ranks(row: Row) -> Row:
    """The place of each entry in its row, the largest first; of equal ones the first is first."""
    order = sorted(range(len(row)), key=lambda place: (-mp.nint(row[place].middle * mpf(10) ** 30), place))
    return tuple(Ball(mpf(order.index(place) + 1)) for place in range(len(row)))


def _concat(_: Scope, given: tuple[Value, ...]) -> Table:
    return Table.of(sum(rows, ()) for rows in zip(*(table(value).rows for value in given), strict=True))


def _keep(_: Scope, given: tuple[Value, ...]) -> Table:
    return table(given[0]).with_(table(given[1]), lambda a, mask: a if mask.middle == 0 else ZERO)


def _additive(_: Scope, given: tuple[Value, ...]) -> Table:
    queries, keys, (vector,) = (table(value).rows for value in given)

    def score(query: Row, key: Row) -> Ball:
        return dot(vector, tuple((a + b).through(mp.tanh) for a, b in zip(query, key, strict=True)))

    return Table.of([score(query, key) for key in keys] for query in queries)


def _clip(_: Scope, given: tuple[Value, ...]) -> Table:
    whole_matrix, threshold = table(given[0]), table(given[1]).rows[0][0]
    whole_length = length([x for row in whole_matrix.rows for x in row])
    factor = smallest([ONE, threshold / whole_length]) if whole_length.middle else ONE
    return whole_matrix.each(lambda x: x * factor)


def _one_hot(_: Scope, given: tuple[Value, ...]) -> Table:
    columns = range(whole(given[1]))
    return Table.of([ONE if x.middle == k else ZERO for k in columns] for x in table(given[0]).rows[0])


def _broadcast(_: Scope, given: tuple[Value, ...]) -> Table:
    if len(given) == 1:
        raise Unknown("broadcast without its number of rows")
    return Table(table(given[0]).rows * whole(given[1]))


def _rows(_: Scope, given: tuple[Value, ...]) -> Table:
    return Table(table(given[0]).rows[whole(given[1]) - 1 : whole(given[2])])


def _columns(_: Scope, given: tuple[Value, ...]) -> Table:
    return Table(table(given[0]).turned.rows[whole(given[1]) - 1 : whole(given[2])]).turned


def _distance(_: Scope, given: tuple[Value, ...]) -> Table:
    size = whole(given[0])
    return Table.of([Ball(mpf(abs(i - j))) for j in range(size)] for i in range(size))


def _row(_: Scope, given: tuple[Value, ...]) -> Table:
    raise Unknown("row without its number")


_PLAIN: Mapping[str, Builtin] = {
    "softmax": _by_row(softmax),
    "unit": _by_row(lambda row: tuple(x / length(row) for x in row)),
    "proportions": _by_row(lambda row: tuple(x / total(row) for x in row)),
    "norm": _of_row(length),
    "rowmax": _of_row(largest),
    "entropy": _of_row(spread),
    "argmax": _of_row(place_of_largest),
    "ReLU": _each(lambda x: largest([ZERO, x])),
    "exp": _each(lambda x: x.through(mp.exp)),
    "ELU": _each(lambda x: x if x.middle > 0 else x.through(mp.expm1)),
    "tanh": _each(lambda x: x.through(mp.tanh)),
    "ln": _each(Ball.logarithm),
    "GELU": _each(lambda x: x * x.through(normal_share)),
    r"GELU_\mathrm{tanh}": _each(gelu_tanh),
    "SiLU": _each(lambda x: x / (ONE + (-x).through(mp.exp))),
    "dot": _by_pairs(dot),
    "cos": _by_pairs(cosine),
    "angle": _by_pairs(angle),
    "concat": _concat,
    "keep": _keep,
    "additive": _additive,
    "clip": _clip,
    "onehot": _one_hot,
    "broadcast": _broadcast,
    "rows": _rows,
    "columns": _columns,
    "row": _row,
    "distance": _distance,
}


# -- operations that are a record, of ours and of somebody's own --------------------------------------------------


def _number(value: Value) -> Ball:
    return table(value).rows[0][0]


def _softplus(x: Ball) -> Ball:
    return x.through(lambda t: mp.log(ONE.middle + mp.exp(t)))


def _log_softmax(row: Row) -> Row:
    whole_row = total(ball.through(mp.exp) for ball in row).logarithm()
    return tuple(ball - whole_row for ball in row)


def _capped(_: Scope, given: tuple[Value, ...]) -> Table:
    limit = _number(given[1])
    return table(given[0]).each(lambda x: limit * (x / limit).through(mp.tanh))


def _leaky(_: Scope, given: tuple[Value, ...]) -> Table:
    slope = _number(given[1]) if len(given) > 1 else Ball(mpf(1) / 100)
    return table(given[0]).each(lambda x: x if x.middle > 0 else slope * x)


def _rotary_halves(_: Scope, given: tuple[Value, ...]) -> Table:
    x, (positions,) = table(given[0]), table(given[1]).rows
    base, half = _number(given[2]).middle if len(given) > 2 else mpf(10_000), x.shape[1] // 2

    def turned(row: Row, position: Ball) -> Row:
        waves = [position.middle * base ** (-mpf(k) / half) for k in range(half)]
        pairs = [(row[k], row[k + half], Ball(mp.cos(w)), Ball(mp.sin(w))) for k, w in enumerate(waves)]
        return (*(a * c - b * s for a, b, c, s in pairs), *(a * s + b * c for a, b, c, s in pairs))

    return Table.of(map(turned, x.rows, positions))


def _spread(_: Scope, given: tuple[Value, ...]) -> Table:
    x = table(given[0])
    size = Ball(mpf(x.shape[1]))
    gain = table(given[1]).rows[0] if len(given) > 1 else (ONE,) * x.shape[1]

    def of_row(row: Row) -> Row:
        mean = total(row) / size
        below = ONE + total((a - mean).magnitude() for a in row)
        return tuple(g * (a - mean) / below for a, g in zip(row, gain, strict=True))

    return Table.of(map(of_row, x.rows))


def _stripes(_: Scope, given: tuple[Value, ...]) -> Table:
    factor = _number(given[1]) if len(given) > 1 else ONE + ONE
    rows = enumerate(table(given[0]).rows)
    return Table.of([factor * x if (i + j) % 2 else x for j, x in enumerate(row)] for i, row in rows)


OF_RECORDS: Mapping[str, Builtin] = {
    "softcap": _capped,
    "sigmoid": _each(lambda x: ONE / (ONE + (-x).through(mp.exp))),
    "softplus": _each(_softplus),
    "Mish": _each(lambda x: x * _softplus(x).through(mp.tanh)),
    "LeakyReLU": _leaky,
    "logsoftmax": _by_row(_log_softmax),
    "erf": _each(lambda x: x.through(mp.erf)),
    "abs": _each(Ball.magnitude),
    "floor": _each(lambda x: x.through(mp.floor)),
    "RoPE": _rotary_halves,
    "spread": _spread,
    "gaps": _by_pairs(lambda a, b: length([x - y for x, y in zip(a, b, strict=True)])),
    "stripes": _stripes,
    "totals": lambda _, given: Table.of([map(total, table(given[0]).turned.rows)]),
}


# -- functions that say only part of what they do -----------------------------------------------------------------


def _with_parameters(nodes: list[Basic], number: Callable[[Expr], Expr]) -> dict[str, Builtin]:
    def of(kind: type) -> Iterator[Basic]:
        return (node for node in nodes if isinstance(node, kind))

    found: dict[str, tuple[object, Builtin]] = {}
    for node in of(ops.LayerNorm):
        _put(found, "LN", exact(number(node.epsilon)), _layer_norm)
    for node in of(ops.RMSNorm):
        _put(found, "RMSNorm", exact(number(node.epsilon)), _rms_norm)
    for node in of(ops.CausalMask):
        _put(found, "mask", (_sizes(node, number), exact(number(node.value))), _mask(lambda i, j, _: j <= i))
    for node in of(ops.WindowMask):
        hidden = (_sizes(node, number), exact(number(node.value)), int(number(node.width)))
        _put(found, "window", hidden, _mask(lambda i, j, width: abs(i - j) < width))
    for node in of(ops.PaddingMask):
        hidden = (_sizes(node, number), exact(number(node.value)), int(number(node.length)))
        _put(found, "padding", hidden, _mask(lambda i, j, size: j < size))
    for node in of(ops.Head):
        start, width = int(number(node.start)), int(number(node.shape[1]))
        _put(found, f"head_{node.number}", (start, width), _head)
    for node in of(ops.Sinusoidal):
        base = exact(number(node.base))
        _put(found, _with_base("PE", number(node.base)), (_sizes(node, number), base), _sinusoidal)
    for node in of(ops.Rotary):
        _put(found, _with_base("RoPE", number(node.base)), exact(number(node.base)), _rotary)
    for node in of(ops.TopK):
        count = int(number(node.args[1]))
        _put(found, f"top_{count}", count, _top)
    return {word: function for word, (_, function) in found.items()}


def _constants(nodes: list[Basic], number: Callable[[Expr], Expr]) -> dict[str, Builtin]:
    """I_n, the matrix of ones with its sizes below it, and that of zeros."""
    found: dict[str, Builtin] = {}
    for node in nodes:
        if isinstance(node, Identity):
            (size, _) = _sizes(node, number)
            identity = Table.of([ONE if i == j else ZERO for j in range(size)] for i in range(size))
            found[f"I_{size}"] = lambda *_, identity=identity: identity
        if isinstance(node, OneMatrix):
            rows, columns = _sizes(node, number)
            ones = Table(((ONE,) * columns,) * rows)
            found[rf"\mathbf{{1}}_{rows}\times{columns}"] = lambda *_, ones=ones: ones
        if isinstance(node, ZeroMatrix):
            rows, columns = _sizes(node, number)
            zeros = Table(((ZERO,) * columns,) * rows)
            found["0"] = lambda *_, zeros=zeros: zeros
    return found


def _with_base(word: str, base: Expr) -> str:
    return word if base == 10_000 else f"{word}_{base}"


def _sizes(node: Basic, number: Callable[[Expr], Expr]) -> tuple[int, int]:
    rows, columns = (int(number(size)) for size in node.shape)
    return rows, columns


def _put(
    found: dict[str, tuple[object, Builtin]], word: str, said: T, build: Callable[[T, tuple[Value, ...]], Table]
) -> None:
    """A function with what its call does not say; with two different things to say, it says nothing."""
    if word in found and found[word][0] != said:
        found[word] = (None, _unsaid)
    else:
        found[word] = (said, lambda _, given: build(said, given))


def _unsaid(_: Scope, given: tuple[Value, ...]) -> Table:
    raise Unknown("two functions of one name that differ in what their calls do not say")


def _layer_norm(epsilon: Ball, given: tuple[Value, ...]) -> Table:
    x = table(given[0])
    size = Ball(mpf(x.shape[1]))

    def normalised(row: Row) -> Row:
        mean = total(row) / size
        variance = total((a - mean) * (a - mean) for a in row) / size
        return tuple((a - mean) / (variance + epsilon).root() for a in row)

    plain = Table.of(map(normalised, x.rows))
    if len(given) == 1:
        return plain
    gain, bias = ((value,) * x.shape[1] if isinstance(value, Ball) else value.rows[0] for value in given[1:])
    return Table.of(tuple(a * g + b for a, g, b in zip(row, gain, bias, strict=True)) for row in plain.rows)


def _rms_norm(epsilon: Ball, given: tuple[Value, ...]) -> Table:
    x = table(given[0])
    size = Ball(mpf(x.shape[1]))
    gain = table(given[1]).rows[0] if len(given) > 1 else (ONE,) * x.shape[1]

    def normalised(row: Row) -> Row:
        below = (total(a * a for a in row) / size + epsilon).root()
        return tuple(a / below * g for a, g in zip(row, gain, strict=True))

    return Table.of(map(normalised, x.rows))


def _mask(sees: Callable[[int, int, int], bool]) -> Callable[..., Table]:
    def build(hidden: tuple, given: tuple[Value, ...]) -> Table:
        (rows, columns), value, *more = hidden
        extra = more[0] if more else 0
        return Table.of([ZERO if sees(i, j, extra) else value for j in range(columns)] for i in range(rows))

    return build


def _head(place: tuple[int, int], given: tuple[Value, ...]) -> Table:
    start, width = place
    return Table.of(row[start : start + width] for row in table(given[0]).rows)


def _frequency(base: Ball, column: int, columns: int) -> mpf:
    return base.middle ** (-mpf(2 * (column // 2)) / columns)


def _sinusoidal(parameters: tuple[tuple[int, int], Ball], given: tuple[Value, ...]) -> Table:
    (rows, columns), base = parameters

    def entry(i: int, j: int) -> Ball:
        return Ball((mp.cos if j % 2 else mp.sin)(i * _frequency(base, j, columns)))

    return Table.of([entry(i, j) for j in range(columns)] for i in range(rows))


def _rotary(base: Ball, given: tuple[Value, ...]) -> Table:
    x = table(given[0])
    start = table(given[1]).rows[0][0] if len(given) > 1 else ZERO

    def entry(i: int, j: int) -> Ball:
        turn = (start.middle + i) * _frequency(base, j, x.shape[1])
        cosine_, sine = Ball(mp.cos(turn)), Ball(mp.sin(turn))
        first, second = x.rows[i][j - j % 2], x.rows[i][j - j % 2 + 1]
        return first * sine + second * cosine_ if j % 2 else first * cosine_ - second * sine

    return Table.of([entry(i, j) for j in range(x.shape[1])] for i in range(x.shape[0]))


def _top(count: int, given: tuple[Value, ...]) -> Table:
    chosen = Table.of(map(ranks, table(given[0]).rows))
    return chosen.each(lambda rank: ONE if rank.middle <= count else ZERO)
