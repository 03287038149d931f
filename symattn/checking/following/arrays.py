"""Arrays of a program, and what NumPy and PyTorch compute from them. Slices and transposes share their entries."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

from flint import arb, fmpz

from symattn.base.budget import spend
from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.rows import BallMatrix, NoFit, difference
from symattn.checking.following.worlds import Worlds

ProgramValue: TypeAlias = Any
"""A value of a program: an :class:`EntryArray`, a number (``int``, or :class:`Worlds` without axes), a text, a list,
a function, or :class:`Unknown`."""

MOST_ENTRIES, MOST_BITS, MOST_WHOLE = 10_000, 4_096, 10**15
"""Arrays of more numbers, longer integers, and larger numbers that should be integers are not followed."""


DEPTH = 4
"""Lists inside each other that are printed at most."""


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be followed. What is computed from it is unknown as well."""

    reason: str


@dataclass(eq=False)
class Storage:
    """Entries that an array shares with its slices."""

    rows: Worlds | Unknown


@dataclass(eq=False)
class EntryArray:
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
    def T(self) -> EntryArray:
        """Return the transpose, which shares the entries."""
        return self if self.axes < 2 else self.part([list(each) for each in zip(*self.grid, strict=True)], 2)

    def part(self, places: list[list[tuple[int, int]]], axes: int) -> EntryArray:
        """Return entries at places, which are shared."""
        return EntryArray(self.storage, places, axes, self.kind, self.is_tensor)


def wrapped(value: Worlds, kind: str = "float", is_tensor: bool = False) -> ProgramValue:
    """Return a value as a program has it: an array, or a number. Raises :class:`NoFit` if it has no entries."""
    if value.axes:
        if not value.entries or value.entries > MOST_ENTRIES:
            raise NoFit("an array without entries, or with too many")
        return EntryArray(Storage(replace(value, axes=2)), None, value.axes, kind, is_tensor)
    one = value.true[0][0]
    if kind == "float" or value.carried is not value.true or not (one.is_integer() and abs(one) < MOST_WHOLE):
        return value
    return bool(one != 0) if kind == "bool" else int(float(one))


def worlds_of(value: ProgramValue, depth: int = 0) -> Worlds:
    """Return a number, an array or a nested list as a matrix in three worlds. Raises :class:`NoFit`."""
    spend(2)
    match value:
        case EntryArray():
            return value.worlds
        case Worlds():
            return value
        case int():
            return worlds.number(arb(fmpz(value)))
        case list() | tuple() | range() if 0 < len(value) <= MOST_ENTRIES:
            if depth > 1:
                raise NoFit("an array of more than two axes")
            pieces = [worlds_of(each, depth + 1) for each in value]
            if all(each.axes == 0 for each in pieces):
                return worlds.together([pieces], 1)
            if any(each.axes != 1 or each.shape != pieces[0].shape for each in pieces):
                raise NoFit("an array of more than two axes, or of rows that differ in length")
            return worlds.through(lambda *rows: [each[0] for each in rows], pieces, 2)
        case Unknown(reason):
            raise NoFit(reason)
    raise NoFit("not a number or an array")


def kind_of(*values: ProgramValue) -> str:
    """Return the kind of numbers that values have together."""
    kinds = set()
    rows = [row for each in values for row in (each if isinstance(each, list | tuple) else (each,))]
    for each in rows:
        if isinstance(each, list | tuple):
            kinds |= {item.kind if isinstance(item, EntryArray) else type(item).__name__ for item in each}
        else:
            kinds.add(each.kind if isinstance(each, EntryArray) else type(each).__name__)
    kinds = {"int" if each == "range" else each for each in kinds}
    return "bool" if kinds == {"bool"} else "int" if kinds <= {"int", "bool"} else "float"


def is_tensor(*values: ProgramValue) -> bool:
    """Return True if PyTorch made one of the values."""
    return any(isinstance(each, EntryArray) and each.is_tensor for each in values)


def array_of(value: ProgramValue, *_: ProgramValue, tensor: bool = False, **__: ProgramValue) -> ProgramValue:
    """Return a new array with the same entries."""
    return wrapped(worlds_of(value), kind_of(value), tensor or is_tensor(value))


def whole(value: ProgramValue) -> int:
    """Return an integer. Raises :class:`NoFit` for anything else."""
    if isinstance(value, int):
        return value
    one = worlds_of(value)
    if one.entries != 1 or not one.true[0][0].is_integer() or not abs(one.true[0][0]) < MOST_WHOLE:
        raise NoFit("not a whole number")
    return int(float(one.true[0][0]))


def items_of(value: ProgramValue) -> Sequence[ProgramValue]:
    """Return what a loop over a value visits. Raises :class:`NoFit` if that is not known."""
    match value:
        case list() | tuple() | range() | str() | dict():
            return value if isinstance(value, range) else list(value)
        case EntryArray():
            return [get(value, i) for i in range(value.shape[0])]
        case Unknown(reason):
            raise NoFit(reason)
    raise NoFit("not a list")


# -- entry by entry ----------------------------------------------------------------------------------------------------


def entrywise(rule: Callable[..., arb], kind: str, *values: ProgramValue) -> ProgramValue:
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


def _compared(rule: Callable[[int, int], bool]) -> Callable[[ProgramValue, ProgramValue], ProgramValue]:
    return partial(entrywise, lambda a, b: arb(int(rule(order(a, b), 0))), "bool")


_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
COMPARED: Mapping[str, Callable[[ProgramValue, ProgramValue], ProgramValue]] = MappingProxyType(
    dict(zip(("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"), map(_compared, _COMPARISONS), strict=True))
)
"""Comparisons by the names of Python's syntax tree."""


def _quotient(a: arb, b: arb) -> arb:
    if b.contains(0):
        raise NoFit("a division by zero")
    return a / b


def floor_of(value: arb) -> arb:
    """Round down. Raises :class:`NoFit` if a number is too close to an integer."""
    low = value.floor()
    if not low.is_exact():
        raise NoFit("a number that is too close to a whole one")
    return low


def _power(a: arb, b: arb) -> arb:
    if b.is_integer() and abs(b) <= MOST_BITS:
        exponent = int(float(b))
        return a**exponent if exponent >= 0 else _quotient(arb(1), a**-exponent)
    if not a >= 0:
        raise NoFit("a power of a negative number")
    return arb() if a.is_zero() else a**b


def _whole_power(a: int, b: int) -> ProgramValue:
    if b < 0:
        return entrywise(_power, "float", a, b)
    if a.bit_length() * b > MOST_BITS:
        raise NoFit("a number with too many digits")
    return a**b


_ENTRY_RULES: Mapping[str, Callable[[arb, arb], arb]] = MappingProxyType(
    {
        "Add": lambda a, b: a + b,
        "Sub": difference,
        "Mult": lambda a, b: a * b,
        "Div": _quotient,
        "Pow": _power,
        "FloorDiv": lambda a, b: floor_of(_quotient(a, b)),
        "Mod": lambda a, b: a - b * floor_of(_quotient(a, b)),
        "BitAnd": lambda a, b: arb(int(not a.is_zero() and not b.is_zero())),
        "BitOr": lambda a, b: arb(int(not a.is_zero() or not b.is_zero())),
        "BitXor": lambda a, b: arb(int(a.is_zero() != b.is_zero())),
    }
)
_WHOLE_RULES: Mapping[str, Callable[[int, int], ProgramValue]] = MappingProxyType(
    {
        **{"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Pow": _whole_power},
        **{"FloorDiv": operator.floordiv, "Mod": operator.mod},
        **{"BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor},
    }
)


def operate(name: str, left: ProgramValue, right: ProgramValue) -> ProgramValue:
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


def product(left: ProgramValue, right: ProgramValue) -> ProgramValue:
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


def _chosen(key: ProgramValue, length: int) -> tuple[list[int], bool]:
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
    return [_chosen(whole(worlds.number(x)), length)[0][0] for x in found.true[0]], True


def _picked(one: EntryArray, key: ProgramValue) -> tuple[_Places, int]:
    """Return the places that an index chooses, and how many axes they have. Raises :class:`NoFit`."""
    grid = one.grid
    if isinstance(key, EntryArray) and key.kind == "bool" and key.axes == 2 == one.axes:
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
    if len(keys) != one.axes or (len(keys) == 2 and all(isinstance(each, list | EntryArray) for each in keys)):
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


def get(value: ProgramValue, key: ProgramValue) -> ProgramValue:
    """Return ``value[key]``. Raises :class:`NoFit` if that cannot be followed."""
    if isinstance(value, EntryArray):
        places, axes = _picked(value, key)
        if axes and not (places and places[0]):
            raise NoFit("an array without entries")
        part = value.part(places, axes)
        return wrapped(part.worlds, value.kind) if not axes else part if _is_view(key) else array_of(part)
    if isinstance(value, dict) and isinstance(key, str | int) and key in value:
        return value[key]
    if isinstance(value, list | tuple | str | range):
        places_of, stays = _chosen(key, len(value))
        found: list[ProgramValue] = [value[place] for place in places_of]
        if not stays:
            return found[0]
        return "".join(found) if isinstance(value, str) else tuple(found) if isinstance(value, tuple) else found
    raise NoFit(value.reason if isinstance(value, Unknown) else "an index of something else")


def _is_view(key: ProgramValue) -> bool:
    return not any(isinstance(each, list | EntryArray) for each in (key if isinstance(key, tuple) else (key,)))


def put(target: ProgramValue, key: ProgramValue, value: ProgramValue) -> None:
    """Do ``target[key] = value``. Raises :class:`NoFit` if that cannot be followed."""
    if isinstance(target, dict) and isinstance(key, str | int):
        target[key] = value
        return
    if isinstance(target, list) and not isinstance(key, slice):
        target[_chosen(key, len(target))[0][0]] = value
        return
    if not isinstance(target, EntryArray) or isinstance(target.storage.rows, Unknown):
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


def range_of(*ends: ProgramValue) -> range:
    """Return a range. Raises :class:`NoFit` if it is too long."""
    made = range(*(whole(each) for each in ends))
    if len(made) > MOST_ENTRIES:
        raise NoFit("a range that is too long")
    return made


def entries_of(value: ProgramValue, depth: int = 0) -> Iterator[ProgramValue]:
    """Yield numbers and texts of a value in the order in which they are printed. Raises :class:`NoFit`."""
    if isinstance(value, EntryArray):
        found = value.worlds
        places: Iterable[tuple[int, int]] = ((i, j) for i in range(found.shape[0]) for j in range(found.shape[1]))
        yield from (worlds.entry(found, i, j) for i, j in places)
    elif isinstance(value, list | tuple | range):
        if depth > DEPTH:
            raise NoFit("lists inside each other")
        for each in value:
            yield from entries_of(each, depth + 1)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from entries_of(pair, depth + 1)
    elif isinstance(value, Worlds | int | str):
        yield value
    else:
        raise NoFit(value.reason if isinstance(value, Unknown) else "something that is not printed as numbers")
