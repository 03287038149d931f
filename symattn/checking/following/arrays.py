"""Arrays of a program, and what NumPy and PyTorch compute from them. Slices and transposes share their entries.

>>> A = array_of([[1, 2], [3, 4]])
>>> put(A.T, (0, 1), 9)
>>> as_lists(A), as_lists(call("sum", A, axis=0))
([[1.0, 2.0], [9.0, 4.0]], [10.0, 6.0])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, partial, reduce
from typing import Any, TypeAlias

from flint import arb, fmpz

from symattn.base.budget import spend
from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.functions import ALONG, ENTRYWISE, larger, smaller
from symattn.checking.following.rows import BallMatrix, NoFit, ball, difference
from symattn.checking.following.worlds import Worlds

Value: TypeAlias = Any
"""A value of a program: an :class:`Array`, a number (``int``, or :class:`Worlds` without axes), a text, a list,
a function, or :class:`Unknown`."""

MOST_ENTRIES, MOST_BITS = 10_000, 4_096
"""Arrays of more numbers, and longer whole numbers, are not followed."""


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be followed. What is computed from it is unknown as well."""

    reason: str


@dataclass(eq=False)
class Storage:
    """Entries that an array shares with its slices."""

    rows: Worlds | Unknown


@dataclass(eq=False)
class Array:
    """An array of one or two axes, or a part of one."""

    storage: Storage
    places: list[list[tuple[int, int]]] | None
    """Where its entries are in the storage; ``None`` for all of them."""
    axes: int
    kind: str = "float"
    """``float``, ``int`` or ``bool``."""
    is_tensor: bool = False

    @property
    def worlds(self) -> Worlds:
        """Return the entries. Raises :class:`NoFit` if they are unknown."""
        rows, places = self.storage.rows, self.places
        if isinstance(rows, Unknown):
            raise NoFit(rows.reason)
        if places is None:
            return replace(rows, axes=self.axes)
        return worlds.through(lambda given: [[given[i][j] for i, j in line] for line in places], [rows], self.axes)

    @property
    def grid(self) -> list[list[tuple[int, int]]]:
        """Return where the entries are in the storage. Raises :class:`NoFit` if they are unknown."""
        if self.places is not None:
            return self.places
        high, wide = self.worlds.shape
        return [[(i, j) for j in range(wide)] for i in range(high)]

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the lengths of the axes."""
        size = self.worlds.shape if self.places is None else (len(self.places), len(self.places[0]))
        return size if self.axes == 2 else size[1:]

    @property
    def T(self) -> Array:
        """Return the transpose, which shares the entries."""
        return self if self.axes < 2 else self.part([list(each) for each in zip(*self.grid, strict=True)], 2)

    def part(self, places: list[list[tuple[int, int]]], axes: int) -> Array:
        """Return entries at places, which are shared."""
        return Array(self.storage, places, axes, self.kind, self.is_tensor)


def wrapped(value: Worlds, kind: str = "float", is_tensor: bool = False) -> Value:
    """Return a value as a program has it: an array, or a number."""
    if value.axes:
        if not value.entries or value.entries > MOST_ENTRIES:
            raise NoFit("an array without entries, or with too many")
        return Array(Storage(replace(value, axes=2)), None, value.axes, kind, is_tensor)
    one = value.true[0][0]
    if kind == "float" or value.carried is not value.true or not one.is_integer():
        return value
    return bool(one != 0) if kind == "bool" else int(one.unique_fmpz())


def worlds_of(value: Value) -> Worlds:
    """Return a number, an array or a nested list as a matrix in three worlds. Raises :class:`NoFit`."""
    match value:
        case Array():
            return value.worlds
        case Worlds():
            return value
        case int():
            return worlds.number(arb(fmpz(value)))
        case list() | tuple() | range() if 0 < len(value) <= MOST_ENTRIES:
            pieces = [worlds_of(each) for each in value]
            if all(each.axes == 0 for each in pieces):
                return worlds.together([pieces], 1)
            if any(each.axes != 1 or each.shape != pieces[0].shape for each in pieces):
                raise NoFit("an array of more than two axes, or of rows that differ in length")
            return worlds.through(lambda *rows: [each[0] for each in rows], pieces, 2)
        case Unknown(reason):
            raise NoFit(reason)
    raise NoFit("not a number or an array")


def kind_of(*values: Value) -> str:
    """Return the kind of numbers that values have together."""
    kinds = set()
    for each in values:
        if isinstance(each, list | tuple):
            kinds.add(kind_of(*each))
        else:
            kinds.add(each.kind if isinstance(each, Array) else type(each).__name__)
    kinds = {"int" if each == "range" else each for each in kinds}
    return "bool" if kinds == {"bool"} else "int" if kinds <= {"int", "bool"} else "float"


def is_tensor(*values: Value) -> bool:
    """Return True if PyTorch made one of the values."""
    return any(isinstance(each, Array) and each.is_tensor for each in values)


def array_of(value: Value, *_: Value, tensor: bool = False, **__: Value) -> Value:
    """Return a new array with the same entries."""
    return wrapped(worlds_of(value), kind_of(value), tensor or is_tensor(value))


def as_lists(value: Value) -> Any:
    """Return the entries as nested lists of floats."""
    found = worlds_of(value)
    rows = on.shown(found.true)
    return rows if found.axes == 2 else rows[0] if found.axes else rows[0][0]


def whole(value: Value) -> int:
    """Return an integer. Raises :class:`NoFit` for anything else."""
    if isinstance(value, int):
        return value
    one = worlds_of(value)
    if one.entries != 1 or not one.true[0][0].is_integer():
        raise NoFit("not a whole number")
    return int(one.true[0][0].unique_fmpz())


def items_of(value: Value) -> Sequence[Value]:
    """Return what a loop over a value visits. Raises :class:`NoFit` if that is not known."""
    match value:
        case list() | tuple() | range() | str() | dict():
            return value if isinstance(value, range) else list(value)
        case Array():
            return [get(value, i) for i in range(value.shape[0])]
        case Unknown(reason):
            raise NoFit(reason)
    raise NoFit("not a list")


# -- entry by entry ----------------------------------------------------------------------------------------------------


def entrywise(rule: Callable[..., arb], kind: str, *values: Value) -> Value:
    """Apply a rule to entries, with NumPy's broadcasting. Raises :class:`NoFit` if shapes do not go together."""
    given = [worlds_of(each) for each in values]
    high, wide = (max(each.shape[axis] for each in given) for axis in (0, 1))
    if high * wide > MOST_ENTRIES:
        raise NoFit("an array of too many entries")
    spend(worlds.BY_ENTRY * high * wide)
    made = worlds.through(lambda *rows: on.each(rule, *rows), given, max(each.axes for each in given))
    return wrapped(made, kind, is_tensor(*values))


def order(a: arb, b: arb) -> int:
    """Return -1, 0 or 1 as a is smaller than, equal to or larger than b. Raises :class:`NoFit` if that is open."""
    if a < b or a > b:
        return -1 if a < b else 1
    if (a.is_exact() and b.is_exact() and not a.is_nan()) or (a.mid() == b.mid() and a.rad() == b.rad()):
        return 0
    raise NoFit("two numbers that are too close to compare")


def _compared(accepts: Callable[[int], bool]) -> Callable[[Value, Value], Value]:
    return partial(entrywise, lambda a, b: arb(int(accepts(order(a, b)))), "bool")


COMPARED: Mapping[str, Callable[[Value, Value], Value]] = {
    "Eq": _compared(lambda sign: sign == 0),
    "NotEq": _compared(lambda sign: sign != 0),
    "Lt": _compared(lambda sign: sign < 0),
    "LtE": _compared(lambda sign: sign <= 0),
    "Gt": _compared(lambda sign: sign > 0),
    "GtE": _compared(lambda sign: sign >= 0),
}
"""Comparisons by the names of Python's syntax tree."""


def _quotient(a: arb, b: arb) -> arb:
    if b.contains(0):
        raise NoFit("a division by zero")
    return a / b


def _floor(value: arb) -> arb:
    low = value.floor()
    if not low.is_exact():
        raise NoFit("a number that is too close to a whole one")
    return low


def _power(a: arb, b: arb) -> arb:
    if b.is_integer() and abs(b) <= MOST_BITS:
        exponent = int(b.unique_fmpz())
        return a**exponent if exponent >= 0 else _quotient(arb(1), a**-exponent)
    if not a >= 0:
        raise NoFit("a power of a negative number")
    return arb() if a.is_zero() else a**b


def _whole_power(a: int, b: int) -> Value:
    if b < 0:
        return entrywise(_power, "float", a, b)
    if a.bit_length() * b > MOST_BITS:
        raise NoFit("a number with too many digits")
    return a**b


_ENTRY_RULES: Mapping[str, Callable[[arb, arb], arb]] = {
    "Add": lambda a, b: a + b,
    "Sub": difference,
    "Mult": lambda a, b: a * b,
    "Div": _quotient,
    "Pow": _power,
    "FloorDiv": lambda a, b: _floor(_quotient(a, b)),
    "Mod": lambda a, b: a - b * _floor(_quotient(a, b)),
    "BitAnd": lambda a, b: arb(int(not a.is_zero() and not b.is_zero())),
    "BitOr": lambda a, b: arb(int(not a.is_zero() or not b.is_zero())),
    "BitXor": lambda a, b: arb(int(a.is_zero() != b.is_zero())),
}
_WHOLE_RULES: Mapping[str, Callable[[int, int], Value]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "Pow": _whole_power,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "BitAnd": lambda a, b: a & b,
    "BitOr": lambda a, b: a | b,
    "BitXor": lambda a, b: a ^ b,
}


def operate(name: str, left: Value, right: Value) -> Value:
    """Return ``left op right``; ``name`` is that of Python's syntax tree. Raises :class:`NoFit`."""
    if isinstance(left, int) and isinstance(right, int) and name in _WHOLE_RULES:
        made = _WHOLE_RULES[name](left, right)
        if isinstance(made, int) and made.bit_length() > MOST_BITS:
            raise NoFit("a number with too many digits")
        return made
    if name == "Add" and type(left) is type(right) and isinstance(left, list | tuple | str):
        return left + right if len(left) + len(right) <= MOST_ENTRIES else Unknown("a list that is too long")
    if name == "Mult" and isinstance(left, list | tuple | str) and isinstance(right, int):
        return left * right if len(left) * right <= MOST_ENTRIES else Unknown("a list that is too long")
    if isinstance(left, list) and isinstance(right, list):
        raise NoFit("an operation on lists")
    if name == "MatMult":
        return product(left, right)
    if name not in _ENTRY_RULES or (name.startswith("Bit") and kind_of(left, right) != "bool"):
        raise NoFit(f"{name} is not modelled")
    kind = "float" if name == "Div" else kind_of(left, right)
    return entrywise(_ENTRY_RULES[name], "int" if kind == "bool" and name[:3] != "Bit" else kind, left, right)


def product(left: Value, right: Value) -> Value:
    """Return ``left @ right`` as NumPy has it. Raises :class:`NoFit` if shapes do not go together."""
    one, other = worlds_of(left), worlds_of(right)
    if not one.axes or not other.axes:
        raise NoFit("a matrix product with a number")
    column = other.axes == 1
    given = [one, worlds.turned(other) if column else other]
    axes = one.axes + other.axes - 2
    made = worlds.through(on.product, given, axes)
    if one.axes == 2 and column:
        made = replace(worlds.turned(replace(made, axes=2)), axes=1)
    return wrapped(made, kind_of(left, right), is_tensor(left, right))


# -- indices -----------------------------------------------------------------------------------------------------------

_Places: TypeAlias = list[list[tuple[int, int]]]


def _chosen(key: Value, length: int) -> tuple[list[int], bool]:
    """Return the places on one axis that an index chooses, and whether the axis stays. Raises :class:`NoFit`."""
    if isinstance(key, slice):
        ends = [None if each is None else whole(each) for each in (key.start, key.stop, key.step)]
        return list(range(length))[slice(*ends)], True
    if isinstance(key, int) and not isinstance(key, bool):
        if not -length <= key < length:
            raise NoFit(f"index {key} of {length}")
        return [key % length], False
    found = worlds_of(key)
    if found.axes == 0:
        return _chosen(whole(key), length)
    if kind_of(key) == "bool":
        if found.axes != 1 or found.shape[1] != length:
            raise NoFit("a mask of another length")
        return [i for i, x in enumerate(found.true[0]) if not x.is_zero()], True
    if kind_of(key) != "int" or found.axes != 1:
        raise NoFit("an index that is not modelled")
    return [_chosen(int(x.unique_fmpz()), length)[0][0] for x in found.true[0]], True


def _picked(one: Array, key: Value) -> tuple[_Places, int]:
    """Return the places that an index chooses, and how many axes they have. Raises :class:`NoFit`."""
    grid = one.grid
    if isinstance(key, Array) and key.kind == "bool" and key.axes == 2 == one.axes:
        if key.shape != one.shape:
            raise NoFit("a mask of another shape")
        pairs = zip(grid, key.worlds.true, strict=True)
        return [[at for row, seen in pairs for at, x in zip(row, seen, strict=True) if not x.is_zero()]], 1
    keys = list(key) if isinstance(key, tuple) else [key]
    anew = [place for place, each in enumerate(keys) if each is None]
    keys = [each for each in keys if each is not None]
    if ... in keys:
        at = keys.index(...)
        keys[at : at + 1] = [slice(None)] * (one.axes - len(keys) + 1)
    keys += [slice(None)] * (one.axes - len(keys))
    if len(keys) != one.axes or (len(keys) == 2 and all(isinstance(each, list | Array) for each in keys)):
        raise NoFit("an index that is not modelled")
    rows, has_rows = _chosen(keys[0], len(grid)) if one.axes == 2 else ([0], False)
    columns, has_columns = _chosen(keys[-1], len(grid[0]))
    made, axes = [[grid[i][j] for j in columns] for i in rows], has_rows + has_columns
    if axes == 1 and not has_columns:
        made = [[row[0] for row in made]]
    if anew and axes + len(anew) > 2:
        raise NoFit("an array of more than two axes")
    if anew and axes == 1 and anew[0] > 0:
        made = [[at] for at in made[0]]
    return made, axes + len(anew)


def get(value: Value, key: Value) -> Value:
    """Return ``value[key]``. Raises :class:`NoFit` if that cannot be followed."""
    if isinstance(value, Array):
        places, axes = _picked(value, key)
        if axes and not (places and places[0]):
            raise NoFit("an array without entries")
        part = value.part(places, axes)
        return wrapped(part.worlds, value.kind) if not axes else part if _is_view(key) else array_of(part)
    if isinstance(value, dict) and isinstance(key, str | int) and key in value:
        return value[key]
    if isinstance(value, list | tuple | str | range):
        places_of, stays = _chosen(key, len(value))
        found = [value[place] for place in places_of]
        return found[0] if not stays else "".join(found) if isinstance(value, str) else type(value)(found)  # type: ignore[call-overload]
    raise NoFit(value.reason if isinstance(value, Unknown) else "an index of something else")


def _is_view(key: Value) -> bool:
    return not any(isinstance(each, list | Array) for each in (key if isinstance(key, tuple) else (key,)))


def put(target: Value, key: Value, value: Value) -> None:
    """Do ``target[key] = value``. Raises :class:`NoFit` if that cannot be followed."""
    if isinstance(target, dict) and isinstance(key, str | int):
        target[key] = value
        return
    if isinstance(target, list) and not isinstance(key, slice):
        target[_chosen(key, len(target))[0][0]] = value
        return
    if not isinstance(target, Array) or isinstance(target.storage.rows, Unknown):
        raise NoFit("an entry of something else")
    places, axes = _picked(target, key)
    given = worlds_of(value)
    high, wide = len(places), len(places[0]) if places else 0
    if not high * wide:
        return
    if given.shape[0] not in (1, high) or given.shape[1] not in (1, wide) or (given.axes > axes and given.entries > 1):
        raise NoFit("entries of another shape")
    if target.kind == "int" and not all(x.is_integer() for row in given.true for x in row):
        raise NoFit("a fraction in an array of integers")

    def changed(rows: BallMatrix, by: BallMatrix) -> BallMatrix:
        made = [list(row) for row in rows]
        for i, line in enumerate(places):
            for j, (row, column) in enumerate(line):
                made[row][column] = by[i % len(by)][j % len(by[0])]
        return made

    target.storage.rows = worlds.through(changed, [target.storage.rows, given], 2)


# -- functions ---------------------------------------------------------------------------------------------------------


def _along(rule: Callable[[list[arb]], arb], x: Value, axis: Value, keepdims: Value, kind: str) -> Value:
    """Reduce all entries, or those along an axis."""
    given = worlds_of(x)
    at = None if axis is None else whole(axis)
    if at is not None and not -given.axes <= at < given.axes:
        raise NoFit("an axis that is not there")
    if at is None or given.axes < 2:
        made = worlds.through(lambda rows: [[rule([one for row in rows for one in row])]], [given], 0)
        made = replace(made, axes=given.axes if keepdims else 0)
    elif at in (1, -1):
        made = worlds.through(lambda rows: [[rule(row) for row in rows]], [given], 1)
        made = worlds.turned(made) if keepdims else made
    else:
        made = worlds.through(lambda rows: [[rule(list(column)) for column in zip(*rows, strict=True)]], [given], 1)
        made = replace(made, axes=2) if keepdims else made
    return wrapped(made, kind, is_tensor(x))


def _extreme(sign: int) -> Callable[[list[arb]], int]:
    def found(row: list[arb]) -> int:
        best = 0
        for place, each in enumerate(row):
            best = place if order(each, row[best]) == sign else best
        return best

    return found


def _reduction(name: str) -> Callable[..., Value]:
    def reduced(x: Value, axis: Value = None, keepdims: Value = False, ddof: Value = None) -> Value:
        of_samples = int(name in ("var", "std") and is_tensor(x)) if ddof is None else whole(ddof)
        is_exact = name in ("sum", "max", "min")
        kind = kind_of(x) if is_exact else "float"
        if name in ("max", "min") and is_tensor(x) and axis is not None:
            return reduced(array_of(worlds_of(x)), axis, keepdims), _LIBRARY[f"arg{name}"](x, axis, keepdims)
        return _along(lambda row: ALONG[name](row, of_samples), x, axis, keepdims, "int" if kind == "bool" else kind)

    return reduced


def _by_rows(name: str, unit: int | None = -1) -> Callable[..., Value]:
    """Return a function of the operation of that name, which it applies along an axis."""

    def made(x: Value, axis: Value = unit) -> Value:
        given = worlds_of(x)
        if axis is None and given.axes > 1:
            raise NoFit(f"{name} without an axis")
        at = -1 if axis is None else whole(axis)
        is_down = given.axes == 2 and at in (0, -2)
        found = worlds.through(
            lambda rows: on.called(name, rows), [worlds.turned(given) if is_down else given], given.axes
        )
        return wrapped(worlds.turned(found) if is_down else found, "float", is_tensor(x))

    return made


def _rounded(value: arb, unit: Fraction) -> arb:
    """Round to a unit; a tie may go either way."""
    if not value.is_finite():
        return value
    scaled = value / ball(unit)
    low, high = (scaled - 0.5).ceil(), (scaled + 0.5).floor()
    return (low.union(high) if not (low.is_exact() and high.is_exact() and low == high) else low) * ball(unit)


def rounded(x: Value, decimals: Value = 0) -> Value:
    """Round to decimals."""
    count = whole(decimals)
    if abs(count) > 30:
        raise NoFit("too many decimals")
    return entrywise(lambda a: _rounded(a, Fraction(10) ** -count), kind_of(x), x)


def _sizes(*sizes: Value) -> tuple[int, ...]:
    found = tuple(whole(each) for each in (items_of(sizes[0]) if not isinstance(sizes[0], int) else sizes))
    if not 1 <= len(found) <= 2 or any(each < 1 for each in found) or reduce(lambda a, b: a * b, found) > MOST_ENTRIES:
        raise NoFit("an array of more than two axes, or of too many entries")
    return found


def _filled(*sizes: Value, value: Value, kind: str = "float") -> Value:
    shape = _sizes(*sizes)
    one = worlds_of(value)
    lines = worlds.through(
        lambda rows: [[rows[0][0]] * shape[-1] for _ in range(shape[0] if len(shape) > 1 else 1)], [one], 2
    )
    return wrapped(replace(lines, axes=len(shape)), kind)


def _like(value: int) -> Callable[..., Value]:
    return lambda x, *_: entrywise(lambda a: arb(value), kind_of(x) if isinstance(x, Array) else "int", x)


def _by_place(x: Value, keep: Callable[[int, int], bool]) -> Value:
    def kept(rows: BallMatrix) -> BallMatrix:
        return [[a if keep(i, j) else arb() for j, a in enumerate(row)] for i, row in enumerate(rows)]

    given = worlds_of(x)
    return wrapped(worlds.through(kept, [given], given.axes), kind_of(x), is_tensor(x))


def _eye(n: Value, m: Value = None, k: Value = 0) -> Value:
    high, wide = _sizes(n, n if m is None else m)
    ones = _filled(high, wide, value=1)
    return _by_place(ones, lambda i, j: j - i == whole(k))


def _diag(x: Value, k: Value = 0) -> Value:
    given = worlds_of(x)
    if whole(k) or not given.axes:
        raise NoFit("another diagonal")
    if given.axes == 1:
        return wrapped(worlds.diagonal(given), kind_of(x))
    return get(x, (0, slice(None))) if given.shape[0] == 1 else wrapped(_diagonal_of(given), kind_of(x))


def _diagonal_of(given: Worlds) -> Worlds:
    return worlds.through(lambda rows: [[rows[i][i] for i in range(min(on.size(rows)))]], [given], 1)


def _arange(*ends: Value) -> Value:
    if all(isinstance(each, int) for each in ends):
        return array_of(_range(*ends))
    start, stop, step = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    found = operate("Div", operate("Sub", stop, start), step)
    count = int(worlds_of(found).true[0][0].ceil().unique_fmpz() or 0)
    return operate("Add", operate("Mult", array_of(_range(count)), step), start)


def _range(*ends: Value) -> range:
    made = range(*(whole(each) for each in ends))
    if len(made) > MOST_ENTRIES:
        raise NoFit("a range that is too long")
    return made


def _linspace(start: Value, stop: Value, num: Value = 50) -> Value:
    count = whole(num)
    if count < 2:
        raise NoFit("a single point")
    share = operate("Div", array_of(_range(count)), count - 1)
    return operate("Add", operate("Mult", share, operate("Sub", stop, start)), start)


def _reshape(x: Value, *sizes: Value) -> Value:
    one = x if isinstance(x, Array) else array_of(x)
    flat = [at for row in one.grid for at in row]
    asked = [whole(each) for each in (items_of(sizes[0]) if not isinstance(sizes[0], int) else sizes)]
    known = reduce(lambda a, b: a * b, (each for each in asked if each != -1), 1)
    shape = [len(flat) // known if each == -1 else each for each in asked]
    if not 1 <= len(shape) <= 2 or reduce(lambda a, b: a * b, shape) != len(flat):
        raise NoFit("an array of more than two axes, or of another size")
    wide = shape[-1]
    return one.part([flat[i : i + wide] for i in range(0, len(flat), wide)], len(shape))


def _flat(x: Value, *_: Value) -> Value:
    return _reshape(x, -1)


def _transpose(x: Value, *axes: Value) -> Value:
    one = x if isinstance(x, Array) else array_of(x)
    return one.T if not axes or sorted(whole(each) % 2 for each in axes) == [0, 1] else one


def _joined(axis: Value, pieces: Value) -> Value:
    """Put arrays behind each other along an axis."""
    parts = items_of(pieces)
    given = [worlds_of(each) for each in parts]
    if len({each.axes for each in given}) != 1 or not given[0].axes:
        raise NoFit("arrays of several numbers of axes")
    is_beside = given[0].axes == 1 or whole(axis) in (1, -1)
    return wrapped((worlds.beside if is_beside else worlds.below)(given), kind_of(*parts), is_tensor(*parts))


def _stack(pieces: Value, axis: Value = 0) -> Value:
    made = array_of(items_of(pieces), tensor=is_tensor(*items_of(pieces)))
    return made.T if made.axes == 2 and whole(axis) in (1, -1) else made


def _stacked(pieces: Value, is_beside: bool = False) -> Value:
    parts = items_of(pieces)
    if all(worlds_of(each).axes < 2 for each in parts):
        return _joined(0, pieces) if is_beside else _stack(pieces)
    return _joined(int(is_beside), [each if worlds_of(each).axes == 2 else _reshape(each, 1, -1) for each in parts])


def _where(which: Value, one: Value, other: Value) -> Value:
    return entrywise(lambda a, b, c: c if a.is_zero() else b, kind_of(one, other), which, one, other)


def _unsqueezed(x: Value, axis: Value) -> Value:
    return get(x, (slice(None), None) if whole(axis) in (1, -1) else (None, slice(None)))


def _squeezed(x: Value, axis: Value = None) -> Value:
    return _flat(x) if isinstance(x, Array) and 1 in x.shape and len(_flat(x).grid[0]) > 1 else x


def _convolve(x: Value, kernel: Value, mode: Value = "full") -> Value:
    a, b = worlds_of(x), worlds_of(kernel)
    n, k = a.entries, b.entries
    if mode not in ("full", "valid", "same") or n < k or n * k > MOST_ENTRIES:
        raise NoFit("a convolution that is not modelled")
    first, last = {"full": (0, n + k - 1), "valid": (k - 1, n), "same": ((k - 1) // 2, (k - 1) // 2 + n)}[str(mode)]

    def made(rows: BallMatrix, by: BallMatrix) -> BallMatrix:
        terms = [[rows[0][i - j] * by[0][j] for j in range(k) if 0 <= i - j < n] for i in range(first, last)]
        return [[sum(each, arb()) for each in terms]]

    return wrapped(worlds.through(made, [a, b], 1), kind_of(x, kernel))


def _cumulative(rule: Callable[[arb, arb], arb]) -> Callable[..., Value]:
    def made(x: Value, axis: Value = None) -> Value:
        given = worlds_of(x)
        if given.axes == 2 and axis is None:
            given = worlds_of(_flat(x))
        is_down = given.axes == 2 and whole(axis) in (0, -2)
        found = worlds.through(
            lambda rows: [[reduce(rule, row[: j + 1]) for j in range(len(row))] for row in rows],
            [worlds.turned(given) if is_down else given],
            given.axes,
        )
        return wrapped(worlds.turned(found) if is_down else found, kind_of(x), is_tensor(x))

    return made


def _sorted_places(x: Value) -> list[int]:
    row = worlds_of(x)
    if row.axes != 1:
        raise NoFit("sorting a matrix")
    return sorted(range(row.entries), key=cmp_to_key(lambda i, j: order(row.true[0][i], row.true[0][j])))


def _norm(x: Value, ord: Value = None, axis: Value = None, keepdims: Value = False) -> Value:
    if ord not in (None, 2) or (ord == 2 and worlds_of(x).axes == 2 and axis is None):
        raise NoFit("another norm")
    return _along(lambda row: ALONG["norm"](row, 0), x, axis, keepdims, "float")


def _close(a: Value, b: Value, *_: Value, **__: Value) -> Value:
    one = worlds_of(operate("Sub", a, b))
    return all(bool(abs(x) < 1e-5) for row in one.true for x in row)


def _log(base: int) -> Callable[[Value], Value]:
    return partial(entrywise, lambda a: _positive(a).log() / arb(base).log(), "float")


def _positive(a: arb) -> arb:
    if not a > 0:
        raise NoFit("a logarithm of 0 or less")
    return a


def _entry_function(name: str) -> Callable[..., Value]:
    def made(x: Value) -> Value:
        given = worlds_of(x)
        found = worlds.through(lambda rows: on.called(ENTRYWISE[name], rows), [given], given.axes)
        return wrapped(found, kind_of(x) if name in ("abs", "relu") else "float", is_tensor(x))

    return made


def _same(x: Value, *_: Value, **__: Value) -> Value:
    return x


def _cast(x: Value, kind: Value = None, *_: Value) -> Value:
    name = getattr(kind, "name", kind if isinstance(kind, str) else "")
    asked = next((each for each in ("bool", "int", "float") if each in str(name)), None)
    found = array_of(x)
    if asked == "bool" and isinstance(found, Array):
        return entrywise(lambda a: arb(int(not a.is_zero())), "bool", found)
    if asked == "int" and isinstance(found, Array):
        return entrywise(lambda a: _floor(abs(a)) * (1 if a >= 0 else -1), "int", found)
    if asked is None or not isinstance(found, Array):
        return found if asked is None else operate("Mult", found, 1)
    found.kind = asked
    return found


def _one_hot(places: Value, num_classes: Value = None) -> Value:
    return get(_eye(num_classes), array_of(places))


_LIBRARY: dict[str, Callable[..., Value]] = {
    **{name: _reduction(name) for name in ("sum", "mean", "max", "min", "var", "std")},
    **{name: _entry_function(name) for name in ENTRYWISE if name.isascii()},
    **{name: _by_rows(name) for name in ("softmax", "log_softmax")},
    "softmax_with_temperature": lambda x, temperature=1: _by_rows("softmax")(operate("Div", x, temperature)),
    "amax": _reduction("max"),
    "amin": _reduction("min"),
    "prod": lambda x, axis=None, keepdims=False: _along(
        lambda row: reduce(lambda a, b: a * b, row), x, axis, keepdims, kind_of(x)
    ),
    "argmax": lambda x, axis=None, keepdims=False: _along(lambda row: arb(_extreme(1)(row)), x, axis, keepdims, "int"),
    "argmin": lambda x, axis=None, keepdims=False: _along(lambda row: arb(_extreme(-1)(row)), x, axis, keepdims, "int"),
    "log1p": partial(entrywise, lambda a: _positive(1 + a).log(), "float"),
    "log2": _log(2),
    "log10": _log(10),
    "expm1": partial(entrywise, lambda a: a.exp() - 1, "float"),
    "tan": partial(entrywise, lambda a: a.tan(), "float"),
    "square": lambda x: operate("Mult", x, x),
    "sign": lambda x: entrywise(lambda a: arb(order(a, arb())), kind_of(x), x),
    "floor": partial(entrywise, _floor, "float"),
    "ceil": partial(entrywise, lambda a: -_floor(-a), "float"),
    "reciprocal": lambda x: operate("Div", 1, x),
    "rsqrt": lambda x: operate("Div", 1, _LIBRARY["sqrt"](x)),
    "leaky_relu": lambda x, slope=None: _where(
        COMPARED["Gt"](x, 0), x, operate("Mult", x, slope or worlds.number(ball(Fraction(1, 100))))
    ),
    "maximum": lambda a, b: entrywise(larger, kind_of(a, b), a, b),
    "minimum": lambda a, b: entrywise(smaller, kind_of(a, b), a, b),
    "clip": lambda x, low=None, high=None: _clipped(x, low, high),
    "power": partial(operate, "Pow"),
    "add": partial(operate, "Add"),
    "subtract": partial(operate, "Sub"),
    "multiply": partial(operate, "Mult"),
    "divide": partial(operate, "Div"),
    "matmul": product,
    "dot": lambda a, b: product(a, b) if worlds_of(a).axes and worlds_of(b).axes else operate("Mult", a, b),
    "inner": product,
    "outer": lambda a, b: product(_reshape(a, -1, 1), _reshape(b, 1, -1)),
    "trace": lambda x: _LIBRARY["sum"](wrapped(_diagonal_of(worlds_of(x)), kind_of(x))),
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
    "transpose": _transpose,
    "t": _transpose,
    "permute": _transpose,
    "swapaxes": _transpose,
    "unsqueeze": _unsqueezed,
    "expand_dims": _unsqueezed,
    "squeeze": _squeezed,
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
    "tensor": partial(array_of, tensor=True),
    "astype": _cast,
    "item": lambda x: get(_flat(x), 0) if isinstance(x, Array) and len(_flat(x).grid[0]) == 1 else worlds_of(x),
    "tolist": lambda x: [_LIBRARY["tolist"](each) for each in items_of(x)] if isinstance(x, Array) else x,
    "size": lambda x, axis=None: x.shape if axis is None else x.shape[whole(axis)],
    "allclose": _close,
    "array_equal": _close,
    "equal": _close,
    "one_hot": _one_hot,
    "fill_diagonal": lambda x, value: [put(x, (i, i), value) for i in range(min(x.shape))] and None,
}

_OTHER_NAMES = (
    "concatenate:concat,cat|array:asarray,asanyarray|tensor:as_tensor,FloatTensor,Tensor,from_numpy|matmul:mm,mv,bmm"
    "|abs:absolute,fabs|clip:clamp|power:pow|round:around,round_|copy:clone|astype:to,type|divide:div,true_divide"
    "|multiply:mul|subtract:sub|item:float64,float32|negative:neg"
)
_LIBRARY["negative"] = lambda x: operate("Mult", x, -1)
_LIBRARY.update(dict.fromkeys("detach numpy cpu contiguous requires_grad_ double as_array".split(), _same))
for _listed in _OTHER_NAMES.split("|"):
    _name, _, _others = _listed.partition(":")
    _LIBRARY.update(dict.fromkeys(_others.split(","), _LIBRARY[_name]))
LIBRARY: Mapping[str, Callable[..., Value]] = _LIBRARY
"""Functions and methods of NumPy and PyTorch by their names."""

_KEYWORDS = {"dim": "axis", "keepdim": "keepdims", "correction": "ddof", "diagonal": "k", "min": "low", "max": "high"}
_KEYWORDS |= {"a_min": "low", "a_max": "high", "fill_value": "value", "newshape": "shape", "negative_slope": "slope"}
_IGNORED = frozenset("dtype device requires_grad copy order out_dtype".split())


def _clipped(x: Value, low: Value, high: Value) -> Value:
    x = x if low is None else LIBRARY["maximum"](x, low)
    return x if high is None else LIBRARY["minimum"](x, high)


def call(name: str, *given: Value, **named: Value) -> Value:
    """Call a function of NumPy or PyTorch by its name. Raises :class:`NoFit` if it cannot be followed."""
    spend(worlds.BY_VALUE)
    if name not in LIBRARY:
        raise NoFit(f"{name} is not modelled")
    if named.get("out") is not None or any(key in named for key in ("where", "initial")):
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
    return made if kind is None or (name == "tensor" and not isinstance(made, Array)) else _typed(made, kind)


def _typed(made: Value, kind: Value) -> Value:
    """Return an array of the kind that ``dtype`` asks for."""
    found = _cast(made, kind) if isinstance(made, Array) else made
    if isinstance(found, Array) and isinstance(made, Array):
        found.is_tensor = made.is_tensor
    return found


def entries_of(value: Value) -> Iterator[Value]:
    """Yield numbers and texts of a value in the order in which they are printed. Raises :class:`NoFit`."""
    if isinstance(value, Array):
        found = value.worlds
        places: Iterable[tuple[int, int]] = ((i, j) for i in range(found.shape[0]) for j in range(found.shape[1]))
        yield from (worlds.entry(found, i, j) for i, j in places)
    elif isinstance(value, list | tuple | range):
        for each in value:
            yield from entries_of(each)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from entries_of(pair)
    elif isinstance(value, Worlds | int | str):
        yield value
    else:
        raise NoFit(value.reason if isinstance(value, Unknown) else "something that is not printed as numbers")
