"""Built-in functions of Python, and methods of its lists, dictionaries and texts, over values of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from flint import arb

from symattn.checking.following import arrays, worlds
from symattn.checking.following.array_functions import call, rounded
from symattn.checking.following.arrays import EntryArray, ProgramValue, Unknown, floor_of, items_of, whole, worlds_of
from symattn.checking.following.program_texts import ShownValue, Text, as_parts, formatted_text
from symattn.checking.following.rows import NoFit, ball
from symattn.checking.following.worlds import Worlds


def spoil(value: ProgramValue, reason: str) -> None:
    """Make an object unknown that was changed in a way that is not modelled."""
    if isinstance(value, EntryArray):
        value.storage.rows = Unknown(reason)
    elif isinstance(value, list):
        value[:] = [Unknown(reason)]
    elif isinstance(value, dict):
        value.update(dict.fromkeys(value, Unknown(reason)))


def truth_of(value: ProgramValue) -> bool:
    """Return the truth of a value. Raises :class:`NoFit` if it is open."""
    if isinstance(value, bool | int | str | list | tuple | dict | type(None) | range):
        return bool(value)
    found = worlds_of(value)
    if found.entries != 1:
        raise NoFit("the truth of an array")
    one = found.true[0][0]
    if one.is_zero() or not one.contains(0):
        return not one.is_zero()
    raise NoFit("a number that may be 0")


def compared(name: str, left: ProgramValue, right: ProgramValue) -> ProgramValue:
    """Compare two values; the name is that of Python's syntax tree. Raises :class:`NoFit` if the result is open."""
    if name in ("Is", "IsNot"):
        if left is not None and right is not None and not (isinstance(left, bool) and isinstance(right, bool)):
            raise NoFit("an identity")
        return (left is right) == (name == "Is")
    if name in ("In", "NotIn"):
        keys = list(right) if isinstance(right, dict) else right
        if not isinstance(left, str | int) or not all(isinstance(each, str | int) for each in items_of(keys)):
            raise NoFit("a membership")
        return (left in keys) == (name == "In")
    if isinstance(left, str | tuple | type(None)) or isinstance(right, str | tuple | type(None)):
        if name not in ("Eq", "NotEq") or not (_is_plain(left) and _is_plain(right)):
            raise NoFit("a comparison that is not modelled")
        return (left == right) == (name == "Eq")
    return arrays.COMPARED[name](left, right)


def _is_plain(value: ProgramValue) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(each, str | int | type(None)) for each in value)
    return isinstance(value, str | int | type(None))


def call_method(
    name: str, owner: ProgramValue, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]
) -> ProgramValue:
    """Call a method of a list, a dictionary or a text. Raises :class:`NoFit` if it is not modelled."""
    if isinstance(owner, Text):
        return owner
    if isinstance(owner, str):
        if name == "format":
            return formatted_text(owner, given, named)
        if name == "join":
            pieces = [as_parts(each) for each in items_of(given[0])]
            joined = [part for place, each in enumerate(pieces) for part in ((owner,) if place else ()) + each]
            return Text(tuple(joined))
        if name in ("upper", "lower", "strip", "title", "capitalize") and not given:
            return getattr(owner, name)()
        if name == "split" and all(isinstance(each, str) for each in given):
            return owner.split(*given)
        return owner if name in ("ljust", "rjust", "center") else Unknown(f"{name} of a text is not modelled")
    if isinstance(owner, dict):
        if name in ("items", "keys", "values"):
            return [list(each) if isinstance(each, tuple) else each for each in getattr(owner, name)()]
        return (
            owner.get(*given)
            if name == "get" and isinstance(given[0], str | int)
            else Unknown(f"{name} is not modelled")
        )
    if name == "append":
        owner.append(given[0])
        return None
    if name == "extend":
        more = list(items_of(given[0]))
        if len(owner) + len(more) > arrays.MOST_ENTRIES:
            spoil(owner, "a list that is too long")
            raise NoFit("a list that is too long")
        owner.extend(more)
        return None
    if name == "copy":
        return list(owner)
    if name == "index" and all(isinstance(each, str | int) for each in (*owner, *given)):
        return owner.index(given[0])
    if name == "pop" and all(isinstance(each, int) for each in given):
        return owner.pop(*given)
    spoil(owner, f"{name} of a list is not modelled")
    raise NoFit(f"{name} of a list is not modelled")


def _sum(values: ProgramValue, start: ProgramValue = 0) -> ProgramValue:
    return reduce(lambda a, b: arrays.operate("Add", a, b), _checked(items_of(values)), start)


def _checked(values: Sequence[ProgramValue]) -> Sequence[ProgramValue]:
    for each in values:
        if isinstance(each, Unknown):
            raise NoFit(each.reason)
    return values


def _best(sign: int) -> Callable[..., ProgramValue]:
    def found(*given: ProgramValue, key: ProgramValue = None) -> ProgramValue:
        values = _checked(items_of(given[0]) if len(given) == 1 else given)
        best = values[0]
        for each in values[1:]:
            if arrays.order(worlds_of(each).true[0][0], worlds_of(best).true[0][0]) == sign:
                best = each
        if key is not None or any(worlds_of(each).axes for each in values):
            raise NoFit("the extreme of other values")
        return best

    return found


def _float(value: ProgramValue = 0) -> ProgramValue:
    if isinstance(value, str):
        text = value.strip().lower().replace("infinity", "inf")
        if text.lstrip("+-") == "inf":
            return worlds.number(arb.neg_inf() if text[0] == "-" else arb.pos_inf())
        return worlds.number(ball(Fraction(text)))
    found = worlds_of(value)
    if found.entries != 1:
        raise NoFit("a number of an array")
    return (
        worlds.number(found.true[0][0])
        if found.carried is found.true
        else Worlds(found.true, found.carried, found.mended, 0, found.of)
    )


def _int(value: ProgramValue = 0) -> ProgramValue:
    if isinstance(value, str):
        return int(value[:40])
    one = worlds_of(value).true[0][0]
    return whole(worlds.number(floor_of(abs(one)))) * (1 if one >= 0 else -1)


def _round(value: ProgramValue, digits: ProgramValue = None) -> ProgramValue:
    made = rounded(value, 0 if digits is None else digits)
    return whole(made) if digits is None else made


def _sorted(values: ProgramValue, key: ProgramValue = None, reverse: ProgramValue = False) -> ProgramValue:
    found = list(_checked(items_of(values)))
    if key is not None:
        raise NoFit("sorting by a key")
    if not all(isinstance(each, str) for each in found):
        places = worlds_of(found)
        by = call("argsort", places)
        return [found[whole(each)] for each in items_of(by)][:: -1 if reverse else 1]
    return sorted(found, reverse=bool(reverse))


def _len(value: ProgramValue) -> int:
    return value.shape[0] if isinstance(value, EntryArray) else len(items_of(value))


def _string(value: ProgramValue = "") -> ProgramValue:
    return value if isinstance(value, str | Text) else Text((ShownValue(value, "this"),))


BUILTINS: Mapping[str, Callable[..., ProgramValue]] = MappingProxyType(
    {
        "print": lambda *_: None,
        "len": _len,
        "range": arrays.range_of,
        "sum": _sum,
        "max": _best(1),
        "min": _best(-1),
        "abs": lambda value: call("abs", value),
        "round": _round,
        "float": _float,
        "int": _int,
        "str": _string,
        "repr": _string,
        "bool": truth_of,
        "list": lambda value=(): list(items_of(value)),
        "tuple": lambda value=(): tuple(items_of(value)),
        "dict": lambda value=(): dict(value),
        "zip": lambda *given, **_: [list(each) for each in zip(*map(items_of, given), strict=False)],
        "enumerate": lambda value, start=0: [[place, each] for place, each in enumerate(items_of(value), start)],
        "reversed": lambda value: list(items_of(value))[::-1],
        "sorted": _sorted,
        "any": lambda value: any(map(truth_of, items_of(value))),
        "all": lambda value: all(map(truth_of, items_of(value))),
        "pow": lambda a, b: arrays.operate("Pow", a, b),
        "type": lambda value: Unknown("a type"),
        "isinstance": lambda *_: Unknown("a type"),
        "input": lambda *_: Unknown("what somebody types"),
        "map": lambda *_: Unknown("map is not modelled"),
    }
)


def call_builtin(name: str, given: Sequence[ProgramValue], named: Mapping[str, ProgramValue]) -> ProgramValue:
    """Call a built-in function. Raises :class:`NoFit` if an argument is unknown."""
    for each in (*given, *named.values()):
        if isinstance(each, Unknown):
            raise NoFit(each.reason)
    return BUILTINS[name](*given, **named)
