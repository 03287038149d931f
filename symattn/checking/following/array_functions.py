"""Functions and methods of NumPy and PyTorch, by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key, partial, reduce
from itertools import accumulate
from types import MappingProxyType

from flint import arb

from symattn.base.budget import spend
from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.arrays import (
    MOST_ENTRIES,
    EntryArray,
    ProgramValue,
    Unknown,
    array_of,
    entrywise,
    floor_of,
    get,
    is_tensor,
    items_of,
    kind_of,
    operate,
    order,
    product,
    range_of,
    whole,
    worlds_of,
    wrapped,
)
from symattn.checking.following.functions import ALONG, ENTRYWISE, larger, smaller
from symattn.checking.following.rows import BallMatrix, NoFit, ball
from symattn.checking.following.worlds import Worlds


def _along(
    rule: Callable[[list[arb]], arb], x: ProgramValue, axis: ProgramValue, keepdims: ProgramValue, kind: str
) -> ProgramValue:
    """Reduce all entries, or those along an axis."""
    given = worlds_of(x)
    at = None if axis is None else whole(axis)
    if at is not None and not -given.axes <= at < given.axes:
        raise NoFit("an axis that is not there")
    if at is None or given.axes < 2:
        made = worlds.through(lambda rows: [[rule([one for row in rows for one in row])]], [given], 0)
        return wrapped(replace(made, axes=given.axes if keepdims else 0), kind, is_tensor(x))
    is_down = at in (0, -2)
    made = worlds.through(lambda rows: [[rule(row) for row in rows]], [worlds.turned(given) if is_down else given], 1)
    if keepdims:
        made = replace(made, axes=2) if is_down else worlds.turned(made)
    return wrapped(made, kind, is_tensor(x))


def _extremum_place(sign: int) -> Callable[..., ProgramValue]:
    def found(row: list[arb]) -> arb:
        best = 0
        for place, each in enumerate(row):
            best = place if order(each, row[best]) == sign else best
        return arb(best)

    return lambda x, axis=None, keepdims=False: _along(found, x, axis, keepdims, "int")


def _reduction(name: str) -> Callable[..., ProgramValue]:
    def reduced(
        x: ProgramValue, axis: ProgramValue = None, keepdims: ProgramValue = False, ddof: ProgramValue = None
    ) -> ProgramValue:
        of_samples = int(name in ("var", "std") and is_tensor(x)) if ddof is None else whole(ddof)
        is_exact = name in ("sum", "max", "min")
        kind = kind_of(x) if is_exact else "float"
        if name in ("max", "min") and is_tensor(x) and axis is not None:
            places = _extremum_place(1 if name == "max" else -1)
            return reduced(array_of(worlds_of(x)), axis, keepdims), places(x, axis, keepdims)
        return _along(lambda row: ALONG[name](row, of_samples), x, axis, keepdims, "int" if kind == "bool" else kind)

    return reduced


def _in_rows(
    rule: Callable[[BallMatrix], BallMatrix], x: ProgramValue, axis: ProgramValue, kind: str = "float"
) -> ProgramValue:
    """Apply a rule to rows, or to columns where that is the axis."""
    given = worlds_of(x)
    is_down = given.axes == 2 and whole(axis) in (0, -2)
    found = worlds.through(rule, [worlds.turned(given) if is_down else given], given.axes)
    return wrapped(worlds.turned(found) if is_down else found, kind, is_tensor(x))


def _by_rows(name: str) -> Callable[..., ProgramValue]:
    """Return a function of the operation of that name, which it applies along an axis."""

    def made(x: ProgramValue, axis: ProgramValue = -1) -> ProgramValue:
        if axis is None and worlds_of(x).axes > 1:
            raise NoFit(f"{name} without an axis")
        return _in_rows(lambda rows: on.called(name, rows), x, -1 if axis is None else axis)

    return made


def _rounded(value: arb, unit: Fraction) -> arb:
    """Round to a unit; a tie may go either way."""
    if not value.is_finite():
        return value
    scaled = value / ball(unit)
    low, high = (scaled - 0.5).ceil(), (scaled + 0.5).floor()
    return (low.union(high) if not (low.is_exact() and high.is_exact() and low == high) else low) * ball(unit)


def rounded(x: ProgramValue, decimals: ProgramValue = 0) -> ProgramValue:
    """Round to decimals. Raises :class:`NoFit` if they are too many."""
    count = whole(decimals)
    if abs(count) > 30:
        raise NoFit("too many decimals")
    return entrywise(lambda a: _rounded(a, Fraction(10) ** -count), kind_of(x), x)


def _sizes(*sizes: ProgramValue) -> tuple[int, ...]:
    found = tuple(whole(each) for each in (items_of(sizes[0]) if not isinstance(sizes[0], int) else sizes))
    if not 1 <= len(found) <= 2 or any(each < 1 for each in found) or reduce(lambda a, b: a * b, found) > MOST_ENTRIES:
        raise NoFit("an array of more than two axes, or of too many entries")
    return found


def _filled(*sizes: ProgramValue, value: ProgramValue, kind: str = "float") -> ProgramValue:
    shape = _sizes(*sizes)
    one = worlds_of(value)
    lines = worlds.through(
        lambda rows: [[rows[0][0]] * shape[-1] for _ in range(shape[0] if len(shape) > 1 else 1)], [one], 2
    )
    return wrapped(replace(lines, axes=len(shape)), kind)


def _expanded(x: ProgramValue, *sizes: ProgramValue) -> ProgramValue:
    """Return an array repeated to a shape; -1 keeps an axis as it is."""
    found, asked = array_of(x), sizes if isinstance(sizes[0], int) else items_of(sizes[0])
    pairs = zip(map(whole, asked), found.shape[-len(asked) :], strict=True)
    shape = [old if size < 0 else size for size, old in pairs]
    return operate("Add", found, _filled(*shape, value=0, kind=kind_of(found)))


def _like(value: int) -> Callable[..., ProgramValue]:
    return lambda x, *_: entrywise(lambda a: arb(value), kind_of(x) if isinstance(x, EntryArray) else "int", x)


def _by_place(x: ProgramValue, keep: Callable[[int, int], bool]) -> ProgramValue:
    def kept(rows: BallMatrix) -> BallMatrix:
        return [[a if keep(i, j) else arb() for j, a in enumerate(row)] for i, row in enumerate(rows)]

    given = worlds_of(x)
    return wrapped(worlds.through(kept, [given], given.axes), kind_of(x), is_tensor(x))


def _eye(n: ProgramValue, m: ProgramValue = None, k: ProgramValue = 0) -> ProgramValue:
    high, wide = _sizes(n, n if m is None else m)
    ones = _filled(high, wide, value=1)
    return _by_place(ones, lambda i, j: j - i == whole(k))


def _diag(x: ProgramValue, k: ProgramValue = 0) -> ProgramValue:
    given = worlds_of(x)
    if whole(k) or not given.axes:
        raise NoFit("another diagonal")
    if given.axes == 1:
        return wrapped(worlds.diagonal(given), kind_of(x))
    return get(x, (0, slice(None))) if given.shape[0] == 1 else wrapped(_diagonal_of(given), kind_of(x))


def _diagonal_of(given: Worlds) -> Worlds:
    return worlds.through(lambda rows: [[rows[i][i] for i in range(min(on.size(rows)))]], [given], 1)


def _arange(*ends: ProgramValue) -> ProgramValue:
    if all(isinstance(each, int) for each in ends):
        return array_of(range_of(*ends))
    start, stop, step = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    found = operate("Div", operate("Sub", stop, start), step)
    count = whole(worlds.number(-floor_of(-worlds_of(found).true[0][0])))
    return operate("Add", operate("Mult", array_of(range_of(count)), step), start)


def _linspace(start: ProgramValue, stop: ProgramValue, num: ProgramValue = 50) -> ProgramValue:
    count = whole(num)
    if count < 2:
        raise NoFit("a single point")
    share = operate("Div", array_of(range_of(count)), count - 1)
    return operate("Add", operate("Mult", share, operate("Sub", stop, start)), start)


def _reshape(x: ProgramValue, *sizes: ProgramValue) -> ProgramValue:
    one = x if isinstance(x, EntryArray) else array_of(x)
    flat = [at for row in one.grid for at in row]
    asked = [whole(each) for each in (items_of(sizes[0]) if not isinstance(sizes[0], int) else sizes)]
    known = reduce(lambda a, b: a * b, (each for each in asked if each != -1), 1)
    shape = [len(flat) // known if each == -1 else each for each in asked]
    if not 1 <= len(shape) <= 2 or reduce(lambda a, b: a * b, shape) != len(flat):
        raise NoFit("an array of more than two axes, or of another size")
    wide = shape[-1]
    made = one.part([flat[i : i + wide] for i in range(0, len(flat), wide)], len(shape))
    return made if one.places is None else array_of(made)


def _flat(x: ProgramValue, *_: ProgramValue) -> ProgramValue:
    return _reshape(x, -1)


def _transpose(x: ProgramValue, *axes: ProgramValue) -> ProgramValue:
    one = x if isinstance(x, EntryArray) else array_of(x)
    return one.T if not axes or sorted(whole(each) % 2 for each in axes) == [0, 1] else one


def _joined(axis: ProgramValue, pieces: ProgramValue) -> ProgramValue:
    """Put arrays behind each other along an axis."""
    parts = items_of(pieces)
    given = [worlds_of(each) for each in parts]
    if len({each.axes for each in given}) != 1 or not given[0].axes:
        raise NoFit("arrays of several numbers of axes")
    is_beside = given[0].axes == 1 or whole(axis) in (1, -1)
    return wrapped((worlds.beside if is_beside else worlds.below)(given), kind_of(*parts), is_tensor(*parts))


def _stack(pieces: ProgramValue, axis: ProgramValue = 0) -> ProgramValue:
    made = array_of(items_of(pieces), tensor=is_tensor(*items_of(pieces)))
    return made.T if made.axes == 2 and whole(axis) in (1, -1) else made


def _stacked(pieces: ProgramValue, is_beside: bool = False) -> ProgramValue:
    parts = items_of(pieces)
    if all(worlds_of(each).axes < 2 for each in parts):
        return _joined(0, pieces) if is_beside else _stack(pieces)
    return _joined(int(is_beside), [each if worlds_of(each).axes == 2 else _reshape(each, 1, -1) for each in parts])


def _where(which: ProgramValue, one: ProgramValue, other: ProgramValue) -> ProgramValue:
    return entrywise(lambda a, b, c: c if a.is_zero() else b, kind_of(one, other), which, one, other)


def _unsqueezed(x: ProgramValue, axis: ProgramValue) -> ProgramValue:
    return get(x, (slice(None), None) if whole(axis) in (1, -1) else (None, slice(None)))


def _convolve(x: ProgramValue, kernel: ProgramValue, mode: ProgramValue = "full") -> ProgramValue:
    a, b = worlds_of(x), worlds_of(kernel)
    n, k = a.entries, b.entries
    if mode not in ("full", "valid", "same") or n < k or n * k > MOST_ENTRIES:
        raise NoFit("a convolution that is not modelled")
    first, last = {"full": (0, n + k - 1), "valid": (k - 1, n), "same": ((k - 1) // 2, (k - 1) // 2 + n)}[str(mode)]

    def made(rows: BallMatrix, by: BallMatrix) -> BallMatrix:
        terms = [[rows[0][i - j] * by[0][j] for j in range(k) if 0 <= i - j < n] for i in range(first, last)]
        return [[sum(each, arb()) for each in terms]]

    return wrapped(worlds.through(made, [a, b], 1), kind_of(x, kernel))


def _cumulative(rule: Callable[[arb, arb], arb]) -> Callable[..., ProgramValue]:
    def summed(rows: BallMatrix) -> BallMatrix:
        return [list(accumulate(row, rule)) for row in rows]

    return lambda x, axis=None: _in_rows(summed, _flat(x) if axis is None else x, axis or 0, kind_of(x))


def _sorted_places(x: ProgramValue) -> list[int]:
    row = worlds_of(x)
    if row.axes != 1:
        raise NoFit("sorting a matrix")
    by_size = cmp_to_key(order)
    return sorted(range(row.entries), key=lambda place: by_size(row.true[0][place]))


def _norm(
    x: ProgramValue, ord: ProgramValue = None, axis: ProgramValue = None, keepdims: ProgramValue = False
) -> ProgramValue:
    if ord not in (None, 2) or (ord == 2 and worlds_of(x).axes == 2 and axis is None):
        raise NoFit("another norm")
    return _along(lambda row: ALONG["norm"](row, 0), x, axis, keepdims, "float")


def _log(base: int) -> Callable[[ProgramValue], ProgramValue]:
    return partial(entrywise, lambda a: _positive(a).log() / arb(base).log(), "float")


def _positive(a: arb) -> arb:
    if not a > 0:
        raise NoFit("a logarithm of 0 or less")
    return a


def _entry_function(name: str) -> Callable[..., ProgramValue]:
    def made(x: ProgramValue) -> ProgramValue:
        given = worlds_of(x)
        found = worlds.through(lambda rows: on.called(ENTRYWISE[name], rows), [given], given.axes)
        return wrapped(found, kind_of(x) if name in ("abs", "relu") else "float", is_tensor(x))

    return made


def _cast(x: ProgramValue, kind: ProgramValue = None, *_: ProgramValue) -> ProgramValue:
    name = getattr(kind, "name", kind if isinstance(kind, str) else "")
    asked = next((each for each in ("bool", "int", "float") if each in str(name)), None)
    found = array_of(x)
    if asked == "bool":
        return entrywise(lambda a: arb(int(not a.is_zero())), "bool", found)
    if asked == "int":
        return entrywise(lambda a: floor_of(abs(a)) * (1 if a >= 0 else -1), "int", found)
    if asked is None or not isinstance(found, EntryArray):
        return found if asked is None else operate("Mult", found, 1)
    found.kind = asked
    return found


def _clipped(x: ProgramValue, low: ProgramValue = None, high: ProgramValue = None) -> ProgramValue:
    x = x if low is None else entrywise(larger, kind_of(x, low), x, low)
    return x if high is None else entrywise(smaller, kind_of(x, high), x, high)


_FUNCTIONS: Mapping[str, Callable[..., ProgramValue]] = MappingProxyType(
    {
        **{name: _reduction(name) for name in ("sum", "mean", "max", "min", "var", "std")},
        **{name: _entry_function(name) for name in ENTRYWISE if name.isascii()},
        **{name: _by_rows(name) for name in ("softmax", "log_softmax")},
        "softmax_with_temperature": lambda x, temperature=1: _by_rows("softmax")(operate("Div", x, temperature)),
        "amax": _reduction("max"),
        "amin": _reduction("min"),
        "prod": lambda x, axis=None, keepdims=False: _along(
            lambda row: reduce(lambda a, b: a * b, row), x, axis, keepdims, kind_of(x)
        ),
        "argmax": _extremum_place(1),
        "argmin": _extremum_place(-1),
        "log1p": partial(entrywise, lambda a: _positive(1 + a).log(), "float"),
        "log2": _log(2),
        "log10": _log(10),
        "expm1": partial(entrywise, lambda a: a.exp() - 1, "float"),
        "tan": partial(entrywise, lambda a: a.tan(), "float"),
        "square": lambda x: operate("Mult", x, x),
        "sign": lambda x: entrywise(lambda a: arb(order(a, arb())), kind_of(x), x),
        "floor": partial(entrywise, floor_of, "float"),
        "ceil": partial(entrywise, lambda a: -floor_of(-a), "float"),
        "reciprocal": lambda x: operate("Div", 1, x),
        "rsqrt": lambda x: operate("Div", 1, _entry_function("sqrt")(x)),
        "maximum": lambda a, b: entrywise(larger, kind_of(a, b), a, b),
        "minimum": lambda a, b: entrywise(smaller, kind_of(a, b), a, b),
        "clip": _clipped,
        **{name: partial(operate, op) for name, op in (("power", "Pow"), ("add", "Add"), ("subtract", "Sub"))},
        **{name: partial(operate, op) for name, op in (("multiply", "Mult"), ("divide", "Div"))},
        "matmul": product,
        "dot": lambda a, b: product(a, b) if worlds_of(a).axes and worlds_of(b).axes else operate("Mult", a, b),
        "inner": product,
        "outer": lambda a, b: product(_reshape(a, -1, 1), _reshape(b, 1, -1)),
        "trace": lambda x: _reduction("sum")(wrapped(_diagonal_of(worlds_of(x)), kind_of(x))),
        "norm": _norm,
        "where": _where,
        "masked_fill": lambda x, mask, value: _where(mask, value, x),
        "tril": lambda x, k=0: _by_place(x, lambda i, j: j - i <= whole(k)),
        "triu": lambda x, k=0: _by_place(x, lambda i, j: j - i >= whole(k)),
        "ones": lambda *sizes: _filled(*sizes, value=1),
        "zeros": lambda *sizes: _filled(*sizes, value=0),
        "empty": lambda *sizes: _filled(*sizes, value=worlds.number(arb.nan())),
        "full": lambda shape, value: _filled(shape, value=value, kind=kind_of(value)),
        "ones_like": _like(1),
        "zeros_like": _like(0),
        "full_like": lambda x, value: _where(_like(1)(x), value, x),
        "eye": _eye,
        "identity": _eye,
        "diag": _diag,
        "diagonal": lambda x: wrapped(_diagonal_of(worlds_of(x)), kind_of(x)),
        "arange": _arange,
        "linspace": _linspace,
        "reshape": _reshape,
        "view": _reshape,
        "ravel": _flat,
        "flatten": lambda x, *_: array_of(_flat(x)),
        **dict.fromkeys(("transpose", "t", "permute", "swapaxes"), _transpose),
        "unsqueeze": _unsqueezed,
        "expand_dims": _unsqueezed,
        "squeeze": lambda x, *_, **__: _flat(x) if isinstance(x, EntryArray) and 1 in x.shape != (1, 1) else x,
        "concatenate": lambda pieces, axis=0: _joined(axis, pieces),
        "hstack": lambda pieces: _stacked(pieces, is_beside=True),
        "vstack": _stacked,
        "stack": _stack,
        "convolve": _convolve,
        "cumsum": _cumulative(lambda a, b: a + b),
        "cumprod": _cumulative(lambda a, b: a * b),
        "sort": lambda x: get(array_of(x), _sorted_places(x)),
        "argsort": lambda x: array_of(_sorted_places(x)),
        "round": rounded,
        "array": array_of,
        "copy": array_of,
        "negative": lambda x: operate("Mult", x, -1),
        "same": lambda x, *_, **__: x,
        "numpy": lambda x: EntryArray(x.storage, x.places, x.axes, x.kind) if isinstance(x, EntryArray) else x,
        "asarray": lambda x, *_: x if isinstance(x, EntryArray) else array_of(x),
        "tensor": partial(array_of, tensor=True),
        "astype": _cast,
        **{name: partial(_cast, kind=name.replace("long", "int")) for name in ("long", "int", "float")},
        "expand": _expanded,
        "item": lambda x: (
            get(_flat(x), 0) if isinstance(x, EntryArray) and len(_flat(x).grid[0]) == 1 else worlds_of(x)
        ),
        "tolist": lambda x: list(map(LIBRARY["tolist"], items_of(x))) if isinstance(x, EntryArray) else x,
        "size": lambda x, axis=None: x.shape if axis is None else x.shape[whole(axis)],
        "one_hot": lambda places, num_classes: get(_eye(num_classes), array_of(places)),
    }
)

_OTHER_NAMES = (
    "concatenate:concat,cat|array:asanyarray|tensor:as_tensor,FloatTensor,Tensor,from_numpy|matmul:mm,mv,bmm"
    "|abs:absolute,fabs|clip:clamp|power:pow|round:around,round_|copy:clone|astype:to,type|divide:div,true_divide"
    "|multiply:mul|subtract:sub|item:float64,float32|negative:neg|same:detach,cpu,contiguous,requires_grad_,double"
)
LIBRARY: Mapping[str, Callable[..., ProgramValue]] = MappingProxyType(
    dict(_FUNCTIONS)
    | {
        other: _FUNCTIONS[name]
        for name, others in (each.split(":") for each in _OTHER_NAMES.split("|"))
        for other in others.split(",")
    }
)
"""Functions and methods of NumPy and PyTorch by their names."""

_KEYWORDS: Mapping[str, str] = MappingProxyType(
    dict(
        each.split(":")
        for each in "dim:axis keepdim:keepdims correction:ddof diagonal:k min:low max:high a_min:low a_max:high"
        " fill_value:value".split()
    )
)
_IGNORED = frozenset("dtype device requires_grad copy order out_dtype".split())


def call(name: str, *given: ProgramValue, **named: ProgramValue) -> ProgramValue:
    """Call a function of NumPy or PyTorch by its name. Raises :class:`NoFit` if it cannot be followed."""
    spend(worlds.BY_VALUE)
    if name not in LIBRARY:
        raise NoFit(f"{name} is not modelled")
    if (
        (name in ("var", "std") and len(given) > 2)
        or named.get("out") is not None
        or any(key in named for key in ("where", "initial"))
    ):
        raise NoFit(f"{name} with these arguments is not modelled")
    kind = named.get("dtype")
    options = {_KEYWORDS.get(key, key): value for key, value in named.items() if key not in _IGNORED}
    if "unbiased" in options:
        options["ddof"] = int(bool(options.pop("unbiased")))
    for each in (*given, *options.values()):
        if isinstance(each, Unknown):
            raise NoFit(each.reason)
    try:
        made = LIBRARY[name](*given, **options)
    except (TypeError, ValueError, IndexError, ArithmeticError, AttributeError, RecursionError) as error:
        raise NoFit(f"{name} with these arguments is not modelled") from error
    if kind is not None and isinstance(made, EntryArray):
        typed = _cast(made, kind)
        if isinstance(typed, EntryArray):
            typed.is_tensor = made.is_tensor
        return typed
    return made
